"""Sums over the blocks of a band, from few of them, equal the plain sums over all blocks, pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.common.errors import NoClosedForm
from pebble.computations.family import Family
from pebble.computations.masks import (
    BandMask,
    DenseMask,
    Mask,
    causal_mask,
    check_rows,
    document_mask,
    grouped_mask,
    prefix_mask,
    window_mask,
)
from pebble.computations.masks.grouped import GroupedBand
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.staircase import common_pieces
from pebble.computations.problem import Problem
from pebble.program.closed_forms import band_counts, limits, outer_tiles, quantities
from pebble.program.closed_forms.band_counts import BandCounts
from pebble.program.closed_forms.blocks import Blocks, End, Side, Whole
from pebble.program.closed_forms.count import closed_form
from pebble.program.closed_forms.grid_counts import GridCounts
from pebble.program.closed_forms.quantities import Quantities, Words, exact_sum
from pebble.program.closed_forms.simplified import simplified
from pebble.program.schedule import available, get
from tests.support.amounts import first

SERVED = [(name, pass_name) for pass_name in ("forward", "backward") for name in sorted(available(pass_name))]
TILES = [1, 1, 1, 2, 3, 4, 5, 6, 9, 12, 25, 40]


def stairs(rnd: Random, Nq: int, Nk: int) -> NDArray[np.int64]:
    """Values that stay or go up by one for a while, with jumps between."""
    value = rnd.randint(-5, Nk // 2)
    found: list[int] = []
    while len(found) < Nq:
        length, rises = rnd.randint(1, max(1, Nq // 2)), rnd.random() < 0.5
        found += [value + rises * n for n in range(length)]
        value = found[-1] + rises + rnd.choice([0, rnd.randint(0, 8), rnd.randint(0, Nk // 2)])
    return np.clip(np.array(found[:Nq], dtype=np.int64), 0, Nk)


def random_band(rnd: Random, Nq: int, Nk: int) -> BandMask:
    """A band with a name, or any: of long pieces or of single lines, with queries and keys without pairs."""
    kind = rnd.randrange(6)
    if kind == 0:
        return causal_mask(Nq, Nk)
    if kind == 1:
        return window_mask(Nq, Nk, rnd.randint(0, 12), rnd.randint(0, 5))
    if kind == 2:
        return prefix_mask(Nq, Nk, rnd.randint(1, Nk))
    if kind == 3:
        cuts = [0, *sorted(rnd.sample(range(1, Nq), min(3, Nq - 1))), Nq]
        return document_mask(np.diff(cuts).tolist(), causal=rnd.random() < 0.5)
    if kind == 4:
        start, stop = (np.sort([rnd.randint(0, Nk) for _ in range(Nq)]) for _ in range(2))
    else:
        start, stop = stairs(rnd, Nq, Nk), stairs(rnd, Nq, Nk)
    start, stop = np.minimum(start, stop), np.maximum(start, stop)
    stop[-1] = max(stop[-1], 1)
    return BandMask("band", Nk, np.minimum(start, stop[-1] - 1), stop)


def random_side(rnd: Random, axis: str, extent: int) -> Side:
    tiles = tuple(rnd.choice(TILES) for _ in range(rnd.choice([0, 1, 1, 1, 2, 3])))
    part = tiles and rnd.random() < 0.4
    start, stop = sorted(rnd.sample(range(extent + 1), 2)) if part else (0, extent)
    return Side(axis, extent, start, stop, tiles)


def random_blocks(rnd: Random, mask: Mask) -> Blocks:
    """Loops over both axes, perhaps nested, perhaps over parts, perhaps under conditions."""
    sides = {axis: random_side(rnd, axis, extent) for axis, extent in mask.extents.items()}
    ends = []
    for _ in range(rnd.choice([0, 1, 1, 2])):
        axis = rnd.choice("ij")
        if sides[axis].tiles:
            level = rnd.randint(1, len(sides[axis].tiles))
            partner = rnd.randint(0, len(sides[OTHER_AXIS[axis]].tiles))
            ends.append(End(axis, level, rnd.choice(["first", "last"]), rnd.random() < 0.5, partner, ""))
    return Blocks(sides["i"], sides["j"], tuple(ends))


def all_words(rnd: Random, blocks: Blocks) -> list[Words]:
    """Everything that can be asked about blocks."""
    found = [Words("tiles"), Words("pairs"), *(Words("lines", axis) for axis in "ij")]
    found += [Words("begun", axis, upto) for axis in "ij" for upto in ("start", "stop")]
    for axis in "ij":
        side, other = blocks[axis], OTHER_AXIS[axis]
        if not side.tiles or rnd.random() < 0.1:
            found.append(Words("begun", other, rnd.randint(0, side.extent)))
            start = rnd.randrange(side.extent)
            at = {axis: (start, rnd.randint(start + 1, side.extent))}
            found += [Words("pairs", at=at), *(Words("lines", line, at=at) for line in "ij")]
            found += [Words("begun", line, upto, at=at) for line in "ij" for upto in ("start", "stop")]
    return found


def plain_sum(family: Family, blocks: Blocks, words: Words) -> int:
    """The sum over all blocks, all loops kept, counted in the array of pairs."""
    mask, blocks = family.mask, quantities._marked(blocks, words)
    assert mask is not None
    dense = DenseMask("pairs", mask.matrix((0, mask.Nq), (0, mask.Nk)))
    counts = GridCounts(check_rows(dense, "zero"), blocks)
    measure = Quantities(family)._measure(counts, words)
    return sum(exact_sum(measure(boxes), quarters) for boxes, quarters in blocks.visited(counts)) // 4


def random_grouped_band(rnd: Random, Nq: int, Nk: int) -> BandMask:
    """A band of about so many queries that see the same in groups, perhaps in groups of groups."""
    sizes = [rnd.choice([2, 3, 4, 6])] + [2] * (rnd.random() < 0.2)
    mask = random_band(rnd, max(2, Nq // prod(sizes)), Nk)
    for size in sizes:
        grouped = grouped_mask(mask, size)
        assert isinstance(grouped, GroupedBand)
        mask = grouped
    return mask


@pytest.mark.parametrize("batch", first(3, range(6)))
def test_any_loops_under_any_band(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sum from few blocks equals the one over all, whichever axis is the outer one; and tiles are left out."""
    check_any_loops(batch, monkeypatch, random_band)


