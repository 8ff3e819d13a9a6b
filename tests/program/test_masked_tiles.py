"""Tiles under a mask: the choice against all tiles that fit, against the choice without the mask, and its parts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import gcd, prod

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import Mask, make_mask
from pebble.computations.problem import Problem
from pebble.program.closed_forms.count import closed_form
from pebble.program.machine.run import fits, run
from pebble.program.schedule import (
    MaskedSearch,
    Schedule,
    Tiles,
    fitting_tiles,
    get,
    masked_tiles,
    registered,
    tiles_without_mask,
)
from pebble.program.schedule.aligned_sizes import repeating_size
from pebble.program.schedule.tile_groups import tile_groups
from tests.program.random_masks import random_mask
from tests.support.amounts import first

SEARCHED = [
    (schedule.name, pass_name)
    for pass_name in ("forward", "backward")
    for schedule in registered(pass_name, "plain")
    if schedule.short_search
    or (not (schedule.follows_mask or schedule.published_tiles) and schedule.tile_names)
]
ALL, DRAWN = 300, 100
"""Up to so many combinations of sizes all are compared, else so many drawn at random."""


def random_problem(seed: int, pass_name: str, size: int, width: int) -> Problem:
    """A small problem under a random mask."""
    rnd = random.Random(f"{seed} {pass_name}")
    Nq = rnd.randint(2, size)
    Nk = Nq if rnd.random() < 0.5 else rnd.randint(2, size)
    stats = pass_name == "forward" and rnd.random() < 0.3
    problem = Problem(Nq, Nk, rnd.randint(1, width), rnd.randint(1, width), stats=stats, pass_name=pass_name)
    return replace(problem, mask=random_mask(rnd, Nq, Nk))


def words_of(schedule: Schedule, problem: Problem, tiles: Tiles) -> int:
    return int(closed_form(schedule.program(problem, tiles), schedule.family(problem)).io)


def all_tiles(schedule: Schedule, problem: Problem, rnd: random.Random) -> Iterator[dict[str, int]]:
    """Every combination of sizes, or a part of them where there are very many."""
    least, most = schedule.smallest(problem), schedule.greatest(problem)
    ranges = [range(int(name not in schedule.may_be_zero), most[name] + 1) for name in least]
    if prod(len(sizes) for sizes in ranges) <= ALL:
        combinations = list(product(*ranges))
    else:
        combinations = [tuple(rnd.choice(sizes) for sizes in ranges) for _ in range(DRAWN)]
    for sizes in combinations:
        tiles = dict(zip(least, sizes, strict=True))
        with suppress(InvalidInput):  # flash-2-mixed has a block, whole or in slices
            schedule.program(problem, tiles)
            yield tiles


def check_against_all(name: str, pass_name: str, seed: int, size: int) -> None:
    schedule, problem = get(name, pass_name), random_problem(seed, pass_name, size, 2)
    rnd = random.Random(seed)
    M = schedule.least_M(problem) + rnd.choice([0, 2, 6, 15, 40])
    chosen = fitting_tiles(schedule, problem, M)
    counted = schedule.measure(problem, chosen)
    assert counted.peak <= M
    family = schedule.family(problem)
    for tiles in all_tiles(schedule, problem, rnd):
        if words_of(schedule, problem, tiles) < counted.io:
            assert not fits(schedule.program(problem, tiles), family, M), (
                f"{problem}, M = {M}: {tiles}, not {chosen}"
            )


@pytest.mark.parametrize(("name", "pass_name"), SEARCHED)
@pytest.mark.parametrize("seed", first(1, range(6)))
def test_no_tiles_that_fit_move_fewer_words(name: str, pass_name: str, seed: int) -> None:
    check_against_all(name, pass_name, seed, 7)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pass_name"), SEARCHED)
@pytest.mark.parametrize("seed", range(6, 9))
def test_no_tiles_that_fit_move_fewer_words_on_longer_axes(name: str, pass_name: str, seed: int) -> None:
    check_against_all(name, pass_name, seed, 14)


LONG = [
    ("flash-2", "forward", "causal"),
    ("flash-2", "forward", "document:90,40,70,40"),
    ("flash-1", "forward", "window:50"),
    ("flash-2-causal", "forward", "prefix:60"),
    ("flash-2-pinned", "forward", "blocks:size=24,density=0.3"),
    ("keys-pinned", "backward", "causal"),
    ("square-tile", "forward", "window:6"),
    ("hybrid", "forward", "document:causal,60,60,60,60"),
]


@pytest.mark.parametrize("case", first(3, LONG), ids=str)
def test_on_long_axes_the_choice_is_no_worse_than_without_the_mask(case: tuple[str, str, str]) -> None:
    name, pass_name, spec = case
    schedule = get(name, pass_name)
    problem = Problem.square(240, 6, mask=spec, pass_name=pass_name)
    for M in (90, 900):
        usual = words_of(schedule, problem, tiles_without_mask(schedule, problem, M))
        found = masked_tiles(schedule, problem, M)
        assert schedule.measure(problem, found).peak <= M
        assert words_of(schedule, problem, found) <= usual


def test_a_tile_of_no_columns_on_axes_on_which_sizes_are_sampled() -> None:
    schedule, problem = (
        get("dp-sliced", "backward"),
        Problem.square(60, 8, mask="causal", pass_name="backward"),
    )
    found = fitting_tiles(schedule, problem, 200)
    assert found["p_cols"] == 0
    assert schedule.measure(problem, found).peak <= 200


def test_choices_that_the_mask_changes() -> None:
    """Equal blocks under a causal mask, blocks at the ends of documents, larger tiles of scores in a window."""
    flash = get("flash-2")
    causal = Problem.square(512, 32, mask="causal")
    assert tiles_without_mask(flash, causal, 4096) == {"rows": 62}
    assert fitting_tiles(flash, causal, 4096) == {"rows": 57}
    packed = Problem.square(240, 8, mask="document:60,60,60,60")
    assert tiles_without_mask(flash, packed, 1110) == {"rows": 64}
    assert fitting_tiles(flash, packed, 1110) == {"rows": 60, "sequences": 1}
    tiles = get("square-tile")
    window = Problem.square(240, 8, mask="window:4")
    before, after = tiles_without_mask(tiles, window, 90)["side"], fitting_tiles(tiles, window, 90)["side"]
    assert after > before


def test_groups_are_the_tiles_that_shape_the_same_phases() -> None:
    def groups(name: str, pass_name: str) -> set[tuple[frozenset[str], tuple[int, ...]]]:
        schedule, problem = get(name, pass_name), Problem(9, 8, 7, 6, pass_name=pass_name)
        most = {**schedule.greatest(problem), "sums_first": 0}
        found = tile_groups(schedule, problem, schedule.smallest(problem), most)
        return {(frozenset(group.names), group.phases) for group in found}

    assert groups("flash-2-causal", "forward") == {(frozenset({"first", "rows"}), (0,))}
    assert groups("hybrid", "forward") == {
        (frozenset({"rows"}), (0,)),
        (frozenset({"out_rows", "out_cols"}), (1,)),
    }
    assert groups("square-tile", "forward") == {(frozenset({"side"}), (0, 1))}
    assert groups("split", "backward") == {
        (frozenset({"cols", "pinned_queries"}), (0,)),
        (frozenset({"rows", "pinned_keys"}), (1,)),
    }


@pytest.mark.parametrize("seed", first(3, range(40)))
def test_fits_agrees_with_the_machine(seed: int) -> None:
    rnd = random.Random(seed)
    pass_name = rnd.choice(["forward", "backward"])
    problem = random_problem(seed, pass_name, 9, 3)
    for schedule in registered(pass_name, "plain"):
        if schedule.name == "best":
            continue
        most = schedule.greatest(problem)
        tiles = {name: rnd.randint(1, most[name]) for name in schedule.smallest(problem)}
        program, family = schedule.program(problem, tiles), schedule.family(problem)
        peak = run(program, family).peak
        assert fits(program, family, peak)
        assert not fits(program, family, peak - 1)


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_words_of_phases_add_up(pass_name: str) -> None:
    problem = random_problem(3, pass_name, 12, 3)
    for schedule in registered(pass_name, "plain"):
        program, family = schedule.program(problem, schedule.smallest(problem)), schedule.family(problem)
        parts = [int(closed_form(program, family, [number]).io) for number in range(len(program.phases))]
        assert sum(parts) == int(closed_form(program, family).io) == run(program, family).io


def test_a_published_size_is_kept() -> None:
    problem = Problem.square(20, 3, mask="causal")
    assert fitting_tiles(get("small-cache"), problem, 100) == {"side": 5}


def test_sizes_that_repeat_soon_on_long_axes() -> None:
    """Under a mask with a period tiles have large common factors with it, are hardly smaller, and move hardly more."""
    M, d = 20_000, 32
    masks = {N: make_mask("fixed:1000,30", N, N) for N in (500, 40_000)}
    for size in (7, 31, 32, 100, 128, 307, 2999):
        assert repeating_size(some(masks[500]), size) == size
        found = repeating_size(some(masks[40_000]), size)
        least = size - size // (32 if size >= 128 else 4 if size >= 32 else 2)
        assert least <= found <= size
        assert gcd(found, 1000) == max(gcd(other, 1000) for other in range(least, size + 1))
    problem = Problem.square(40_000, d, mask=masks[40_000])
    search = MaskedSearch(get("flash-2"), problem, M)
    usual = get("flash-2").tiles(problem.without_mask(), M)
    assert gcd(search.tiles["rows"], 1000) > gcd(usual["rows"], 1000)
    assert search.words <= 1.03 * search.trials.words(usual)


def some(mask: Mask | None) -> Mask:
    """The mask that there is."""
    assert mask is not None
    return mask


@pytest.mark.slow
def test_sides_in_step_on_very_long_axes() -> None:
    """The machine would execute more than a hundred rows of tiles of 530 x 208 before the two grids repeat."""
    problem = Problem.square(2**18, 128, mask="longformer:window=512,global=16")
    tiles = fitting_tiles(get("standard"), problem, 100_000)
    unit = gcd(tiles["rows"], tiles["cols"])
    assert max(tiles["rows"], tiles["cols"]) <= 8 * unit
    schedule, best = get("standard"), {**tiles, "rows": 530, "cols": 208}
    assert schedule.words(problem, tiles) <= 1.005 * schedule.words(problem, best)
