"""Stretches of tiles in which rounds may repeat: where they begin and end, and how many tiles a round has."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pebble.program.machine.stretches import Stretch, TileGrid, grids_inside, stretches, stretches_in_blocks
from pebble.program.machine.tile_runs import TileRun, runs_of_tiles, runs_of_units
from tests.program.long_masks import pattern
from tests.program.names import BandMask, BlockToeplitzMask, Loop, Mask, load, loop, make_mask

KEYS, PAIRS = loop("j", 3, load("K")), loop("j", 2, load("K"))


def found(
    spec: str,
    N: int,
    Nk: int,
    node: Loop,
    whole: tuple[int, int],
    partners: tuple[int, int],
    inside: bool = False,
) -> list[tuple[int, int, int]]:
    """First and last tiles of stretches in which the mask follows a rule, and the tiles of a round."""
    mask = make_mask(spec, N, Nk, empty_rows="zero")
    assert mask is not None
    grids = grids_inside(node.body, "j" if node.axis == "i" else "i", partners)
    cut: list[Stretch] = list(stretches(mask, node, whole, partners, grids, inside))
    assert [one.stop for one in cut[:-1]] == [two.first for two in cut[1:]]
    assert (cut[0].first, cut[-1].stop) == (0, -((whole[0] - whole[1]) // node.tile))
    return [(stretch.first, stretch.stop, stretch.round) for stretch in cut if stretch.round]


@pytest.mark.parametrize(
    ("spec", "whole", "expected"),
    [
        # A round is six rows, two tiles of keys. A line before and one behind belong to the part, and a tile of keys.
        ("causal", (0, 100), [(2, 48, 3)]),
        ("causal", (5, 98), [(0, 45, 3)]),
        ("causal", (5, 100), [(0, 45, 3)]),
        ("causal", (5, 90), [(0, 42, 3)]),
        # Of the first 21 rows only one end of the window moves, and of the last ones, which are too few.
        ("window:left=20,right=0", (0, 100), [(12, 48, 3)]),
        ("window:left=20,right=2", (0, 100), [(12, 47, 3)]),
        ("window:left=50,right=0", (0, 100), [(2, 23, 3), (27, 48, 3)]),
        ("causal", (0, 21), []),
    ],
)
def test_stretches_of_bands(spec: str, whole: tuple[int, int], expected: list[tuple[int, int, int]]) -> None:
    assert found(spec, 100, 100, loop("i", 2, KEYS), whole, (0, 100)) == expected


def test_a_round_is_one_tile_where_no_end_moves() -> None:
    assert found("causal", 60, 20, loop("i", 2, KEYS), (0, 60), (0, 20)) == [(1, 19, 1)]


def test_rounds_of_groups_of_queries() -> None:
    assert found("group:3:causal", 90, 30, loop("i", 2, PAIRS), (0, 90), (0, 30)) == [(4, 41, 3)]
    rows = loop("i", 4, load("Q"))
    assert found("group:3:causal", 90, 30, loop("j", 1, rows), (0, 30), (0, 90)) == [(3, 27, 4)]


@pytest.mark.parametrize(
    ("spec", "partners", "expected"),
    [
        # Where the rows come into the tile of keys 30 to 90, and where they leave it.
        ("causal", (30, 90), [(33, 85, 3)]),
        ("window:left=70,right=0", (30, 90), [(104, 156, 3)]),
        ("window:left=70,right=0", (30, 60), []),
        ("causal", (0, 20), []),
    ],
)
def test_stretches_inside_a_tile_of_keys(
    spec: str, partners: tuple[int, int], expected: list[tuple[int, int, int]]
) -> None:
    assert found(spec, 200, 200, loop("i", 1, KEYS), (0, 200), partners, inside=True) == expected


def test_stretches_of_blocks() -> None:
    rows = loop("i", 2, KEYS)
    assert found("strided:4", 120, 120, rows, (0, 120), (0, 120)) == [(7, 57, 6)]
    # Keys 8 to 13 are in blocks 2 and 3: those far from both begin with row 20. Two blocks at either end are left out.
    assert found("strided:4", 120, 120, rows, (0, 120), (8, 14), inside=True) == [(14, 56, 2)]
    assert found("strided:4", 120, 120, rows, (0, 116), (8, 14), inside=True) == [(14, 54, 2)]
    # Queries 80 to 89 are in blocks 20 to 22: keys far from all of them end with 76.
    columns = loop("j", 1, loop("i", 3, load("Q")))
    assert found("strided:4", 120, 120, columns, (0, 120), (80, 90), inside=True) == [(8, 68, 4)]
    # No row far from the keys has a pair with the first ones of their blocks.
    assert found("fixed:4", 120, 120, rows, (0, 120), (8, 11), inside=True) == []


def test_where_tiles_of_the_other_axis_begin() -> None:
    rest = loop("j", 4, load("K"), start=10, stop=30)
    body = (
        loop("i", 1, KEYS, label="row"),
        rest,
        loop("j", 50, loop("j", 5, load("K"), label="key"), start=2),
    )
    assert grids_inside(body, "j", (0, 40)) == [
        TileGrid(0, 40, 3),
        TileGrid(10, 30, 4),
        TileGrid(2, 40, 1),
        TileGrid(2, 40, 5),
    ]
    assert grids_inside(body, "j", (8, 25)) == [
        TileGrid(8, 25, 3),
        TileGrid(10, 25, 4),
        TileGrid(8, 25, 1),
        TileGrid(8, 25, 5),
    ]
    # Of loops that split a tile of another one nothing is told.
    assert grids_inside((loop("j", 6, loop("j", 4, load("K"), label="key")),), "j", (0, 40)) == [
        TileGrid(0, 40, 6)
    ]


def test_stretches_inside_of_blocks_hold_the_tiles_asked_for() -> None:
    """Tiles may begin and end in the middle of a block, and of a part of it that is regular."""
    seen = 0
    for seed in range(100):
        rnd = Random(seed)
        L = rnd.choice([12, 16, 24])
        ends = [np.full(L, 0), np.arange(1, L + 1)] if seed % 2 else [np.arange(L) // 2, np.full(L, L)]
        near = [BandMask("near", L, *ends)]
        mask = BlockToeplitzMask("blocks", 4 * L, L, near, BandMask("far", L, *ends))
        node = loop(rnd.choice("ij"), rnd.choice([1, 2]), load("K"))
        tile, count = node.tile, 4 * L // node.tile
        start, stop = sorted(rnd.sample(range(count + 1), 2))
        grids = [TileGrid(0, 4 * L, rnd.choice([1, 2]))]
        cut = list(stretches_in_blocks(mask, node, (0, 4 * L), (start, stop), grids))
        assert [one.stop for one in cut[:-1]] == [two.first for two in cut[1:]]
        assert (cut[0].first, cut[-1].stop) == (start, stop)
        for one in cut:
            assert not one.round or one.first * tile // L == (one.stop * tile - 1) // L
        seen += bool(cut[0].round) and start * tile % L > 2
    assert seen > 3


def test_where_two_rounds_are_one_run_all_of_a_stretch_is() -> None:
    """Under blocks that repeat, inside a tile of the other axis: the machine looks at two rounds only."""
    seen = 0
    for seed in range(500):
        rnd = Random(seed)
        N, L = rnd.randint(30, 90), rnd.randint(1, 4)
        near = [pattern(rnd, L, 0.9) for _ in range(rnd.randint(1, 3))]
        mask: Mask = BlockToeplitzMask("blocks", N, L, near, pattern(rnd, L, 0.9))
        axis, tile, start = rnd.choice("ij"), rnd.choice([1, 1, 2, 3]), rnd.randint(0, 24)
        partners, lines = (start, start + rnd.randint(1, 6)), (0, mask.Nq)
        exact, begun, asked = (rnd.random() < 0.5 for _ in range(3))

        def runs(
            start: int,
            stop: int,
            mask: Mask = mask,
            axis: str = axis,
            tile: int = tile,
            partners: tuple[int, int] = partners,
            some: tuple[bool, bool, bool] = (exact, asked, begun),
        ) -> list[TileRun]:
            if tile > 1:
                return runs_of_tiles(mask, axis, (start * tile, stop * tile), tile, partners, some[1])
            return runs_of_units(mask, axis, (start, stop), partners, *some, {})

        for one in stretches(mask, loop(axis, tile), lines, partners, [], True):
            few = runs(one.first, one.first + 2 * one.round) if one.round else []
            if len(few) == 1 and few[0].times == 2 * one.round:
                times = one.stop - one.first
                assert runs(one.first, one.stop) == [few[0]._replace(times=times)], (seed, one)
                seen += times > 2 * one.round
    assert seen > 30
