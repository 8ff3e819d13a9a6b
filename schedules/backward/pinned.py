"""Backward in one pass for caches of order N·d: what is finished leaves fast memory, what streams is pinned."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Node, Nodes, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._resident_rows import resident_and_streamed
from schedules.backward._loop_nests import pair_by_pair, row_sums_of_block, tiles_outside


class _OnePass(Schedule):
    """One pass over equal tiles, with rows of what would be rewritten kept in fast memory instead."""

    passes = ("backward",)
    may_be_zero = ("pinned",)
    resident_tiles = ("pinned",)


class KeysPinnedBackward(_OnePass):
    """Keys outside, all three gradients in one pass, dQ of some rows pinned.

    (4 + 4h − x(2h − 2))·Nd words with h tiles of keys, M = (4/h + x)·Nd.
    """

    name = "keys-pinned"
    summary = "one pass, keys outside; dQ of some queries stays in fast memory"
    source = "found by search for this project"
    tile_names = ("cols", "pinned")
    tile_axes = ("j", "i")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        return program(tiles_outside(problem, "j", size["cols"], "first", both=True, pinned=size["pinned"]))


class QueriesPinnedBackward(_OnePass):
    """Queries outside, all three gradients in one pass, dK and dV of some keys pinned.

    14·Nd words at M = 3/2·Nd, falling with slope 2 to 8·Nd at M = 3·Nd.
    """

    name = "queries-pinned"
    summary = "one pass, queries outside; dK and dV of some keys stay in fast memory"
    source = "found by search for this project"
    tile_names = ("rows", "pinned")
    tile_axes = ("i", "j")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        nest = tiles_outside(problem, "i", size["rows"], "again", both=True, pinned=size["pinned"])
        return program(nest)


class QueriesSlicedBackward(Schedule):
    """Q and dO resident, dQ in two slices of the head dimension, K and V swept twice, some of them once.

    About (12.5 − M/Nd)·Nd words for 5/2 ≤ M/Nd < 3.
    """

    name = "queries-sliced"
    summary = "Q and dO resident, dQ in two slices; K and V swept twice"
    source = "found by search for this project"
    passes = ("backward",)
    tile_names = ("pinned",)
    tile_axes = ("j",)
    resident_tiles = ("pinned",)
    may_be_zero = ("pinned",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        pinned = min(self.check_tiles(tiles).get("pinned", 0), problem.Nk)
        half = -(-problem.d // 2)
        phases = [
            phase(
                "dK, dV and the first half of dQ",
                load("Q", "dO", "l"),
                row_sums_of_block(label="i"),
                _sweep(pinned, problem.Nk, load("K", "V"), None, True, 0, half),
                loop("k", half, store("dQ"), delete("dQ"), stop=half),
            )
        ]
        if half < problem.d:
            phases.append(
                phase(
                    "the second half of dQ",
                    _sweep(pinned, problem.Nk, None, delete("K", "V"), False, half, problem.d),
                    loop("k", problem.d - half, store("dQ"), delete("dQ"), start=half),
                    delete("Q", "dO", "l", "D"),
                )
            )
        return program(*phases)


def _sweep(
    pinned: int, keys: int, arrive: Nodes, leave: Nodes, gradients: bool, start: int, stop: int
) -> list[Node]:
    slice_of_dQ = loop("k", stop - start, compute("dQ"), start=start, stop=stop)
    work = pair_by_pair("i", "i", gradients=gradients, dQ=slice_of_dQ)
    end = (store("dK", "dV"), delete("dK", "dV")) if gradients else ()

    def part(resident: bool, start: int, stop: int | None) -> Node:
        if resident:
            return loop("j", 1, arrive, work, end, leave, start=start, stop=stop)
        return loop("j", 1, load("K", "V"), work, end, delete("K", "V"), start=start, stop=stop)

    return resident_and_streamed(pinned, keys, part)
