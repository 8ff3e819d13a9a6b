"""Automatic schedules beside the best orders known.

Run as ``python -m tests.bench.bench_known_orders FOLDER [METHOD]``. FOLDER has the edge lists ``fwd12x4.txt``,
``conv10x10x2x4.txt`` and so on; METHOD is one of the names of ``pebble dag schedule --order``. Without FOLDER only
graphs that are made here are scheduled; for these no best order is known.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from tests.solvers.heuristic.known_kinds import KINDS

KNOWN: dict[str, dict[int, int]] = {
    "fwd12x4": {16: 894, 32: 480, 64: 284},
    "conv10x10x2x4": {16: 2432, 32: 1524, 64: 876},
    "cholesky16": {16: 592, 32: 370, 64: 169},
    "trsm16x8": {16: 863, 32: 578, 64: 406},
    "sten1_64x32": {8: 1404, 16: 628, 32: 332},
    "matmul8": {16: 419},
    "matmul16": {64: 1476},
    "attn8x4": {32: 255},
    "attn16x8": {64: 1470},
}
"""The least I/O known of an order for each graph and size of memory."""


def row(name: str, dag: Dag, M: int, method: str, known: int | None) -> float | None:
    """Print one row, and return the ratio to the best order known."""
    begin = time.perf_counter()
    found = schedule_dag(dag, M, method)
    took = time.perf_counter() - begin
    ratio = found.io / known if known else None
    beside = f"{known:8,} {ratio:6.3f}" if known else " " * 15
    print(f"{name:22} {M:5} {found.io:8,} {beside} {took:7.1f} s  {found.order}", flush=True)
    return ratio


def main(arguments: list[str]) -> None:
    """Print the tables."""
    method = arguments[1] if len(arguments) > 1 else "auto"
    print(f"{'graph':22} {'M':>5} {'I/O':>8} {'known':>8} {'ratio':>6}")
    if arguments:
        ratios = []
        for name, sizes in KNOWN.items():
            dag = load_dag(str(Path(arguments[0]) / f"{name}.txt"))
            ratios += [ratio for M, known in sizes.items() if (ratio := row(name, dag, M, method, known))]
        mean = 1.0
        for ratio in ratios:
            mean *= ratio ** (1 / len(ratios))
        print(f"geometric mean {mean:.3f}, worst {max(ratios):.3f}")
    for name, (dag, memories) in KINDS.items():
        for M in memories:
            row(name, dag, M, method, None)


if __name__ == "__main__":
    main(sys.argv[1:])
