"""flash-2 for caches of order N·d: outputs made in slices of the head dimension, and rows of K that stay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pebble import InvalidInput, Problem, Schedule
from pebble.program import (
    Node,
    Nodes,
    Program,
    Tiles,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    phase,
    program,
    store,
    when,
)
from schedules._resident_rows import resident_and_streamed
from schedules._roles import exponentials, score_words, statistics, used_up
from schedules._staying_rows import StayingRows, maxima_sweep, output_sweep, while_they_stay


class Flash2Sliced(Schedule):
    """Q stays in fast memory; the head dimension of V is cut in two, so that K is swept twice and V once.

    Where that fits, one slice is enough, and every word moves once. K is swept once for each slice.
    Spare room keeps the first ``pinned`` rows of K for the second sweep. About (6.5 − M/Nd)·Nd words, less than
    row blocks move for 3/2 ≤ M/Nd < 2.
    """

    name = "flash-2-sliced"
    summary = "all queries resident, outputs in two slices of the head dimension; K swept twice, V once"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online")
    tile_names = ("cols", "pinned")
    tile_axes = ("e", "j")
    resident_tiles = ("pinned",)
    may_be_zero = ("pinned",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``cols`` is the width of a slice."""
        tiles = self.check_tiles(tiles)
        pinned = min(tiles.get("pinned", 0), problem.Nk)
        work = (compute("S"), *exponentials(problem), when(first("e"), compute("l")), compute("U"))
        one = loop("i", 1, *work, delete(*used_up(problem)))

        def keys(resident: bool, start: int, stop: int | None) -> Node:
            arrive: Nodes = when(first("e"), load("K")) if resident else load("K")
            leave: Nodes = when(last("e"), delete("K")) if resident else delete("K")
            return loop("j", 1, arrive, load("V"), one, delete("V"), leave, start=start, stop=stop)

        # The maximum moves on with every sweep, from the first key.
        again = [name for name in statistics(problem) if name != "l"]
        end = (
            compute("O", "U"),
            store("O"),
            delete("O"),
            when(last("e"), store(*statistics(problem)) if problem.stats else (), delete("l", "Q")),
            delete(*again),
        )
        parts = resident_and_streamed(pinned, problem.Nk, keys)
        return program(phase("", load("Q"), loop("e", tiles["cols"], *parts, end)))


