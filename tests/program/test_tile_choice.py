"""The largest tiles that fit, tiles cut where sequences and blocks end, and names of sizes."""

from __future__ import annotations

from contextlib import suppress

import pytest

from pebble import CacheTooSmall, InvalidInput, Problem
from pebble.common.errors import TooManyOperations
from pebble.program.nodes import Phase, Program
from pebble.program.schedule import (
    Tiles,
    fitting,
    fitting_each,
    get,
    tile_choice,
    tile_counter,
    tile_search,
)
from schedules.best import Best


def test_sizes_that_may_be_left_out() -> None:
    assert get("flash-2").check_tiles({"rows": 3}) == {"rows": 3}
    assert get("flash-2-pinned").check_tiles({"rows": 3}) == {"rows": 3}
    problem = Problem.square(8, 3)
    zero, none = ({"rows": 3, "pinned": 0}, {"rows": 3})
    assert get("flash-2-pinned").program(problem, zero) == get("flash-2-pinned").program(problem, none)


def test_tiles_of_phases_that_are_generated_must_be_given() -> None:
    class Generated(type(get("flash-2"))):  # type: ignore[misc]
        name = "generated"

        def program(self, problem: Problem, tiles: Tiles) -> Program:
            made = super().program(problem, tiles)
            return Program((*made.phases, Phase("", generate=lambda: iter(())))) if not made.parts else made

    with pytest.raises(InvalidInput, match="give the tiles"):
        fitting(Generated(), Problem.square(16, 4), 60)


@pytest.mark.parametrize("M", [40, 100, 400, 3000])
def test_best_leaves_out_no_schedule_that_moves_fewer_words(M: int) -> None:
    problem, least = Problem.square(96, 8), []
    for schedule in get("best").candidates(problem):  # type: ignore[attr-defined]
        if schedule.is_offered(problem):
            with suppress(CacheTooSmall):
                least.append(fitting(schedule, problem, M).words)
    assert fitting(get("best"), problem, M).words == min(least)


@pytest.mark.parametrize("mask", [None, "causal", "fixed:16,2", "document:40,56"])
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_schedules_far_from_the_best_are_not_searched_to_the_end(mask: str | None, pass_name: str) -> None:
    problem, M = Problem.square(96, 8, mask=mask, pass_name=pass_name), 400
    schedules = [one for one in Best.candidates(problem) if one.is_offered(problem)]
    found = fitting_each(schedules, problem, M)
    least = min(one.words for one in found if one and not isinstance(one, Exception))
    for schedule, one in zip(schedules, found, strict=True):
        if isinstance(one, Exception):
            with pytest.raises((CacheTooSmall, TooManyOperations)):
                fitting(schedule, problem, M)
        elif one is None:
            with suppress(CacheTooSmall, TooManyOperations):
                assert fitting(schedule, problem, M).words > 2.5 * least
        else:
            words = fitting(schedule, problem, M).words
            assert one.words == words or one.words > 2.5 * least <= 2.5 * words


def _forget() -> None:
    for cached in (tile_choice._fitting, tile_search._best_tiles, tile_counter.known_of):
        cached.cache_clear()


@pytest.mark.parametrize("name", ["flash-2-pinned", "standard", "square-tile"])
def test_a_choice_does_not_depend_on_what_was_asked_before(name: str) -> None:
    """The parts of packed sequences are searched near the tiles of the whole."""
    whole = Problem.square(1600, 32, mask="document:600,1000")
    part, M = Problem.square(600, 32), 9_000
    _forget()
    alone = fitting(get(name), part, M)
    _forget()
    fitting(get(name), whole, M)
    assert fitting(get(name), part, M) == alone


def test_what_another_search_has_found_is_counted_before_it_is_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem, M = Problem.square(300, 8), 2_000
    monkeypatch.setattr(tile_search.TileSearches, "_looks", lambda self, search: len(search.names))
    _forget()
    for name in ("flash-1", "flash-2", "small-cache", "standard", "square-tile"):
        chosen = fitting(get(name), problem, M)
        run = get(name).measure(problem, chosen.tiles)
        assert (chosen.words, chosen.room) == (run.io, run.peak)
    _forget()
