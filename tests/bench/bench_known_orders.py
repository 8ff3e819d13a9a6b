"""Automatic schedules beside the best orders known.

Run as ``python -m tests.bench.bench_known_orders [FOLDER] [METHOD] [KIND …]``. FOLDER has the edge lists
``fwd12x4.txt``, ``conv10x10x2x4.txt`` and so on, or is ``-``; METHOD is one of the names of ``pebble dag schedule
--order``; KINDs are parts of the names of graphs that are made here. For these the order known is the best of many
tilings over the true coordinates, skewed ones included: what somebody finds who knows where a vertex stands. Each is
scheduled as it is made, with its vertices renumbered, and with predecessors in any order besides.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from tests.bench.kinds import KINDS, OTHER_KINDS
from tests.bench.known_orders import by_tilings
from tests.solvers.heuristic.known_kinds import Places, renumbered

KNOWN: dict[str, dict[int, int]] = {
    "fwd12x4": {16: 888, 32: 480, 64: 284},
    "conv10x10x2x4": {16: 2432, 32: 1524, 64: 845},
    "cholesky16": {16: 592, 32: 370, 64: 169},
    "trsm16x8": {16: 859, 32: 578, 64: 406},
    "sten1_64x32": {8: 1404, 16: 628, 32: 332},
    "matmul8": {16: 419},
    "matmul16": {64: 1476},
    "attn8x4": {32: 255},
    "attn16x8": {64: 1470},
}
"""The least I/O known of an order for each graph and size of memory."""


def row(name: str, dag: Dag, M: int, method: str, known: int | None) -> float | None:
    """Print one row, and return the ratio to the best order known."""
    begin = time.process_time()
    found = schedule_dag(dag, M, method)
    took = time.process_time() - begin
    ratio = found.io / known if known else None
    beside = f"{known:8,} {ratio:6.3f}" if known else " " * 15
    print(f"{name:36} {M:5} {found.io:8,} {beside} {took:7.1f} s  {found.order}", flush=True)
    return ratio


def summary(name: str, ratios: list[float]) -> None:
    """Print the geometric mean of ratios and the worst."""
    if ratios:
        print(f"{name}: geometric mean {np.exp(np.mean(np.log(ratios))):.3f}, worst {max(ratios):.3f}")


def files(folder: Path, method: str) -> None:
    """Print the table of edge lists."""
    ratios = []
    for name, sizes in KNOWN.items():
        dag = load_dag(str(folder / f"{name}.txt"))
        ratios += [ratio for M, known in sizes.items() if (ratio := row(name, dag, M, method, known))]
    summary("files", ratios)


def kinds(method: str, names: list[str]) -> None:
    """Print the table of graphs that are made here."""
    ratios: dict[str, list[float]] = {"as made": [], "renumbered": [], "in any order": []}
    for name, (make, memories) in KINDS.items():
        if names and not any(part in name for part in names):
            continue
        places: Places = []
        dag = make(places)
        same = {
            "as made": dag,
            "renumbered": renumbered(dag, 1)[0],
            "in any order": renumbered(dag, 2, operands=False)[0],
        }
        for M in memories:
            known = by_tilings(dag, places, M)
            for how, graph in same.items():
                ratio = row(f"{name}, {how}", graph, M, method, known)
                ratios[how] += [ratio] if ratio else []
    for how, all_of_them in ratios.items():
        summary(how, all_of_them)
    for name, (dag, memories) in OTHER_KINDS.items():
        if not names or any(part in name for part in names):
            for M in memories:
                row(name, dag, M, method, None)


def main(arguments: list[str]) -> None:
    """Print the tables."""
    folder, method = [*arguments, "-", "auto"][0], [*arguments[1:], "auto"][0]
    print(f"{'graph':36} {'M':>5} {'I/O':>8} {'known':>8} {'ratio':>6}")
    if folder != "-" and arguments:
        files(Path(folder), method)
    kinds(method, arguments[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
