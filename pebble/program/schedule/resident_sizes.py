"""Tiles on short axes where lines stay in fast memory: of every other size with the most lines that fit.

More lines that stay never move more words, and need more room, but for one exception: where all lines of an axis stay,
none passes by, so that those numbers are tried besides. So there are some fifteen trials instead of all numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from pebble.computations.problem import Problem
from pebble.program.schedule.batch_counts import BatchCounts
from pebble.program.schedule.pair_tables import Whole

__all__ = ["TRIED", "most_resident"]

TRIED = 16
"""About so many numbers of lines that stay are tried."""

Count = Callable[[Whole], BatchCounts]
"""Counts what a batch of programs does, each with so many lines that stay."""


def most_resident(
    problem: Problem, M: int, number: int, most: int, count: Count
) -> tuple[Whole, BatchCounts]:
    """Return of each of a batch of programs the lines that stay for which it moves the fewest words and fits.

    Parameters
    ----------
    problem : Problem
    M : int
        Words of fast memory.
    number : int
        How many programs there are.
    most : int
        The most lines that may stay.
    count : callable
        Counts the programs with so many lines that stay.

    Returns
    -------
    resident : ndarray of int
    counts : BatchCounts
        Where no number fits, what the program does if no line stays.
    """
    whole = {extent * times for extent in (problem.Nq, problem.Nk) for times in (1, 2)}
    ends = sorted({0, most, *(end for end in whole if end < most)})
    resident = np.zeros(number, dtype=np.int64)
    best = count(resident)
    for low, high in pairwise(ends):
        for tried in (_most_that_fit(M, low, high, number, count), np.full(number, high)):
            one = count(tried)
            better = (one.room <= M) & ((best.room > M) | (one.words < best.words))
            resident = np.where(better, tried, resident)
            best = BatchCounts(*(np.where(better, new, old) for new, old in zip(one, best, strict=True)))
    return resident, best


def _most_that_fit(M: int, low: int, high: int, number: int, count: Count) -> Whole:
    """Return of each program the most lines from ``low`` to before ``high`` that fit, ``low`` if none does."""
    fits, fails = np.full(number, low), np.full(number, high)
    while (fails - fits > 1).any():
        middle = np.maximum((fits + fails) // 2, low)
        room = count(middle).room
        fits, fails = np.where(room <= M, middle, fits), np.where(room <= M, fails, middle)
        fails = np.maximum(fails, fits + 1)
    return fits
