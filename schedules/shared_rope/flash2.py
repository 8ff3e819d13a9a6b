"""FlashAttention-2's order where all heads share the rotary words of the keys."""

from __future__ import annotations

from collections.abc import Iterator

from pebble import Problem
from pebble.program import Node, Nodes, Program, Tiles, delete, load, loop, phase, program
from schedules._paper_tiles import PaperTiles
from schedules._resident_rows import resident_and_streamed
from schedules._softmax import finish
from schedules._tile_shapes import ceil_div
from schedules.flash2 import key_work

__all__ = ["Flash2SharedRope"]

_MOST = 64
"""So many numbers of head tiles are looked at from one on, so many heads together, and so many row blocks."""


class Flash2SharedRope(PaperTiles):
    """Queries outside, whole keys inside; ``heads`` heads at a time go through the keys together.

    With T = ⌈Nq/rows⌉·⌈H/heads⌉ sweeps over the keys it moves

        H·Nq·(d + dv) + H·Nk·(d − r + dv)·⌈Nq/rows⌉ + Nk·r·T − (T − 1)·pinned·r

    words for H heads and r shared words. ``heads`` = 1, the default, takes the heads one after another, and each loads
    the rotary words again; rows of all ``heads`` heads are resident. The rotary words of the first ``pinned`` keys stay
    in fast memory from the first sweep to the last. With ``cols`` whole tiles of keys are loaded.
    """

    name = "flash-2"
    summary = "queries outside, keys inside; heads together keep a key's rotary words, or some of these stay"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("shared-rope",)
    tile_names = ("rows", "heads", "pinned", "cols")
    tile_axes = ("i", "", "j", "j")
    outer = "rows"
    optional_tiles = ("cols", "heads")
    presets = ("literal",)
    resident_tiles = ("rows", "pinned")
    may_be_zero = ("pinned",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest of heads one by one or together, row blocks, and rotary words that stay."""
        self.require(problem, M)
        found = list(_choices(problem, M))
        return min(found, key=lambda tiles: _words(problem, tiles), default=self.smallest(problem))

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


def _choices(problem: Problem, M: int) -> Iterator[dict[str, int]]:
    """Yield rows, heads and pinned words that fit: of each number of heads and blocks the most that stay."""
    H, Nq, Nk, rope = problem.heads, problem.Nq, problem.Nk, problem.shared_rope
    step = problem.d - rope + problem.dv + 3
    tiles_of_heads = {ceil_div(H, n) for n in range(1, min(H, _MOST) + 1)}
    for heads in sorted(tiles_of_heads | set(range(1, min(H, _MOST) + 1))):
        row = heads * (problem.d + problem.dv + 1)
        most = min((M - step - rope) // row, Nq)
        if step + Nk * rope + row <= M:
            rows = min((M - step - Nk * rope) // row, Nq)
            yield {"rows": rows, "heads": heads, "pinned": Nk}
        if most < 1:
            return
        for blocks in range(ceil_div(Nq, most), ceil_div(Nq, most) + _MOST):
            rows = ceil_div(Nq, blocks)
            spare = min((M - step - rope - rows * row) // rope, Nk - 1)
            yield {"rows": rows, "heads": heads, "pinned": 0 if blocks == 1 and heads == H else spare}
            if rows == 1:
                break


def _words(problem: Problem, tiles: Tiles) -> int:
    """Return the words that move with tiles, but for queries and outputs."""
    blocks, rope = ceil_div(problem.Nq, tiles["rows"]), problem.shared_rope
    sweeps = blocks * ceil_div(problem.heads, tiles["heads"])
    own = problem.heads * problem.Nk * (problem.d - rope + problem.dv) * blocks
    return int(own + problem.Nk * rope * sweeps - (sweeps - 1) * tiles["pinned"] * rope)
