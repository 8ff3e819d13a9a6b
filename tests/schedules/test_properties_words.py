"""Words by the formulas of papers and docstrings, at any sizes and tiles; the best counts known at N = 4096."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import mask_parts
from pebble.computations.problem import Problem
from pebble.lab.count import count
from pebble.lower_bounds import best_bound
from pebble.program.schedule import Tiles, get
from schedules.best import Best
from schedules.flash2_mixed import MixedBlocks
from tests.program.random_masks import documents

Words = Callable[[Problem, Tiles], int]


def up(length: int, tile: int) -> int:
    """How many tiles a length has."""
    return -(-length // tile)


def once(p: Problem) -> int:
    """Queries and outputs, and the row sums and maxima that are kept."""
    return p.Nq * (p.d + p.dv + p.stats * (1 + (p.softmax != "plain")))


def flash2(p: Problem, t: Tiles) -> int:
    """Each block of rows sweeps K and V, for the maxima of safe softmax K twice."""
    return once(p) + p.Nk * ((1 + (p.softmax == "safe")) * p.d + p.dv) * up(p.Nq, t["rows"])


def flash2_causal(p: Problem, t: Tiles) -> int:
    """Each block sees the keys up to its last row; the first block may be short."""
    ends = sum(range(t["first"] or t["rows"], p.Nq, t["rows"]), p.Nq)
    return once(p) + (p.d + p.dv) * int(ends)


def flash2_packed(p: Problem, t: Tiles) -> int:
    """Keys and values of a sequence pass once for each of its blocks, of which the first is short."""
    assert p.mask is not None
    words = once(p)
    for number, part in zip(mask_parts(p.mask).times, mask_parts(p.mask).masks, strict=True):
        ends = range(part.Nq, 0, -t["packed_rows"])
        keys = sum(ends) if part.pairs < part.Nq**2 else len(ends) * part.Nq
        words += number * (p.d + p.dv) * keys
    return words


def again(p: Problem, pinned: int, of_K: int, of_V: int) -> int:
    """Words of so many sweeps over K and over V, of which some rows of K stay, and beyond these some of V."""
    keys, values = min(pinned, p.Nk), min(max(pinned - p.Nk, 0), p.Nk)
    return (p.Nk * of_K - keys * (of_K - 1)) * p.d + (p.Nk * of_V - values * (of_V - 1)) * p.dv


def flash2_mixed(p: Problem, t: Tiles) -> int:
    """The last block of rows is swept in slices of the values' columns."""
    mixed = MixedBlocks(p, t["slices"], t["pinned"], t["blocks"])
    blocks = up(p.Nq - mixed.sliced_rows, mixed.rows) if mixed.rows else 0
    of_V = blocks + (mixed.slices > 0)
    slices = up(p.dv, mixed.width) if mixed.slices else 0
    return once(p) + again(p, t["pinned"], blocks + slices + (p.form == "safe") * of_V, of_V)


def split_pinned(p: Problem, t: Tiles) -> int:
    """Maxima of a group of rows come before its blocks, which load all rows of Q but the last block's again."""
    sizes = [min(t["max_rows"], p.Nq - start) for start in range(0, p.Nq, t["max_rows"])]
    blocks = sum(up(size, t["rows"]) for size in sizes)
    rows = sum(size - min(t["rows"], size) for size in sizes)
    slices = up(p.dv, up(p.dv, min(t["slices"], p.dv)))
    return once(p) + rows * p.d + again(p, t["pinned"], len(sizes) + blocks * slices, blocks)


def split(p: Problem, t: Tiles) -> int:
    """A pass for the maxima, which go out and come back, and one for the outputs."""
    maxima = p.Nq * p.d + p.Nk * p.d * up(p.Nq, t["max_rows"]) + 2 * p.Nq
    return maxima + p.Nq * (p.d + p.dv) + p.Nk * (p.d + p.dv) * up(p.Nq, t["rows"])


def flash1(p: Problem, t: Tiles) -> int:
    """K and V once; per tile of keys all of Q, and partial outputs with their sums and maxima out and in."""
    tiles = up(p.Nk, t["cols"])
    return p.Nk * (p.d + p.dv) + p.Nq * p.d * tiles + 2 * (tiles - 1) * p.Nq * (p.dv + 2) + p.Nq * p.dv


