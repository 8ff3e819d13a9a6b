"""Backward in one pass for caches of order N·d: what is finished leaves fast memory, what streams is pinned."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Node,
    Nodes,
    Program,
    Tiles,
    closed_form,
    compute,
    delete,
    largest,
    load,
    loop,
    phase,
    program,
    store,
)
from schedules._resident_rows import resident_and_streamed
from schedules._tile_shapes import ceil_div
from schedules.backward._loop_nests import keys_outside, pair_by_pair, queries_outside, row_sums_of_block

__all__ = ["KeysPinnedBackward", "QueriesPinnedBackward", "QueriesSlicedBackward"]


_FEW = 8
"""Up to so many tiles, or tiles of so few rows, rounding decides and the neighbours are tried."""


class _OnePass(Schedule):
    """One pass over equal tiles, with rows of what would be rewritten kept in fast memory instead."""

    passes = ("backward",)
    may_be_zero = ("pinned",)
    resident_tiles = ("pinned",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest number of equal tiles, and as many pinned rows as fit beside one.

        What h tiles move is about concave in h: least with the fewest tiles, one or two more where rounding
        decides, or where all are pinned.
        """
        self.require(problem, M)
        name, length, passing = self.sizes(problem)
        size = largest(self, problem, M, name, length, self.guess(problem, M, 0, 0), {"pinned": 0})[name]
        fewest = ceil_div(length, size)
        sizes = {ceil_div(length, fewest)}
        if fewest <= _FEW:
            sizes |= {ceil_div(length, tiles) for tiles in range(fewest, min(length, fewest + 2) + 1)}
        if size <= _FEW:
            sizes |= set(range(1, size))
        options = [self._pin(problem, M, one) for one in sorted(sizes, reverse=True)]
        if fewest > 1 and self.room_told(problem, {name: 1, "pinned": passing}) <= M:
            options.append({name: 1, "pinned": passing})

        family = self.family(problem)
        return min(options, key=lambda tiles: int(closed_form(self.program(problem, tiles), family).io))

    def _pin(self, problem: Problem, M: int, size: int) -> dict[str, int]:
        """Return tiles of this size with as many pinned rows as fit."""
        name, length, passing = self.sizes(problem)
        fixed = {name: size}
        if size == length or self.room_told(problem, {**fixed, "pinned": 1}) > M:
            return {**fixed, "pinned": 0}
        guess = self.guess(problem, M, size, 1)
        return largest(self, problem, M, "pinned", passing, guess, fixed)

    def sizes(self, problem: Problem) -> tuple[str, int, int]:
        """Return the name of the tile size, the length of its axis, and the number of rows that pass by."""
        raise NotImplementedError

    def guess(self, problem: Problem, M: int, size: int, pinned: int) -> int:
        """Return about the largest tile (``pinned`` 0), or number of pinned rows beside a tile of this size (1)."""
        raise NotImplementedError


class KeysPinnedBackward(_OnePass):
    """Keys outside, all three gradients in one pass, dQ of some rows pinned.

    (4 + 4h − x(2h − 2))·Nd words with h tiles of keys, M = (4/h + x)·Nd.
    """

    name = "keys-pinned"
    summary = "one pass, keys outside; dQ of some queries stays in fast memory"
    source = "found by search for this project"
    tile_names = ("cols", "pinned")
    tile_axes = ("j", "i")

    def sizes(self, problem: Problem) -> tuple[str, int, int]:
        """Return tiles of keys; queries pass by."""
        return "cols", problem.Nk, problem.Nq

    def guess(self, problem: Problem, M: int, size: int, pinned: int) -> int:
        """Count four vectors a key, and one for each pinned query."""
        width = problem.d + problem.dv
        room = M - width - 5
        return (room - 2 * width * size) // problem.d if pinned else (room - problem.d) // (2 * width)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        return program(keys_outside(problem, size["cols"], "first", dQ=True, pinned=size["pinned"]))


class QueriesPinnedBackward(_OnePass):
    """Queries outside, all three gradients in one pass, dK and dV of some keys pinned.

    14·Nd words at M = 3/2·Nd, falling with slope 2 to 8·Nd at M = 3·Nd.
    """

    name = "queries-pinned"
    summary = "one pass, queries outside; dK and dV of some keys stay in fast memory"
    source = "found by search for this project"
    tile_names = ("rows", "pinned")
    tile_axes = ("i", "j")

    def sizes(self, problem: Problem) -> tuple[str, int, int]:
        """Return tiles of queries; keys pass by."""
        return "rows", problem.Nq, problem.Nk

    def guess(self, problem: Problem, M: int, size: int, pinned: int) -> int:
        """Count three vectors a query, and two for each pinned key."""
        width = problem.d + problem.dv
        row, room = width + problem.d + 2, M - 3
        return (room - row * size - width) // width if pinned else (room - 2 * width) // row

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        nest = queries_outside(problem, size["rows"], "again", gradients=True, pinned=size["pinned"])
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

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return as many pinned keys as fit."""
        self.require(problem, M)
        width = problem.d + problem.dv
        room = problem.Nq * (width + 2 + ceil_div(problem.d, 2)) + 2 * width + 3
        if self.room_told(problem, {"pinned": 1}) > M:
            return {"pinned": 0}
        return largest(self, problem, M, "pinned", problem.Nk, (M - room) // width)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        pinned = min(self.check_tiles(tiles).get("pinned", 0), problem.Nk)
        half = ceil_div(problem.d, 2)
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
