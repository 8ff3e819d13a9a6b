"""Rows on devices: which tiles are where, and of every partial sum the set of terms that it has absorbed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pebble.common.errors import Violation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pebble.computations.shared_problem import Arrays

    Bits: TypeAlias = NDArray[np.uint64]
    Flags: TypeAlias = NDArray[np.bool_]
    Numbers: TypeAlias = NDArray[np.integer[Any]]
    Where: TypeAlias = tuple[Numbers, Numbers, Numbers]


class TileRows:
    """The rows of some arrays (Q; K and V; U and l; …) on all devices.

    Where rows are, is said by three columns: device, tile and block of heads.

    Parameters
    ----------
    arrays : Arrays
    shape : tuple of int
        Devices, tiles and blocks of heads.
    required : ndarray of uint64, (tiles, blocks, words)
        The terms of a complete row, a bit each; no words for inputs.
    """

    def __init__(self, arrays: Arrays, shape: tuple[int, int, int], required: Bits) -> None:
        self.arrays = arrays
        self.required = required
        self.place = np.full(shape, -1, np.int32)
        self._bits = np.zeros((0, required.shape[2]), np.uint64)
        self._finished = np.zeros(0, bool)
        self._free = np.zeros(0, np.int32)

    def begin(self, where: Where) -> Numbers:
        """Begin rows, without a term, where there are none; return the indices of the new rows."""
        absent = np.flatnonzero(self.place[where] < 0)
        at, order = tuple(one[absent] for one in where), np.arange(len(absent))
        self.place[at] = order  # of entries that name one row, one stays
        fresh: Numbers = absent[self.place[at] == order]
        missing = len(fresh) - len(self._free)
        if missing > 0:
            first = len(self._finished)
            room = max(missing, first)
            self._bits = np.concatenate([self._bits, np.zeros((room, self._bits.shape[1]), np.uint64)])
            self._finished = np.concatenate([self._finished, np.zeros(room, bool)])
            self._free = np.concatenate([self._free, np.arange(first, first + room, dtype=np.int32)])
        count = len(self._free) - len(fresh)
        slot, self._free = self._free[count:], self._free[:count]
        self._bits[slot] = 0
        self._finished[slot] = False
        device, tile, block = where
        self.place[device[fresh], tile[fresh], block[fresh]] = slot
        return fresh

    def absorb(self, where: Where, bits: Bits, final: bool = False, word: Numbers | None = None) -> Numbers:
        """Add terms to rows, which begin where there are none; return the indices of the new rows.

        With ``word``, ``bits`` has of each row the one word with this number; in the others there is nothing to add.

        Raises
        ------
        Violation
            If a term is in a row already, or the row is finished.
        """
        fresh = self.begin(where)
        slot = self.place[where]
        self._refuse(self._finished[slot], "sum-finished", "adds to a finished row", where)
        for chosen in _without_repeats(slot):
            at = slot[chosen] if word is None else (slot[chosen, None], word[chosen])
            before = self._bits[at]
            twice: Flags = np.any(before & bits[chosen], axis=1)
            some = where[0][chosen], where[1][chosen], where[2][chosen]
            self._refuse(twice, "term-counted-twice", "adds a term that is in the sum already", some)
            self._bits[at] = before | bits[chosen]
        self._finished[slot] = final
        return fresh

    def taken(self, where: Where, final: bool) -> Bits:
        """Return a copy of the terms of rows that are to be sent.

        Raises
        ------
        Violation
            If a device has no such row, or it is finished where a partial sum is asked for, or the other way round.
        """
        slot = self.place[where]
        self._refuse(slot < 0, "receive-needs-held", "is asked for what it does not hold", where)
        wrong = self._finished[slot] != final
        self._refuse(wrong, "receive-needs-held", "is asked for a sum in another form", where)
        return self._bits[slot]

    def receive(self, where: Where, bits: Bits, final: bool, adding: bool) -> Numbers:
        """Take in rows that were sent, adding to what is there or not; return the indices of the new rows."""
        if adding and not final:
            return self.absorb(where, bits, final)
        self._refuse(self.place[where] >= 0, "already-held", "receives what it has", where)
        fresh = self.begin(where)
        twice = np.ones(len(where[0]), bool)
        twice[fresh] = False
        self._refuse(twice, "already-held", "receives what it has", where)
        self.absorb(where, bits, final)
        return fresh

    def finish(self, where: Where) -> None:
        """Turn complete sums into their final form.

        Raises
        ------
        Violation
            If one is not there, not complete, or finished already.
        """
        slot = self.place[where]
        self._refuse(slot < 0, "finish-needs-sum", "finishes a row that it does not have", where)
        self._refuse(self._lacks(where), "term-left-out", "finishes an incomplete row", where)
        self._refuse(self._finished[slot] | _repeated(slot), "sum-finished", "finishes a row twice", where)
        self._finished[slot] = True

    def discard(self, where: Where, final: bool) -> None:
        """Take rows away.

        Raises
        ------
        Violation
            If one is not there, or not in this form.
        """
        slot = self.place[where]
        self._refuse(slot < 0, "discard-needs-held", "discards what it does not hold", where)
        wrong = _repeated(slot) | (self._finished[slot] != final)
        self._refuse(wrong, "discard-needs-held", "discards twice, or in another form", where)
        self.place[where] = -1
        self._free = np.concatenate([self._free, slot])

    def among(self, where: Where, others: Iterable[Where]) -> Flags:
        """Tell which rows are among others."""
        marked = np.zeros(len(self._finished) + 1, bool)
        for other in others:
            marked[self.place[other]] = True
        marked[-1] = False
        found: Flags = marked[self.place[where]]
        return found

    def check_outputs(self, owner: Numbers) -> None:
        """Check that every owner has its rows complete; those without a term need not be there.

        Raises
        ------
        Violation
            If a row is missing, or lacks a term.
        """
        name = " and ".join(self.arrays.names)
        for block in range(self.place.shape[2]):
            tile = np.flatnonzero(self.required[:, block].any(axis=1))
            where = owner[tile], tile, np.full_like(tile, block)
            self._refuse(self.place[where] < 0, "output-missing", f"does not have its {name}", where)
            self._refuse(self._lacks(where), "term-left-out", f"has an incomplete {name}", where)

    def _lacks(self, where: Where) -> Flags:
        """Tell which rows lack a term."""
        lacks: Flags = np.any(self._bits[self.place[where]] != self.required[where[1], where[2]], axis=1)
        return lacks

    def _refuse(self, wrong: Flags, rule: str, what: str, where: Where) -> None:
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            name = ", ".join(self.arrays.names)
            raise Violation(f"device {where[0][first]} {what}: {name} of tile {where[1][first]}", rule)


def packed(flags: Flags) -> Bits:
    """Return rows of truth values as rows of bits.

    >>> packed(np.array([[True, False, True]]))
    array([[5]], dtype=uint64)
    """
    rows, size = flags.shape
    full = np.zeros((rows, -(-size // 64) * 64), bool)
    full[:, :size] = flags
    return np.packbits(full, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def terms_met(terms: Bits, tile: Numbers, other: Numbers) -> tuple[Bits, Numbers | None]:
    """Return of each row's tiles the terms with the row's other tiles, and, if that is one, which word they are in."""
    if other.shape[1] == 1:
        word = other >> 6
        bit = np.uint64(1) << (other & 63).astype(np.uint64)
        return (terms[tile, word] & bit)[:, :, None], word
    flags = np.zeros((len(other), terms.shape[1] * 64), bool)
    flags[np.arange(len(other))[:, None], other] = True
    return packed(flags)[:, None, :] & terms[tile], None


def _repeated(slot: Numbers) -> Flags:
    """Tell of each place that is named more than once all entries but one."""
    order = np.arange(len(slot))
    kept = np.empty(int(slot.max(initial=0)) + 1, np.int64)
    kept[slot] = order
    found: Flags = kept[slot] != order
    return found


def _without_repeats(slot: Numbers) -> list[Numbers]:
    """Return indices in groups; no number occurs twice in a group."""
    if not _repeated(slot).any():
        return [np.arange(len(slot))]
    order = np.argsort(slot, kind="stable")
    ordered, position = slot[order], np.arange(len(slot))
    fresh = np.append(True, ordered[1:] != ordered[:-1])
    before = np.empty(len(slot), np.int64)
    before[order] = position - np.maximum.accumulate(np.where(fresh, position, 0))
    return np.split(np.argsort(before, kind="stable"), np.cumsum(np.bincount(before))[:-1])
