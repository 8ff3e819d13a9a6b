"""Runs of tiles that look alike under a mask, so that what one does can stand for what another does.

The *signature* of a tile holds all that a program can learn of the mask while the tile and the current tile of the
other axis last: which pairs are allowed, and which lines have pairs before or after. Equal signatures (from equal
states) therefore mean equal counts, equal room and the same change of state.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.steps import tile_at, tile_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.mask import Interval, Mask

__all__ = ["TileRun", "runs_of_lines", "runs_of_tiles", "runs_of_units"]


_FEW_TILES = 16
"""Tiles that are looked at one by one."""


class TileRun(NamedTuple):
    """Successive tiles that look alike: the number of the first, how many, and their signature.

    With a ``step`` they are single lines, and look alike but that the number of their partners changes by so many
    from each to the next (:func:`~.pair_numbers.runs_by_number`), and by ``started`` and ``finished`` the numbers of
    those that have begun and that end; the signature is that of the first.
    """

    first: int
    times: int
    signature: Any
    step: int = 0
    started: int = 0
    finished: int = 0

    def signature_of(self, index: int) -> Hashable:
        """Return the signature of one of the tiles."""
        if not self.step:
            return cast("Hashable", self.signature)
        width, present, pairs, any_begun, all_end, started, finished, *rest = self.signature
        on = index - self.first
        numbers = started + on * self.started, finished + on * self.finished
        return width, present, pairs + on * self.step, any_begun, all_end, *numbers, *rest


def runs_of_units(
    mask: Mask,
    axis: str,
    whole: Interval,
    partners: Interval,
    exact: bool,
    asked: bool,
    begun: bool,
    known: dict[Hashable, list[Hashable]],
) -> list[TileRun]:
    """Runs of single lines with allowed pairs.

    Parameters
    ----------
    mask : Mask
    axis : str
        The lines' axis.
    whole : (int, int)
        Which lines.
    partners : (int, int)
        The current tile of the other axis.
    exact : bool
        Whether it matters where in their tile the partners lie; if not (they are visited one by one), only those that
        have a pair with the line matter, in their order.
    asked : bool
        Whether it matters which of the partners have begun or are finished.
    begun : bool
        If so, whether it matters of them; if not, only whether any or all.
    known : dict
        Signatures made before, kept by the caller: tiles of the same pattern need not make them again.
    """
    breaks = mask.breaks(axis, whole, partners)
    starts = np.concatenate([[whole[0]], breaks]).astype(np.int64)
    ends = np.append(breaks, whole[1])
    other = OTHER_AXIS[axis]
    first = mask.first(other, partners)
    last = mask.last(other, partners)
    allowed = mask.at_lines(axis, starts, partners)
    started = asked & (first < starts[:, None])
    finished = asked & (last <= starts[:, None]) & (last >= 0)
    before = mask.first_of(axis, starts) < partners[0]
    after = mask.last_of(axis, starts) >= partners[1]
    numbers = np.empty((len(starts), 7), dtype=np.int64)
    for column, lines in enumerate((allowed, started, finished, allowed & started, allowed & finished)):
        np.sum(lines, axis=1, out=numbers[:, column])
    numbers[:, 5], numbers[:, 6] = before, after
    pairs = numbers[:, 0]
    if not begun:
        numbers[:, 1] = numbers[:, 1] > 0
        numbers[:, 2] = numbers[:, 2] == mask.present(other, *partners)
    mixed = np.asarray(((numbers[:, 3:5] > 0) & (numbers[:, 3:5] < pairs[:, None])).any(axis=1))
    width = partners[1] - partners[0], mask.present(other, *partners)
    kinds: NDArray[np.uint8] | None = None
    if exact or mixed.any():
        # Where lines lie matters of those without pairs here too: a tile of them has as many words as there are.
        kinds = (allowed + 2 * started + 4 * finished + 8 * (last >= 0)).astype(np.uint8)
    key = (exact, width, numbers.tobytes(), None if kinds is None else kinds.tobytes())
    signatures = known.get(key)
    if signatures is None:
        signatures = known[key] = _signatures(width, numbers, mixed, kinds, allowed, exact)
    found: list[TileRun] = []
    for signature, start, end in zip(signatures, starts.tolist(), ends.tolist(), strict=True):
        if signature is None:
            continue
        if (
            found
            and found[-1].signature == signature
            and whole[0] + found[-1].first + found[-1].times == start
        ):
            found[-1] = TileRun(found[-1].first, found[-1].times + end - start, signature)
        else:
            found.append(TileRun(start - whole[0], end - start, signature))
    return found


def _signatures(
    width: tuple[int, int],
    numbers: NDArray[np.int64],
    mixed: NDArray[np.bool_],
    kinds: NDArray[np.uint8] | None,
    allowed: NDArray[np.bool_],
    exact: bool,
) -> list[Hashable]:
    """Return the signatures of lines; None for those without allowed pairs."""
    found: list[Hashable] = []
    for at, row in enumerate(numbers.tolist()):
        detail: bytes | None = None
        if kinds is not None and (exact or mixed[at]):
            detail = (kinds[at] if exact else kinds[at][allowed[at]]).tobytes()
        found.append((*width, *row, detail) if row[0] else None)
    return found


def runs_of_tiles(
    mask: Mask, axis: str, whole: Interval, tile: int, partners: Interval, asked: bool
) -> list[TileRun]:
    """Runs of tiles of several lines with allowed pairs; their signatures hold the whole pattern.

    ``asked`` says whether it matters which of the partners have begun or are finished.
    """
    few = _few_tiles(mask, axis, whole, tile, partners, asked) if isinstance(mask, BandMask) else None
    if few is not None:
        return few
    full = (whole[1] - whole[0]) // tile
    marks = [whole[0], *mask.breaks(axis, whole, partners).tolist(), whole[1]]
    found: list[TileRun] = []
    done = 0
    for start, stop in itertools.pairwise(marks):
        low, high = -((whole[0] - start) // tile), min((stop - whole[0]) // tile, full)
        if high > low:
            found += [TileRun(index, 1, None) for index in range(done, low)]
            found.append(TileRun(low, high - low, None))
            done = high
    found += [TileRun(index, 1, None) for index in range(done, tile_count(*whole, tile))]
    signed: list[TileRun] = []
    for run in found:
        lines = tile_at(*whole, tile, run.first)
        if mask.box(axis, lines, partners):
            _add(signed, run._replace(signature=_pattern(mask, axis, lines, partners, asked)))
    return signed


def _add(found: list[TileRun], run: TileRun) -> None:
    """Add a run of tiles, to the last one if it goes on with that."""
    if found and found[-1].signature == run.signature and found[-1].first + found[-1].times == run.first:
        found[-1] = found[-1]._replace(times=found[-1].times + run.times)
    else:
        found.append(run)


def _few_tiles(
    mask: BandMask, axis: str, whole: Interval, tile: int, partners: Interval, asked: bool
) -> list[TileRun] | None:
    """Return the runs of a band's tiles, if few tiles have pairs with the partners and every line has some pair."""
    other, (start, stop) = OTHER_AXIS[axis], partners
    begins, ends = mask.ends(axis)
    low, high = max(ends.upto(start), whole[0]), min(begins.below(stop), whole[1])
    first, behind = (low - whole[0]) // tile, -((whole[0] - high) // tile) if low < high else 0
    if behind - first > _FEW_TILES or not (mask.all_present(axis) and mask.all_present(other)):
        return None
    found: list[TileRun] = []
    for index in range(first, behind):
        _add(found, TileRun(index, 1, _pattern(mask, axis, tile_at(*whole, tile, index), partners, asked)))
    return found


