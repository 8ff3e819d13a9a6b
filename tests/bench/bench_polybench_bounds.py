"""PolyBench: constants of the leading terms of the derived bounds, beside those of SOAP and IOLB.

Run as ``python tests/bench/bench_polybench_bounds.py [KERNEL ...]``: prints the table of docs/proofs/nests.md. A
constant is a bound at large extents and much smaller M, divided by the term that is named.

The published constants are those in the source of SOAP's own tool (``polybenchRes`` in ``dace/transformation/
estimator/soap``), and for IOLB those that it quotes (``prevBounds``), all extents taken equal.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pebble.computations.nests.polybench import KERNELS
from pebble.computations.nests.read_text import loop_nest
from pebble.game.rules import Rules
from pebble.lower_bounds.nests.nest_bounds import nest_bounds

ROOT2, ROOT3 = math.sqrt(2), math.sqrt(3)


@dataclass(frozen=True)
class Term:
    """A leading term: its text, sizes at which it leads, and the published constants (None: not found)."""

    text: str
    N: int
    M: int
    power: float
    of_memory: float
    soap: float | None
    iolb: float | None
    time: int = 0
    sweeps: int = 1


def cube(soap: float, iolb: float) -> Term:
    """N³/√M."""
    return Term("N³/√M", 6000, 400, 3, 0.5, soap, iolb)


def plane(soap: float | None, iolb: float | None) -> Term:
    """N²."""
    return Term("N²", 6000, 400, 2, 0, soap, iolb)


TERMS = {
    "2mm": cube(4, 4),
    "3mm": cube(6, 6),
    "adi": Term("N²·T", 4096, 400, 2, 0, None, 1, time=4096),
    "atax": plane(1, 1),
    "bicg": plane(1, 1),
    "cholesky": cube(1 / 3, 1 / 6),
    "correlation": cube(1, 1 / 2),
    "covariance": cube(1, 1 / 2),
    "deriche": plane(3, 1),
    "doitgen": Term("N⁴/√M", 6000, 400, 4, 0.5, 2, 2),
    "durbin": Term("N²", 6000, 64, 2, 0, 3 / 2, 1 / 2),
    "fdtd-2d": Term("N²·T/√M", 65536, 4096, 2, 0.5, 2 * ROOT3, 1 / (2 * ROOT2), time=65536),
    "floyd-warshall": cube(2, 1),
    "gemm": cube(2, 2),
    "gemver": plane(1, 1),
    "gesummv": plane(2, 2),
    "gramschmidt": cube(1, 1),
    "heat-3d": Term("N³·T/∛M", 65536, 4096, 3, 1 / 3, 6, 9 * 3 ** (1 / 3) / 16, time=65536, sweeps=2),
    "jacobi-1d": Term("N·T/M", 2**22, 4096, 1, 1, 2, 1 / 4, time=2**22, sweeps=2),
    "jacobi-2d": Term("N²·T/√M", 65536, 4096, 2, 0.5, 4, 2 / (3 * ROOT3), time=65536, sweeps=2),
    "lu": cube(2 / 3, 2 / 3),
    "ludcmp": cube(2 / 3, 2 / 3),
    "mvt": plane(1, 1),
    "nussinov": cube(1 / 3, 1 / 6),
    "seidel-2d": Term("N²·T/√M", 65536, 4096, 2, 0.5, 4, 2 / (3 * ROOT3), time=65536),
    "symm": cube(ROOT2, 2),
    "syr2k": cube(2, 1),
    "syrk": cube(1, 1 / 2),
    "trisolv": plane(1 / 2, 1 / 2),
    "trmm": cube(1, 1),
}


def constants(name: str) -> tuple[float, float]:
    """Return the constants of the best bound whatever is computed again, and of the best one where nothing is."""
    term, kernel = TERMS[name], KERNELS[name]
    extents = {index: term.time * term.sweeps if index == "t" else term.N for index in kernel.extents}
    scale = term.N**term.power * (term.time or 1) / term.M**term.of_memory
    bounds = nest_bounds(loop_nest(kernel.text, extents, kernel.outputs), term.M)
    again = max(bound.value for bound in bounds if bound.holds_under(Rules()))
    return again / scale, max(bound.value for bound in bounds) / scale


def compared(ours: float, published: float | None) -> str:
    """Return how a constant compares with a published one, to 6 % of lower-order terms."""
    if published is None:
        return "—"
    sign = "=" if abs(ours / published - 1) < 0.06 else "above" if ours > published else "below"
    return f"{published:.3f}, {sign}"


def rows(names: list[str]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| kernel | term | any rules | once only | SOAP | IOLB |"
    yield "|---|---|--|--|--|--|"
    for name in names:
        term = TERMS[name]
        again, once = constants(name)
        best = max(again, once)
        cells = f"{again:.3f} | {once:.3f} | {compared(best, term.soap)} | {compared(best, term.iolb)}"
        yield f"| `{name}` | {term.text} | {cells} |"


if __name__ == "__main__":
    for line in rows(sys.argv[1:] or list(TERMS)):
        print(line, flush=True)
