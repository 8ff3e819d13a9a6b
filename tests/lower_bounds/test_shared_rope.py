"""Bounds where heads share rotary words of the keys: never above a pebbling, and T1's count of a segment."""

from __future__ import annotations

import math
import random

import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lower_bounds.attention.forward import t1_events
from pebble.lower_bounds.attention.latent import t1_of_all_heads, without_rope
from pebble.lower_bounds.proved import best_bound, proved_bounds
from pebble.program.schedule import available
from pebble.solvers.heuristic import schedule_dag


def test_no_segment_does_more_by_several_heads() -> None:
    """Charged pairs, rows, keys, chains and values drawn for each head, the rotary words counted once for each key."""
    draw, greatest = random.Random(1), 0.0
    for _ in range(4000):
        own, rope, heads = draw.randint(1, 60), draw.randint(1, 60), draw.randint(1, 4)
        d, dv, scale = own + rope, draw.randint(1, 120), 10 ** draw.uniform(0, 4)
        words = events = 0.0
        keys_of = [draw.random() * scale * draw.choice((0, 1)) for _ in range(heads)]
        for keys in keys_of:
            c, rows, u, v = (
                draw.expovariate(1) * scale * w * draw.choice((0, 1, 1)) for w in (1, 1 / d, 9, 9)
            )
            words += c + d * rows + own * keys + u + v
            pairs = c + rows * keys
            events += min(math.sqrt(pairs * u * v), pairs * dv)
        T = math.ceil(words + rope * max(keys_of))
        most = t1_events(T, d, dv) + 1
        assert events <= most
        greatest = max(greatest, events / most)
    assert greatest > 0.5


@pytest.mark.parametrize("mask", [None, pytest.param("causal", marks=pytest.mark.slow)])
def test_no_schedule_is_below_a_bound(mask: str | None) -> None:
    draw = random.Random(7)
    for _ in range(5):
        N, d = draw.randint(2, 12), draw.randint(2, 5)
        rope, stats = draw.randint(1, d - 1), draw.random() < 0.5
        heads, dv = draw.randint(1, 5), draw.randint(1, 4)
        problem = Problem(N, N, d, dv, heads=heads, shared_rope=rope, mask=mask, stats=stats)
        for schedule in available("forward", "shared-rope").values():
            M = schedule.least_M(problem) + draw.choice((0, 3, 40, 90))
            counted = schedule.measure(problem, schedule.tiles(schedule.seen(problem), M))
            assert counted.peak <= M
            assert best_bound(problem, counted.peak).value <= counted.io


def test_no_bound_is_above_a_pebbling_of_the_dag() -> None:
    problem = Problem(2, 2, 2, 1, heads=2, shared_rope=1)
    dag = family_of(problem).dag()
    for M in (6, 8, 12, 20):
        found = schedule_dag(dag, M).io
        assert all(bound.value <= found for bound in proved_bounds(problem, M))


def test_one_head_is_t1_and_what_a_head_lacks_is_added() -> None:
    alone, plain = Problem(500, 400, 12, 7, shared_rope=4), Problem(500, 400, 12, 7)
    M = 300
    assert t1_of_all_heads(alone, M).value == next(b.value for b in proved_bounds(plain, M) if b.name == "T1")
    several = Problem(500, 400, 12, 7, heads=3, shared_rope=4, stats=True)
    head = best_bound(Problem(500, 400, 8, 7, stats=True), M).value
    assert without_rope(several, M, best_bound).value == 3 * head + (3 * 500 + 400) * 4


def test_heads_that_share_nothing_are_refused() -> None:
    for bound in (t1_of_all_heads, lambda problem, M: without_rope(problem, M, best_bound)):
        with pytest.raises(BoundDoesNotApply, match="shared_rope"):
            bound(Problem(8, 8, 4, 2, heads=3), 100)
