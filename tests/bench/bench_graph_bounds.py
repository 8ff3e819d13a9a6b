"""Lower bounds of graphs without names beside the least I/O known.

Run as ``python -m tests.bench.bench_graph_bounds FOLDER [KIND …]``. FOLDER has edge lists, ``fwd12x4.txt`` and so on,
or is ``-``; each KIND is part of the name of a graph that is made here, renumbered, with edges in any order, and
scheduled, which takes longer. Each row has the compulsory words, the greatest bound whatever is computed again and if
nothing is, and the I/O of an order that computes nothing twice.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph import compulsory, dag_bounds
from pebble.solvers.heuristic import schedule_dag
from tests.bench.kinds import KINDS, OTHER_KINDS
from tests.solvers.heuristic.known_kinds import renumbered

KNOWN: dict[str, dict[int, int]] = {
    "fwd12x4": {16: 889, 32: 480, 64: 284},
    "conv10x10x2x4": {16: 2368, 32: 1476, 64: 845},
    "cholesky16": {16: 592, 32: 374, 64: 169},
    "trsm16x8": {16: 859, 32: 570, 64: 406},
    "sten1_64x32": {8: 1328, 16: 576, 32: 304},
}
"""The least I/O known of an order for each graph and size of memory: by hand, or found, docs/how-good.md."""

_SAMPLE = 64
"""Vertices whose cuts are looked at."""


def row(name: str, dag: Dag, M: int, known: int | None) -> None:
    """Print what is proved of one graph, and what is known or else found."""
    again = dag_bounds(dag, M).best
    once = dag_bounds(dag, M, Rules(recomputation=False), sample=_SAMPLE).best
    io = known if known is not None else schedule_dag(dag, M).io
    print(
        f"| {name} | {M} | {compulsory(dag, M).value:,} | {again.value:,} | {again.name} "
        f"| {once.value:,} | {once.name} | {io:,} | {io / max(again.least_io, once.least_io):.2f} |",
        flush=True,
    )


def main(folder: str, parts: list[str]) -> None:
    """Print the rows of the edge lists and, with the least M of each, of graphs that are named."""
    for name, known_of in KNOWN.items() if folder != "-" else ():
        for M, known in known_of.items():
            row(name, load_dag(str(Path(folder) / f"{name}.txt")), M, known)
    made = {
        name: (make([]), sizes) for name, (make, sizes) in KINDS.items() if any(one in name for one in parts)
    }
    for name, (dag, sizes) in (made | OTHER_KINDS).items():
        if any(part in name for part in parts):
            row(name, renumbered(dag, 0, operands=False)[0], sizes[0], None)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
