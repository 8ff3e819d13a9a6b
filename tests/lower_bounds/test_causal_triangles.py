"""The bound by causal triangles: values, refusals, which triangles are found, and never above what can be done."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pebble import optimal, schedule_dag
from pebble.common.errors import BoundDoesNotApply, InvalidInput, PebbleError
from pebble.computations.masks import make_mask, mask_from_array
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.rules import Rules
from pebble.lab.count import count_schedule
from pebble.lower_bounds import best_bound, proved_bounds
from pebble.lower_bounds.attention import causal_triangles as module
from pebble.lower_bounds.attention.causal_triangles import (
    causal_triangles,
    least_size,
    words_above_compulsory,
)
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.table import bounds
from pebble.program.schedule import get
from pebble.program.schedule.registry import available
from tests.lower_bounds.masked_pebblings import Player, io

N, D = 4096, 64

# Values


@pytest.mark.parametrize(
    ("sixteenths", "words_per_Nd"),
    [
        (9, 4.868),
        (10, 4.806),
        (12, 4.681),
        (14, 4.556),
        (15, 4.493),
        (16, 4.431),
        (17, 4.368),
        (18, 4.306),
        (20, 4.181),
        (22, 4.056),
    ],
)
def test_table_of_the_documentation(sixteenths: int, words_per_Nd: float) -> None:
    M = sixteenths * N * D // 16
    found = best_bound(Problem.square(N, D, mask="causal"), M)
    assert (found.name, round(found.value / (N * D), 3)) == ("causal triangles", words_per_Nd)
    # For an even d = dv; 11 d (N - d)/2 - M is the form in which it is remembered, and weaker.
    assert found.value == 11 * N * D // 2 - 9 * D * D // 2 + 5 * D - 1 - M > 11 * D * (N - D) // 2 - M


@pytest.mark.parametrize(
    ("hundredths", "wins"), [(50, False), (51, False), (53, True), (141, True), (145, False)]
)
def test_where_it_is_the_greatest(hundredths: int, wins: bool) -> None:
    best = best_bound(Problem.square(N, D, mask="causal"), hundredths * N * D // 100)
    assert (best.name == "causal triangles") is wins


def test_row_sums_copies_and_rules() -> None:
    problem, M = Problem.square(N, D, mask="causal"), N * D
    value = causal_triangles(problem, M).value
    assert causal_triangles(replace(problem, stats=True), M).value == value + N
    for rules in (Rules(a, b) for a in (True, False) for b in (True, False)):
        assert best_bound(problem, M, rules).value == value
    assert bounds(replace(problem, heads=3, batch=2), M).best.value == 6 * value


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_best_number_of_columns_is_looked_at(d: int) -> None:
    for dv in range(1, 2 * d + 6):
        for n in range(2 * d + 1, 8 * d):
            by_columns = [
                (d + 1) * (n - 2 * d + 1) + h * (n - 5 * d + 2) - 7 for h in range(d + 1) if 2 * h + 1 <= dv
            ]
            assert words_above_compulsory(n, d, dv, 7) == max(by_columns)


def test_the_least_size_is_the_least() -> None:
    for d, dv, M in ((1, 1, 4), (1, 3, 30), (3, 7, 500), (8, 5, 100), (64, 64, 9000), (9, 1, 3)):
        least = least_size(d, dv, M)
        worth = [words_above_compulsory(n, d, dv, M) > 0 for n in (*range(2 * d + 1, least), least)]
        assert worth == [False] * (least - 2 * d - 1) + [True]
        assert least > 2 * d


# Refusals


@pytest.mark.parametrize(
    ("problem", "M", "reason"),
    [
        (Problem.square(100, 4), 30, "all pairs"),
        (Problem.square(100, 4, mask="causal", pass_name="backward"), 30, "only for the forward pass"),
        (Problem.square(8, 4, mask="causal"), 4, "from 9 queries on"),
        (Problem.square(100, 4, mask="causal"), 5000, "queries on"),
        (Problem.square(100, 4, mask="window:5"), 30, "no such triangle"),
        (Problem(4, 100, 2, 2, mask=make_mask("causal", 4, 100)), 10, "no such triangle"),
        (Problem.square(100, 4, mask="longformer:window=4,global=2"), 30, "interval, unlike longformer"),
        (Problem.square(9, 1, mask=mask_from_array(np.ones((9, 9), dtype=bool))), 4, "no pair is masked out"),
        (
            Problem.square(
                3, 1, mask=mask_from_array(np.array([[1, 0, 0], [1, 1, 1], [0, 1, 0]], dtype=bool))
            ),
            4,
            "rise together",
        ),
    ],
)
def test_what_is_not_covered_is_refused(problem: Problem, M: int, reason: str) -> None:
    with pytest.raises(BoundDoesNotApply, match=reason):
        causal_triangles(problem, M)
    assert "causal triangles" not in {bound.name for bound in proved_bounds(problem, M)}


def test_nonsense_words_are_refused() -> None:
    with pytest.raises(InvalidInput, match="M "):
        causal_triangles(Problem.square(4, 1, mask="causal"), 0)


# Triangles


def test_worths_of_triangles_add_up() -> None:
    M, d = 300, 8
    packed = Problem.square(300, d, mask="document:causal,100,20,180")
    apart = sum(words_above_compulsory(n, d, d, M) for n in (100, 180))
    assert words_above_compulsory(20, d, d, M) < 0
    found = causal_triangles(packed, M)
    assert found.value == 4 * 300 * d + apart
    assert found.note == "2 causal triangles of 100 to 180 queries"
    window = Problem.square(405, d, mask="window:80")
    assert causal_triangles(window, M).value == 4 * 405 * d + 5 * words_above_compulsory(80, d, d, M)
    offset = Problem(100, 700, d, d, mask=make_mask("causal", 100, 700))
    assert causal_triangles(offset, M).value == 1600 * d + words_above_compulsory(100, d, d, M)


# Never above what can be done


def check(problem: Problem, M: int, words: int) -> int:
    """The bound is at most a legal pebbling's I/O; return what is left, if it says anything."""
    try:
        bound = causal_triangles(problem, M)
    except BoundDoesNotApply:
        return 10**9
    assert bound.value <= words, (problem, M, bound, words)
    return words - int(bound.value)


