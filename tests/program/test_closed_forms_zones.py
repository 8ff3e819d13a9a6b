"""Sums over few blocks of unions of bands and of repeated blocks equal the plain sums over all blocks, pair by pair."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pebble.computations.masks import (
    BandMask,
    BlockToeplitzMask,
    Mask,
    UnionMask,
    fixed_mask,
    longformer_mask,
    strided_mask,
)
from pebble.computations.problem import Problem
from pebble.program.closed_forms import limits, zone_counts, zone_tiles
from pebble.program.closed_forms.blocks import Blocks, End, Side
from pebble.program.closed_forms.count import closed_form
from pebble.program.closed_forms.outer_tiles import Stretches, weighted_stretches
from pebble.program.closed_forms.quantities import Quantities, Words
from pebble.program.closed_forms.zone_tiles import Nest
from pebble.program.schedule import available, get
from tests.program.test_closed_forms_bands import check_schedule, check_sums, random_blocks, stairs
from tests.support.amounts import first

SERVED = [(name, pass_name) for pass_name in ("forward", "backward") for name in sorted(available(pass_name))]
PERIODS = [1, 2, 3, 4, 5, 6, 8, 12, 16, 25, 40, 90, 150, 200]


def random_pattern(rnd: Random, size: int) -> BandMask:
    """Any band of a block, of single lines or long pieces, lines without pairs included."""
    if rnd.random() < 0.5:
        ends = np.array([stairs(rnd, size, size) for _ in range(2)])
    else:
        ends = np.array([sorted(rnd.randint(0, size) for _ in range(size)) for _ in range(2)])
    return BandMask("pattern", size, ends.min(axis=0), ends.max(axis=0))


def random_union(rnd: Random, N: int) -> UnionMask:
    """A window that some columns and rows cross, or parts of it."""
    x, cut = np.arange(N), rnd.randint(1, N)
    left, right = rnd.randint(0, 9), rnd.randint(1, 9)
    start = np.where(x < cut, cut, np.maximum(x - left, cut))
    window = BandMask("window", N, start, np.maximum(np.where(x < cut, cut, np.minimum(x + right, N)), start))
    columns = BandMask("columns", N, np.full(N, rnd.randint(0, cut - 1)), np.full(N, cut))
    rows = BandMask("rows", N, np.where(x < cut, min(cut, N - 1), N), np.full(N, N))
    return UnionMask("union", [columns, *rnd.sample([window, rows], 2 if cut < N else 0)])


def random_mask(rnd: Random) -> Mask:
    """A mask by name, or of any patterns or bands; with periods longer than the axes at times."""
    kind, N, period = rnd.randrange(5), rnd.randint(2, rnd.choice([30, 120, 400])), rnd.choice(PERIODS)
    if kind == 0:
        return strided_mask(N, period)
    if kind == 1:
        return fixed_mask(N, period, rnd.randint(1, period))
    if kind == 2:
        return longformer_mask(N, 2 * rnd.randint(0, 8), rnd.randint(0, min(N, 9)))
    if kind == 3:
        return random_union(rnd, N)
    near = [random_pattern(rnd, period) for _ in range(rnd.randint(1, 3))]
    found = BlockToeplitzMask("any", N, period, near, random_pattern(rnd, period))
    return found if found.pairs else strided_mask(N, period)


@pytest.mark.parametrize("batch", first(2, range(4)))
def test_any_loops(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sum from few blocks equals the one over all, whichever axis is the outer one; and tiles are left out."""
    monkeypatch.setattr(zone_counts, "_FEW", 0)
    chance = Random(batch)
    monkeypatch.setattr(Nest, "n_blocks", lambda _: chance.randint(1, 10**4))
    left_out = count_left_out(monkeypatch)
    for seed in range(30 * batch, 30 * batch + 30):
        check_loops(seed)
    assert sum(left_out) > 100


