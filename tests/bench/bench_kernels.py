"""PolyBench: the schedule found for each kernel beside its greatest derived bound, all extents equal.

Run as ``python tests/bench/bench_kernels.py [--extent 12] [-M 40] [kernel ...]``; the table stands in
docs/proofs/how-good.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable

from pebble.computations.nests.polybench import KERNELS
from pebble.computations.nests.read_text import loop_nest
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.solvers.nests.nest_schedule import schedule_nest


def row(name: str, extent: int, M: int) -> tuple[int, int, float]:
    """Return the greatest bound, the I/O found, and the seconds of processor time of the search."""
    kernel = KERNELS[name]
    nest = loop_nest(kernel.text, dict.fromkeys(kernel.extents, extent), kernel.outputs)
    start = time.process_time()
    found = schedule_nest(nest, M)
    seconds = time.process_time() - start
    return max(int(one.value) for one in nest_bounds(nest, M) if one.proved), found.io, seconds


def print_table(names: Iterable[str], extent: int, M: int) -> None:
    """Print a row for each kernel, and how many are within a factor of two."""
    ratios = []
    print(
        f"\nall extents {extent}, M = {M}\n\n| kernel | bound | I/O found | ratio | seconds |\n"
        "|---|---:|---:|---:|---:|"
    )
    for name in names:
        bound, io, seconds = row(name, extent, M)
        ratios.append(io / bound)
        print(f"| {name} | {bound:,} | {io:,} | {io / bound:.3f} | {seconds:.1f} |", flush=True)
    print(f"\nwithin twice the bound: {sum(ratio <= 2 for ratio in ratios)} of {len(ratios)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", help="all 30 by default")
    parser.add_argument("--extent", type=int, default=12, help="of every index")
    parser.add_argument("-M", type=int, default=40, help="words of fast memory")
    given = parser.parse_args()
    print_table(given.kernels or sorted(KERNELS), given.extent, given.M)
