"""Time of a closed form under bands, unions of them and repeated blocks, for every schedule and some lengths.

Run as ``python tests/bench/bench_closed_forms.py [-N 10000 1000000 1000000000]``; in milliseconds of one
processor, the least of some.
"""

from __future__ import annotations

import argparse
import itertools
import time
from random import Random

from pebble import Problem, Schedule
from pebble.common.errors import PebbleError
from pebble.computations.masks import (
    BandMask,
    Mask,
    causal_mask,
    document_mask,
    make_mask,
    window_mask,
)
from pebble.program.closed_forms.count import closed_form
from pebble.program.schedule import Tiles, available, get

SIZES = [385, 257, 193, 64]
"""Of tiles, in turn in the order in which a schedule names them."""
ALIGNED_SIZES = [256, 128, 64]
"""The same under masks with a period or zones."""
N_DOCUMENTS = 1000
REPEATS = 5
D = 64


def documents(N: int, *, causal: bool) -> BandMask:
    """Return sequences cut at random places."""
    cuts = [0, *sorted(Random(N).sample(range(1, N), N_DOCUMENTS - 1)), N]
    return document_mask([stop - start for start, stop in itertools.pairwise(cuts)], causal=causal)


def masks(N: int) -> dict[str, Mask | None]:
    """Return the masks by name."""
    return {
        "causal": causal_mask(N, N),
        "window:4096": window_mask(N, N, 4095),
        "prefix:1000": make_mask("prefix:1000", N, N),
        f"{N_DOCUMENTS} documents": documents(N, causal=False),
        f"{N_DOCUMENTS} causal": documents(N, causal=True),
        "strided:1024": make_mask("strided:1024", N, N),
        "fixed:1024,8": make_mask("fixed:1024,8", N, N),
        "longformer": make_mask("longformer:window=512,global=16", N, N),
    }


def tiles_of(schedule: Schedule, problem: Problem) -> Tiles:
    """Return tiles of some hundreds, odd ones under bands."""
    names = schedule.smallest(problem.without_mask())
    sizes = SIZES if isinstance(problem.mask, BandMask) else ALIGNED_SIZES
    chosen = dict(zip(names, itertools.cycle(sizes), strict=False))
    return {name: 1 if name == "sums_first" else chosen[name] for name in names}


def milliseconds(schedule: Schedule, problem: Problem) -> float:
    """Return the least time of some closed forms."""
    text, family = schedule.program(problem, tiles_of(schedule, problem)), schedule.family(problem)
    times = []
    for _ in range(REPEATS):
        begin = time.process_time()
        int(closed_form(text, family).io)
        times.append(1000 * (time.process_time() - begin))
    return min(times)


def main() -> None:
    """Print a line for every schedule and number of queries and keys."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-N", type=int, nargs="*", default=[10**4, 10**6, 10**9])
    arguments = parser.parse_args()
    for N in arguments.N:
        kinds = masks(N)
        print(f"\nN = {N:,}: milliseconds".ljust(34), *(name.rjust(15) for name in kinds))
        for pass_name in ("forward", "backward"):
            for name in sorted(available(pass_name)):
                row = []
                for mask in kinds.values():
                    problem = Problem.square(N, D, pass_name=pass_name, mask=mask)
                    try:
                        row.append(f"{milliseconds(get(name, pass_name), problem):.2f}")
                    except PebbleError as error:
                        row.append(type(error).__name__)
                print(f"{pass_name} {name}".ljust(33), *(text.rjust(15) for text in row), flush=True)


if __name__ == "__main__":
    main()
