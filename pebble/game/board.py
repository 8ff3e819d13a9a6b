"""The position of a game: where the pebbles are, what has been counted, and what a move changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pebble.common.errors import IncompletePebbling
from pebble.common.units import fast_memory_words
from pebble.common.whole_numbers import singular
from pebble.game.moves import Move, Op
from pebble.game.rules import Rules
from pebble.graph.any_dag import AnyDag

SHOWN = 4
"""Names that a message lists."""
_PLACING = frozenset({Op.LOAD, Op.COMPUTE, Op.SLIDE})
_COMPUTING = frozenset({Op.COMPUTE, Op.SLIDE})


@dataclass
class Tally:
    """Counts that a game keeps while it is played."""

    moves: int = 0
    reads: int = 0
    writes: int = 0
    computes: int = 0
    deletes: int = 0
    slides: int = 0
    redundant: int = 0
    peak: int = 0

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.reads + self.writes


class Played(NamedTuple):
    """A move and what it changed, which is what it takes to undo it."""

    move: Move
    placed: bool
    turned_blue: bool
    first_computed: bool
    redundant: bool
    peak_before: int


class Board:
    """The position of a game: its pebbles and its counts.

    Parameters
    ----------
    dag : Dag, or one whose predecessors are computed on demand
        The computation.
    M : int
        Words of fast memory: the largest number of red pebbles at any time.
    rules : Rules
        Which variant is played.
    """

    __slots__ = ("M", "blue", "computed", "dag", "n_red", "red", "rules", "tally")

    def __init__(self, dag: AnyDag, M: int, rules: Rules) -> None:
        self.M = fast_memory_words(M)
        self.dag = dag
        self.rules = rules
        self.red = bytearray(dag.n_vertices)
        self.blue = bytearray(dag.n_vertices)
        np.frombuffer(self.blue, dtype=np.bool_)[dag.inputs] = True
        self.computed = bytearray(dag.n_vertices)
        self.n_red = 0
        self.tally = Tally()

    def play(self, move: Move) -> Played:
        """Make a legal move, count it, and return what it changed."""
        op, v, source = move
        placed = op in _PLACING and not self.red[v]
        turned_blue = op == Op.STORE and not self.blue[v]
        first = op in _COMPUTING and not self.computed[v]
        redundant = op != Op.DELETE and not placed and not turned_blue
        played = Played(move, placed, turned_blue, first, redundant, self.tally.peak)
        if op == Op.DELETE or op == Op.SLIDE:
            self.red[v if op == Op.DELETE else source] = 0
            self.n_red -= 1
        if placed:
            self.red[v] = 1
            self.n_red += 1
        if turned_blue:
            self.blue[v] = 1
        if first:
            self.computed[v] = 1
        self._count(op, redundant, 1)
        self.tally.peak = max(self.tally.peak, self.n_red)
        return played

    def take_back(self, played: Played) -> None:
        """Undo the last move, with all its counts."""
        op, v, source = played.move
        if played.placed:
            self.red[v] = 0
            self.n_red -= 1
        if op == Op.DELETE or op == Op.SLIDE:
            self.red[v if op == Op.DELETE else source] = 1
            self.n_red += 1
        if played.turned_blue:
            self.blue[v] = 0
        if played.first_computed:
            self.computed[v] = 0
        self._count(op, played.redundant, -1)
        self.tally.peak = played.peak_before

    def _count(self, op: Op, redundant: bool, by: int) -> None:
        tally = self.tally
        tally.moves += by
        tally.reads += by * (op == Op.LOAD)
        tally.writes += by * (op == Op.STORE)
        tally.computes += by * (op in _COMPUTING)
        tally.deletes += by * (op == Op.DELETE)
        tally.slides += by * (op == Op.SLIDE)
        tally.redundant += by * redundant

    def status(self) -> Status:
        """Return the counts so far and what is still missing; costs O(number of outputs)."""
        outputs = self.dag.outputs
        blue = np.frombuffer(self.blue, dtype=np.bool_)
        missing = tuple(outputs[~blue[outputs]].tolist())
        return Status(**vars(self.tally), M=self.M, red=self.n_red, missing=missing, dag=self.dag)


@dataclass(frozen=True)
class Status:
    """The state of play: counts, how full fast memory is, which outputs are missing.

    Parameters
    ----------
    M : int
        Words of fast memory.
    moves : int
        Moves made; the sum of reads, writes, computes and deletes.
    reads, writes : int
        Loads and stores, the useless ones included.
    computes : int
        Computations, slides included.
    deletes : int
        ``delete`` moves; a slide is not one.
    slides : int
        How many of the computations were slides.
    redundant : int
        Moves that placed no pebble: loads and computations of a red vertex, stores of a blue one.
    peak : int
        The largest number of red pebbles after any move.
    red : int
        Red pebbles now.
    missing : tuple of int
        The outputs without a blue pebble, ascending.
    dag : Dag
        For the names; not part of a comparison.
    """

    M: int
    moves: int
    reads: int
    writes: int
    computes: int
    deletes: int
    slides: int
    redundant: int
    peak: int
    red: int
    missing: tuple[int, ...]
    dag: AnyDag = field(repr=False, compare=False)

    @property
    def io(self) -> int:
        """Reads plus writes."""
        return self.reads + self.writes

    @property
    def complete(self) -> bool:
        """Whether every output is blue."""
        return not self.missing

    def missing_names(self, at_most: int | None = None) -> list[str]:
        """Return the names of the missing outputs, or of the first few."""
        return [self.dag.name(v) for v in self.missing[:at_most]]

    def require_complete(self) -> Status:
        """Return the status itself if every output is blue.

        Raises
        ------
        IncompletePebbling
            Otherwise; the message names outputs that are missing.
        """
        if self.missing:
            moves = singular(f"after {self.moves} moves")
            raise IncompletePebbling(f"{moves} {_missing_text(self)}; compute and store what is missing")
        return self

    def __str__(self) -> str:
        useless = f", {self.redundant} redundant" if self.redundant else ""
        return singular(
            f"{'complete' if self.complete else _missing_text(self)}; {self.io} I/O "
            f"({self.reads} reads, {self.writes} writes), {self.computes} computes, {self.moves} moves"
            f"{useless}; {self.red} of {self.M} words in use, peak {self.peak}"
        )


def _missing_text(status: Status) -> str:
    n = len(status.missing)
    names = listed(status.missing_names(SHOWN), n)
    return f"{n} of {len(status.dag.outputs)} outputs {'is' if n == 1 else 'are'} not blue: {names}"


def listed(names: list[str], total: int) -> str:
    """Return some names, and how many more there are."""
    more = total - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
