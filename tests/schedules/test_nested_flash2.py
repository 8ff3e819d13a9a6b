"""nested-flash-2, both passes: closed forms, room, numbers and the game; and how near the bounds it gets."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.problem import Problem
from pebble.lower_bounds.levels import boundary_bound
from pebble.program import Hierarchy, LevelSchedule
from pebble.program.schedule.level_schedule import fits
from pebble.program.schedule.registry import level_schedule
from pebble.testing import check_level_schedule
from tests.program.random_masks import random_mask

FORWARD = level_schedule("nested-flash-2", Problem.square(4, 2))
BACKWARD = level_schedule("nested-flash-2", Problem.square(4, 2, pass_name="backward"))
BOTH = pytest.mark.parametrize("schedule", [FORWARD, BACKWARD], ids=["forward", "backward"])


def random_problem(rnd: Random, schedule: LevelSchedule, longest: int) -> Problem:
    lengths = rnd.randint(1, longest), rnd.randint(1, longest), rnd.randint(1, 3), rnd.randint(1, 3)
    name = schedule.passes[0]
    return Problem(*lengths, pass_name=name, stats=name == "forward" and rnd.random() < 0.3)


def random_tiles(rnd: Random, problem: Problem, levels: int) -> dict[str, int]:
    """Tiles of any lengths; those that may be left out are, now and then."""
    passing = "cols" if problem.pass_name == "forward" else "rows"
    tiles = {"rows": rnd.randint(1, problem.Nq + 2), "cols": rnd.randint(1, problem.Nk + 2)}
    if rnd.random() < 0.7:
        tiles["block"] = rnd.randint(1, max(tiles.values()) + 1)
    if levels == 3 and rnd.random() < 0.8:
        tiles |= {"rows3": rnd.randint(1, problem.Nq + 1), "cols3": rnd.randint(1, problem.Nk + 1)}
    return {name: size for name, size in tiles.items() if not name.startswith(passing) or rnd.random() < 0.8}


@BOTH
def test_contract(schedule: LevelSchedule) -> None:
    """Any tiles, two and three levels of both kinds; the formula for the room is mostly exact."""
    rnd, exact = Random(5), 0
    for number in range(8):
        problem, levels = random_problem(rnd, schedule, 9), rnd.choice([2, 3])
        hierarchy = Hierarchy((None,) * levels, rnd.random() < 0.5)
        tiles = random_tiles(rnd, problem, levels)
        runs = check_level_schedule(schedule, problem, hierarchy, tiles, seed=number)
        exact += tuple(run.peak for run in runs) == schedule.room(problem, tiles, hierarchy)
        assert runs[0].recomputed == 0
    assert exact >= 2


@pytest.mark.slow
@BOTH
def test_contract_under_masks(schedule: LevelSchedule) -> None:
    """Masks of every kind, rows without keys included; without a third pair of tiles closed forms are exact."""
    rnd = Random(12)
    for number in range(12):
        plain, levels = random_problem(rnd, schedule, 9), rnd.choice([2, 3])
        problem = masked(rnd, plain)
        check_level_schedule(
            schedule,
            problem,
            Hierarchy((None,) * levels, rnd.random() < 0.5),
            random_tiles(rnd, plain, levels),
            seed=number,
        )


@pytest.mark.many(1)
@BOTH
@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("mask", ["window:4", "strided:3"])
@pytest.mark.parametrize(
    "tiles",
    [
        {"rows": 3, "cols": 4},
        {"rows": 5, "cols": 2},
        {"rows": 4, "cols": 3, "block": 3},
        {"rows": 4, "cols": 2, "rows3": 5, "cols3": 3},
        {"rows": 5, "cols": 4, "block": 2, "rows3": 7, "cols3": 3},
    ],
    ids=lambda tiles: ",".join(f"{name}={size}" for name, size in tiles.items()),
)
def test_three_levels_under_masks_that_end_inside_of_tiles(
    schedule: LevelSchedule, tiles: dict[str, int], mask: str, inclusive: bool
) -> None:
    """Lines of a tile that see nothing in the other tile are neither brought nor let go of."""
    problem = Problem(11, 11, 1, 1, pass_name=schedule.passes[0], mask=mask)
    check_level_schedule(schedule, problem, Hierarchy((None, None, None), inclusive), tiles)


def masked(rnd: Random, problem: Problem) -> Problem:
    """The problem under a random mask."""
    return replace(problem, mask=random_mask(rnd, problem.Nq, problem.Nk))


@BOTH
@pytest.mark.slow
@pytest.mark.parametrize("mask", ["causal", "window:40"])
def test_tiles_under_a_mask_fit_and_are_no_worse_than_others(schedule: LevelSchedule, mask: str) -> None:
    rnd = Random(13)
    problem = Problem.square(96, 3, pass_name=schedule.passes[0], mask=mask)
    hierarchy = Hierarchy((70, 400))
    weights = [1 / boundary_bound(problem, words).value for words in hierarchy.capacities if words]
    tiles = schedule.tiles(problem, hierarchy, weights)
    runs = schedule.measure(problem, tiles, hierarchy)
    assert all(run.peak <= words for run, words in zip(runs, hierarchy.capacities, strict=True) if words)
    assert tuple(run.io for run in runs) == schedule.masked_words(problem, tiles, hierarchy)
    cost = max(run.io * weight for run, weight in zip(runs, weights, strict=True))
    for _ in range(60):
        other = random_tiles(rnd, problem.without_mask(), 2)
        if fits(schedule.room(problem, other, hierarchy), hierarchy):
            words = schedule.masked_words(problem, other, hierarchy)
            assert max(one * weight for one, weight in zip(words, weights, strict=True)) >= 0.9 * cost


@pytest.mark.many(1)
@BOTH
@pytest.mark.parametrize("mask", ["causal", "window:1024"])
def test_long_axes_are_counted_at_all_levels(schedule: LevelSchedule, mask: str) -> None:
    problem = Problem.square(2**18, 64, pass_name=schedule.passes[0], mask=mask)
    tiles, hierarchy = {"rows": 256, "cols": 512, "block": 64}, Hierarchy((None, None))
    runs = schedule.measure(problem, tiles, hierarchy)
    assert tuple(run.io for run in runs) == schedule.masked_words(problem, tiles, hierarchy)
    assert all(run.proved for run in runs)


def test_the_example_of_the_docs() -> None:
    problem, tiles = Problem.square(40, 3), {"rows": 12, "cols": 9, "block": 5}
    runs = FORWARD.measure(problem, tiles, Hierarchy((43, 140)))
    assert [(run.io, run.peak) for run in runs] == [(4400, 43), (1200, 140)]
    assert FORWARD.room(problem, tiles, Hierarchy((43, 140))) == (43, 140)
    assert FORWARD.words(problem, tiles, Hierarchy((43, 140))) == (4400, 1200)


@BOTH
@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("levels", [2, 3])
def test_the_least_levels_suffice(schedule: LevelSchedule, inclusive: bool, levels: int) -> None:
    problem = random_problem(Random(3), schedule, 12)
    least = schedule.least(problem, Hierarchy((None,) * levels, inclusive))
    sizes = tuple(words + at for at, words in enumerate(least))
    assert schedule.tiles(problem, Hierarchy(sizes, inclusive), [1.0] * levels)
    with pytest.raises(CacheTooSmall, match="needs at least"):
        schedule.tiles(problem, Hierarchy((least[0] - 1, *sizes[1:]), inclusive), [1.0] * levels)


@BOTH
def test_chosen_tiles_fit_and_are_no_worse_than_others(schedule: LevelSchedule) -> None:
    """No random tiles that fit are better at the boundary that is worst for the chosen ones, beyond a little."""
    rnd = Random(11)
    for _ in range(2):
        problem = Problem.square(rnd.randint(60, 120), 3, pass_name=schedule.passes[0])
        hierarchy = Hierarchy((rnd.randint(60, 90), rnd.randint(200, 600)))
        weights = [1 / boundary_bound(problem, words).value for words in hierarchy.capacities if words]
        tiles = schedule.tiles(problem, hierarchy, weights)
        runs = schedule.measure(problem, tiles, hierarchy)
        assert all(run.peak <= words for run, words in zip(runs, hierarchy.capacities, strict=True) if words)
        cost = max(run.io * weight for run, weight in zip(runs, weights, strict=True))
        for _ in range(150):
            other = random_tiles(rnd, problem, 2)
            room = schedule.room(problem, other, hierarchy)
            if room[0] <= hierarchy.capacities[0] and room[1] <= hierarchy.capacities[1]:  # type: ignore[operator]
                words = schedule.words(problem, other, hierarchy)
                assert max(one * weight for one, weight in zip(words, weights, strict=True)) >= 0.9 * cost


@pytest.mark.parametrize(
    ("quotient", "worse"), [(4, 2.01), (8, 1.61), (16, 1.38), (32, 1.26), (64, 1.18), (128, 1.14)]
)
def test_ratios_to_the_bounds_at_both_boundaries(quotient: int, worse: float) -> None:
    """The table of docs/levels.md; the closed form is the machine's at this size too."""
    problem, hierarchy = Problem.square(2**22, 128), Hierarchy((131_072, 131_072 * quotient))
    bounds = [boundary_bound(problem, hierarchy.held_within(level)).value for level in (1, 2)]
    tiles = FORWARD.tiles(problem, hierarchy, [1 / bound for bound in bounds])
    runs = FORWARD.measure(problem, tiles, hierarchy)
    assert all(run.peak <= words for run, words in zip(runs, hierarchy.capacities, strict=True) if words)
    assert tuple(run.io for run in runs) == FORWARD.words(problem, tiles, hierarchy)
    assert all(run.proved for run in runs)
    ratio = max(run.io / bound for run, bound in zip(runs, bounds, strict=True))
    assert ratio == pytest.approx(worse, abs=0.006)


def test_what_makes_no_sense_is_refused() -> None:
    problem = Problem.square(8, 2)
    for tiles, message in (
        ({"cols": 2}, "also needs tile sizes for rows"),
        ({"rows": 2, "cols": 0}, "whole number"),
        ({"rows": 2, "cols": 2, "width": 1}, "has no tile size width"),
        ({"rows": 2, "cols": 2, "rows3": 1}, "third memory level"),
    ):
        with pytest.raises(InvalidInput, match=message):
            FORWARD.program(problem, tiles, Hierarchy((None, None)))
    with pytest.raises(InvalidInput, match="2 or 3 memory levels, not for 1"):
        FORWARD.program(problem, {"rows": 2, "cols": 2}, Hierarchy((50,)))
    for wrong, message in (
        (Problem.square(8, 2, pass_name="weights"), "no schedule for several memory levels supports"),
        (Problem.square(8, 2, softmax="online"), "for this computation"),
    ):
        with pytest.raises(InvalidInput, match=message):
            level_schedule("nested-flash-2", wrong)
    with pytest.raises(InvalidInput, match="is not a schedule for several memory levels"):
        level_schedule("flash-2", problem)
