"""Counting: a schedule that takes too long to verify is a row that says so, in every result made of counts."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pebble
from pebble import InvalidInput, Problem, plots
from pebble.common.errors import TooManyOperations
from pebble.lab.training import count_training
from pebble.program.counting import run as machine
from pebble.program.schedule import get, registered
from tests.support.amounts import examples

CAUSAL = Problem.square(24, 4, mask="causal")
WHY = "more than 5 operations"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a mask flash-2 forward takes too many operations."""
    kind: Any = type(get("flash-2"))
    measure = kind.measure

    def refusing(self: Any, problem: Problem, tiles: Any) -> Any:
        if problem.mask is not None:
            raise TooManyOperations(WHY)
        return measure(self, problem, tiles)

    monkeypatch.setattr(kind, "measure", refusing)


@pytest.mark.usefixtures("slow")
def test_one_that_takes_too_long_is_a_row_among_the_others() -> None:
    for names in (None, ["naive", "flash-2"]):
        report = pebble.count(CAUSAL, 60, names)
        row = report["flash-2"]
        assert (row.fits, row.io, row.tiles, row.note) == (None, None, None, WHY)
        assert report["naive"].io is not None
        assert f"flash-2: {WHY}" in str(report)
        document = json.loads(json.dumps(report.to_dict()))
        (slow_row,) = (entry for entry in document["schedules"] if entry["name"] == "flash-2")
        assert (slow_row["fits"], slow_row["note"]) == (None, WHY)
        assert "\nflash-2,,,,,,," in report.to_csv()
        assert "\nnaive,true," in report.to_csv()


@pytest.mark.usefixtures("slow")
def test_if_none_is_counted_the_reason_is_given() -> None:
    report = pebble.count(CAUSAL, 60, ["flash-2"])
    assert report.why_nothing_fits() == f"no schedule is counted: flash-2: {WHY}"
    with pytest.raises(InvalidInput, match=WHY):
        plots.array_bars(CAUSAL, 60, ["flash-2"])


@pytest.mark.usefixtures("slow")
def test_a_training_step_says_which_pass_is_not_counted() -> None:
    problem = Problem.square(24, 4, mask="causal", pass_name="both")
    report = count_training(problem, 60, ["flash-2", "naive"])
    assert report["naive"].fits
    assert (report["flash-2"].fits, report["flash-2"].note) == (None, f"forward: {WHY}")
    assert f"flash-2: forward: {WHY}" in str(report)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Small problems of every pass and form, with heads that share, batches and masks."""
    chosen: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
        [
            *({"softmax": kind} for kind in ("plain", "safe", "online")),
            *({"pass_name": name} for name in ("backward", "weights")),
            {"sums": "free"},
            {"sums": "free", "pass_name": "backward"},
            {"shared_values": True},
            {"shared_rope": 1},
            *(
                {"attention": "linear", **more}
                for more in ({}, {"mask": "causal"}, {"mask": "causal", "chunk": 2})
            ),
            {"attention": "linear", "mask": "causal", "gate": True},
        ]
    )
    mask = st.sampled_from([None, "causal", "window:2", "blocks:2:50:1"])
    kv_heads, shared = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    sizes: dict[str, Any] = {name: draw(st.integers(1, 6)) for name in ("Nq", "Nk", "d", "dv")}
    if draw(st.booleans()):
        sizes |= {"Nk": sizes["Nq"], "dv": sizes["d"]}
    heads = {"heads": kv_heads * shared, "kv_heads": kv_heads, "batch": draw(st.integers(1, 3))}
    try:
        return Problem(**{**sizes, **heads, "stats": draw(st.booleans()), "mask": draw(mask), **draw(chosen)})
    except InvalidInput:
        assume(False)
        raise


@examples(12, 300)
@given(problems(), st.data())
def test_a_program_of_ones_own_is_held_to_the_bound_of_all_heads(
    problem: Problem, data: st.DataObject
) -> None:
    """One head is run; what all of them move is never below their bound. A family of something else is refused."""
    schedule = data.draw(st.sampled_from(registered(problem.pass_name, problem.form)))
    text, family = schedule.program(problem, schedule.smallest(problem)), pebble.family_of(problem)
    try:
        one = machine.run(text, family)
    except InvalidInput:
        assume(False)
        raise
    run = pebble.run(text, problem)
    assert (run.io, run.peak) == (one.io * problem.copies, one.peak)
    assert (run.recomputed, run.total_reads) == (
        one.recomputed * problem.copies,
        one.total_reads * problem.copies,
    )
    assert run.bounds.to_dict() == pebble.bounds(problem, run.peak).to_dict()
    assert run.ratio == run.io / run.bounds.best.value >= 1
    assert pebble.run(text, problem, run.peak).ratio == run.ratio
    with pytest.raises(pebble.Violation):
        pebble.run(text, problem, run.peak - 1)
    if problem != Problem(problem.Nq, problem.Nk, problem.d, problem.dv, problem.stats):
        with pytest.raises(InvalidInput, match=re.escape(problem.describe())):
            pebble.attention_family(problem)
    else:
        assert (repr(pebble.attention_family(problem)), problem.copies) == (repr(family), 1)


def test_a_run_on_a_family_has_no_bounds() -> None:
    text = get("naive").program(Problem.square(3, 2), {})
    run = pebble.run(text, pebble.family_of(Problem.square(3, 2)))
    assert (run.io, run.copies) == (pebble.run(text, Problem.square(3, 2)).io, 1)
    with pytest.raises(InvalidInput, match=r"pass the problem to pebble\.run"):
        run.ratio  # noqa: B018


def test_a_device_says_how_large_fast_memory_is() -> None:
    problem = Problem.square(512, 64)
    on_device = pebble.count(problem, schedules=["flash-2"], device="h100", level="l2", dtype="fp8")
    assert pebble.device("h100").words("fp8", "l2") == on_device.M
    assert pebble.count(problem, schedules=["flash-2"], device=pebble.device("h100")).M == 116_224
    with pytest.raises(InvalidInput, match="either M in words or a device"):
        pebble.count(problem)
    with pytest.raises(InvalidInput, match="either M in words or a device"):
        pebble.count(problem, 1000, device="h100")
    with pytest.raises(InvalidInput, match="give the device too"):
        pebble.count(problem, 1000, level="l2")
