"""Sweeps over the keys while the first rows of K and of V stay in fast memory, from the first sweep to the last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from pebble import Problem
from pebble.program import Node, Nodes, compute, delete, load, loop
from schedules._roles import exponentials, used_up


@dataclass(frozen=True)
class StayingRows:
    """Rows that stay beside blocks whose outputs are made in slices.

    Parameters
    ----------
    problem : Problem
        Only its sizes matter.
    slices : int
        In how many slices of the head dimension of V the outputs of a block are made, at most dv; 0 if there are none.
    pinned : int
        Rows of K that stay, and beyond these rows of V.
    """

    problem: Problem
    slices: int
    pinned: int

    @cached_property
    def keys(self) -> int:
        """Rows of K that stay."""
        return min(self.pinned, self.problem.Nk)

    @cached_property
    def values(self) -> int:
        """Rows of V that stay."""
        return min(max(self.pinned - self.problem.Nk, 0), self.problem.Nk)

    @cached_property
    def width(self) -> int:
        """Columns of V in a slice."""
        return -(-self.problem.dv // max(self.slices, 1))

    def passing(self, width: int) -> int:
        """Words of a key, and of ``width`` columns of its value, that do not stay."""
        Nk = self.problem.Nk
        return self.problem.d * (self.keys < Nk) + width * (self.values < Nk)


def while_they_stay(keys: int, values: int, *work: Nodes) -> tuple[Nodes, ...]:
    """Write the loads of the first rows of K and V, the work, and the deletion of these rows."""
    staying = [(name, rows) for name, rows in (("K", keys), ("V", values)) if rows]

    def each(what: Callable[[str], Nodes]) -> list[Node]:
        return [loop("j", 1, what(name), stop=rows) for name, rows in staying]

    return each(load), work, each(delete)


def output_sweep(problem: Problem, keys: int, values: int, by_row: bool, sums: Node | None) -> list[Node]:
    """Write the sweep over K and V that adds to the outputs of a block of rows.

    Parameters
    ----------
    problem : Problem
    keys, values : int
        Rows of K and of V that stay.
    by_row : bool
        Whether the others pass a row at a time, with one score held; else a word at a time, with a score of every row.
    sums : Node or None
        What is done besides with the probabilities: the row sums, where they are computed.
    """
    parts: list[Node] = []
    for start, stop in pairwise(sorted({0, keys, values, problem.Nk})):
        passing = tuple(name for name, rows in (("K", keys), ("V", values)) if start >= rows)
        parts.append(loop("j", 1, _output_step(problem, passing, by_row, sums), start=start, stop=stop))
    return parts


@lru_cache(maxsize=64)
def _output_step(problem: Problem, passing: tuple[str, ...], by_row: bool, sums: Node | None) -> Nodes:
    """Write what a key adds to the outputs; ``passing`` does not stay."""
    made, used = exponentials(problem), delete(*used_up(problem))
    if by_row:
        work = compute("S"), *made, sums, compute("U"), used
        return load(*passing), loop("i", 1, *work, label="row"), delete(*passing)
    return _by_word("k", "K", "S", passing), *made, sums, _by_word("e", "V", "U", passing), used


def maxima_sweep(problem: Problem, keys: int, by_row: bool) -> list[Node]:
    """Write the sweep over K that finds the maxima of a block of rows, which safe softmax has first.

    Parameters
    ----------
    problem, keys, by_row
        As for :func:`output_sweep`.
    """
    parts: list[Node] = []
    for start, stop in pairwise(sorted({0, keys, problem.Nk})):
        passing = ("K",) if start >= keys else ()
        if by_row:
            row = loop("i", 1, compute("S"), compute("m"), delete("S"), label="row")
            one: tuple[Nodes, ...] = load(*passing), row, delete(*passing)
        else:
            one = _by_word("k", "K", "S", passing), compute("m"), delete("S")
        parts.append(loop("j", 1, *one, start=start, stop=stop))
    return parts


def _by_word(axis: str, name: str, array: str, passing: tuple[str, ...]) -> Nodes:
    """Write the computation of an array from a word of an input at a time, or from all of it where it stays."""
    return loop(axis, 1, load(name), compute(array), delete(name)) if name in passing else compute(array)
