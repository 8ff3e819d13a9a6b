"""Runs of single lines of a band, where of their pairs with a tile of the other axis nothing but the number matters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.tile_runs import TileRun

if TYPE_CHECKING:
    from pebble.computations.masks.band_mask import BandMask
    from pebble.computations.masks.mask import Interval
    from pebble.computations.masks.staircase import Staircase

__all__ = ["has_few_turns", "runs_by_number"]

_FEW_TURNS = 64


def has_few_turns(mask: BandMask, axis: str, whole: Interval, partners: Interval) -> bool:
    """Whether :func:`runs_by_number` finds few runs; bands of grouped queries turn at every few lines."""
    low, high, begins, ends = _lines_with_pairs(mask, axis, whole, partners)
    return begins.n_turns(low, high) + ends.n_turns(low, high) <= _FEW_TURNS


def _lines_with_pairs(
    mask: BandMask, axis: str, whole: Interval, partners: Interval
) -> tuple[int, int, Staircase, Staircase]:
    """Return where lines with pairs begin and end, and where their pairs do."""
    begins, ends = mask.ends(axis)
    return max(ends.upto(partners[0]), whole[0]), min(begins.below(partners[1]), whole[1]), begins, ends


def runs_by_number(
    mask: BandMask, axis: str, whole: Interval, partners: Interval, asked: bool = False
) -> list[TileRun]:
    """Return runs of lines with pairs, each with as many as the one before, or with one more, or with one less.

    Parameters
    ----------
    mask : BandMask
    axis : str
        The lines' axis.
    whole : (int, int)
        Which lines.
    partners : (int, int)
        The current tile of the other axis.
    asked : bool
        Whether it matters which of the partners have begun, or end with the line.

    Notes
    -----
    Cost: some steps for each of the lines between which the band turns. Signatures are those of
    :func:`.runs_of_units` where nothing else matters, but that they leave out the order of partners of which only some
    have begun, or end: in a band these come first.

    Examples
    --------
    >>> from pebble.computations.masks import make_mask
    >>> for run in runs_by_number(make_mask("causal", 8, 8), "i", (0, 8), (2, 6)):
    ...     print(run.first, run.times, "pairs", run.signature[2], "and", run.step, "more each")
    2 4 pairs 1 and 1 more each
    6 2 pairs 4 and 0 more each
    """
    low, high, begins, ends = _lines_with_pairs(mask, axis, whole, partners)
    if low >= high:
        return []
    # Between two marks either end of a line's interval, cut to the partners, stays or moves by one.
    marks = {low, high, *begins.turns(low, high), *ends.turns(low, high)}
    marks.update(place for place in (begins.below(partners[0]), ends.upto(partners[1])) if low < place < high)
    if asked:
        # What has begun, or ends, follows from the pairs of the line before, or behind.
        marks = {at for mark in marks for at in (mark - 1, mark, mark + 1) if low <= at <= high}
    lines = _Lines(mask, axis, partners, asked)
    found: list[TileRun] = []
    for first, behind in pairwise(sorted(marks)):
        for run in lines.runs(first, behind, whole[0]):
            joined = _joined(found[-1], run) if found else None
            if joined is not None:
                found[-1] = joined
            else:
                found.append(run)
    return found


class _Lines:
    """The signatures of single lines: see :func:`runs_by_number`."""

    def __init__(self, mask: BandMask, axis: str, partners: Interval, asked: bool) -> None:
        self.mask, self.axis, self.other = mask, axis, OTHER_AXIS[axis]
        self.partners, self.asked = partners, asked
        self.begins, self.ends = mask.ends(axis)
        self.firsts, self.lasts = mask.ends(self.other)
        self.width = partners[1] - partners[0], mask.present(self.other, *partners)

    def pairs(self, line: int) -> int:
        """Return how many partners a line has; less than none if they are all elsewhere."""
        return min(self.ends.at(line), self.partners[1]) - max(self.begins.at(line), self.partners[0])

    def _has_none(self, line: int) -> bool:
        return 0 <= line < self.mask.extents[self.axis] and self.pairs(line) <= 0

    def signature(self, line: int) -> tuple[Any, ...]:
        """Return the signature of a line that has partners."""
        start, stop = self.partners
        low, high = max(self.begins.at(line), start), min(self.ends.at(line), stop)
        told = 0, 0, 0, 0
        if self.asked:
            started = min(max(self.firsts.below(line) - low, 0), high - low)
            finished = min(max(self.lasts.upto(line + 1) - low, 0), high - low)
            any_begun = self.mask.started(self.other, self.partners, line) > 0
            all_end = self.mask.unfinished(self.other, self.partners, line + 1) == 0
            told = int(any_begun), int(all_end), started, finished
        before, after = int(self.begins.at(line) < start), int(self.ends.at(line) > stop)
        return (*self.width, high - low, *told, before, after, None)

    def runs(self, first: int, behind: int, start: int) -> Iterator[TileRun]:
        """Yield the runs of the lines between two marks that have partners, counted from ``start``."""
        low = first + (self.pairs(first) <= 0)
        high = behind - (behind > low and self.pairs(behind - 1) <= 0)
        if low >= high or self.pairs(low) <= 0:
            return
        marks = {low, high}
        if self.asked:
            # Before lines without partners may be the last line of all, behind them the first one; where partners
            # begin the band turns.
            marks |= {high - 1} if high < behind or self._has_none(high) else set()
            marks |= {low + 1} if low > first or self._has_none(low - 1) else set()
        for one, other in pairwise(sorted(at for at in marks if low <= at <= high)):
            signature, last = self.signature(one), self.signature(other - 1)
            steps = [(last[at] > signature[at]) - (last[at] < signature[at]) for at in _NUMBERS]
            yield TileRun(one - start, other - one, signature, *steps)


_NUMBERS = 2, 5, 6
"""Where a signature has the numbers of partners, of those that have begun, and of those that end."""


def _joined(run: TileRun, later: TileRun) -> TileRun | None:
    """Return two runs as one, if one goes on with the other."""
    if run.first + run.times != later.first:
        return None
    times = run.times + later.times
    if run[3:] == later[3:] or (later.times == 1 and run.times > 1):
        goes_on = run.signature_of(later.first) == later.signature
        return run._replace(times=times) if goes_on else None
    if run.times == 1 and later.signature_of(run.first) == run.signature:
        return later._replace(first=run.first, times=times, signature=run.signature)
    return None
