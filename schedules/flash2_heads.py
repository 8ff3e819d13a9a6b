"""FlashAttention-2's order where all heads share the rotary words of the keys."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Node, Nodes, Program, Tiles, delete, load, loop, phase, program
from schedules._paper_tiles import PaperTiles
from schedules._resident_rows import resident_and_streamed
from schedules._roles import finish
from schedules.flash2 import key_work


class Flash2Heads(PaperTiles):
    """Queries outside, whole keys inside; ``heads`` heads at a time go through the keys together.

    With T = ⌈Nq/rows⌉·⌈H/heads⌉ sweeps over the keys it moves

        H·Nq·(d + dv) + H·Nk·(d − r + dv)·⌈Nq/rows⌉ + Nk·r·T − (T − 1)·pinned·r

    words for H heads and r shared words. ``heads`` = 1, the default, takes the heads one after another, and each loads
    the rotary words again; rows of all ``heads`` heads are resident. The rotary words of the first ``pinned`` keys stay
    in fast memory from the first sweep to the last. With ``cols`` whole tiles of keys are loaded.
    """

    name = "flash-2"
    summary = "queries outside, keys inside; heads run together share rotary words, or some rotary words stay"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("shared-rope",)
    tile_names = ("rows", "heads", "pinned", "cols")
    tile_axes = ("i", "", "j", "j")
    outer = "rows"
    optional_tiles = ("cols", "heads")
    presets = ("literal",)
    resident_tiles = ("rows", "pinned")
    may_be_zero = ("pinned",)

    def smallest(self, problem: Problem) -> Tiles:
        """Return one row of one head at a time, keys streamed."""
        return {"rows": 1, "heads": 1, "pinned": 0}

    def greatest(self, problem: Problem) -> Tiles:
        """Return all rows, all heads, and all keys."""
        return {**super().greatest(problem), "heads": problem.heads}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``pinned`` is cut to the number of keys."""
        tiles = self.check_tiles(tiles)
        rows, cols, heads = tiles["rows"], tiles.get("cols", 1), tiles.get("heads", 1)
        pinned = min(tiles.get("pinned", 0), problem.Nk)
        work = key_work(problem, by_row="cols" not in tiles)
        head = loop("h", 1, load("Kc", "V"), work, delete("Kc", "V"), label="head")

        def keys(resident: bool, start: int, stop: int | None) -> Node:
            body: tuple[Nodes, ...] = (head,) if resident else (load("Kr"), head, delete("Kr"))
            return loop("j", cols, *body, start=start, stop=stop)

        sweep = resident_and_streamed(pinned, problem.Nk, keys)
        block = loop("i", rows, load("Qc", "Qr"), *sweep, *finish(problem, "Qc", "Qr"))
        stay = [loop("j", 1, node("Kr"), stop=pinned) if pinned else None for node in (load, delete)]
        return program(phase("", stay[0], loop("h", heads, block), stay[1]))