@dataclass(frozen=True)
class MixedBlocks(StayingRows):
    """Blocks of query rows, the last of which may be made in slices, and rows that stay.

    Parameters
    ----------
    problem, slices, pinned
        As for rows that stay; the slices are those of the last block, and 0 if there is none.
    blocks : int
        Row blocks whose outputs are made at once; more than there are rows for make no difference.
    """

    blocks: int

    @cached_property
    def rows(self) -> int:
        """Rows of a whole block: as many as make the greatest room that a block needs the least."""
        Nq, blocks = self.problem.Nq, min(self.blocks, self.problem.Nq - bool(self.slices))
        if not self.slices or not blocks:
            return -(-Nq // blocks) if blocks else 0
        low, high = 1, (Nq - 1) // blocks
        while low < high:
            rows = (low + high) // 2
            whole, sliced = self._block(rows, self.problem.dv), self._block(Nq - blocks * rows, self.width)
            low, high = (low, rows) if whole >= sliced else (rows + 1, high)
        # The first at which the whole blocks need more, and the one before it.
        sizes = range(max(low - 1, 1), low + 1)
        return min(sizes, key=lambda rows: self._greatest(rows, Nq - blocks * rows))

    @cached_property
    def sliced_rows(self) -> int:
        """Rows of the block that is made in slices."""
        return self.problem.Nq - self.rows * min(self.blocks, self.problem.Nq - 1) if self.slices else 0

    @cached_property
    def _score(self) -> int:
        return score_words(self.problem)

    @cached_property
    def _statistics(self) -> int:
        return len(statistics(self.problem))

    def by_row(self, rows: int, width: int) -> bool:
        """Whether keys and values pass a block by the row, so that one score is held; else a word at a time."""
        score = self._score
        return rows * score + 2 > self.passing(width) + score + 1

    def _block(self, rows: int, width: int) -> int:
        """Return the words that a block needs beside what stays."""
        if not rows:
            return 0
        score = self._score
        kept = self.problem.d + width + self._statistics
        return rows * kept + min(rows * score + 2, self.passing(width) + score + 1)

    def _greatest(self, rows: int, sliced_rows: int) -> int:
        return max(self._block(rows, self.problem.dv), self._block(sliced_rows, self.width))


class Flash2Mixed(Schedule):
    """flash-2 with ``blocks`` row blocks and one more in ``slices`` of the head dimension of V, and K partly resident.

    The outputs of the last block are made slice by slice, so that K is swept ``slices`` times for it and V once;
    with no slices there is no such block. The first ``pinned`` rows of K stay from the first sweep to the last; where
    all of K stays, the rows of ``pinned`` beyond are rows of V that stay too. With T sweeps of K and B of V it moves

        Nq·(d + dv) + Nk·(T·d + B·dv) − (T − 1)·pinned·d

    words (pinned ≤ Nk). Without slices it moves about what ``flash-2-pinned`` moves, without whole blocks what
    ``flash-2-sliced`` moves. With safe softmax every block sweeps over K once more, for its maxima. The rows are
    divided so that the greatest room of a block is the least.
    """

    name = "flash-2-mixed"
    summary = "flash-2 with its last row block in slices of the head dimension; spare room keeps rows of K"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online", "safe")
    tile_names = ("blocks", "slices", "pinned")
    tile_axes = ("i", "e", "")
    resident_tiles = ("pinned",)
    may_be_zero = ("blocks", "slices", "pinned")
    numbers_of_tiles = ("blocks", "slices")

    def smallest(self, problem: Problem) -> Tiles:
        """Return single rows, or single columns of all rows: the one that needs less room without a mask."""
        plain = problem.without_mask()
        rows = {"blocks": problem.Nq, "slices": 0, "pinned": 0}
        columns = {"blocks": 0, "slices": problem.dv, "pinned": 0}
        return min((rows, columns), key=lambda tiles: self.measure(plain, tiles).peak)

    def greatest(self, problem: Problem) -> Tiles:
        """Return the most blocks and slices, and all rows of K and V."""
        return {"blocks": problem.Nq, "slices": problem.dv, "pinned": 2 * problem.Nk}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``pinned`` is cut to the number of rows of K and V.

        Raises
        ------
        InvalidInput
            If there are neither whole blocks nor slices.
        """
        tiles = self.check_tiles(tiles)
        slices = tiles.get("slices", 0)
        blocks = tiles.get("blocks", 0 if slices else 1)
        if not blocks and not slices:
            raise InvalidInput(f"{self.name}: blocks or slices must be at least 1")
        mixed = MixedBlocks(problem, min(slices, problem.dv), tiles.get("pinned", 0), blocks)
        whole, sliced = _whole(mixed) if mixed.rows else None, _sliced(mixed) if mixed.slices else None
        return program(phase("", while_they_stay(mixed.keys, mixed.values, whole, sliced)))


def _whole(mixed: MixedBlocks) -> Node:
    """Write the loop over the blocks whose outputs are made at once."""
    Nq, dv = mixed.problem.Nq, mixed.problem.dv
    work = _sweep(mixed, mixed.rows, dv, compute("l"))
    stop = Nq - mixed.sliced_rows
    end = _end(mixed.problem, *statistics(mixed.problem))
    return loop("i", mixed.rows, load("Q"), _maxima(mixed, mixed.rows, dv), work, _outputs(), end, stop=stop)


def _sliced(mixed: MixedBlocks) -> Node:
    """Write the block whose outputs are made slice by slice, with the row sums in the first.

    The maxima of online softmax move on in every slice, from the first key.
    """
    problem, rows, width = mixed.problem, mixed.sliced_rows, mixed.width
    work = _sweep(mixed, rows, width, when(first("slice"), compute("l")))
    again = ["m"] if problem.form == "online" else []
    kept = when(last("slice"), store(*again)) if again and problem.stats else None
    slices = loop("e", width, work, _outputs(), kept, delete(*again), label="slice")
    end = _end(problem, *(name for name in statistics(problem) if name not in again))
    return loop("i", rows, load("Q"), _maxima(mixed, rows, width), slices, end, start=problem.Nq - rows)


def _outputs() -> tuple[Nodes, ...]:
    return compute("O", "U"), store("O"), delete("O")


def _end(problem: Problem, *kept: str) -> tuple[Nodes, ...]:
    return store(*kept) if problem.stats else (), delete(*kept, "Q")


def _sweep(mixed: MixedBlocks, rows: int, width: int, sums: Node | None) -> list[Node]:
    """Write the loops over all keys: over those that stay, and those that pass by a row or a word at a time."""
    return output_sweep(mixed.problem, mixed.keys, mixed.values, mixed.by_row(rows, width), sums)


def _maxima(mixed: MixedBlocks, rows: int, width: int) -> list[Node]:
    """Write the sweep that finds the maxima of a block, which safe softmax has first."""
    by_row = mixed.by_row(rows, width)
    return maxima_sweep(mixed.problem, mixed.keys, by_row) if mixed.problem.form == "safe" else []
