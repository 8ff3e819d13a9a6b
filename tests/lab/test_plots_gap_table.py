"""The table of docs/bounds.md: best verified schedule over best proved bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from pebble.computations.problem import Problem
from pebble.lab.plots import gaps

PAGE = Path(__file__).parents[2] / "docs" / "bounds.md"


def rows(heading: str) -> list[list[str]]:
    """The cells of the table that follows a line that begins so."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begin = next(place for place, line in enumerate(lines) if line.startswith(heading)) + 2
    found = []
    for line in lines[begin:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def check(problem: Problem, cells: list[tuple[str, str, str]]) -> None:
    found = gaps(problem, [int(float(mu) * problem.d**2) for mu, _, _ in cells])
    assert [(f"{ratio:.3f}", name) for ratio, name in zip(found.ratios[0], found.best[0], strict=True)] == [
        (printed, name) for _, printed, name in cells
    ]


def test_the_tables_are_there_and_leave_no_more_than_they_did() -> None:
    assert all(float(row[1]) < 1.19 and float(row[3]) < 1.4 for row in rows("| μ = M/d²"))
    assert len(rows("| μ = M/d²")) >= 16
    assert len(rows("| μ | forward, causal")) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_every_cell(pass_name: str) -> None:
    column = 1 if pass_name == "forward" else 3
    problem = Problem(2**23, 2**23, 1024, 1024, pass_name=pass_name)
    check(problem, [(row[0], row[column], row[column + 1]) for row in rows("| μ = M/d²")])


@pytest.mark.slow
@pytest.mark.parametrize("row", rows("| μ | forward, causal"), ids=lambda row: row[0])
def test_every_cell_under_a_causal_mask(row: list[str]) -> None:
    check(Problem.square(2**14, 64, mask="causal"), [(row[0], row[1], row[2])])