def machine_runs(seed: int, runs: int) -> list[int]:
    """Return what random schedules of random masks are above the bound, with M their peak."""
    rng = np.random.default_rng(seed)
    schedules = available("forward")
    left = []
    for _ in range(runs):
        d = int(rng.integers(1, 4))
        dv, n = int(rng.integers(1, 2 * d + 4)), int(rng.integers(2 * d + 1, 2 * d + 30))
        specs = [
            "causal",
            "causal",
            f"prefix:{n // 3}",
            f"window:{max(1, 2 * n // 3)}",
            f"document:causal,{n - 1},1",
        ]
        problem = Problem.square(n, d, dv, stats=bool(rng.integers(2)), mask=str(rng.choice(specs)))
        name = str(rng.choice(list(schedules)))
        try:
            M = schedules[name].least_M(problem) + int(rng.random() ** 2 * 3 * n * (d + dv))
            row = count_schedule(schedules[name], problem, M, None, 1)
        except PebbleError:
            continue
        if row.io is not None and row.peak is not None:
            left.append(check(problem, row.peak, row.io))
    return left


@pytest.mark.slow
def test_never_above_a_schedule() -> None:
    assert len(machine_runs(0, 12)) > 6


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_never_above_many_schedules(seed: int) -> None:
    assert len(machine_runs(seed, 50)) > 30


def test_a_schedule_comes_near() -> None:
    """All keys resident: 4N words with M = 2N + 3 for d = dv = 1; a wrong constant would be found out."""
    for n in (9, 36):
        problem = Problem.square(n, 1, mask="causal")
        row = count_schedule(get("key-window", "forward"), problem, 2 * n + 3, None, 1)
        assert row.io == 4 * n
        assert row.peak is not None
        assert words_above_compulsory(n, 1, 1, 0) == row.peak - 5


@pytest.mark.many(8)
@pytest.mark.parametrize("seed", range(30))
def test_never_above_a_random_pebbling_or_an_automatic_schedule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 3))
    n, dv = int(rng.integers(2 * d + 1, 2 * d + 5)), int(rng.integers(1, 2 * d + 3))
    spec = str(rng.choice(["causal", "causal", "prefix:2", f"window:{n - 1}"]))
    problem = Problem.square(n, d, dv, mask=spec, stats=bool(rng.integers(2)))
    family = family_of(problem)
    M = family.max_indegree + 1 + int(rng.integers(0, n * d))
    check(problem, M, io(Player(family.dag(), M, rng).moves))
    check(problem, M, schedule_dag(family.dag(), M, order="depth-first").io)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "dv", "M", "sliding", "least"), [(3, 1, 6, False, 14), (3, 1, 3, True, 22)])
def test_never_above_an_optimum(n: int, dv: int, M: int, sliding: bool, least: int) -> None:
    problem = Problem.square(n, 1, dv, mask="causal")
    best = optimal(family_of(problem).dag(), M, rules=Rules(sliding=sliding), most_states=20_000)
    assert best.lower <= least <= best.io
    check(problem, M, least)


@pytest.mark.parametrize(
    ("n", "dv", "M", "least"),
    [(3, 1, 4, 22), (3, 1, 5, 16), (3, 1, 7, 13), (3, 2, 6, 22), (3, 2, 5, 24), (4, 1, 8, 17), (4, 1, 7, 19)],
)
def test_never_above_optima_known_from_longer_searches(n: int, dv: int, M: int, least: int) -> None:
    """Optima, or less where the search did not end, too slow to find again in a test."""
    problem = Problem.square(n, 1, dv, mask="causal")
    assert compulsory_words(problem) + words_above_compulsory(n, 1, dv, M) <= least


@pytest.mark.parametrize("extra", [6, 10])
def test_a_wrong_constant_would_be_caught(monkeypatch: pytest.MonkeyPatch, extra: int) -> None:
    right = module.words_above_compulsory
    problem = Problem.square(36, 1, mask="causal")
    row = count_schedule(get("key-window", "forward"), problem, 75, None, 1)
    assert row.io is not None
    assert row.peak is not None
    monkeypatch.setattr(module, "words_above_compulsory", lambda n, d, dv, M: right(n, d, dv, M) + extra)
    monkeypatch.setattr(module, "least_size", lambda *_: 3)
    with pytest.raises(AssertionError):
        check(problem, row.peak, row.io)
