"""Plans under a mask: tiles that move the least under it, few runs, and rows for what cannot be verified."""

from __future__ import annotations

import json

import pytest

from pebble import Problem
from pebble.common.errors import NoClosedForm
from pebble.computations.registry import family_of
from pebble.lab.plan import plan, verification
from pebble.program import Program
from pebble.program.counting.run import run
from pebble.program.schedule import Schedule, Tiles, get
from tests.lab.plans import without_proofs


def _problem(mask: str, pass_name: str = "forward", N: int = 64) -> Problem:
    if mask.startswith("group:2:"):
        return Problem(2 * N, N, 8, 8, mask=mask, pass_name=pass_name)
    return Problem.square(N, 8, mask=mask, pass_name=pass_name)


@pytest.mark.slow
def test_what_takes_too_long_to_verify_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = _problem("causal")
    whole = plan(problem, 200, multiple_of=2, at_least={"rows": 2})
    steps = {one.schedule: _steps(problem, one.schedule, one.tiles or {}) for one in whole.choices}
    without_proofs(monkeypatch, max(steps.values()) - 1)
    found = plan(problem, 200, multiple_of=2, at_least={"rows": 2})
    slow = [name for name, count in steps.items() if count == max(steps.values())]
    assert [one.schedule for one in found.unverified] == slow
    assert found.choices == tuple(one for one in whole.choices if one.schedule not in slow)
    kept = {one.schedule: (one.tiles, one.io, one.moved) for one in whole.choices}
    assert all((one.tiles, one.io, one.moved) == kept[one.schedule] for one in found.unverified)
    document = json.loads(json.dumps(found.to_dict()))
    assert document["best"] == document["choices"][0]
    assert [one["note"] for one in document["unverified"]] == [one.note for one in found.unverified]
    assert f"{slow[0]} ({found.unverified[0].form}), not verified: " in str(found)
    assert "under the mask causal" in found.unverified[0].note


def _steps(problem: Problem, name: str, tiles: Tiles) -> int:
    return run(get(name).program(problem, tiles), family_of(problem), induction=False).steps


class _Broken(type(get("flash-2"))):  # type: ignore[misc]
    """Under a mask it deletes what is not there."""

    name = "broken"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        if problem.mask is None:
            found: Program = super().program(problem, tiles)
            return found
        from pebble.program import delete, load, loop, program

        return program(loop("i", tiles["rows"], load("Q"), delete("Q"), delete("Q")))


def test_a_violation_is_a_row() -> None:
    broken: Schedule = _Broken()
    found = plan(_problem("causal"), 700, schedules=[broken, "flash-1"], costs=False)
    assert {one.schedule for one in found.choices} == {"flash-1"}
    assert {one.schedule for one in found.unverified} == {"broken"}
    assert all("delete" in one.note for one in found.unverified)


def test_without_a_closed_form_the_machine_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = _problem("causal")
    expected = plan(problem, 200, schedules=["flash-1"], costs=False)

    def refused(*_: object) -> None:
        raise NoClosedForm("none here")

    monkeypatch.setattr(verification, "words_by_array", refused)
    found = plan(problem, 200, schedules=["flash-1"], costs=False)
    assert [(one.tiles, one.io) for one in found.choices] == [(one.tiles, one.io) for one in expected.choices]
    without_proofs(monkeypatch, 1)
    found = plan(problem, 200, schedules=["flash-1"], costs=False)
    assert [one.tiles for one in found.unverified] == [None] * 2
