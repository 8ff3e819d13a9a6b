"""Tiles that the machine gets through soon under masks of blocks that repeat."""

from __future__ import annotations

import pytest

from pebble.common.errors import TooManyOperations
from pebble.computations.problem import Problem
from pebble.program.schedule import Schedule, Tiles, fitting_tiles, get, is_light, light_choice
from pebble.program.schedule import light_tiles as light
from pebble.program.schedule.tile_trials import Trials


def test_small_cache_takes_its_published_side_or_one_that_is_verified_soon() -> None:
    small = get("small-cache")
    for mask, N, tiles in (
        ("strided:1024", 5_000, {"side": 158}),
        ("causal", 10**6, {"side": 158}),
        ("strided:1024", 10**6, {"side": 128}),
        ("strided:1021", 10**6, {"side": 158, "block": 1021}),
    ):
        problem = Problem.square(N, 128, mask=mask)
        found = light_choice(small, problem, 100_000, small.tiles(problem, 100_000))
        assert found == tiles, (mask, N)
        assert is_light(small, problem, found)


def test_tiles_are_cut_where_blocks_of_a_prime_end() -> None:
    flash = get("flash-2")
    problem = Problem.square(10**6, 128, mask="strided:1021")
    found = light_choice(flash, problem, 100_000, {"rows": 391})
    assert found == {"rows": 391, "block": 1021}
    assert is_light(flash, problem, found)


def test_tiles_are_not_cut_where_smaller_ones_move_no_more_words() -> None:
    problem = Problem.square(10**6, 128, mask="strided:1024")
    assert "block" not in light_choice(get("flash-2"), problem, 100_000, {"rows": 391})


def test_nothing_is_refused_that_is_cut_where_blocks_end() -> None:
    problem = Problem.square(10**6, 128, mask="strided:1021")
    assert light_choice(get("flash-1"), problem, 100_000, {"cols": 389}) == {"cols": 389, "block": 1021}


def test_tiles_that_would_take_minutes_are_refused() -> None:
    problem = Problem.square(10**6, 128, mask="strided:1021")
    with pytest.raises(TooManyOperations, match="common factors with 1,021"):
        get("small-cache").measure(problem, {"side": 158})


def test_where_blocks_are_too_long_single_lines_are_taken() -> None:
    problem = Problem.square(10**6, 128, mask="strided:100003")
    assert light_choice(get("small-cache"), problem, 100_000, {"side": 8}) == {"side": 1}


def test_single_lines_are_not_taken_where_partial_sums_are_stored() -> None:
    """They are stored line by line then, and what is told is far too low."""
    problem = Problem.square(10**6, 128, mask="strided:100003")
    with pytest.raises(TooManyOperations, match="common factors with 100,003"):
        light_choice(get("flash-1"), problem, 100_000, {"cols": 389})


def test_of_few_sizes_the_last_resort_moves_the_fewest_words_of_those_verified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every combination of the size, the period or its greatest factor, and one."""
    flash, problem = get("flash-2"), Problem.square(30, 2, mask="strided:7")
    some = [{"rows": rows, "cols": cols} for rows in (9, 7, 1) for cols in (3, 1)]
    trials = Trials(flash, problem, 150)
    told = sorted(trials.foretold(one) for one in some)
    monkeypatch.setattr(light, "MANY_TILES", 0)
    monkeypatch.setattr(light, "MOST_TILES", 0)
    for most in (told[1], told[-2]):
        monkeypatch.setattr(light, "_LAST_RESORT", most)
        found = light_choice(flash, problem, 150, {"rows": 9, "cols": 3})
        least = min(flash.measure(problem, one).io for one in some if trials.foretold(one) <= most)
        assert flash.measure(problem, found).io == least
        assert trials.foretold(found) <= most


def test_what_stays_in_fast_memory_is_left_as_it_is() -> None:
    problem = Problem.square(10**6, 128, mask="strided:1024")
    found = light_choice(get("flash-2-pinned"), problem, 100_000, {"rows": 391, "pinned": 7})
    assert found["pinned"] == 7
    assert found["rows"] < 391


def test_blocks_of_flash_2_mixed_repeat_soon() -> None:
    mixed = get("flash-2-mixed")
    problem = Problem.square(10**6, 128, mask="strided:1024")
    assert is_light(mixed, problem, mixed.tiles(problem, 100_000))


def test_best_goes_on_without_what_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A candidate that would take too long is left out; where nothing is left the reason is said."""
    problem, best = Problem.square(60, 3, mask="strided:7"), get("best")
    assert set(best.tiles(problem, 150)) == {"rows", "pinned"}

    def refusing(schedule: Schedule, problem: Problem, M: int, tiles: Tiles) -> dict[str, int]:
        if schedule.name == "flash-2-pinned":
            raise TooManyOperations("too many")
        return dict(tiles)

    monkeypatch.setattr("schedules._cheapest.light_choice", refusing)
    assert set(best.tiles(problem, 150)) == {"first", "rows"}
    monkeypatch.setattr("pebble.program.machine.run.MOST_TILES", 1)
    with pytest.raises(TooManyOperations, match="tiles would have to be looked at"):
        best.tiles(problem, 150)


def test_blocks_of_flash_2_mixed_are_cut_where_none_repeat() -> None:
    problem = Problem.square(200_000, 32, mask="strided:509")
    tiles = get("flash-2-mixed").tiles(problem, 20_000)
    assert tiles["block"] == 509
    assert is_light(get("flash-2-mixed"), problem, tiles)


def test_a_row_says_that_its_tiles_are_a_last_resort() -> None:
    """Where blocks are far longer than tiles, these are single lines, and none is cut."""
    schedule = get("small-cache")
    for L, found, told in ((1021, {"side": 158, "block": 1021}, False), (100_003, {"side": 1}, True)):
        problem = Problem.square(1_000_000, 128, mask=f"strided:{L}")
        assert fitting_tiles(schedule, problem, 100_000) == found
        assert light.taken_to_be_verified(schedule, problem, 100_000, found) is told
