"""Runs of single lines of a band, where of their pairs with a tile of the other axis nothing but the number matters."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

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


def runs_by_number(mask: BandMask, axis: str, whole: Interval, partners: Interval) -> list[TileRun]:
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

    Notes
    -----
    Cost: some steps for each of the lines between which the band turns. Signatures are those of
    :func:`.runs_of_units` where nothing else matters.

    Examples
    --------
    >>> from pebble.computations.masks import make_mask
    >>> for run in runs_by_number(make_mask("causal", 8, 8), "i", (0, 8), (2, 6)):
    ...     print(run.first, run.times, "pairs", run.signature[2], "and", run.step, "more each")
    2 4 pairs 1 and 1 more each
    6 2 pairs 4 and 0 more each
    """
    start, stop = partners
    low, high, begins, ends = _lines_with_pairs(mask, axis, whole, partners)
    if low >= high:
        return []
    # Between two marks either end of a line's interval, cut to the partners, stays or moves by one.
    marks = {low, high, *begins.turns(low, high), *ends.turns(low, high)}
    marks.update(place for place in (begins.below(start), ends.upto(stop)) if low < place < high)
    width = stop - start, mask.present(OTHER_AXIS[axis], *partners)

    def pairs_of(line: int) -> int:
        return min(ends.at(line), stop) - max(begins.at(line), start)

    found: list[TileRun] = []
    for first, behind in pairwise(sorted(marks)):
        one, last = pairs_of(first), pairs_of(behind - 1)
        step = (last > one) - (last < one)
        before, after = int(begins.at(first) < start), int(ends.at(first) > stop)
        if one == 0:
            first, one = first + 1, one + step
        behind -= last == 0
        if first >= behind or one == 0:
            continue
        run = TileRun(first - whole[0], behind - first, (*width, one, 0, 0, 0, 0, before, after, None), step)
        if found and not step and _goes_on(found[-1], run):
            found[-1] = found[-1]._replace(times=found[-1].times + run.times)
        else:
            found.append(run)
    return found


def _goes_on(run: TileRun, later: TileRun) -> bool:
    """Whether a run without a step goes on with another."""
    alike = not run.step and run.signature == later.signature
    return alike and run.first + run.times == later.first
