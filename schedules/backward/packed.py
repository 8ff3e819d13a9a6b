"""Backward for packed sequences: no block of keys or of queries lies in two of them."""

from __future__ import annotations

from collections.abc import Iterable

from pebble import Problem
from pebble.program import Loop, Program, Tiles, each_sequence, phase, program
from schedules._packed_schedule import PackedSchedule, are_alike_enough, loops_over_parts, short_tile_first
from schedules.backward._loop_nests import tiles_outside

__all__ = ["KeysPackedBackward", "SplitPackedBackward"]


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
        keys, queries = _blocks(problem, size)
        return _split(
            loops_over_parts(problem, keys, short_first=False),
            loops_over_parts(problem, queries, short_first=True),
        )


def _split_one(problem: Problem, size: Tiles) -> Program:
    keys, queries = _blocks(problem, size)
    return _split([keys], short_tile_first(problem, queries))


def _blocks(problem: Problem, size: Tiles) -> tuple[Loop, Loop]:
    keys = tiles_outside(problem, "j", size["packed_cols"], "kept", both=False)
    return keys, tiles_outside(problem, "i", size["packed_rows"], "stored", both=False)


def _split(keys: Iterable[Loop], queries: Iterable[Loop]) -> Program:
    return program(phase("dK and dV, keys outside", *keys), phase("dQ, queries outside", *queries))
