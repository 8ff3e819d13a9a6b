"""Outer tiles of a band's blocks that stand for all of them.

Take the tiles of one axis, the *outer* one, and let f(t) be the sum over the blocks of tile t. The *cells* of the inner
axis are its outermost tiles. Let the lines of tile t, the line before and the one behind lie in one piece of the axis:
both ends of a line's interval, start(x) and stop(x), stay or go up by one, and start < stop. *Fixed* places are where
inner loops begin and end, marks, and start(u) and stop(v - 1) for the piece's lines u to v - 1; all inner lines between
these two have a pair. A cell is *touched* by a place that is one of its lines or behind one.

A *stretch* is tiles of one piece for none of which a cell is touched both by an end that moves and by a fixed place or
an end that stays. Let p be the number of tiles after which outer cuts come at the same places of a cell again. From t
to t + p touched cells move along with their end or stay, with the same content, because all that decides about a block
are comparisons of its cell's cuts with these ends and places. (An earlier line has a pair with a visited cell just if
the line before the tile has one: the ends never decrease.) Cells between are alike, and their numbers change by
constants. So f(t + p) - f(t) is the same in all of the stretch, and the sum over n tiles, p apart, is
(f(first) + f(last)) · n / 2.

Where lines come in groups, an end that moves goes up by P every L lines. It then touches all cells from that of its
first value to that of its last one, and after p tiles the groups of lines come at the same places again as well.

An inner axis without loops is one cell. Its words are affine in the ends while these keep their order with the fixed
places; so places themselves must not meet, and p is 1. ``docs/masks.md`` has the proof.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.computations.masks.staircase import CommonPieces
from pebble.program.closed_forms.cells import counted_from
from pebble.program.closed_forms.limits import check_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.closed_forms.blocks import Side, Whole

__all__ = ["Stretches", "number_of_tiles", "weighted_stretches", "weighted_tiles"]


class Stretches(NamedTuple):
    """Tiles ``start`` to ``stop`` - 1 of which so many at the beginning, and as many at the end, stand for all."""

    start: Whole
    stop: Whole
    period: Whole


def weighted_tiles(
    outer: Side, inner: Side, pieces: CommonPieces, fixed: Whole, n_blocks: int
) -> tuple[Whole, Whole]:
    """Return outer tiles, and how many halves of a tile each stands for.

    Cost is proportional to the number of tiles returned and of the band's pieces.

    Parameters
    ----------
    outer, inner : Side
    pieces : CommonPieces
        Of the ends of the outer axis's lines.
    fixed : ndarray of int
        Fixed places of the inner axis.
    n_blocks : int
        Of a tile, at least; for the limit.

    Raises
    ------
    NoClosedForm
        If there are too many blocks.
    """
    return weighted_stretches(_stretches(outer, inner, pieces, fixed), outer.n_cells, n_blocks)


def weighted_stretches(stretches: Stretches, n_tiles: int, n_blocks: int) -> tuple[Whole, Whole]:
    """Return tiles that stand for all, of which some are in stretches, and how many halves of a tile each stands for.

    Parameters
    ----------
    stretches : Stretches
        In order.
    n_tiles : int
    n_blocks : int
        Of a tile, at least; for the limit.

    Raises
    ------
    NoClosedForm
        If there are too many blocks.
    """
    start, stop, period = stretches
    between = np.append(0, stop), np.append(start, n_tiles)
    check_blocks(n_blocks * (int((between[1] - between[0]).sum()) + 2 * int(period.sum())))
    _, single = counted_from(between[0], between[1] - between[0])
    number, first = counted_from(start, period)
    steps = (stop[number] - 1 - first) // period[number]
    last = first + steps * period[number]
    return (
        np.concatenate([single, first, last]),
        np.concatenate([np.full_like(single, 2), steps + 1, steps + 1]),
    )


def number_of_tiles(outer: Side, inner: Side, pieces: CommonPieces) -> int:
    """Estimate how many tiles stand for all."""
    n_long = int(np.count_nonzero(pieces.lengths > 3 * outer.cell)) + 1
    reach = inner.cell * pieces.lines // pieces.partners // outer.cell
    edges = len(pieces.lengths) + n_long * (8 + 8 * reach)
    return min(outer.n_cells, edges + 2 * n_long * _period(outer, inner, pieces))


def _period(outer: Side, inner: Side, pieces: CommonPieces) -> int:
    """Tiles after which outer cuts come at the same places of a group of lines, and of a cell, again."""
    tiles = pieces.lines // gcd(pieces.lines, outer.cell)
    moved = tiles * outer.cell // pieces.lines * pieces.partners
    return tiles if inner.uncut else tiles * (inner.cell // gcd(inner.cell, moved))


def _stretches(outer: Side, inner: Side, pieces: CommonPieces, fixed: Whole) -> Stretches:
    """Return stretches longer than two periods, and tiles of lines without pairs (of period 0), in order."""
    low, high = pieces.starts, pieces.starts + pieces.lengths
    long = pieces.lengths > 2 * outer.cell
    low, high = low[long], high[long]
    starts, stops = (height[long] for height in pieces.heights)
    start_moves, stop_moves = (slope[long] for slope in pieces.slopes)
    # Where the ends move apart or together, only the first or last line, or group of lines, can have no pair.
    apart = start_moves != stop_moves
    gap = (stops - starts, stops - starts + (stop_moves - start_moves) * pieces.last_rise(high - low))
    one, other = apart & (gap[0] == 0), apart & (gap[1] == 0)
    low, high = low + one * pieces.lines, high - other * pieces.lines
    one = one * pieces.partners
    starts, stops = starts + one * start_moves, stops + one * stop_moves
    empty = starts >= stops
    regular = _without_meetings(
        outer,
        inner,
        pieces,
        _Parts(low, high, (starts, stops), (start_moves, stop_moves)).chosen(~empty),
        fixed,
    )
    nothing = _inside(outer, low[empty], high[empty])
    some = nothing[1] > nothing[0]
    nothing = nothing[0][some], nothing[1][some]
    start, stop, period = (
        np.concatenate([one, other])
        for one, other in zip(regular, (*nothing, np.zeros_like(nothing[0])), strict=True)
    )
    order = np.argsort(start, kind="stable")
    return Stretches(start[order], stop[order], period[order])


def _inside(outer: Side, low: Whole, high: Whole) -> tuple[Whole, Whole]:
    """First tile in each of many intervals of lines, and the one behind the last."""
    start = np.maximum(-((outer.start - low) // outer.cell), 0)
    stop = (np.minimum(high, outer.stop) - outer.start) // outer.cell
    return start, np.maximum(start, stop)


class _Parts(NamedTuple):
    """Lines ``low`` to ``high`` - 1, the ends of the first one's interval, and whether these move."""

    low: Whole
    high: Whole
    ends: tuple[Whole, Whole]
    moves: tuple[Whole, Whole]

    def chosen(self, which: NDArray[np.bool_]) -> _Parts:
        """Some of the parts."""
        return _Parts(
            self.low[which],
            self.high[which],
            (self.ends[0][which], self.ends[1][which]),
            (self.moves[0][which], self.moves[1][which]),
        )


