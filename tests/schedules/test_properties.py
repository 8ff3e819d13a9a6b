"""What must hold between schedules, memories and bounds, on random problems."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pebble.common.errors import CacheTooSmall
from pebble.computations.problem import Problem
from pebble.lab.count import count, count_schedule
from pebble.lab.count_row import Row
from pebble.program.closed_forms.count import closed_form
from pebble.program.counting.run import run
from pebble.program.schedule import available, get
from tests.support.amounts import examples

PASSES = ["forward", "backward"]
MODEST = examples(6, 50)
FEW = examples(3, 12)


def problems(pass_name: str = "forward") -> st.SearchStrategy[Problem]:
    """Problems of any proportions, up to some hundreds of rows and some dozens of columns."""
    rows, columns = st.integers(1, 400), st.integers(1, 40)
    if pass_name == "backward":
        rows, columns = st.integers(1, 60), st.integers(1, 12)
    return st.builds(Problem, Nq=rows, Nk=rows, d=columns, dv=columns, pass_name=st.just(pass_name))


def memories() -> st.SearchStrategy[int]:
    """Words of fast memory, small and large alike."""
    return st.integers(2, 15).flatmap(lambda bits: st.integers(2**bits, 2 ** (bits + 1)))


def row_of(name: str, problem: Problem, M: int) -> Row:
    """Count one schedule, without bounds."""
    return count_schedule(get(name, problem.pass_name), problem, M, None, 1)


def io_of(name: str, problem: Problem, M: int) -> int | None:
    """Words moved; None if it does not fit."""
    return row_of(name, problem, M).io


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", PASSES)
@given(data=st.data(), M=memories())
@FEW
def test_no_schedule_beats_a_proved_bound(pass_name: str, data: st.DataObject, M: int) -> None:
    report = count(data.draw(problems(pass_name)), M)
    for row in report.rows:
        if row.fits:
            assert row.io is not None
            assert row.ratio is not None
            assert report.bounds.best.value <= row.io
            assert all(bound.value <= row.io for bound in report.bounds.proved)
            assert row.ratio >= 1


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", PASSES)
@given(data=st.data(), M=st.integers(64, 30_000))
@FEW
def test_best_is_no_worse_than_any_other(pass_name: str, data: st.DataObject, M: int) -> None:
    """Apart from flash-1, which it does not know: see the next test."""
    report = count(data.draw(problems(pass_name)), M)
    fitting = {row.name: row.io for row in report.rows if row.io is not None}
    assume(fitting)
    assert "best" in fitting, "best fits wherever any schedule does"
    better = {name: io for name, io in fitting.items() if io < fitting["best"] and name != "flash-1"}
    assert better == {}, f"{report.problem} with M = {M}: best moves {fitting['best']}"


@pytest.mark.many(1)
@pytest.mark.parametrize(
    ("problem", "M"),
    [
        (Problem(200, 195, 22, 20), 4308),
        (Problem(6, 3, 7, 5), 47),
        (Problem(10, 1, 1, 1), 6),
        (Problem(6, 6, 2, 1), 11),
        (Problem(30, 22, 1, 1), 4),
        (Problem(1, 34, 1, 1), 4),
        (Problem(20, 10, 2, 1, pass_name="backward"), 36),
        (Problem(3, 38, 1, 1, pass_name="backward"), 16),
        (Problem(1, 1, 3, 1, pass_name="backward"), 4),
    ],
    ids=str,
)
def test_best_is_no_worse_than_any_other_here_either(problem: Problem, M: int) -> None:
    fitting = {row.name: row.io for row in count(problem, M).rows if row.io is not None}
    assert fitting["best"] == min(fitting.values())


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", ["forward", pytest.param("backward", marks=pytest.mark.slow)])
@given(data=st.data(), M=memories(), more=st.integers(1, 1000))
@MODEST
def test_more_memory_never_hurts_best(pass_name: str, data: st.DataObject, M: int, more: int) -> None:
    problem = data.draw(problems(pass_name))
    less, enough = io_of("best", problem, M), io_of("best", problem, M + more)
    assert less is None or (enough is not None and enough <= less)


@pytest.mark.many(1)
@pytest.mark.parametrize(
    ("problem", "M"),
    [
        (Problem(17, 4, 6, 8), 19),
        (Problem(5, 2, 2, 21), 30),
        (Problem(8, 3, 1, 1, pass_name="backward"), 16),
        (Problem(10, 51, 1, 2, pass_name="backward"), 23),
        (Problem(17, 8, 2, 5, pass_name="backward"), 51),
    ],
    ids=str,
)
def test_one_more_word_does_not_hurt_here_either(problem: Problem, M: int) -> None:
    less, more = io_of("best", problem, M), io_of("best", problem, M + 1)
    assert less is not None
    assert more is not None
    assert more <= less


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", PASSES)
@given(data=st.data(), M=memories(), heads=st.integers(1, 20), batch=st.integers(1, 20))
@FEW
def test_heads_and_batch_multiply(
    pass_name: str, data: st.DataObject, M: int, heads: int, batch: int
) -> None:
    problem = data.draw(problems(pass_name))
    one, many = count(problem, M), count(replace(problem, heads=heads, batch=batch), M)
    copies = heads * batch
    for single, all_of_them in zip(one.rows, many.rows, strict=True):
        assert (single.fits, single.tiles, single.peak) == (
            all_of_them.fits,
            all_of_them.tiles,
            all_of_them.peak,
        )
        if single.io is not None:
            assert all_of_them.io == copies * single.io
            assert all_of_them.ratio == pytest.approx(single.ratio, rel=1e-12)
    assert [copies * b.value for b in one.bounds.proved] == [b.value for b in many.bounds.proved]


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("name", "pass_name", "softmax"),
    [
        (name, pass_name, softmax)
        for pass_name, softmax in (
            *((one, "plain") for one in PASSES),
            ("forward", "safe"),
            ("forward", "online"),
        )
        for name in sorted(available(pass_name, softmax))
    ],
)
@pytest.mark.parametrize(("d", "M"), [(128, 100_000), (64, 3_000)])
def test_closed_form_is_the_machine_at_a_billion_rows(
    name: str, pass_name: str, softmax: str, d: int, M: int
) -> None:
    problem = Problem(10**9, 10**9 + 1, d, d, pass_name=pass_name, softmax=softmax)
    schedule = get(name, pass_name, softmax)
    try:
        tiles = schedule.tiles(problem, M)
    except CacheTooSmall:
        assert schedule.least_M(problem) > M
        return
    program, family = schedule.program(problem, tiles), schedule.family(problem)
    counted = run(program, family, M)
    form = closed_form(program, family)
    assert (int(form.total_reads), int(form.total_writes)) == (counted.total_reads, counted.total_writes)
    assert counted.peak <= M
    assert counted.proved
    assert counted.io > 2**63 or name in ("best", "hybrid") or counted.io > 10**16
