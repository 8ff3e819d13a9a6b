"""Backward under masks: short blocks first, blocks cut where the mask falls apart, keys that stay while seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from pebble import Problem, Schedule
from pebble.program import (
    Loop,
    Program,
    Tiles,
    compute,
    delete,
    each_sequence,
    first,
    last,
    load,
    loop,
    phase,
    program,
    store,
    when,
)
from schedules._packed_schedule import PackedSchedule, are_alike_enough, loops_over_parts, short_tile_first
from schedules.backward._loop_nests import pair_by_pair, row_sums_of_block, tiles_outside
from schedules.flash2 import KeyWindowBlocks


class QueriesCausalBackward(Schedule):
    """One pass over blocks of queries, ``first`` of them in the first block; dK and dV are read back and rewritten.

    Under a causal mask the first block sees the fewest keys and the last one all of them, so the short block is
    cheapest at the beginning.
    """

    name = "queries-causal"
    summary = "one pass, queries outside, the short block first; dK and dV read back and rewritten"
    source = "derived here; the counterpart of flash-2-causal"
    passes = ("backward",)
    tile_names = ("first", "rows")
    tile_axes = ("i", "i")
    may_be_zero = ("first",)
    masks_only = True

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``first`` is cut to the number of queries."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        blocks = _blocks(problem, size["first"], size["rows"], "again", gradients=True)
        return program(phase("", *blocks))


class SplitCausalBackward(Schedule):
    """dK and dV with keys outside, then dQ with queries outside, ``first`` of them in the first block."""

    name = "split-causal"
    summary = "dK and dV with keys outside, then dQ with queries outside, the short block of queries first"
    source = "derived here; split with the first block of flash-2-causal"
    passes = ("backward",)
    tile_names = ("cols", "first", "rows")
    tile_axes = ("j", "i", "i")
    may_be_zero = ("first",)
    masks_only = True

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``first`` is cut to the number of queries."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        blocks = _blocks(problem, size["first"], size["rows"], "stored", gradients=False)
        return program(
            phase("dK and dV, keys outside", tiles_outside(problem, "j", size["cols"], "kept", both=False)),
            phase("dQ, queries outside", *blocks),
        )


def _blocks(
    problem: Problem, first: int, rows: int, sums: Literal["again", "stored"], *, gradients: bool
) -> list[Loop]:
    """Return the loop over the first block and the loop over the others; no empty loop."""
    first = min(first, problem.Nq)
    blocks = []
    if first:
        blocks.append(tiles_outside(problem, "i", first, sums, both=gradients, part=(0, first)))
    if first < problem.Nq:
        seen = _keys_upto(problem, first) if gradients else 0
        part = (first, None)
        blocks.append(tiles_outside(problem, "i", rows, sums, both=gradients, part=part, begun=seen))
    return blocks


def _keys_upto(problem: Problem, first: int) -> int:
    """Return the place behind the last key that the first queries see."""
    box = (np.array([place]) for place in (0, problem.Nk, 0, first))
    return int(problem.allowed.questions.behind_latest("j", *box)[0])


class KeysPackedBackward(PackedSchedule):
    """One pass over blocks of keys that are cut where the mask falls apart; dQ is read back and rewritten.

    A sequence that fits in one block moves every word once.
    """

    name = "keys-packed"
    summary = "one pass, keys outside, blocks cut where packed sequences end; dQ read back and rewritten"
    source = "derived here; keys-pinned with the blocks of flash-2-packed, nothing pinned"
    passes = ("backward",)
    tile_names = ("packed_cols",)
    tile_axes = ("j",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program: of each part of the mask a loop."""
        cols = self.check_tiles(tiles)["packed_cols"]
        if are_alike_enough(problem):
            return each_sequence(
                problem, lambda part: program(phase("", tiles_outside(part, "j", cols, "first", both=True)))
            )
        block = tiles_outside(problem, "j", cols, "first", both=True)
        return program(phase("", *loops_over_parts(problem, block, short_first=False)))


class SplitPackedBackward(PackedSchedule):
    """dK and dV with keys outside, then dQ with queries outside, in blocks that are cut where the mask falls apart.

    Of each packed sequence the short block of keys comes last and the short block of queries first, where a causal
    mask shows them the fewest of the other.
    """

    name = "split-packed"
    summary = (
        "dK and dV with keys outside, then dQ with queries outside, blocks cut where packed sequences end"
    )
    source = "derived here; split with the blocks of flash-2-packed"
    passes = ("backward",)
    tile_names = ("packed_cols", "packed_rows")
    tile_axes = ("j", "i")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program: of each part of the mask two phases."""
        size = self.check_tiles(tiles)
        if are_alike_enough(problem):
            return each_sequence(problem, lambda part: _split_one(part, size))
        keys, queries = _cut_loops(problem, size)
        return _split(
            loops_over_parts(problem, keys, short_first=False),
            loops_over_parts(problem, queries, short_first=True),
        )


def _split_one(problem: Problem, size: Tiles) -> Program:
    keys, queries = _cut_loops(problem, size)
    return _split([keys], short_tile_first(problem, queries))


def _cut_loops(problem: Problem, size: Tiles) -> tuple[Loop, Loop]:
    keys = tiles_outside(problem, "j", size["packed_cols"], "kept", both=False)
    return keys, tiles_outside(problem, "i", size["packed_rows"], "stored", both=False)


def _split(keys: Iterable[Loop], queries: Iterable[Loop]) -> Program:
    return program(phase("dK and dV, keys outside", *keys), phase("dQ, queries outside", *queries))


class KeyWindowBackward(KeyWindowBlocks):
    """Queries in order, block by block; K, V, dK and dV of a key stay from its first use to its last.

    Every word moves once: 8Nd + N words. It fits where few keys are in use at a time.
    """

    name = "key-window"
    summary = "keys stay with their gradients from their first use to their last; every word moves once"
    source = "derived here; the counterpart of the forward schedule"
    passes = ("backward",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        rows = self.check_tiles(tiles)["rows"]
        keys = loop(
            "j",
            1,
            when(first("i"), load("K", "V")),
            pair_by_pair("i", "query", dQ=compute("dQ")),
            when(last("i"), store("dK", "dV"), delete("K", "V", "dK", "dV")),
        )
        return program(
            loop(
                "i",
                rows,
                load("Q", "dO", "l"),
                row_sums_of_block(),
                keys,
                store("dQ"),
                delete("Q", "dO", "l", "D", "dQ"),
            )
        )
