"""Runs of alike cells: which outermost tiles of the inner axis to look at for each outer tile of a band's blocks.

The ends of the band's lines, of a tile's own and those next to it, and the fixed places touch some cells; those between
hold everything or nothing of each of these lines, and one stands for all (see :mod:`.outer_tiles`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.staircase import Staircase
from pebble.program.closed_forms.limits import check_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.closed_forms.blocks import Side, Whole

__all__ = ["counted_from", "runs_of_cells"]


def runs_of_cells(
    outer: Side, inner: Side, tiles: Whole, ends: tuple[Staircase, Staircase], fixed: Whole
) -> tuple[Whole, Whole, Whole]:
    """Return cells that stand for all that hold a pair.

    Parameters
    ----------
    outer, inner : Side
    tiles : ndarray of int
        Numbers of outermost tiles of the outer axis.
    ends : (Staircase, Staircase)
        Of the outer axis's lines.
    fixed : ndarray of int
        Fixed places of the inner axis.

    Returns
    -------
    (ndarray, ndarray, ndarray)
        Entry of ``tiles``, number of the cell, and how many cells it stands for.

    Raises
    ------
    NoClosedForm
        If there are too many cells.
    """
    begin = outer.start + tiles * outer.cell
    low = np.maximum(begin - 1, 0)
    high = np.minimum(np.minimum(begin + outer.cell, outer.stop), outer.extent - 1)
    bounds = [(end.at(low), end.at(high)) for end in ends]
    first = np.maximum((bounds[0][0] - inner.start) // inner.cell, 0)
    last = np.minimum((bounds[1][1] - 1 - inner.start) // inner.cell, inner.n_cells - 1)
    kept = np.flatnonzero(first <= last)
    entries, cells = [kept, kept], [first[kept], last[kept]]

    def touch(entry: Whole, cell: Whole) -> None:
        inside = (first[entry] <= cell) & (cell <= last[entry])
        entries.append(entry[inside])
        cells.append(cell[inside])

    for end, (least, most) in zip(ends, bounds, strict=True):
        from_cell = np.maximum((least - 1 - inner.start) // inner.cell, first)[kept]
        n_cells = np.minimum((most - inner.start) // inner.cell, last)[kept] - from_cell + 1
        n_lines = (high - low + 1)[kept]
        # After a jump the lines may be fewer than the cells from the first one's end to the last one's.
        dense = n_cells <= 2 * n_lines
        check_blocks(int(np.maximum(np.where(dense, n_cells, n_lines), 0).sum()))
        entry, cell = counted_from(from_cell[dense], n_cells[dense])
        touch(kept[dense][entry], cell)
        if not dense.all():
            entry, line = counted_from(low[kept][~dense], n_lines[~dense])
            places = end.at(line) - inner.start
            for at in (places - 1, places):
                touch(kept[~dense][entry], at // inner.cell)
    for place in np.unique(np.concatenate([fixed - 1, fixed])).tolist():
        touch(kept, np.full(len(kept), (place - inner.start) // inner.cell))
    return _with_gaps(np.concatenate(entries), np.concatenate(cells), inner.n_cells)


def counted_from(start: Whole, lengths: Whole) -> tuple[Whole, Whole]:
    """Return so many numbers from every start on: whose they are, and the numbers."""
    lengths = np.maximum(lengths, 0)
    before = np.cumsum(lengths) - lengths
    entry = np.repeat(np.arange(len(start)), lengths)
    return entry, (start - before)[entry] + np.arange(len(entry))


def _with_gaps(entries: Whole, cells: Whole, n_cells: int) -> tuple[Whole, Whole, Whole]:
    """Return every cell once, and between two that do not follow each other one more, for all between."""
    keys = np.sort(entries * n_cells + cells)
    keys = keys[_changes(keys)]
    entries, cells = np.divmod(keys, n_cells)
    gaps = np.flatnonzero((entries[1:] == entries[:-1]) & (cells[1:] > cells[:-1] + 1))
    times = np.concatenate([np.ones_like(cells), cells[gaps + 1] - cells[gaps] - 1])
    return np.append(entries, entries[gaps]), np.append(cells, cells[gaps] + 1), times


def _changes(values: Whole) -> NDArray[np.bool_]:
    return np.append(True, values[1:] != values[:-1])[: len(values)]