def _without_meetings(
    outer: Side, inner: Side, pieces: CommonPieces, parts: _Parts, fixed: Whole
) -> Stretches:
    """Return the stretches of each part: between the tiles for which an end that moves meets a fixed place."""
    low, high = parts.low, parts.high
    # The line before a tile and the one behind it belong to the part and to the loop.
    begin, end = _inside(outer, np.maximum(low, outer.start) + 1, np.minimum(high, outer.stop) - 1)
    last = parts.ends[1] + parts.moves[1] * pieces.last_rise(high - low)
    places = np.concatenate(
        [parts.ends[0][:, None], last[:, None], np.broadcast_to(fixed, (len(low), len(fixed)))], axis=1
    )
    met_from, met_upto = [], []
    for ends, moves in zip(parts.ends, parts.moves, strict=True):
        one, other = _meetings(outer, inner, pieces, low[:, None], ends[:, None], places)
        moving = (moves > 0)[:, None]
        met_from.append(np.where(moving, np.clip(one, begin[:, None], end[:, None]), end[:, None]))
        met_upto.append(np.where(moving, np.clip(other, begin[:, None], end[:, None]), end[:, None]))
    starts, stops = np.concatenate(met_from, axis=1), np.concatenate(met_upto, axis=1)
    order = np.argsort(starts, axis=1)
    starts, stops = np.take_along_axis(starts, order, 1), np.take_along_axis(stops, order, 1)
    free_from = np.maximum.accumulate(np.concatenate([begin[:, None], stops], axis=1), axis=1)
    free_upto = np.concatenate([starts, end[:, None]], axis=1)
    any_moves = (parts.moves[0] + parts.moves[1] > 0)[:, None]
    period = np.broadcast_to(np.where(any_moves, _period(outer, inner, pieces), 1), free_from.shape)
    long = free_upto - free_from > 2 * period
    found = Stretches(free_from[long], free_upto[long], period[long])
    kept = _keep_order(outer, inner, pieces, fixed, found)
    return found if kept.all() else Stretches(*(array[kept] for array in found))


