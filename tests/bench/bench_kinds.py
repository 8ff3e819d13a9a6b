"""Every kind of graph beside the best order known: one row at a time, so that it can be stopped and gone on with.

Run as ``python -m tests.bench.bench_kinds FILE [KIND …]``: rows that FILE lacks are computed and appended to it, one
JSON object a line; KINDs are parts of names of graphs. ``--table FILE`` prints what is there. Rows know which version
of the solvers they come from, by a digest of their source; those of another version count as missing, what was known
does not.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from tests.bench.kinds import KINDS
from tests.bench.known_orders import by_passes, by_rows, by_tilings
from tests.solvers.heuristic.known_kinds import Places, fft, layered, renumbered, sparse

_SOLVERS = Path(__file__).parents[2] / "pebble" / "solvers" / "heuristic"
_HOW = ("in any order", "renumbered", "as made")
_MANY = 10_000
"""Vertices and edges from which on fewer tilings by hand are tried."""

_ANNEALED = {16: 915, 32: 337}
"""I/O of 20 random layers of 40 after a local search of 100 seconds, for each size of memory."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A graph with sizes of memory, and how the best order known of it is found."""

    name: str
    kind: str
    memories: tuple[int, ...]
    make: Callable[[], tuple[Dag, Callable[[int], int]]]


def _tiled(name: str, memories: tuple[int, ...]) -> Case:
    def make() -> tuple[Dag, Callable[[int], int]]:
        places: Places = []
        dag = KINDS[name][0](places)
        trials, seeds = (400, 2) if dag.n_vertices + dag.n_edges < _MANY else (200, 1)
        return dag, lambda M: by_tilings(dag, places, M, trials, seeds)

    kind = name.removeprefix("large ").partition(" ")[0].rstrip(",")
    return Case(name, {"9": "stencil in 2-D", "5": "stencil"}.get(kind, kind), memories, make)


def _butterflies(name: str, points: int, memories: tuple[int, ...]) -> Case:
    def make() -> tuple[Dag, Callable[[int], int]]:
        dag = fft(points)
        return dag, lambda M: by_passes(dag, points, M)

    return Case(name, "fft", memories, make)


def _sparse(name: str, size: int, memories: tuple[int, ...]) -> Case:
    def make() -> tuple[Dag, Callable[[int], int]]:
        dag = sparse(size, 6)
        return dag, lambda M: by_rows(dag, M)

    return Case(name, "spmv", memories, make)


def _more(memories: tuple[int, ...]) -> tuple[int, ...]:
    return memories if len(memories) > 1 else (memories[0] // 2, memories[0], memories[0] * 2)


def cases() -> Iterator[Case]:
    """Yield all cases, the small ones first."""
    yield from sorted(
        [
            *(_tiled(name, _more(memories)) for name, (_, memories) in KINDS.items()),
            *(
                _butterflies(*one)
                for one in (("fft 256", 256, (16, 32, 64)), ("large fft 4096", 4096, (16, 64, 128)))
            ),
            *(
                _sparse(*one)
                for one in (("spmv 200", 200, (16, 32, 64)), ("large spmv 700", 700, (32, 64, 128)))
            ),
            Case(
                "layered 40x20",
                "layered",
                tuple(_ANNEALED),
                lambda: (layered(40, 20, 3), _ANNEALED.__getitem__),
            ),
        ],
        key=lambda case: case.name.startswith("large"),
    )


def version() -> str:
    """Return a digest of the solvers' source."""
    text = b"".join(path.read_bytes() for path in sorted(_SOLVERS.glob("*.py")))
    return hashlib.sha256(text).hexdigest()[:8]


def _rows(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _variant(dag: Dag, how: str) -> Dag:
    if how == "as made":
        return dag
    return renumbered(dag, 1)[0] if how == "renumbered" else renumbered(dag, 2, operands=False)[0]


def _fill(file: Path, names: list[str]) -> None:
    """Compute what is missing: first every graph in the hardest way, then as it is made and renumbered."""
    now = version()
    done = {
        (row["graph"], row["M"], row["how"])
        for row in _rows(file)
        if row["version"] == now or row["how"] == "known"
    }
    for variants in (("known", _HOW[0]), _HOW[1:]):
        for case in cases():
            missing = [(M, how) for M in case.memories for how in variants if (case.name, M, how) not in done]
            if not missing or (names and not any(name in case.name for name in names)):
                continue
            dag, known = case.make()
            for M, how in missing:
                begin, row = time.process_time(), {"graph": case.name, "kind": case.kind, "M": M, "how": how}
                if how == "known":
                    row |= {"io": known(M), "order": "known", "vertices": dag.n_vertices}
                else:
                    found = schedule_dag(_variant(dag, how), M)
                    row |= {"io": found.io, "order": found.order}
                row |= {"seconds": round(time.process_time() - begin, 1), "version": now}
                with file.open("a") as out:
                    print(json.dumps(row), file=out)


def _table(file: Path) -> None:
    """Print the newest row of each graph, M and variant, and a summary of each kind."""
    newest = {(row["graph"], row["M"], row["how"]): row for row in _rows(file)}
    known = {(graph, M): row for (graph, M, how), row in newest.items() if how == "known"}
    ratios: dict[str, list[float]] = {}
    print(f"{'graph':42} {'M':>4} {'known':>7}" + "".join(f"{how:>22}" for how in _HOW))
    for (graph, M), hand in known.items():
        cells = []
        for how in _HOW:
            row = newest.get((graph, M, how))
            ratio = row["io"] / hand["io"] if row else 0.0
            cells.append(f"{row['io']:8,} {ratio:6.3f} {row['seconds']:4.0f} s" if row else "")
            if row:
                ratios.setdefault(hand["kind"], []).append(ratio)
        print(f"{graph:42} {M:4} {hand['io']:7,}" + "".join(f"{cell:>22}" for cell in cells))
    for kind, of_kind in [*ratios.items(), ("all", [x for some in ratios.values() for x in some])]:
        mean = float(np.exp(np.mean(np.log(of_kind)))) if of_kind else 0.0
        print(
            f"{kind:20} {len(of_kind):4} rows, geometric mean {mean:.3f}, worst {max(of_kind, default=0):.3f}"
        )
    versions = {row["version"] for row in newest.values() if row["how"] != "known"}
    print("versions:", *sorted(versions), "; now", version())


def main(arguments: list[str]) -> None:
    """Fill the file, or print the table."""
    if arguments[0] == "--table":
        _table(Path(arguments[1]))
    else:
        _fill(Path(arguments[0]), arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
