"""Sums over the tiles of a mask kept block by block, against those over the same mask pair by pair, and the machine."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pebble.common.errors import NoClosedForm, Violation
from pebble.computations.masks import DenseMask, butterfly_mask, check_rows, random_blocks_mask
from pebble.computations.problem import Problem
from pebble.program.closed_forms import block_counts
from pebble.program.closed_forms.blocks import Blocks, End, Side
from pebble.program.closed_forms.count import closed_form
from pebble.program.closed_forms.quantities import Quantities, Words
from pebble.program.machine.run import run
from pebble.program.schedule import available, get
from tests.support.block_masks import blocks_table, random_block_mask

SERVED = [(name, pass_name) for pass_name in ("forward", "backward") for name in sorted(available(pass_name))]
FEW = [("flash-2", "forward"), ("square-tile", "forward"), ("split", "backward")]


def random_blocks(rnd: Random, Nq: int, Nk: int) -> Blocks:
    """Tiles of both axes, nested or none, perhaps of parts, perhaps under conditions."""
    sides = {}
    for axis, extent in (("i", Nq), ("j", Nk)):
        start, stop = (0, extent) if rnd.random() < 0.6 else sorted(rnd.sample(range(extent + 1), 2))
        tiles = tuple(
            sorted(
                (rnd.choice([1, 1, 2, 3, 7, 19]) for _ in range(rnd.choice([0, 1, 1, 2, 3]))), reverse=True
            )
        )
        sides[axis] = Side(axis, extent, start, stop, tiles)
    ends = []
    for _ in range(rnd.choice([0, 1, 1, 2])):
        axis, other = rnd.sample("ij", 2)
        if sides[axis].tiles:
            level, partner = rnd.randint(1, len(sides[axis].tiles)), rnd.randint(0, len(sides[other].tiles))
            ends.append(End(axis, level, rnd.choice(["first", "last"]), rnd.random() < 0.5, partner, ""))
    return Blocks(sides["i"], sides["j"], tuple(ends))


def all_words(rnd: Random, Nq: int, Nk: int) -> list[Words]:
    """Everything that is summed."""
    extents = {"i": Nq, "j": Nk}
    found = [Words("tiles"), Words("pairs"), *(Words("lines", axis) for axis in "ij")]
    for axis, other in ("ij", "ji"):
        part = sorted(rnd.sample(range(extents[axis] + 1), 2))
        for upto in ("start", "stop", rnd.randint(0, extents[other])):
            found.append(Words("begun", axis, upto))
            found.append(Words("begun", axis, upto, {axis: (part[0], part[1])}))
        found.append(Words("pairs", at={axis: (part[0], part[1])}))
    return found


@pytest.mark.parametrize(
    "batch", [0, *(pytest.param(batch, marks=pytest.mark.slow) for batch in range(1, 5))]
)
def test_sums_by_blocks_and_pair_by_pair(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sum over the tiles, by few that stand for all, and over all of them."""
    for seed in range(10 * batch, 10 * batch + 10):
        rnd = Random(seed)
        monkeypatch.setattr(block_counts, "_CHUNK", rnd.choice([2**19, 1]))
        Nq, Nk = rnd.randint(2, 40), rnd.randint(2, 40)
        mask = random_block_mask(np.random.default_rng(seed), Nq, Nk)
        family = get("flash-2").family(Problem(Nq, Nk, 1, 1))
        blocks = random_blocks(rnd, Nq, Nk)
        one, other = (
            Quantities(family.under(same)) for same in (mask, DenseMask("pairs", blocks_table(mask)))
        )
        for words in all_words(rnd, Nq, Nk):
            assert one.value(blocks, words) == other.value(blocks, words), (seed, words, blocks)


@pytest.mark.parametrize(
    ("name", "pass_name"),
    [pytest.param(*one, marks=() if one in FEW else pytest.mark.slow) for one in SERVED],
)
def test_schedules(name: str, pass_name: str) -> None:
    """Formulas are those of the same mask pair by pair, and count what the machine counts."""
    rnd = Random(name + pass_name)
    schedule = get(name, pass_name)
    for seed in range(2):
        Nq, Nk = rnd.randint(10, 30), rnd.randint(10, 30)
        problem = Problem(Nq, Nk, 3, 2, pass_name=pass_name)
        mask = random_block_mask(np.random.default_rng(seed), Nq, Nk)
        tiles = {tile: rnd.randint(1, 12) for tile in schedule.smallest(problem)}
        text, family = schedule.program(problem, tiles), schedule.family(problem)
        same = check_rows(DenseMask("pairs", blocks_table(mask)), "zero")
        one, other = (closed_form(text, family.under(kind)) for kind in (mask, same))
        assert str(one.io) == str(other.io)
        try:
            machine = run(text, family.under(mask))
        except Violation:
            continue  # sizes that the schedule itself does not take
        for form, counts in ((one.reads, machine.reads), (one.writes, machine.writes)):
            assert {name: int(words) for name, words in form.items()} == {
                name: count for name, count in counts.items() if count
            }


def test_few_tiles_stand_for_all() -> None:
    """Single keys of a block but the first and the last are alike: three of each block of each block row."""
    mask = random_blocks_mask(4096, 4096, 128, "0.25")
    side = {axis: Side(axis, 4096, 0, 4096, (tile,)) for axis, tile in (("i", 128), ("j", 1))}
    visits = list(block_counts.BlockCounts(mask).candidates(Blocks(side["i"], side["j"])))
    assert sum(len(block[0]) for block, _ in visits) == 3 * mask.pairs // 128**2
    assert sum(int(times.sum()) for _, times in visits) == 4 * mask.pairs // 128


def test_too_many_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_counts, "_MOST_COMBINATIONS", 1000)
    mask = random_blocks_mask(4096, 4096, 64, "0.25")
    blocks = Blocks(Side("i", 4096, 0, 4096, (64,)), Side("j", 4096, 0, 4096, (64,)))
    with pytest.raises(NoClosedForm, match="64 × 64 combinations of blocks"):
        next(block_counts.BlockCounts(mask).candidates(blocks))


@pytest.mark.parametrize("which", ["first", "last"])
def test_cells_of_a_block_in_several_tiles_of_an_outer_loop(which: str) -> None:
    """Single queries in tiles of three, in blocks of ten: the first of each tile is the first visited."""
    mask = butterfly_mask(40, 10)
    blocks = Blocks(
        Side("i", 40, 0, 40, (3, 1)), Side("j", 40, 0, 40, (2,)), (End("i", 2, which, False, 1, ""),)
    )
    family = get("flash-2").family(Problem(40, 40, 1, 1))
    same = DenseMask("pairs", blocks_table(mask))
    one, other = (Quantities(family.under(kind)).value(blocks, Words("tiles")) for kind in (mask, same))
    assert one == other