def _pattern(mask: Mask, axis: str, lines: Interval, partners: Interval, asked: bool) -> Hashable:
    other = OTHER_AXIS[axis]
    if isinstance(mask, BandMask) and mask.all_present(axis) and mask.all_present(other):
        told = mask.outline(other, partners, lines) if asked else None
        return lines[1] - lines[0], mask.outline(axis, lines, partners), partners[1] - partners[0], told
    flags: Hashable = partners[1] - partners[0]
    if asked:
        flags = _flags(mask, other, partners, lines).tobytes()
    elif mask.present(other, *partners) < partners[1] - partners[0]:
        flags = (mask.last(other, partners) >= 0).tobytes()
    return (
        mask.pattern(axis, lines, partners),
        _flags(mask, axis, lines, partners).tobytes(),
        flags,
    )


def _flags(mask: Mask, axis: str, lines: Interval, partners: Interval) -> NDArray[np.uint8]:
    """Which lines have pairs before the partners, and after them; with none inside besides they have none at all."""
    first = mask.first(axis, lines)
    last = mask.last(axis, lines)
    flags = (first < partners[0]) + 2 * (last >= partners[1])
    return np.asarray(flags, dtype=np.uint8)


def runs_of_lines(mask: Mask, axis: str, whole: Interval, tile: int) -> list[TileRun]:
    """Runs of tiles for a body that has nothing to do with pairs: only whether a line has any matters."""
    count = tile_count(*whole, tile)
    full = (whole[1] - whole[0]) // tile
    if mask.present(axis, *whole) == whole[1] - whole[0]:
        parts = [TileRun(0, full, True), TileRun(full, 1, True)]
        return [part for part in parts if part.times and part.first < count]
    present = mask.last(axis, whole) >= 0
    return [
        TileRun(index, 1, part.tobytes())
        for index, part in ((i, present[i * tile : (i + 1) * tile]) for i in range(count))
        if part.any()
    ]