def square_tile(p: Problem, t: Tiles) -> int:
    """Scores are written, with two words a row for each tile of keys, and read for tiles of the output."""
    across = up(p.Nk, t["cols"])
    scores = p.Nk * p.d * up(p.Nq, t["rows"]) + p.Nq * p.d * across + p.Nq * p.Nk + 2 * p.Nq * across
    columns = p.Nq * p.Nk * up(p.dv, t["out_cols"])
    return scores + columns + p.Nk * p.dv * up(p.Nq, t["out_rows"]) + p.Nq * p.dv


def shared_rope(p: Problem, t: Tiles) -> int:
    """Rotary words pass once for each block of a group of heads, but for those that stay."""
    blocks = up(p.Nq, t["rows"])
    sweeps, r = blocks * up(p.heads, t["heads"]), p.shared_rope
    own = p.heads * (p.Nq * (p.d + p.dv) + p.Nk * (p.d - r + p.dv) * blocks)
    return own + p.Nk * r * sweeps - (sweeps - 1) * t["pinned"] * r


def keys_mixed(p: Problem, t: Tiles) -> int:
    """Queries pass a + 2 times for a tiles and the last keys, dQ a + 1 times but for the rows that stay."""
    a = up(p.Nk - t["last_cols"], t["cols"])
    queries, sums = (a + 2) * p.Nq * (p.d + p.dv + 1), p.Nq * p.dv + (a + 1) * p.Nq
    dQ = p.Nq * p.d + 2 * a * (p.Nq - t["pinned"]) * p.d
    return 2 * p.Nk * (p.d + p.dv) + queries + sums + dQ


def state_tiles(p: Problem, t: Tiles) -> int:
    """Queries, keys and gates pass once for each tile of columns, outputs are added up over tiles of rows."""
    across, down = up(p.dv, t["state_cols"]), up(p.d, t["state_rows"])
    gates = p.gate * (p.Nq - 1) * p.d * across
    return 2 * p.Nq * p.d * across + p.Nq * p.dv * (3 * down - 1) + gates


def chunked(p: Problem, t: Tiles) -> int:
    return 2 * p.Nq * (p.d * up(p.dv, t["state_cols"]) + p.dv)


def chunk_parallel(p: Problem, t: Tiles) -> int:
    """K and V twice but for the last chunk, a state out and in for each chunk; Q and K for each tile of columns."""
    C = p.chunk or 1
    before, across = up(p.Nq, C) - 1, up(p.dv, t["state_cols"])
    return (2 * p.Nq + before * C) * p.d * across + 2 * p.Nq * p.dv + before * (C * p.dv + 2 * p.d * p.dv)


def p_tile(p: Problem, t: Tiles) -> int:
    """A tile of P stays: ⌈Nk/c⌉·Nq(d + dv + 1) + ⌈Nq/a⌉·Nk(d + dv) + Nq(2dv + 1), sums added in slow memory."""
    rows, cols = up(p.Nq, t["tile_rows"]), up(p.Nk, t["tile_cols"])
    return cols * p.Nq * (p.d + p.dv + 1) + rows * p.Nk * (p.d + p.dv) + p.Nq * (2 * p.dv + 1)


FORMULAS: list[tuple[str, dict[str, Any], Words]] = [
    ("flash-2", {}, flash2),
    ("flash-2", {"softmax": "safe"}, flash2),
    ("flash-2", {"softmax": "online"}, flash2),
    ("flash-2-causal", {"mask": "causal"}, flash2_causal),
    ("flash-2-packed", {"mask": "document"}, flash2_packed),
    ("flash-2-mixed", {}, flash2_mixed),
    ("flash-2-mixed", {"softmax": "safe"}, flash2_mixed),
    ("split-pinned", {"softmax": "safe"}, split_pinned),
    ("split", {"softmax": "safe", "stats": False}, split),
    ("flash-1", {"softmax": "online", "stats": False}, flash1),
    ("square-tile", {"softmax": "safe", "stats": False}, square_tile),
    ("flash-2", {"heads": 4, "shared_rope": 2, "stats": False}, shared_rope),
    ("keys-mixed", {"pass_name": "backward"}, keys_mixed),
    ("state-tiles", {"attention": "linear", "mask": "causal"}, state_tiles),
    ("state-tiles", {"attention": "linear", "mask": "causal", "gate": True}, state_tiles),
    ("chunked", {"attention": "linear", "mask": "causal", "chunk": 3}, chunked),
    ("chunk-parallel", {"attention": "linear", "mask": "causal", "chunk": 3}, chunk_parallel),
    ("p-tile", {"sums": "accumulate", "stats": False}, p_tile),
]


