"""No proved bound is above what can be done: schedules, pebblings, exact optima; and a wrong bound is found out."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pebble import optimal, schedule_dag
from pebble.common.errors import BoundDoesNotApply, CacheTooSmall
from pebble.computations.masks import make_mask, mask_from_array
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.rules import Rules
from pebble.lower_bounds import proved_bounds, t2
from pebble.lower_bounds.attention import causal_triangles, large_cache
from pebble.lower_bounds.attention.backward import MOST_WIDE
from pebble.lower_bounds.attention.compulsory import compulsory_attention, compulsory_words
from pebble.lower_bounds.matmul_fft import fft, matmul
from pebble.lower_bounds.table import bounds
from pebble.program.schedule import get, registered
from tests.lower_bounds.masked_pebblings import Player, io
from tests.lower_bounds.masked_problems import kinds
from tests.support.amounts import first
from tests.support.text_tables import rows_of

KINDS: dict[str, dict[str, Any]] = {
    "forward": {},
    "backward": {"pass_name": "backward"},
    "backward, wide sums": {"pass_name": "backward"},
    "weights": {"pass_name": "weights"},
    "free sums": {"sums": "free"},
    "free sums, backward": {"sums": "free", "pass_name": "backward"},
    "safe": {"softmax": "safe"},
    "online": {"softmax": "online"},
    "latent": {"shared_values": True},
    "shared-rope": {},
    "linear": {"attention": "linear"},
    "recurrent": {"attention": "linear", "mask": "causal"},
    "gated": {"attention": "linear", "mask": "causal", "gate": True},
    "chunked": {"attention": "linear", "mask": "causal"},
    "recurrent backward": {"attention": "linear", "mask": "causal", "pass_name": "backward"},
}
NO_MASKS = (
    *("backward, wide sums", "weights", "free sums", "free sums, backward"),
    *("linear", "recurrent", "recurrent backward", "gated", "chunked"),
)
SQUARE = ("weights", "recurrent", "recurrent backward", "gated", "chunked")


def random_problem(kind: str, rng: random.Random, most: int, widest: int = 5) -> Problem:
    """Return a problem of a kind: half of them under a mask, some with row sums as outputs."""
    options, N, d = dict(KINDS[kind]), rng.randint(2, most), rng.randint(1, widest)
    Nk, dv = N if kind in SQUARE else rng.randint(2, most), rng.choice((d, rng.randint(1, widest)))
    if kind in ("forward", "safe", "online", "latent", "shared-rope"):
        options["stats"] = rng.random() < 0.4
    if kind == "backward, wide sums":
        dv, options["sum_width"] = d, rng.randint(2, MOST_WIDE)
    elif kind == "weights":
        dv = d
    elif kind == "latent":
        d = dv + rng.randint(1, 3)
    elif kind == "shared-rope":
        options["shared_rope"], d, options["heads"] = rng.randint(1, d), d + 1, rng.randint(1, 5)
    elif kind == "chunked":
        options["chunk"] = rng.randint(1, N)
    if kind not in NO_MASKS and rng.random() < 0.5:
        specs = [*kinds(N, Nk, rng.randint(1, N), 1)]
        options["mask"] = make_mask(rng.choice(specs), N, Nk, empty_rows="zero")
    return Problem(N, Nk, d, dv, **options)


def check(problem: Problem, M: int, words: int) -> int:
    """Hold every bound to the words of something legal; return the greatest."""
    found = proved_bounds(problem, M)
    assert "compulsory" in {bound.name for bound in found}
    for bound in found:
        assert bound.proved
        assert bound.value <= words, (problem, M, bound)
    return int(found[0].value)


def compulsory_of(problem: Problem) -> int:
    return next(int(one.value) for one in proved_bounds(problem, 9) if one.name == "compulsory")


# -- schedules, pebblings and optima


def check_schedules(kind: str, seed: int, problems: int, most: int) -> None:
    """Hold bounds to random schedules at random memories."""
    rng = random.Random(f"{kind} {seed}")
    for _ in range(problems):
        problem = random_problem(kind, rng, most)
        schedule = rng.choice(registered(problem.pass_name, problem.form))
        try:
            least = schedule.least_M(problem)
            M = least + rng.choice((0, 3, 40, int(rng.random() ** 2 * 4 * problem.Nq * problem.d)))
            counted = schedule.measure(problem, schedule.tiles(schedule.seen(problem), M))
        except CacheTooSmall:
            continue
        assert counted.peak <= M
        check(problem, counted.peak, counted.io)


@pytest.mark.parametrize("kind", KINDS)
def test_no_bound_is_above_a_schedule(kind: str) -> None:
    check_schedules(kind, 0, 3, 30)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("kind", KINDS)
def test_no_bound_is_above_many_schedules(kind: str, seed: int) -> None:
    check_schedules(kind, seed, 8, 80)


@pytest.mark.many(4)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_no_bound_is_above_a_random_pebbling_or_an_automatic_schedule(kind: str, seed: int) -> None:
    problem = random_problem(kind, random.Random(f"{kind} {seed}"), 4, 2)
    rng, family = np.random.default_rng(seed), family_of(problem)
    outside = [array.name for array in (*family.inputs, *family.outputs)]
    assert compulsory_of(problem) == sum(map(family.words_needed, outside))
    dag, M = family.dag(), family.max_indegree + 1 + int(rng.integers(0, 6))
    check(problem, M, io(Player(dag, M, rng).moves))
    check(problem, M, schedule_dag(dag, M, order="depth-first").io)


def masked(rows: str, d: int = 1, **options: Any) -> Problem:
    allowed = np.array([[pair == "1" for pair in row] for row in rows.split()])
    mask = mask_from_array(allowed, empty_rows="zero")
    return Problem(mask.Nq, mask.Nk, d, 1, mask=mask, **options)


TINY = rows_of(Path(__file__).with_name("tiny.txt"))


@pytest.mark.parametrize("row", first(12, TINY), ids=" ".join)
def test_no_bound_is_above_an_exact_optimum(row: list[str]) -> None:
    problem: Problem = eval(row[0])
    memories = [int(M) for M in row[1].split()]
    dag = family_of(problem).dag()
    for M in memories:
        for rules in (Rules(), Rules(sliding=True)):
            best = optimal(dag, M, rules)
            assert best.proved
            greatest = check(problem, M, best.io)
        assert M < 9 or greatest == best.io, "what must pass is enough where all fits"


TRIANGLES = [
    (3, 1, 4, 22),
    (3, 1, 5, 16),
    (3, 1, 7, 13),
    (3, 2, 6, 22),
    (3, 2, 5, 24),
    (4, 1, 8, 17),
    (4, 1, 7, 19),
]
PRODUCTS = [
    ((2, 2, 4), 3, 36),
    ((2, 4, 2), 3, 33),
    ((3, 3, 2), 3, 37),
    ((2, 2, 2), 4, 14),
    ((2, 2, 2), 5, 13),
]
TRANSFORMS = [(3, 14), (4, 11), (5, 9), (6, 8)]


def test_no_bound_is_above_optima_known_from_longer_searches() -> None:
    """Optima of causal masks, products (sliding allowed) and an FFT of four points, or less if a search did not end.

    24 is the optimum of the scores and U alone, for which T2 is proved too: 2.2 million states.
    """
    for n, dv, M, least in TRIANGLES:
        problem = Problem.square(n, 1, dv, mask="causal")
        above = causal_triangles.words_above_compulsory(n, 1, dv, M)
        assert compulsory_words(problem) + above <= least
    assert all(matmul(*shape, M).value <= least for shape, M, least in PRODUCTS)
    assert matmul(2, 2, 1, 4).value == 8, "exact where one column streams past a row"
    assert all(fft(4, M).value <= least for M, least in TRANSFORMS)
    problem = Problem(2, 2, 2, 1)
    assert compulsory_attention(problem, 3).value < t2(problem, 3).value <= 24


# -- wrong bounds are found out


def less(share: float) -> Callable[[Any], Any]:
    """Return what makes a function's values smaller or greater by a share."""
    return lambda right: lambda *given, **named: int(right(*given, **named) * share)


