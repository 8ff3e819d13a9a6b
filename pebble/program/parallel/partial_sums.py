"""Partial sums on devices: of every row of tiles the set of terms that it has absorbed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import Violation
from pebble.program.parallel.bit_sets import popcount, repeats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.parallel.bit_sets import Bits
    from pebble.program.parallel.shared_problem import Arrays

    Numbers = NDArray[np.integer[Any]]

__all__ = ["PartialSums"]


class PartialSums:
    """The partial sums of one kind (U and l, say) of all devices.

    Parameters
    ----------
    arrays : Arrays
    shape : tuple of int
        Devices, tiles and blocks of heads.
    required : ndarray of uint64, (tiles, words)
        The terms of a complete row, a bit each; the same for every block.
    """

    def __init__(self, arrays: Arrays, shape: tuple[int, int, int], required: Bits) -> None:
        self.arrays = arrays
        self.required = required
        self.place = np.full(shape, -1, np.int32)
        self._bits = np.zeros((0, required.shape[1]), np.uint64)
        self._terms = np.zeros(0, np.int64)
        self._finished = np.zeros(0, bool)
        self._free = np.zeros(0, np.int32)

    def absorb(self, device: Numbers, tile: Numbers, block: Numbers, bits: Bits) -> Numbers:
        """Add terms to sums, which begin where there is none; return the indices of those that begin.

        Raises
        ------
        Violation
            If a term is in a sum already, or the sum is finished.
        """
        fresh = np.flatnonzero(self.place[device, tile, block] < 0)
        if len(fresh):
            fresh = fresh[_first_of_each(self._keys(device[fresh], tile[fresh], block[fresh]))]
            self._begin(device[fresh], tile[fresh], block[fresh])
        slot = self.place[device, tile, block]
        self._refuse(self._finished[slot], "sum-finished", "adds to a finished row", device, tile)
        if not repeats(slot):
            self._merge(slot, bits, popcount(bits), device, tile)
        else:
            for one in range(len(slot)):
                at = slice(one, one + 1)
                self._merge(slot[at], bits[at], popcount(bits[at]), device[at], tile[at])
        return fresh

    def taken(self, device: Numbers, tile: Numbers, block: Numbers, finished: bool) -> tuple[Bits, Numbers]:
        """Return copies of sums that are to be sent: their terms, and how many.

        Raises
        ------
        Violation
            If a device has no such sum, or it is finished where a partial one is asked for, or the other way round.
        """
        slot = self.place[device, tile, block]
        self._refuse(slot < 0, "receive-needs-held", "is asked for a sum that it does not have", device, tile)
        wrong = self._finished[slot] != finished
        self._refuse(wrong, "receive-needs-held", "is asked for a sum in another form", device, tile)
        return self._bits[slot], self._terms[slot]

    def receive(
        self, device: Numbers, tile: Numbers, block: Numbers, sent: tuple[Bits, Numbers], finished: bool
    ) -> Numbers:
        """Take in sums that were sent, adding to what there is; return the indices of those that are new here."""
        bits, terms = sent
        there = self.place[device, tile, block] >= 0
        self._refuse(there & finished, "already-held", "receives a finished row that it has", device, tile)
        absent = np.flatnonzero(~there)
        fresh = absent[_first_of_each(self._keys(device[absent], tile[absent], block[absent]))]
        self._begin(device[fresh], tile[fresh], block[fresh])
        slot = self.place[device, tile, block]
        unfinished = ~self._finished[slot]
        self._refuse(~unfinished, "sum-finished", "adds to a finished row", device, tile)
        for chosen in _without_repeats(slot):
            self._merge(slot[chosen], bits[chosen], terms[chosen], device[chosen], tile[chosen])
        if finished:
            self._finished[slot] = True
        return fresh

    def finish(self, device: Numbers, tile: Numbers, block: Numbers) -> None:
        """Turn complete sums into their final form.

        Raises
        ------
        Violation
            If one is not there or not complete.
        """
        slot = self.place[device, tile, block]
        self._refuse(slot < 0, "finish-needs-sum", "finishes a row that it does not have", device, tile)
        self._refuse(~self._complete(slot, tile), "term-left-out", "finishes an incomplete row", device, tile)
        again = self._finished[slot] | _repeated(slot)
        self._refuse(again, "sum-finished", "finishes a row twice", device, tile)
        self._finished[slot] = True

    def discard(self, device: Numbers, tile: Numbers, block: Numbers, finished: bool) -> None:
        """Take sums away.

        Raises
        ------
        Violation
            If one is not there, or not in this form.
        """
        slot = self.place[device, tile, block]
        wrong = (slot < 0) | _repeated(slot) | (self._finished[slot] != finished)
        self._refuse(wrong, "discard-needs-held", "discards a sum that it does not have", device, tile)
        self.place[device, tile, block] = -1
        self._free = np.concatenate([self._free, slot])

    def check_outputs(self, owner: Numbers) -> None:
        """Check that every owner has its rows complete.

        Raises
        ------
        Violation
            If a row is missing, lacks a term, or has one twice.
        """
        for block in range(self.place.shape[2]):
            tile = np.arange(len(owner))
            slot = self.place[owner, tile, block]
            name = " and ".join(self.arrays.names)
            self._refuse(slot < 0, "output-missing", f"does not have its {name}", owner, tile)
            lacks = (self._bits[slot] != self.required).any(axis=1)
            self._refuse(lacks, "term-left-out", f"has an incomplete {name}", owner, tile)
            self._refuse(~self._complete(slot, tile), "term-counted-twice", "has a term twice", owner, tile)

    def _begin(self, device: Numbers, tile: Numbers, block: Numbers) -> None:
        missing = len(device) - len(self._free)
        if missing > 0:
            room = max(missing, len(self._terms))
            first = len(self._terms)
            self._bits = np.concatenate([self._bits, np.zeros((room, self._bits.shape[1]), np.uint64)])
            self._terms = np.concatenate([self._terms, np.zeros(room, np.int64)])
            self._finished = np.concatenate([self._finished, np.zeros(room, bool)])
            self._free = np.concatenate([self._free, np.arange(first, first + room, dtype=np.int32)])
        count = len(self._free) - len(device)
        slot, self._free = self._free[count:], self._free[:count]
        self._bits[slot] = 0
        self._terms[slot] = 0
        self._finished[slot] = False
        self.place[device, tile, block] = slot

    def _merge(self, slot: Numbers, bits: Bits, terms: Numbers, device: Numbers, tile: Numbers) -> None:
        before = self._bits[slot]
        twice: NDArray[np.bool_] = np.any(before & bits, axis=1)
        self._refuse(twice, "term-counted-twice", "adds a term that is in the sum already", device, tile)
        self._bits[slot] = before | bits
        self._terms[slot] += terms

    def _complete(self, slot: Numbers, tile: Numbers) -> NDArray[np.bool_]:
        required = self.required[tile]
        whole: NDArray[np.bool_] = np.all(self._bits[slot] == required, axis=1)
        whole &= self._terms[slot] == popcount(required)
        return whole

    def _keys(self, device: Numbers, tile: Numbers, block: Numbers) -> Numbers:
        _, tiles, blocks = self.place.shape
        return (device * tiles + tile) * blocks + block

    def _refuse(self, wrong: NDArray[np.bool_], rule: str, what: str, device: Numbers, tile: Numbers) -> None:
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            name = ", ".join(self.arrays.names)
            raise Violation(f"device {device[first]} {what}: {name} of tile {tile[first]}", rule)


def _first_of_each(keys: Numbers) -> Numbers:
    """Return the index of the first of each number, in ascending order of the indices."""
    if not repeats(keys):
        return np.arange(len(keys))
    return np.sort(np.unique(keys, return_index=True)[1])


def _repeated(keys: Numbers) -> NDArray[np.bool_]:
    """Tell which numbers have been there before."""
    found = np.ones(len(keys), bool)
    found[_first_of_each(keys)] = False
    return found


def _without_repeats(slot: Numbers) -> list[Numbers]:
    """Return indices in groups; no number occurs twice in a group."""
    if not repeats(slot):
        return [np.arange(len(slot))]
    order = np.argsort(slot, kind="stable")
    ordered = slot[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    rank = np.arange(len(slot)) - np.repeat(starts, np.diff(np.append(starts, len(slot))))
    return [order[rank == number] for number in range(int(rank.max()) + 1)]
