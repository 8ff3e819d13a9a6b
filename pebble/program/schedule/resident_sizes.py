"""Tiles on short axes where lines stay in fast memory: of every other size with the most lines that fit.

More lines that stay never move more words, and need more room, but for one exception: where all lines of an axis stay,
none passes by, so that tiles may be cut and passed in another way. Such numbers are *ends*. Of a range from one end to
before the next the greatest number that fits is thus the best; it is searched between the two.

With the greatest number of a range a program moves the fewest words of all numbers in it. So a range in which that is
no fewer than some program moves that fits need not be searched.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from pebble.computations.problem import Problem
from pebble.program.schedule.batch_counts import BatchCounts
from pebble.program.schedule.pair_tables import Whole

__all__ = ["TRIED", "most_resident"]

TRIED = 3
"""About so many numbers of lines that stay are tried with most tiles."""
_AT_ONCE = 128
"""So many programs are searched side by side."""
_NEVER = 1 << 62
"""Words of a program that is left out."""

Count = Callable[[Whole, Whole], BatchCounts]
"""Counts what some programs of a batch, given by their places, do, each with so many lines that stay."""


def most_resident(
    problem: Problem, M: int, number: int, most: int, count: Count, staying: Callable[[int], int]
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
        Counts some programs with so many lines that stay.
    staying : callable
        Tells the words that so many lines take that stay, at least; not less for more lines.

    Returns
    -------
    resident : ndarray of int
    counts : BatchCounts
        Programs that fit with no number, or move no fewer words than another that fits, may be left out, as if they
        needed very much room. If none fits, what they do if no line stays.
    """
    every = np.arange(number)
    resident, best = np.zeros(number, dtype=np.int64), np.full((3, number), _NEVER)

    def take(some: Whole, lines: Whole, counts: BatchCounts) -> None:
        better = (counts.room <= M) & (counts.words < best[0, some])
        resident[some[better]] = lines[better]
        best[:, some[better]] = np.array(counts)[:, better]

    ranges = _ranges(problem, _greatest(lambda lines: staying(lines) <= M, most))
    left: list[tuple[int, ...]] = []
    for low, high in ranges:
        lines = np.full(number, high)
        counts = count(every, lines)
        take(every, lines, counts)
        over = every[(counts.room > M) & (low < high)]
        left += [(int(counts.words[at]), int(at), int(counts.room[at]), low, high) for at in over]
    left.sort()
    for start in range(0, len(left), _AT_ONCE):
        words, some, room, low_ends, high_ends = np.array(left[start : start + _AT_ONCE], dtype=np.int64).T
        if words[0] >= best[0].min():
            break
        take(some, *_most_that_fit(M, (low_ends, high_ends, room), some, count))
    if number and best[0].min() == _NEVER:
        return resident, count(every, resident)
    return resident, BatchCounts(*best)


def _greatest(holds: Callable[[int], bool], most: int) -> int:
    """Return the greatest number up to ``most`` for which something holds that holds for no number after."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _ranges(problem: Problem, most: int) -> list[tuple[int, int]]:
    """Return the first and the last number of every range: from zero or all lines of an axis to before the next."""
    whole = {extent * times for extent in (problem.Nq, problem.Nk) for times in (1, 2)}
    starts = sorted({0, *(end for end in whole if end <= most)})
    return [(low, high - 1) for low, high in pairwise([*starts, most + 1])]


def _most_that_fit(
    M: int, ranges: tuple[Whole, Whole, Whole], some: Whole, count: Count
) -> tuple[Whole, BatchCounts]:
    """Return of some programs the most lines of a range that fit, the first if none does, and what they do with them.

    ``ranges`` are the first and the last numbers, and the room that the last ones need, which is too much. Room
    grows about linearly, so that a number is guessed, and every third time halved.
    """
    low, fails, needed = (column.copy() for column in ranges)
    counts = np.array(count(some, low))
    fits, steps = low.copy(), 0
    while len(open_ := np.flatnonzero((fails - fits > 1) & (counts[1] <= M))):
        below, above, room = fits[open_], fails[open_], counts[1, open_]
        guess = below + (M - room) * (above - below) // np.maximum(needed[open_] - room, 1)
        steps += 1
        middle = (below + above) // 2 if steps % 3 == 0 else np.clip(guess, below + 1, above - 1)
        one = np.array(count(some[open_], middle))
        good = one[1] <= M
        fits[open_[good]], counts[:, open_[good]] = middle[good], one[:, good]
        fails[open_[~good]], needed[open_[~good]] = middle[~good], one[1, ~good]
    return fits, BatchCounts(*counts)
