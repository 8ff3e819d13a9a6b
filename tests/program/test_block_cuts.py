"""Tiles cut at the multiples of a length, as loops in loops of one label: one loop for all conditions."""

from __future__ import annotations

import pytest

from pebble.common.errors import InvalidInput
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


def test_a_block_is_a_size_of_every_schedule_under_masks_that_repeat() -> None:
    flash = get("flash-2")
    assert flash.check_tiles({"block": 26, "rows": 4}) == {"rows": 4, "block": 26}
    with pytest.raises(InvalidInput, match="block"):
        flash.check_tiles({"rows": 4, "block": 0})
    with pytest.raises(InvalidInput, match="only for masks of repeating blocks"):
        flash.program(Problem.square(64, 4, mask="causal"), {"rows": 4, "block": 26})
