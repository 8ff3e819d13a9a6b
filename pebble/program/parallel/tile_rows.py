"""Rows on devices: which tiles are where, and of every partial sum the set of terms that it has absorbed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pebble.common.errors import Violation

if TYPE_CHECKING:
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
        fresh = absent[_first_of_each(self._keys(where)[absent])]
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

    def absorb(self, where: Where, bits: Bits, final: bool = False) -> Numbers:
        """Add terms to rows, which begin where there are none; return the indices of the new rows.

        Raises
        ------
        Violation
            If a term is in a row already, or the row is finished.
        """
        fresh = self.begin(where)
        slot = self.place[where]
        self._refuse(self._finished[slot], "sum-finished", "adds to a finished row", where)
        for chosen in _without_repeats(slot):
            before = self._bits[slot[chosen]]
            twice: Flags = np.any(before & bits[chosen], axis=1)
            some = where[0][chosen], where[1][chosen], where[2][chosen]
            self._refuse(twice, "term-counted-twice", "adds a term that is in the sum already", some)
            self._bits[slot[chosen]] = before | bits[chosen]
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
        if final or not adding:
            there = (self.place[where] >= 0) | _repeated(self._keys(where))
            self._refuse(there, "already-held", "receives what it has", where)
        return self.absorb(where, bits, final)

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

    def _keys(self, where: Where) -> Numbers:
        return np.ravel_multi_index(where, self.place.shape)

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


def members(numbers: Numbers, size: int) -> Bits:
    """Return the set of each row's numbers, which are below a size, a row of bits each."""
    flags = np.zeros((len(numbers), size), bool)
    flags[np.arange(len(numbers))[:, None], numbers] = True
    return packed(flags)


def _repeats(numbers: Numbers) -> bool:
    """Tell whether a number occurs twice; quick where they ascend."""
    if bool((numbers[1:] > numbers[:-1]).all()):
        return False
    ordered = np.sort(numbers)
    return bool((ordered[1:] == ordered[:-1]).any())


def _first_of_each(keys: Numbers) -> Numbers:
    """Return the index of the first of each number, in ascending order of the indices."""
    if not _repeats(keys):
        return np.arange(len(keys))
    return np.sort(np.unique(keys, return_index=True)[1])


def _repeated(keys: Numbers) -> Flags:
    """Tell which numbers have been there before."""
    found = np.ones(len(keys), bool)
    found[_first_of_each(keys)] = False
    return found


def _without_repeats(slot: Numbers) -> list[Numbers]:
    """Return indices in groups; no number occurs twice in a group."""
    groups: list[Numbers] = []
    left = np.arange(len(slot))
    while len(left):
        first = _first_of_each(slot[left])
        groups.append(left[first])
        left = np.delete(left, first)
    return groups
