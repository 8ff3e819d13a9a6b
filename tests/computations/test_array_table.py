"""The arrays of a problem as a table: sizes against the DAG itself, all passes, masks, large sizes."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest

from pebble.computations.array_table import array_table
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of

PROBLEMS = [
    Problem(3, 4, 2, 1),
    Problem.square(4, 2, mask="causal", stats=True),
    Problem(3, 4, 2, 2, pass_name="backward"),
    Problem.square(3, 2, pass_name="weights"),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_the_sizes_are_those_of_the_dag(problem: Problem) -> None:
    family = family_of(problem)
    dag = family.dag()
    names = [dag.name(v).partition("[") for v in range(dag.n_vertices)]
    vertices = Counter(name for name, _, _ in names)
    head, *rows = array_table(family).cells
    assert head == ["array", "what", "shape", "words", "vertices", "computed from", "meaning"]
    assert {row[0]: row[4] for row in rows} == {name: f"{count:,}" for name, count in vertices.items()}
    inputs = {names[v][0] for v in dag.inputs.tolist()}
    outputs = {names[v][0] for v in dag.outputs.tolist()}
    assert {row[0] for row in rows if row[1].startswith("input")} == inputs
    assert {row[0] for row in rows if row[1].startswith("output")} == outputs


def test_copies_masks_and_large_sizes_are_told() -> None:
    problem = Problem(10**9, 10**9, 64, 64, heads=3, mask=make_mask("causal", 10**9, 10**9))
    html = problem._repr_html_()
    ElementTree.fromstring(f"<div>{html}</div>")
    assert "Each of 3 copies:" in html
    assert "<td>500,000,000,500,000,000</td>" in html
    assert repr(problem) == "Problem(Nq=1000000000, Nk=1000000000, d=64, dv=64, heads=3, mask='causal')"
