"""Sums in any order: which bounds hold, no run below them, and every step of their proof on random runs."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from pebble.common.errors import BoundDoesNotApply, CacheTooSmall
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.forward import t1_events
from pebble.lower_bounds.attention.large_cache import large_cache
from pebble.lower_bounds.table import bounds
from pebble.program.schedule import registered
from tests.lower_bounds.free_sums import FreeRun, random_run


def test_the_bounds_on_chains_hold_but_for_those_that_count_steps_to_come() -> None:
    for pass_name, held in (("forward", {"T1", "T2", "T3", "T4"}), ("backward", {"B1", "B2", "B3", "B4"})):
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
            large_cache(free, 10**5)


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize("shape", [(16, 16, 2, 2), (16, 10, 3, 5)])
def test_no_schedule_is_below_them(shape: tuple[int, int, int, int], pass_name: str) -> None:
    problem = Problem(*shape, pass_name=pass_name)
    for M in (16, 30, 100):
        least = max(one.value for one in bounds(replace(problem, sums="free"), M).proved)
        for schedule in registered(pass_name, "plain"):
            if schedule.name == "best":
                continue
            try:
                tiles = schedule.tiles(problem, M)
            except CacheTooSmall:
                continue
            assert schedule.measure(problem, tiles).io >= least


@pytest.mark.parametrize("seed", range(60))
def test_every_step_of_the_proof_on_random_runs(seed: int) -> None:
    """Merges, several partial sums of an element at once, terms computed again, and stores of anything."""
    rng = random.Random(seed)
    run = random_run(rng)
    traced = run.traced()
    assert Counter((at.word[:3], at.term) for at in traced) == Counter(run.products())
    useful = [
        one
        for one in run.presences()
        if any(one.holds(at.time) for at in traced if at.word[:3] == one.element)
    ]
    loads, stores = (sum(event.kind == kind for event in run.events) for kind in ("load", "store"))
    begun = sum(run.events[one.start].kind != "load" for one in useful)
    for one in useful:
        assert any(
            e.kind == "store" and run.element(e.word) == one.element and one.holds(e.time) for e in run.events
        )
    assert loads + begun <= loads + stores
    others = sum(e.kind == "load" and run.element(e.word) is None for e in run.events)
    kept = len({e.word[1:3] for e in run.events if e.kind == "store" and e.word[0] in "SP"})
    assert others + 2 * len(useful) - len(run.elements) + kept <= loads + stores
    for _ in range(20):
        a, b = sorted(rng.sample(range(len(run.events) + 1), 2))
        words = run.red_before(a) | {e.word for e in run.events[a:b] if e.kind == "load"}
        words |= {run.events[one.start].word for one in useful if a <= one.start < b}
        assert sum(a <= at.time < b for at in traced) <= t1_events(len(words), run.d, run.dv)


def test_a_random_run_is_what_it_says() -> None:
    run = random_run(random.Random(1))
    kinds = {event.kind for event in run.events}
    assert kinds == {"load", "store", "compute", "merge", "delete"}
    assert isinstance(run, FreeRun)