def random_problem(rnd: Random, options: dict[str, Any]) -> Problem:
    Nq, Nk, d, dv = rnd.randint(2, 40), rnd.randint(2, 30), rnd.randint(3, 6), rnd.randint(2, 6)
    mask = options.get("mask")
    if mask is not None:
        Nk = Nq
        mask = documents(rnd, Nq) if mask == "document" else mask
    stats = options.get("pass_name") is None and "attention" not in options and rnd.random() < 0.3
    return Problem(Nq, Nk, d, dv, **{"stats": stats, **options, "mask": mask})


@pytest.mark.parametrize(
    ("name", "options", "words"), FORMULAS, ids=lambda one: getattr(one, "__name__", str(one))
)
def test_words_are_those_of_the_formula(name: str, options: dict[str, Any], words: Words) -> None:
    rnd, compared = Random(f"{name} {options}"), 0
    while compared < 8:
        problem = random_problem(rnd, options)
        schedule = get(name, problem.pass_name, problem.form)
        most = schedule.greatest(problem)
        tiles = {
            tile: rnd.randint(int(tile not in schedule.may_be_zero), max(1, most[tile]))
            for tile in schedule.smallest(problem)
        }
        if tiles.get("last_cols", 0) + tiles.get("cols", 0) > problem.Nk and "last_cols" in tiles:
            continue
        try:
            run = schedule.measure(problem, tiles)
        except InvalidInput:  # of some sizes a schedule has no program
            continue
        assert run.io == words(problem, tiles), (problem, tiles)
        compared += 1


# N = 4096, d = 64: the share of N·d words that fit, the words that best moves in units of N·d, and its choice

KNOWN: list[tuple[dict[str, Any], float, float, str]] = [
    ({}, 1 / 4, 18.94, "flash-2-mixed"),
    ({}, 1 / 16, 67.98, "flash-2-pinned"),
    ({}, 1 / 8, 34.98, "flash-2-mixed"),
    ({}, 3 / 8, 13.81, "flash-2-mixed"),
    ({}, 1 / 2, 10.86, "flash-2-mixed"),
    ({}, 5 / 8, 8.94, "flash-2-mixed"),
    ({}, 3 / 4, 7.85, "flash-2-pinned"),
    ({}, 7 / 8, 6.98, "flash-2-mixed"),
    ({}, 1, 6.73, "flash-2-mixed"),
    ({}, 13 / 8, 4.89, "flash-2-sliced"),
    ({}, 33 / 16, 4.00, "flash-2-pinned"),
    ({"mask": "causal"}, 1 / 4, 11.09, "flash-2-causal"),
    ({"mask": "causal"}, 1 / 2, 7.04, "flash-2-causal"),
    ({"mask": "causal"}, 1, 5.02, "flash-2-causal"),
    ({"softmax": "safe"}, 3 / 8, 17.24, "split-pinned"),
    ({"softmax": "safe"}, 1 / 2, 14.76, "flash-2-mixed"),
    ({"softmax": "safe"}, 1, 8.5, "flash-2-mixed"),
    ({"softmax": "safe"}, 5 / 4, 7.05, "split-pinned"),
    ({"softmax": "safe"}, 3 / 2, 5.7, "split-pinned"),
    ({"softmax": "safe"}, 15 / 8, 4.65, "split-pinned"),
    ({"softmax": "safe"}, 33 / 16, 4.0, "split-pinned"),
    ({"pass_name": "backward"}, 1 / 2, 38.01, "keys-mixed"),
    ({"pass_name": "backward"}, 1, 21.69, "keys-mixed"),
    ({"pass_name": "backward"}, 21 / 16, 17.66, "keys-mixed"),
]


