"""Plans under a mask: tiles that move the least under it, few runs, and rows for what cannot be verified."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pebble import Problem
from pebble.common.clock import heard_by
from pebble.common.errors import NoClosedForm
from pebble.computations.registry import family_of
from pebble.lab.count import count
from pebble.lab.plan import Constraints, plan, verification
from pebble.program import Program
from pebble.program.counting.run import run
from pebble.program.schedule import Schedule, Tiles, get
from tests.lab.plans import without_proofs


def _problem(mask: str, pass_name: str = "forward", N: int = 64) -> Problem:
    if mask.startswith("group:2:"):
        return Problem(2 * N, N, 8, 8, mask=mask, pass_name=pass_name)
    return Problem.square(N, 8, mask=mask, pass_name=pass_name)


MASKED = [
    ("forward", "causal", 700, {}),
    ("forward", "causal", 1500, {"multiple_of": 4, "double_buffer": True}),
    ("forward", "window:20", 900, {"multiple_of": 4}),
    ("forward", "group:2:causal", 1300, {"multiple_of": 8, "accumulate": "float32"}),
    ("backward", "causal", 1500, {"multiple_of": 4}),
    ("backward", "window:20", 2500, {"at_least": {"rows": 8}, "multiple_of": 4}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("pass_name", "mask", "M", "asked"), MASKED)
def test_every_choice_is_what_the_machine_counts(
    pass_name: str, mask: str, M: int, asked: dict[str, Any]
) -> None:
    problem = _problem(mask, pass_name, 32)
    found = plan(problem, M, **asked, costs=False)
    assert found.unverified == ()
    assert found.best.moved == min(one.moved for one in found.choices)
    for one in found.choices:
        assert one.tiles is not None
        assert one.room is not None
        program = get(one.schedule, pass_name).program(problem, one.tiles)
        assert Constraints(**asked).allow(program, family_of(problem))
        held = run(program, family_of(problem), M, induction=False)
        assert (held.io, held.peak) == (one.io, one.room.peak)
        assert one.room.words <= M


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


def test_progress_is_told_before_the_work() -> None:
    lines: list[str] = []
    with heard_by(lines.append):
        plan(_problem("causal"), 700, schedules=["flash-2"], costs=False)
    assert "searching tiles: flash-2, native tiles" in lines
    assert any(line.startswith("verifying flash-2 rows=") for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mask",
    ["blocks:size=16,density=0.2", "document:40,6x5,26", pytest.param("strided:16", marks=pytest.mark.slow)],
)
def test_a_plan_is_no_worse_than_a_count(mask: str) -> None:
    problem = Problem.square(96, 4, mask=mask)
    planned = plan(problem, 200, costs=False)
    counted = {row.name: row.io or 0 for row in count(problem, 200).rows}
    own = [choice for choice in planned.choices if choice.form == "native tiles"]
    assert len(own) > 8
    for choice in own:
        assert choice.io <= counted[choice.schedule], choice
