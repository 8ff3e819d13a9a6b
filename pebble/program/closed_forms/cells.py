"""Runs of cells, the outermost tiles of the inner axis, that stand for all cells that an outer tile has pairs with.

Both ends of a line's interval stay or go up by one within a *piece* of the outer axis. Take the lines of one outer
tile, with the line before and the one behind, piece by piece. A cell is *marked* if an end of the first or the last
line of a piece, or a fixed place (see :mod:`.outer_tiles`), lies in it or next to it. In a run of cells without marks,
every inner line y has n(y) = #{x : start(x) ≤ y} - #{x : stop(x) ≤ y} pairs with lines x of the tile, and each of the
two numbers is constant or goes up by one with y. So the pairs of a cell are affine in its number, and so are the lines
that have begun; whether the cell is visited is the same for all, because n(y) can become 0 only at marks. The sum over
a run of k such cells is (the first + the last) · k / 2.

Where the ends go up by steps of P, so do the two numbers; cells are alike up to constants if they are r apart, r the
least number with r · (the length of a cell) a multiple of P; every r-th cell of a run is then summed up like this. The
tile's own first and last lines are marked besides those before and behind it.

That is so for tiles that are not cut again; for others every cell that an end of some line touches is looked at.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from pebble.program.closed_forms.limits import check_blocks

if TYPE_CHECKING:
    from pebble.computations.masks.staircase import CommonPieces, Staircase
    from pebble.program.closed_forms.blocks import Side, Whole

__all__ = ["cells_period", "counted_from", "runs_of_cells", "with_runs"]

_NEAR = np.arange(-2, 2)
"""From a mark: lines of cells that are looked at one by one."""


def runs_of_cells(
    outer: Side,
    inner: Side,
    tiles: Whole,
    ends: tuple[Staircase, Staircase],
    pieces: CommonPieces,
    fixed: Whole,
) -> tuple[Whole, Whole, Whole]:
    """Return cells that stand for all that hold a pair.

    Parameters
    ----------
    outer, inner : Side
    tiles : ndarray of int
        Numbers of outermost tiles of the outer axis.
    ends : (Staircase, Staircase)
        Of the outer axis's lines.
    pieces : CommonPieces
        Of these ends.
    fixed : ndarray of int
        Fixed places of the inner axis.

    Returns
    -------
    (ndarray, ndarray, ndarray)
        Entry of ``tiles``, number of the cell, and how many halves of a cell it stands for.

    Raises
    ------
    NoClosedForm
        If there are too many cells.
    """
    begin = outer.start + tiles * outer.cell
    low = np.maximum(begin - 1, 0)
    high = np.minimum(np.minimum(begin + outer.cell, outer.stop), outer.extent - 1)
    first = np.maximum((ends[0].at(low) - inner.start) // inner.cell, 0)
    last = np.minimum((ends[1].at(high) - 1 - inner.start) // inner.cell, inner.n_cells - 1)
    every = np.arange(len(tiles))
    found: list[tuple[Whole, Whole]] = []  # first and last lie at an end, or at the loop's: fixed places
    entries, lines = _by_piece(low, high, pieces, outer.extent)
    for end in ends:
        least, most = (end.at(line) - inner.start for line in lines)
        if outer.per_cell == 1:
            places = [least, most]
            if (
                pieces.partners > 1
            ):  # The tile's own first and last line lie far from the one before and behind.
                second, last_but_one = np.minimum(lines[0] + 1, lines[1]), np.maximum(lines[1] - 1, lines[0])
                places += [end.at(second) - inner.start, end.at(last_but_one) - inner.start]
            marks = [place + near for place in places for near in _NEAR.tolist()]
            found += [(entries, place // inner.cell) for place in marks]
        else:
            touched = np.maximum((least - 1) // inner.cell, first[entries])
            n_touched = np.minimum(most // inner.cell, last[entries]) - touched + 1
            check_blocks(int(np.maximum(n_touched, 0).sum()))
            number, cells = counted_from(touched, n_touched)
            found.append((entries[number], cells))
    for cell in np.unique((fixed[:, None] + _NEAR - inner.start) // inner.cell).tolist():
        found.append((every, np.full_like(every, cell)))
    entries, cells = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    inside = (first[entries] <= cells) & (cells <= last[entries])
    period = cells_period(inner, pieces) if outer.per_cell == 1 else 1
    return with_runs(entries[inside], cells[inside], inner.n_cells, period)


def cells_period(inner: Side, pieces: CommonPieces) -> int:
    """Cells after which the steps of the ends come at the same places of a cell again."""
    return pieces.partners // gcd(pieces.partners, inner.cell)


def _by_piece(
    low: Whole, high: Whole, pieces: CommonPieces, extent: int
) -> tuple[Whole, tuple[Whole, Whole]]:
    """Return the lines low to high of each entry piece by piece: the entry, and the first and last line."""
    first = pieces.starts.searchsorted(low, side="right") - 1
    entries, piece = counted_from(first, pieces.starts.searchsorted(high, side="right") - first)
    last_lines = np.append(pieces.starts[1:], extent) - 1
    return entries, (
        np.maximum(low[entries], pieces.starts[piece]),
        np.minimum(high[entries], last_lines[piece]),
    )


def counted_from(start: Whole, lengths: Whole) -> tuple[Whole, Whole]:
    """Return so many numbers from every start on: whose they are, and the numbers."""
    lengths = np.maximum(lengths, 0)
    before = np.cumsum(lengths) - lengths
    entry = np.repeat(np.arange(len(start)), lengths)
    return entry, (start - before)[entry] + np.arange(len(entry))


def with_runs(entries: Whole, cells: Whole, n_cells: int, period: int) -> tuple[Whole, Whole, Whole]:
    """Return every cell once, and between two that do not follow each other the first and last of a period each."""
    keys = np.sort(entries * n_cells + cells)
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
    entries, cells = np.divmod(keys, n_cells)
    gaps = np.flatnonzero((entries[1:] == entries[:-1]) & (cells[1:] > cells[:-1] + 1))
    n_between = cells[gaps + 1] - cells[gaps] - 1
    number, first = counted_from(cells[gaps] + 1, np.minimum(n_between, period))
    gaps = gaps[number]
    steps = (cells[gaps + 1] - 1 - first) // period
    return (
        np.concatenate([entries, entries[gaps], entries[gaps]]),
        np.concatenate([cells, first, first + steps * period]),
        np.concatenate([np.full_like(cells, 2), steps + 1, steps + 1]),
    )
