"""PolyBench at moderate sizes: the schedule found for each kernel, beside its greatest derived bound.

Run as ``python tests/bench/bench_kernels.py [-M 64] [kernel ...]``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable

from pebble.computations.nests.polybench import KERNELS
from pebble.computations.nests.read_text import loop_nest
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.solvers.nests.nest_schedule import schedule_nest

CUBE = {"i": 28, "j": 28, "k": 28, "l": 28, "m": 28}
PLANE = {"i": 110, "j": 110}
TRIANGLE = {"i": 60, "j": 60, "k": 59}
MODERATE: dict[str, tuple[int, dict[str, int]]] = {
    "adi": (256, {"t": 4, "i": 30, "j": 30}),
    "atax": (256, PLANE),
    "bicg": (256, PLANE),
    "cholesky": (36, TRIANGLE),
    "correlation": (64, {"i": 40, "j": 40, "k": 40}),
    "covariance": (64, {"i": 40, "j": 40, "k": 40}),
    "deriche": (512, {"i": 60, "j": 60}),
    "doitgen": (64, {"r": 10, "q": 12, "p": 14, "s": 14}),
    "durbin": (256, {"k": 100, "i": 99}),
    "fdtd-2d": (512, {"t": 8, "i": 24, "j": 24}),
    "floyd-warshall": (36, {"k": 28, "i": 28, "j": 28}),
    "gemver": (512, PLANE),
    "gesummv": (256, PLANE),
    "gramschmidt": (80, {"i": 26, "j": 26, "k": 26}),
    "heat-3d": (800, {"t": 6, "i": 12, "j": 12, "k": 12}),
    "jacobi-1d": (64, {"t": 60, "i": 400}),
    "jacobi-2d": (512, {"t": 12, "i": 36, "j": 36}),
    "lu": (36, {"i": 36, "j": 36, "k": 35}),
    "ludcmp": (36, {"i": 36, "j": 36, "k": 35}),
    "mvt": (256, PLANE),
    "nussinov": (36, {"i": 60, "j": 61, "k": 60}),
    "seidel-2d": (512, {"t": 10, "i": 36, "j": 36}),
    "trisolv": (64, {"i": 160, "j": 160}),
}
"""M, and extents with which a kernel has ten to fifty thousand vertices; products elsewhere."""


def row(name: str, given: int | None) -> tuple[int, float, int, float]:
    """Return M, the greatest bound, the I/O found, and the seconds of the search."""
    kernel = KERNELS[name]
    M, sizes = MODERATE.get(name, (36, CUBE))
    M = M if given is None else given
    nest = loop_nest(kernel.text, {index: sizes[index] for index in kernel.extents}, kernel.outputs)
    start = time.perf_counter()
    found = schedule_nest(nest, M)
    seconds = time.perf_counter() - start
    bound = max(one.value for one in nest_bounds(nest, M) if one.proved)
    return M, bound, found.io, seconds


def main(names: Iterable[str], M: int | None) -> None:
    """Print a row for each kernel, and how many are within a factor of two."""
    ratios = []
    print(f"{'kernel':16} {'M':>6} {'bound':>9} {'I/O found':>9} {'ratio':>7} {'seconds':>8}")
    for name in names:
        words, bound, io, seconds = row(name, M)
        ratios.append(io / bound)
        print(f"{name:16} {words:>6,} {bound:>9,} {io:>9,} {io / bound:>7.3f} {seconds:>8.1f}", flush=True)
    print(f"within twice the bound: {sum(ratio <= 2 for ratio in ratios)} of {len(ratios)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", help="all 30 by default")
    parser.add_argument("-M", type=int, help="words of fast memory; by default what the table says")
    given = parser.parse_args()
    main(given.kernels or sorted(KERNELS), given.M)
