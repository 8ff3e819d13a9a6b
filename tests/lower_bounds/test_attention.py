"""Bounds for attention: values to leading order or exactly, names and order, and what they do not cover."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.masks import make_mask, mask_from_array
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import b1, b2, best_bound, forward_bounds, proved_bounds, regime, t1, t2
from pebble.lower_bounds.attention.by_keys import by_keys
from pebble.lower_bounds.attention.by_parts import by_parts
from pebble.lower_bounds.attention.causal_triangles import causal_triangles
from pebble.lower_bounds.attention.compulsory import compulsory_attention
from pebble.lower_bounds.attention.large_cache import large_cache
from pebble.lower_bounds.attention.latent import latent_bound, t1_of_all_heads, without_rope
from pebble.lower_bounds.attention.latent_keys import mla_by_keys
from pebble.lower_bounds.attention.varying_work import g2, linear, linear_backward, safe_softmax
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.backward_rows import b3, b4
from pebble.lower_bounds.certified.forward_rows import t3, t4
from pebble.lower_bounds.proved import backward_bounds, bounds_by_counts
from pebble.lower_bounds.published import li_et_al
from pebble.lower_bounds.table import bounds
from tests.support.text_tables import rows_of

# -- values

OPTIONS: dict[str, dict[str, Any]] = {
    "T": {},
    "T, stats": {"stats": True},
    "B": {"pass_name": "backward"},
    "W": {"pass_name": "backward", "sum_width": 3},
    "G": {"pass_name": "weights"},
    "S": {"softmax": "safe"},
    "L": {"attention": "linear"},
    "L, causal": {"attention": "linear", "mask": "causal"},
    "L, backward": {"attention": "linear", "mask": "causal", "pass_name": "backward"},
    "MLA": {"shared_values": True},
    "causal": {"mask": "causal"},
}


@pytest.mark.parametrize("row", rows_of(Path(__file__).with_name("values.txt")), ids=" ".join)
def test_values(row: list[str]) -> None:
    kind, name, *sizes, memory, words, near = row
    of: dict[str, Any] = dict(zip(("N", "d", "dv"), map(int, sizes), strict=True))
    of |= {"sqrt": math.sqrt, "ceil": math.ceil}
    of["M"] = int(eval(memory, of))
    problem = Problem(of["N"], of["N"], of["d"], of["dv"], **OPTIONS[kind])
    found = {bound.name: bound for bound in proved_bounds(problem, of["M"])}
    assert isinstance(found[name].value, int)
    assert found[name].value == pytest.approx(eval(words, of), rel=float(near), abs=0)


BEST_RIGOROUS = {0.05: 37.57, 0.1: 25.97, 0.25: 15.56, 0.5: 10.28, 1: 6.284, 2: 3.803, 3: 2.685, 4: 2.086}
BEST_RIGOROUS |= {6: 1.431, 8: 1.214, 12: 0.970, 14.6: 12 / 14.6, 20: 12 / 20, 60: 12 / 60}


def best_known(mu: float) -> float:
    """Leading constant of the best known schedules of the backward pass."""
    if mu <= 0.25:
        return 3 + 10 / math.sqrt(mu)
    if mu <= 1:
        return 3 / mu + 3 + 4 / math.sqrt(mu)
    return min(5 / mu + 5, 9 / mu + 2, 14 / mu)


@pytest.mark.parametrize(("mu", "constant"), BEST_RIGOROUS.items())
def test_leading_constants_of_the_backward_pass(mu: float, constant: float) -> None:
    N, d = 10**10, 2000
    problem, M = Problem.square(N, d, pass_name="backward"), round(mu * d * d)
    assert constant * 0.999 <= best_bound(problem, M).value / N**2 <= best_known(mu)
    assert best_bound(problem, M).value / N**2 <= constant * 1.4, "this much better would be news; check it"
    assert b1(problem, M).value >= 12 * (N * d) ** 2 / (M + 4 * d * d) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("mask", "hundredths", "best"),
    [
        *((None, part, "D") for part in (107, 187)),
        *(("causal", part, "causal triangles") for part in (53, 141)),
        *(("causal", part, "by parts") for part in (50, 51)),
        ("causal", 145, "compulsory"),
    ],
)
def test_which_bound_is_the_greatest(mask: str | None, hundredths: int, best: str) -> None:
    N, d = 4096, 64
    assert best_bound(Problem.square(N, d, mask=mask), hundredths * N * d // 100).name == best


def test_statistics_and_maxima_are_more_outputs() -> None:
    for softmax, times in (("plain", 1), ("safe", 2), ("online", 2)):
        for M in (60, 1000):
            plain = proved_bounds(Problem.square(64, 4, softmax=softmax), M)
            more = {
                one.name: one.value
                for one in proved_bounds(Problem.square(64, 4, softmax=softmax, stats=True), M)
            }
            for one in plain:
                assert more[one.name] == one.value + times * 64 or one.name not in ("compulsory", "T1")


def test_copies_are_counted_in_the_table_alone() -> None:
    problem = Problem(4096, 4096, 64, 64, heads=3, batch=2, pass_name="backward")
    table = bounds(problem, 25_000)
    assert best_bound(problem, 25_000) == best_bound(replace(problem, heads=1, batch=1), 25_000)
    assert table.best.value == 6 * best_bound(problem, 25_000).value
    assert [curve.name for curve in table.curves] == ["Li et al.", "FlashAttention", "standard attention"]
    assert regime(problem, 4095).large_cache is False


@pytest.mark.parametrize(
    ("problem", "ask", "names"),
    [
        (Problem.square(2000, 64), forward_bounds, {"D", "T1", "T2", "T3", "T4", "compulsory"}),
        (
            Problem.square(5000, 64, pass_name="backward"),
            backward_bounds,
            {"B1", "B2", "B3", "B4", "D backward", "compulsory"},
        ),
    ],
)
def test_all_bounds_come_best_first_and_hold_under_all_rules(
    problem: Problem, ask: Callable[[Problem, int, Rules], list[Bound]], names: set[str]
) -> None:
    for rules in (Rules(a, b) for a in (True, False) for b in (True, False)):
        found = ask(problem, 2000, rules)
        assert {bound.name for bound in found} == names
        assert [b.value for b in found] == sorted((b.value for b in found), reverse=True)
        assert best_bound(problem, 2000, rules) == found[0] == proved_bounds(problem, 2000, rules)[0]
        assert all(bound.proved and isinstance(bound.value, int) for bound in found)


def test_heads_that_share_words() -> None:
    """One head is T1; and each head's own bound, with what it lacks added."""
    alone, plain = Problem(500, 400, 12, 7, shared_rope=4), Problem(500, 400, 12, 7)
    M = 300
    assert t1_of_all_heads(alone, M).value == t1(plain, M).value
    several = Problem(500, 400, 12, 7, heads=3, shared_rope=4, stats=True)
    head = best_bound(Problem(500, 400, 8, 7, stats=True), M).value
    assert without_rope(several, M, best_bound).value == 3 * head + (3 * 500 + 400) * 4