@pytest.mark.parametrize("seed", [10012, 10317])
def test_loops_that_need_every_segment(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of random ones, those that are wrong if segments are shorter, or tiles next to one left out."""
    monkeypatch.setattr(zone_counts, "_FEW", 0)
    for outer in "ij":
        monkeypatch.setattr(Nest, "n_blocks", lambda nest, outer=outer: int(nest.outer.axis != outer))
        check_loops(seed)


def check_loops(seed: int) -> None:
    rnd = Random(seed)
    mask = random_mask(rnd)
    check_sums(rnd, mask, random_blocks(rnd, mask))


def count_left_out(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Tiles that no sum looks at because others stand for them."""
    left_out = []

    def counted(found: Stretches, n_tiles: int, n_blocks: int) -> object:
        left_out.append(int((found.stop - found.start - 2 * found.period).sum()))
        return weighted_stretches(found, n_tiles, n_blocks)

    monkeypatch.setattr(zone_tiles, "weighted_stretches", counted)
    return left_out


@pytest.mark.parametrize(("name", "pass_name"), SERVED)
def test_schedules(name: str, pass_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zone_counts, "_FEW", 0)
    check_schedule(name, pass_name, random_mask)


@pytest.mark.parametrize(("name", "pass_name"), [one for one in SERVED if one[0] != "flash-2-mixed"])
def test_cost_is_independent_of_the_length(
    name: str, pass_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few blocks are looked at for a thousand million queries and keys, if tiles and periods have common factors.

    The tiles of flash-2-mixed are numbers of blocks, whose lengths follow.
    """
    monkeypatch.setattr(limits, "MOST_BLOCKS", 1_000_000)
    N = 10**9
    schedule = get(name, pass_name)
    for mask in (strided_mask(N, 64), fixed_mask(N, 64, 8), longformer_mask(N, 512, 16)):
        problem = Problem.square(N, 64, pass_name=pass_name, mask=mask)
        tiles = dict(zip(schedule.smallest(problem.without_mask()), [96, 64, 32, 16] * 3, strict=False))
        form = closed_form(schedule.program(problem, tiles), schedule.family(problem))
        assert 4 * 64 * N <= int(form.io) < 2**100


def test_known_sums_for_a_thousand_million() -> None:
    """Rows of flash-2 by other formulas: blocks of strided and fixed patterns, a window with columns and rows."""
    N, L, d = 10**9, 1000, 64
    flash = get("flash-2")

    def met(mask: Mask, rows: int) -> int:
        problem = Problem.square(N, d, mask=mask)
        io = int(closed_form(flash.program(problem, {"rows": rows}), flash.family(problem)).io)
        return (io - 2 * N * d) // (2 * d)

    # Of its own block b rows see all keys up to theirs, and all keys from a stride before; before that, their stride's.
    blocks, b = N // L, 250
    own = sum(b * (part + 1) for part in range(L // b))
    behind = sum(L - b * part for part in range(L // b))
    far = L // b * b * (blocks - 1) * (blocks - 2) // 2
    assert met(strided_mask(N, L), b) == blocks * own + (blocks - 1) * behind + far
    # Whole blocks of the fixed pattern see themselves, and C keys of every block before.
    assert met(fixed_mask(N, L, 8), L) == blocks * L + 8 * blocks * (blocks - 1) // 2
    # Blocks of rows see the global keys, and w keys to either side of them; the first one sees all keys.
    G, w, b = 16, 256, 500
    assert met(longformer_mask(N, 2 * w, G), b) == N + (N // b - 2) * (G + b + 2 * w) + (G + b + w)


def test_tiles_that_never_come_at_the_same_place_again() -> None:
    """Large tiles without common factor with the period are refused, and quickly."""
    from pebble.common.errors import NoClosedForm

    N = 10**9
    family = get("flash-2").family(Problem.square(N, 1, mask=strided_mask(N, 10007)))
    assert family.mask is not None
    i, j = Side("i", N, 0, N, (8191,)), Side("j", N, 0, N, (99,))
    with pytest.raises(NoClosedForm, match="the tiles make"):
        Quantities(family).value(Blocks(i, j), Words("pairs"))
    assert Quantities(family).value(Blocks(i, Side("j", N, 0, N)), Words("pairs")) == family.mask.pairs


@pytest.mark.parametrize("axis", ["i", "j"])
@pytest.mark.parametrize("which", ["first", "last"])
def test_loops_over_parts_far_from_the_ends(which: str, axis: str) -> None:
    """Parts of long axes count what the same parts of short ones do, a whole number of periods earlier."""
    end = End(axis, 1, which, False, 1, "")
    found = []
    for N in (10**9, 10**6, 3000):
        move, L = (N - 1800) // 72 * 72, 24
        i = Side("i", N, move + 900, move + 1500, (9,))
        j = Side("j", N, move + 100, move + 1400, (4,))
        family = get("flash-2").family(Problem.square(N, 1, mask=fixed_mask(N, L, 5)))
        found.append(Quantities(family).value(Blocks(i, j, (end,)), Words("tiles")))
    assert len(set(found)) == 1
