"""The largest tiles that fit, tiles cut where sequences and blocks end, and names of sizes."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pytest

from pebble import CacheTooSmall, InvalidInput, Problem
from pebble.common.errors import TooManyOperations
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.setting import demands_of
from pebble.program.nodes import Phase, Program
from pebble.program.schedule import (
    Tiles,
    fitting,
    fitting_each,
    get,
    largest,
    tile_choice,
    tile_counter,
    tile_search,
)
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_search import TileSearches
from schedules.best import Best


def test_the_other_sizes_are_returned_too() -> None:
    problem = Problem.square(40, 4, softmax="safe")
    schedule = get("split", "forward", "safe")
    first = largest(schedule, problem, 300, "max_rows", problem.Nq, 3, {"rows": 1})
    assert first == {"max_rows": first["max_rows"], "rows": 1}
    both = largest(schedule, problem, 300, "rows", problem.Nq, 3, first)
    assert both == {"max_rows": first["max_rows"], "rows": both["rows"]}
    assert schedule.measure(problem, both).peak <= 300


@pytest.mark.parametrize(
    ("name", "pass_name", "tiles", "missing"),
    [
        ("standard", "forward", {"cols": 3}, "rows, out_rows, out_cols"),
        ("standard", "backward", {"s_rows": 3}, "s_cols, dp_rows"),
        ("square-tile", "backward", {"s_rows": 3}, "s_cols, dp_rows"),
        ("flash-2", "forward", {"cols": 3}, "rows"),
        ("flash-2", "backward", {"rows": 3}, "cols"),
        ("split", "backward", {"rows": 3}, "cols"),
        ("p-first", "backward", {"rows": 3}, "cols, dk_rows, dk_cols, dq_rows, dq_cols"),
        ("small-cache", "forward", {}, "side"),
    ],
)
def test_a_missing_size_is_named(name: str, pass_name: str, tiles: Tiles, missing: str) -> None:
    problem = Problem.square(8, 3, pass_name=pass_name)
    with pytest.raises(InvalidInput, match=f"{name} also needs tile sizes for {missing}"):
        get(name, pass_name).program(problem, tiles)


def test_sizes_that_may_be_left_out() -> None:
    assert get("flash-2").check_tiles({"rows": 3}) == {"rows": 3}
    assert get("flash-2-pinned").check_tiles({"rows": 3}) == {"rows": 3}
    problem = Problem.square(8, 3)
    zero, none = ({"rows": 3, "pinned": 0}, {"rows": 3})
    assert get("flash-2-pinned").program(problem, zero) == get("flash-2-pinned").program(problem, none)


@pytest.mark.many(6)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("name", "tile"), [("flash-1", "cols"), ("flash-2", "rows")])
def test_the_chosen_tile_fits_and_the_next_does_not(name: str, tile: str, seed: int) -> None:
    rnd, schedule = Random(seed), get(name)
    Nq, Nk, d, dv = (rnd.randint(1, most) for most in (3000, 3000, 130, 130))
    problem = Problem(Nq, Nk, d, dv, stats=rnd.random() < 0.5)
    M = schedule.least_M(problem) + rnd.choice([0, 1, rnd.randint(0, 50), rnd.randint(0, 10**6)])
    chosen, high = dict(schedule.tiles(problem, M)), {"cols": Nk, "rows": Nq}[tile]
    assert list(chosen) == [tile]
    assert schedule.measure(problem, chosen).peak <= M
    for size in {chosen[tile] + 1, rnd.randint(chosen[tile], high)} - {chosen[tile], high + 1}:
        assert schedule.measure(problem, {tile: size}).peak > M


def test_keys_stay_in_what_tiles_cut_in_sequences_leave_free() -> None:
    problem = Problem.square(2024, 32, mask="document:600,1000,424")
    chosen = fitting(get("flash-2-pinned"), problem, 41522)
    assert chosen.tiles == {"rows": 600, "pinned": 38, "sequences": 1}
    assert chosen.words == 320_640


def test_published_tiles_are_cut_where_blocks_end() -> None:
    problem = Problem.square(1024, 32, mask="fixed:64,8", pass_name="backward")
    chosen = fitting(get("small-cache", "backward"), problem, 526)
    assert chosen.tiles == {"side": 11, "block": 64}
    assert chosen.words == 3_708_928


@pytest.mark.parametrize("M", [1965, 1995, 2010])
def test_what_buffers_lack_is_taken_from_the_phases_that_need_most(
    M: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sizes of several phases are not searched together for it."""
    asked, choice = list[int](), TileSearches.choice

    def noted(counter: TileSearches, M: int, base: dict[str, int], groups: list[TileGroup]) -> Any:
        asked.append(len(groups))
        return choice(counter, M, base, groups)

    monkeypatch.setattr(TileSearches, "choice", noted)
    demands = demands_of(Constraints(double_buffer=True, accumulate="float32"), "bfloat16")
    found = fitting(get("p-first", "backward"), Problem.square(200, 8, pass_name="backward"), M, demands)
    assert found.room <= M
    assert len(asked) > 1
    assert set(asked) == {4}


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
        if one is None or isinstance(one, Exception):
            with pytest.raises((CacheTooSmall, TooManyOperations)):
                fitting(schedule, problem, M)
        else:
            words = fitting(schedule, problem, M).words
            assert one.words == words or one.words > 1.75 * least <= 1.75 * words


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