@pytest.mark.many(1)
@pytest.mark.parametrize(("options", "share", "words", "name"), KNOWN)
def test_words_at_4096(options: dict[str, Any], share: float, words: float, name: str) -> None:
    problem, unit, best = Problem.square(4096, 64, **options), 4096 * 64, Best()
    M = int(unit * share)
    tiles = get("best", problem.pass_name, problem.form).tiles(problem, M)
    run = best.measure(problem, tiles)
    assert (round(run.io / unit, 2), best.chosen(problem, tiles).name) == (words, name)
    assert run.peak <= M
    assert run.io >= best_bound(problem, M).value


# Counts by hand, and counts that a change of the search once lost

BACK: dict[str, Any] = {"pass_name": "backward"}
HEADS = Problem(1, 40, 4, 2, heads=6, shared_rope=3)
LARGE = Problem.square(32_768, 128, pass_name="backward", sums="accumulate")
EXACT: list[tuple[str, Problem, int, int]] = [
    # Backward, a tile of two scores, a word that is held and one that passes by; a sum of one term needs no more.
    ("standard", Problem(2, 1, 1, 1, **BACK), 4, 45),
    ("standard", Problem(2, 1, 2, 2, **BACK), 4, 74),
    # One slice where it fits; a word less, and K is swept twice, but 8 of its rows stay.
    ("flash-2-sliced", Problem(40, 40, 5, 3, softmax="online"), 411, 2 * 40 * (5 + 3)),
    ("flash-2-sliced", Problem(40, 40, 5, 3, softmax="online"), 410, 2 * 40 * (5 + 3) + 32 * 5),
    # One query of each of six heads together: every word once, though the rotary words do not fit beside them.
    ("flash-2", HEADS, 51, 6 * (4 + 2) + 6 * 40 * (1 + 2) + 40 * 3),
    # Slices under a mask that leaves most pairs; keys that stay beside packed sequences; published tiles cut at blocks.
    ("flash-2-mixed", Problem.square(160, 8, mask="prefix:140"), 1280, 8480),
    ("flash-2-pinned", Problem.square(2024, 32, mask="document:600,1000,424"), 41_522, 320_640),
    ("small-cache", Problem.square(1024, 32, mask="fixed:64,8", **BACK), 526, 3_708_928),
    # dP in slices, where a value of one word has none.
    ("dp-sliced", Problem(7, 5, 3, 1, **BACK), 40, 335),
    # Where all keys that a query sees fit, every word moves once.
    ("key-window", Problem.square(128, 8, mask="window:32"), 10_000, 4 * 128 * 8),
    ("key-window", Problem.square(128, 8, mask="document:causal,40,60,28"), 10_000, 4 * 128 * 8),
    ("key-window", Problem.square(128, 8, mask="window:32", **BACK), 20_000, 8 * 128 * 8 + 128),
    ("flash-2-packed", Problem.square(71, 4, mask="document:causal,20,7,31,13"), 400, 4 * 71 * 4),
    ("keys-packed", Problem.square(71, 4, mask="document:causal,20,7,31,13", **BACK), 700, 8 * 71 * 4 + 71),
    # Sums that are added in slow memory.
    ("flash-2", LARGE, 116_224, 1_859_223_552),
    ("best", Problem.square(2**20, 128, sums="accumulate"), 4096, 8_888_453_693_440),
    ("best", Problem.square(2**20, 128), 4096, 10_037_750_661_120),
]


@pytest.mark.parametrize(("name", "problem", "M", "words"), EXACT)
def test_words_that_are_known_exactly(name: str, problem: Problem, M: int, words: int) -> None:
    row = count(problem, M, [name])[name]
    assert row.io == words
    assert row.ratio is not None
    assert row.ratio >= 1


def test_the_best_bound_of_sums_that_are_added_in_slow_memory() -> None:
    assert best_bound(LARGE, 116_224).value == 1_744_241_153
