"""An optimum and an automatic schedule as pictures: their counts and the board."""

from __future__ import annotations

import re

from pebble.computations.load import load_dag
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.optimum import optimal
from tests.support.dag_pictures import Picture, read_picture


def words_carried(picture: Picture) -> tuple[int, int]:
    """Loads and stores that stand below the vertices."""
    notes = [note for seen in picture.vertices.values() for note in seen.notes]
    found = [re.fullmatch(r"(?:(\d+) )?(load|store)s?", note) for note in notes]
    counts = [(match[2], int(match[1] or 1)) for match in found if match]
    loads, stores = (sum(n for word, n in counts if word == kind) for kind in ("load", "store"))
    return loads, stores


def test_an_optimum_shows_cost_status_bound_and_board() -> None:
    dag = load_dag("pyramid:3")
    best = optimal(dag, 3)
    picture = read_picture(best._repr_svg_())
    assert words_carried(picture) == (best.reads, best.writes)
    assert picture.lines[:2] == [
        f"11 I/O ({best.reads} reads, {best.writes} writes), proved optimal",
        "M = 3, recomputation allowed, sliding forbidden",
    ]
    assert picture.lines[3] == "no pebbling under these rules moves fewer than 11 words"
    outputs = [picture.vertices[dag.name(v)] for v in dag.outputs.tolist()]
    assert all("blue-pebble" in seen.marks for seen in outputs)
    assert repr(best).startswith("Optimum(io=11, lower=11, proved=True, ")


def test_a_schedule_of_a_dag_shows_its_board() -> None:
    found = schedule_dag(load_dag("diamond:4,4"), 3)
    picture = read_picture(found._repr_svg_())
    assert words_carried(picture) == (found.reads, found.writes)
    assert "; ".join(picture.lines[:2]) == str(found)
