"""Tiles cut at the multiples of a length, as loops in loops of one label: one loop for all conditions."""

from __future__ import annotations

import pytest

from pebble.program.schedule import get
from tests.program.differences import against_plain_loops
from tests.program.names import Problem
from tests.support import amounts


@pytest.mark.slow
@pytest.mark.parametrize("name", amounts.first(1, ["flash-1", "flash-2-pinned", "square-tile"]))
@pytest.mark.parametrize("mask", amounts.first(1, ["strided:5", "fixed:5,2"]))
def test_schedules_cut_at_blocks_count_what_plain_loops_count(name: str, mask: str) -> None:
    schedule, problem = get(name), Problem.square(36, 1, mask=mask)
    tiles = {**{tile: 2 for tile in schedule.tile_names if tile != "rows" or name != "flash-1"}, "block": 5}
    program, family = schedule.program(problem, tiles), schedule.family(problem)
    assert not against_plain_loops(program, family)
    assert schedule.words(problem, tiles) == schedule.measure(problem, tiles).io