def _meetings(
    outer: Side, inner: Side, pieces: CommonPieces, low: Whole, ends: Whole, places: Whole
) -> tuple[Whole, Whole]:
    """First tile for which an end touches a cell that a place touches, and the tile behind the last.

    The end moves, and is ``ends`` at line ``low``. Tile t touches the cells from that of the end of the line before
    it, less one, to that of the end of the line behind it.
    """
    size = 1 if inner.uncut else inner.cell
    lowest = inner.start + (places - 1 - inner.start) // size * size
    highest = inner.start + ((places - inner.start) // size + 1) * size
    # The first lines with an end that touches these cells, and with one that does not any more.
    begin = low - (ends - lowest) // pieces.partners * pieces.lines
    end = low - (ends - highest - 1) // pieces.partners * pieces.lines
    first = -((outer.start - begin) // outer.cell) - 1
    behind = -((outer.start - end - 1) // outer.cell)
    return first, behind


def _keep_order(
    outer: Side, inner: Side, pieces: CommonPieces, fixed: Whole, found: Stretches
) -> NDArray[np.bool_]:
    """Whether the first and the last tile of each stretch have all that matters in the same order.

    Both lie in one piece of the axis; what is affine and in the same order at both is so in between.
    """
    first, last = (
        _order(outer, inner, pieces, fixed, found.start),
        _order(outer, inner, pieces, fixed, found.stop - 1),
    )
    same = (first.piece == last.piece) & first.inside & last.inside
    return np.asarray(same & (first.sides == last.sides).all(axis=(0, 2)))


class _Order(NamedTuple):
    """Of some tiles: the piece, whether all lines are well inside, and on which side of places the ends are."""

    piece: Whole
    inside: NDArray[np.bool_]
    sides: Whole


def _order(outer: Side, inner: Side, pieces: CommonPieces, fixed: Whole, tile: Whole) -> _Order:
    low = outer.start + tile * outer.cell - 1
    high = low + outer.cell + 1
    piece = pieces.starts.searchsorted(low, side="right") - 1
    start, length = pieces.starts[piece], pieces.lengths[piece]
    inside = (outer.start <= low) & (high < np.minimum(start + length, outer.stop))
    heights, slopes = (np.stack(arrays)[:, piece] for arrays in (pieces.heights, pieces.slopes))
    least, most = (heights + slopes * pieces.rise(lines - start) for lines in (low, high))
    inside &= (least[0] < least[1]) & (most[0] < most[1])
    places = np.empty((len(tile), len(fixed) + 2), dtype=np.int64)
    places[:, 0], places[:, 1] = heights[0], heights[1] + slopes[1] * pieces.last_rise(length)
    places[:, 2:] = fixed
    size = 1 if inner.uncut else inner.cell
    before = (most - inner.start)[..., None] // size < (places - 1 - inner.start) // size
    behind = (least - 1 - inner.start)[..., None] // size > (places - inner.start) // size
    moving = (slopes > 0)[..., None]
    # A place that is met is on neither side.
    inside &= (before | behind | ~moving).all(axis=(0, 2))
    return _Order(piece, inside, np.where(moving, before, False))