@pytest.mark.parametrize("batch", first(3, range(6)))
def test_any_loops_under_groups(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where queries come in groups."""
    check_any_loops(batch, monkeypatch, random_grouped_band)


def check_sums(rnd: Random, mask: Mask, blocks: Blocks) -> None:
    """Compare all that can be asked about blocks with the plain sums; lines without pairs are allowed."""
    family = get("flash-2").family(Problem(mask.Nq, mask.Nk, 1, 1)).under(check_rows(mask, "zero"))
    sums = Quantities(family)
    for words in all_words(rnd, blocks):
        expected = plain_sum(family, blocks, words)
        assert sums.value(blocks, words) == expected, (mask, blocks, words)


def check_any_loops(
    batch: int, monkeypatch: pytest.MonkeyPatch, make_band: Callable[[Random, int, int], BandMask]
) -> None:
    monkeypatch.setattr(band_counts, "_FEW", 0)
    chance = Random(batch)
    monkeypatch.setattr(BandCounts, "_cost", lambda *_: chance.random())
    left_out = count_left_out(monkeypatch)
    for seed in range(35 * batch, 35 * batch + 35):
        rnd = Random(seed)
        most = rnd.choice([40, 150, 400])
        Nq = rnd.randint(2, most)
        mask = make_band(rnd, Nq, Nq if rnd.random() < 0.5 else rnd.randint(2, most))
        check_sums(rnd, mask, random_blocks(rnd, mask))
    assert sum(left_out) > 100


@pytest.mark.parametrize("seed", [10146, 10475, 11221])
def test_loops_that_need_every_marked_cell(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of random ones, those that are wrong if fewer cells next to an end are looked at."""
    monkeypatch.setattr(band_counts, "_FEW", 0)
    for outer in "ij":
        monkeypatch.setattr(BandCounts, "_cost", lambda _, blocks, axis, outer=outer: int(axis != outer))
        rnd = Random(seed)
        most = rnd.choice([12, 40, 150])
        Nq = rnd.randint(2, most)
        mask = random_band(rnd, Nq, Nq if rnd.random() < 0.5 else rnd.randint(2, most))
        check_sums(rnd, mask, random_blocks(rnd, mask))


@pytest.mark.parametrize("axis", ["i", "j"])
@pytest.mark.parametrize("which", ["first", "last"])
def test_jumps_between_tiles(which: str, axis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the line before a tile or the one behind it has pairs with decides on first and last tiles."""
    monkeypatch.setattr(band_counts, "_FEW", 0)
    monkeypatch.setattr(BandCounts, "_cost", lambda _, blocks, outer: int(outer != axis))
    start, stop = np.repeat([[0, 30, 30], [70, 70, 100]], 10, axis=1)
    mask = BandMask("jumps", 100, start, stop)
    family = get("flash-2").family(Problem(30, 100, 1, 1)).under(mask)
    end = End("i", 1, which, False, 1, "")
    blocks = Blocks(Side("i", 30, 0, 30, (10,)), Side("j", 100, 0, 100, (1,)), (end,))
    assert Quantities(family).value(blocks, Words("tiles")) == 100
    assert plain_sum(family, blocks, Words("tiles")) == 100


@pytest.mark.parametrize("tile", [1, 2])
def test_keys_asked_about_under_groups(tile: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries that have begun before a key end with the group of the key before it, far from the key's own group."""
    monkeypatch.setattr(band_counts, "_FEW", 0)
    monkeypatch.setattr(BandCounts, "_cost", lambda _, blocks, outer: int(outer != "j"))
    mask = check_rows(grouped_mask(window_mask(30, 30, 0, 9), 4), "zero")
    family = get("flash-2").family(Problem(120, 30, 1, 1)).under(mask)
    blocks = Blocks(Side("i", 120, 0, 120, (tile,)), Side("j", 30, 0, 30))
    for key in (15, 16):
        words = Words("begun", "i", key)
        assert Quantities(family).value(blocks, words) == plain_sum(family, blocks, words)


@pytest.mark.parametrize("seed", range(60))
def test_parts_in_one_tile_that_is_cut_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A condition on the other axis may ask for the one tile of a part's loop, inside which there are more."""
    monkeypatch.setattr(band_counts, "_FEW", 0)
    rnd = Random(seed)
    outer = rnd.choice("ij")
    monkeypatch.setattr(BandCounts, "_cost", lambda _, blocks, axis: int(axis != outer))
    N = rnd.randint(60, 300)
    mask = random_band(rnd, N, N)
    axis, start = rnd.choice("ij"), rnd.randint(1, N // 2)
    part = Side(axis, N, start, rnd.randint(start + 10, N), (500, rnd.choice([3, 4, 7, 11])))
    other = Side(OTHER_AXIS[axis], N, 0, N, (rnd.choice([1, 1, 2, 3]),))
    end = End(other.axis, 1, rnd.choice(["first", "last"]), rnd.random() < 0.5, 1, "")
    check_sums(rnd, mask, Blocks(part, other, (end,)) if axis == "i" else Blocks(other, part, (end,)))


def test_the_check_of_the_order_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches are right even where meetings of moving ends and fixed places are overlooked."""

    def overlooked(*arguments: Whole) -> tuple[Whole, Whole]:
        *_, ends, places = arguments
        nowhere = np.zeros(np.broadcast_shapes(ends.shape, places.shape), dtype=np.int64)
        return nowhere, nowhere

    monkeypatch.setattr(outer_tiles, "_meetings", overlooked)
    check_any_loops(6, monkeypatch, random_band)
    check_any_loops(7, monkeypatch, random_grouped_band)


@pytest.mark.parametrize(
    ("mask", "start", "stop", "kept"),
    [
        (causal_mask(100, 100), 10, 20, True),
        # The moving end passes the fixed place, meets it in the first tile, or in the last.
        (causal_mask(100, 100), 10, 30, False),
        (causal_mask(100, 100), 24, 30, False),
        (causal_mask(100, 100), 10, 25, False),
        (causal_mask(100, 100), 26, 40, True),
        # The line before the first tile, the one behind the last.
        (causal_mask(100, 100), 0, 5, False),
        (causal_mask(100, 100), 40, 50, False),
        # Two parts; lines without pairs.
        (prefix_mask(100, 100, 10), 2, 20, False),
        (prefix_mask(100, 100, 10), 6, 20, True),
        (causal_mask(100, 60), 3, 10, False),
        (document_mask([30, 70]), 1, 14, True),
        (document_mask([30, 70]), 1, 15, False),
    ],
)
def test_the_check_of_the_order(mask: BandMask, start: int, stop: int, kept: bool) -> None:
    """Tiles of two queries and cells of three keys, with the fixed place 50."""
    outer, inner = Side("i", mask.Nq, 0, mask.Nq, (2,)), Side("j", mask.Nk, 0, mask.Nk, (3,))
    pieces = common_pieces(*mask.ends("i"))
    stretch = outer_tiles.Stretches(*(np.array([value]) for value in (start, stop, 3)))
    fixed = np.array([0, 50, mask.Nk])
    assert outer_tiles._keep_order(outer, inner, pieces, fixed, stretch).tolist() == [kept]


def count_left_out(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Tiles that no sum looks at because others stand for them."""
    left_out = []
    real = outer_tiles._stretches

    def counted(*arguments: object) -> outer_tiles.Stretches:
        found = real(*arguments)  # type: ignore[arg-type]
        left_out.append(int((found.stop - found.start - 2 * found.period).sum()))
        return found

    monkeypatch.setattr(outer_tiles, "_stretches", counted)
    return left_out


def check_schedule(name: str, pass_name: str, random_mask: Callable[[Random], Mask]) -> None:
    """A schedule with random tiles: values and texts are those of the mask kept pair by pair."""
    rnd = Random(name + pass_name)
    schedule = get(name, pass_name)
    for _ in range(6):
        mask = random_mask(rnd)
        problem = Problem(mask.Nq, mask.Nk, 3, 2, pass_name=pass_name)
        tiles = {tile: rnd.randint(1, 12) for tile in schedule.smallest(problem)}
        text, family = schedule.program(problem, tiles), schedule.family(problem)
        same = DenseMask("pairs", mask.matrix((0, mask.Nq), (0, mask.Nk)))
        one, other = (closed_form(text, family.under(check_rows(kind, "zero"))) for kind in (mask, same))
        for ours, theirs in ((one.reads, other.reads), (one.writes, other.writes)):
            assert {array: (int(f), str(f)) for array, f in ours.items()} == {
                array: (int(f), str(f)) for array, f in theirs.items()
            }, (mask, tiles)


@pytest.mark.parametrize(("name", "pass_name"), SERVED)
def test_schedules(name: str, pass_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(band_counts, "_FEW", 0)
    check_schedule(name, pass_name, lambda rnd: random_band(rnd, rnd.randint(20, 100), rnd.randint(20, 100)))


@pytest.mark.parametrize(("name", "pass_name"), SERVED)
def test_cost_is_independent_of_the_length(
    name: str, pass_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few blocks are looked at for a thousand million queries and keys."""
    monkeypatch.setattr(limits, "MOST_BLOCKS", 50_000)
    N = 10**9
    schedule = get(name, pass_name)
    for mask in (causal_mask(N, N), window_mask(N, N, 4095), prefix_mask(N, N, 1000)):
        problem = Problem.square(N, 64, pass_name=pass_name, mask=mask)
        sizes = [97, 60, 41, 20] * 3
        tiles = dict(zip(schedule.smallest(problem.without_mask()), sizes, strict=False))
        form = closed_form(schedule.program(problem, tiles), schedule.family(problem))
        assert 4 * 64 * N <= int(form.io) < 2**100


def test_known_sums_for_a_thousand_million() -> None:
    """Row blocks of flash-2, naive's words for each pair, and tiles of a window, each by its own formula."""
    N, rows, W = 10**9, 385, 4096
    blocks, rest = divmod(N, rows)
    causal, window = causal_mask(N, N), window_mask(N, N, W - 1)

    def io(name: str, tiles: dict[str, int], mask: BandMask) -> int:
        problem = Problem.square(N, 64, mask=mask)
        schedule = get(name)
        return int(closed_form(schedule.program(problem, tiles), schedule.family(problem)).io)

    met = rows * blocks * (blocks + 1) // 2 + (N if rest else 0)
    assert io("flash-2", {"rows": rows}, causal) == 2 * 64 * met + 2 * N * 64
    assert io("naive", {}, causal) == (2 * 64 + 4) * (N * (N + 1) // 2) + 2 * N * 64 + 2 * N
    # A block of rows meets the keys from W - 1 before its first row to its last row.
    met = sum(
        min(start + rows, N) - max(start - W + 1, 0)
        for start in (*range(0, 11 * rows, rows), *range(blocks * rows, N, rows))
    ) + (blocks - 11) * (rows + W - 1)
    assert io("flash-2", {"rows": rows}, window) == 2 * 64 * met + 2 * N * 64


def test_tiles_that_never_come_at_the_same_place_again() -> None:
    """Large tiles without common factor are refused, and quickly."""
    N = 10**9
    family = get("flash-2").family(Problem.square(N, 1, mask=causal_mask(N, N)))
    i, j = Side("i", N, 0, N, (8191,)), Side("j", N, 0, N, (99,))
    assert Quantities(family).value(Blocks(i, j), Words("pairs")) == N * (N + 1) // 2
    i, j = Side("i", N, 0, N, (8, 3)), Side("j", N, 0, N, (10, 7))
    assert Quantities(family).value(Blocks(i, j), Words("pairs")) == N * (N + 1) // 2
    i, j = Side("i", N, 0, N, (31,)), Side("j", N, 0, N, (10**7 + 1, 10**7 - 1, 1))
    levels = (End("j", 2, "first", False, 1, ""), End("j", 1, "first", False, 1, ""))
    with pytest.raises(NoClosedForm, match="the tiles make"):
        Quantities(family).value(Blocks(i, j, levels), Words("pairs"))


def test_loops_that_make_no_difference() -> None:
    def left(tiles: tuple[int, ...], *ends: End, start: int = 0) -> object:
        i, j = Side("i", 20, start, 20, tiles), Side("j", 30, 0, 30, (4,))
        found = simplified(Blocks(i, j, ends))
        return found and (found.i.tiles, [(end.axis, end.level, end.partner) for end in found.ends])

    assert left((20,)) == ((), [])
    assert left((12, 4, 2)) == ((2,), [])
    assert left((12, 5, 1)) == ((1,), [])
    assert left((12, 5, 3)) == ((12, 5, 3), [])
    assert left((12, 4), End("i", 2, "first", False, 1, "")) == ((12, 4), [("i", 2, 1)])
    assert left((12, 4), End("j", 1, "first", False, 2, "")) == ((4,), [("j", 1, 1)])
    assert left((12, 4), End("j", 1, "first", False, 1, "")) == ((12, 4), [("j", 1, 1)])
    assert left((50, 4), End("i", 2, "first", False, 1, "")) == ((4,), [("i", 1, 1)])
    assert left((50, 4), End("j", 1, "first", False, 1, "")) == ((4,), [("j", 1, 0)])
    assert left((50, 4), End("j", 1, "first", False, 1, ""), start=2) == ((50, 4), [("j", 1, 1)])
    assert left((50,), End("i", 1, "last", False, 1, "")) == ((), [])
    assert left((50,), End("i", 1, "last", True, 1, "")) is None


def test_sums_beyond_64_bits() -> None:
    words, times = np.array([2**40, 3]), np.array([2**40, 5])
    assert exact_sum(words, times) == 2**80 + 15
    assert exact_sum(words[1:], times[1:]) == 15