# -- what they do not cover

CHUNKED = Problem.square(64, 8, attention="linear", mask="causal", chunk=4)
NAMES = {
    "Problem": Problem,
    "make_mask": make_mask,
    "mask_from_array": mask_from_array,
    "CHUNKED": CHUNKED,
    "STEP_BACK": mask_from_array([[True, False, False], [True] * 3, [False, True, False]]),
    "by_parts": partial(by_parts, bounds=bounds_by_counts),
    "without_rope": partial(without_rope, best=best_bound),
    **{"t1": t1, "t2": t2, "t3": t3, "t4": t4, "b1": b1, "b2": b2, "b3": b3, "b4": b4},
    **{
        "causal_triangles": causal_triangles,
        "large_cache": large_cache,
        "safe_softmax": safe_softmax,
        "g2": g2,
    },
    **{
        "linear": linear,
        "linear_backward": linear_backward,
        "replace": replace,
        "latent_bound": latent_bound,
        "mla_by_keys": mla_by_keys,
        "by_keys": by_keys,
        "t1_of_all_heads": t1_of_all_heads,
        "li_et_al": li_et_al,
    },
}


@pytest.mark.parametrize("row", rows_of(Path(__file__).with_name("refused.txt"), "attention"), ids=" ".join)
def test_what_a_bound_does_not_cover_is_refused(row: list[str]) -> None:
    bound, problem, M = (eval(text, dict(NAMES)) for text in row[:3])
    with pytest.raises(BoundDoesNotApply, match=row[3]):
        bound(problem, M)


def test_which_bounds_are_left_for_other_computations() -> None:
    for problem, names in (
        (CHUNKED, ["compulsory"]),
        (Problem.square(64, 8, attention="linear", mask="causal"), ["L", "compulsory"]),
        (Problem(8, 8, 4, 2, shared_values=True), ["MLA", "compulsory", "MLA by keys"]),
    ):
        assert sorted(bound.name for bound in proved_bounds(problem, 20)) == sorted(names)


@pytest.mark.parametrize("M", [0, -5, True, 3.0, "7", None])
def test_nonsense_words_are_refused(M: int) -> None:
    forward, backward = Problem.square(4, 2), Problem.square(4, 2, pass_name="backward")
    for some, problem in (
        ((compulsory_attention, t1, t2, t3, t4, best_bound, forward_bounds, bounds), forward),
        ((compulsory_attention, b1, b2, b3, b4, backward_bounds), backward),
        ((causal_triangles,), Problem.square(4, 1, mask="causal")),
    ):
        for bound in some:
            with pytest.raises(InvalidInput, match="M "):
                bound(problem, M)