def more(words: int) -> Callable[[Any], Any]:
    """Return what adds words to a function's value, or to the first of its values."""

    def wrong(right: Any) -> Any:
        def function(*given: int) -> Any:
            found = right(*given)
            return (found[0] + words, *found[1:]) if isinstance(found, tuple) else found + words

        return function

    return wrong


def more_keys(right: Any) -> Any:
    """What is left out counts although its lines still have pairs."""
    return lambda part: right(replace(part, keys=part.pairs))


def more_pairs(right: Any) -> Any:
    return lambda problem, counted: right(problem, counted * [4, 1, 1])


@pytest.mark.parametrize("row", rows_of(Path(__file__).with_name("faults.txt")), ids=lambda row: row[0])
def test_a_wrong_constant_would_be_caught(row: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _, text, M, name, function, fault = row
    problem: Problem = eval(text)
    schedule = get(name, problem.pass_name, problem.form)
    counted = schedule.measure(problem, schedule.tiles(schedule.seen(problem), int(M)))
    check(problem, counted.peak, counted.io)
    wrong = {"less": less, "more": more, "more_keys": more_keys, "more_pairs": more_pairs}
    place, attribute = f"pebble.lower_bounds.attention.{function}".rsplit(".", 1)
    module = importlib.import_module(place)
    monkeypatch.setattr(module, attribute, eval(fault, dict(wrong))(getattr(module, attribute)))
    if attribute == "words_above_compulsory":
        monkeypatch.setattr(module, "least_size", lambda *_: 3)
    with pytest.raises(AssertionError):
        check(problem, counted.peak, counted.io)


def _words_of_flash_2(problem: Problem, M: int) -> int:
    schedule = get("flash-2", problem.pass_name)
    return schedule.measure(problem, schedule.tiles(problem, M)).io


@pytest.mark.parametrize(("pass_name", "name"), [("forward", "T1"), ("backward", "B1")])
def test_all_pairs_instead_of_those_allowed_would_be_caught(pass_name: str, name: str) -> None:
    problem, M = Problem.square(48, 1, pass_name=pass_name, mask="window:8"), 24
    words = _words_of_flash_2(problem, M)
    check(problem, M, words)
    caught = {bound.name for bound in proved_bounds(problem.without_mask(), M) if bound.value > words}
    assert name in caught


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_queries_without_keys_counted_as_others_would_be_caught(pass_name: str) -> None:
    allowed = np.tri(12, dtype=bool)
    allowed[3:9] = False
    problem = Problem.square(12, 2, pass_name=pass_name, mask=mask_from_array(allowed, empty_rows="zero"))
    words = _words_of_flash_2(problem, 400)
    check(problem, 400, words)
    assert compulsory_words(problem.without_mask()) > words


@pytest.mark.parametrize(
    ("pass_name", "held"),
    [("forward", {"T1", "T2", "T3", "T4"}), ("backward", {"B1", "B2", "B3", "B4"})],
)
def test_with_sums_in_any_order_bounds_that_count_steps_to_come_are_left_out(
    pass_name: str, held: set[str]
) -> None:
    chains = Problem(4096, 4096, 64, 64, pass_name=pass_name)
    free = replace(chains, sums="free")
    for M in (1000, 10**5):
        known = {one.name: one for one in bounds(chains, M).proved}
        found = {one.name: one for one in bounds(free, M).proved}
        assert found.keys() == known.keys() & (held | {"compulsory"})
        assert all(one.value == known[name].value for name, one in found.items())
        checked = {name for name, one in found.items() if one.status == "machine-checked"}
        assert checked == found.keys() & {"T1", "B1"}
        assert bounds(free, M).curves == ()
    with pytest.raises(BoundDoesNotApply, match="fixed order"):
        large_cache.large_cache(free, 10**5)
