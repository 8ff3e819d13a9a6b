"""Which device works on which tiles, and how tiles come to it: from their owners, or round a ring."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.shared_problem import SharedProblem

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Placement:
    """Tiles of queries and keys that meet on each device.

    Parameters
    ----------
    query, key : ndarray of int, (sets, a) and (sets, b)
        Sets of tiles, each in a row. Without a ring, each device works on its ``query`` times its ``key`` tiles,
        fetched from their owners. With one, the tiles of one side stay, and those of the other go round: a device works
        on what it has, and on what every other device of its ring began with.
    block : ndarray of int, (P,)
        The block of heads of each device.
    blocks : int
        How many there are.
    before : ndarray of int, (P,), optional
        The ring: from which device each receives.
    travels : {"key", "query"}
        Which side goes round.
    query_set, key_set : ndarray of int, (P,), optional
        Which set each device has; by default there is one for each device.
    """

    query: Numbers
    key: Numbers
    block: Numbers
    blocks: int = 1
    before: Numbers | None = None
    travels: str = "key"
    query_set: Numbers | None = None
    key_set: Numbers | None = None

    def sets(self, side: str) -> tuple[Numbers, Numbers]:
        """Return the sets of tiles of a side, and which of them each device has."""
        tiles, chosen = (self.query, self.query_set) if side == "query" else (self.key, self.key_set)
        return tiles, np.arange(len(tiles)) if chosen is None else chosen

    def tiles(self, side: str) -> Numbers:
        """Return the tiles of a side, a row for each device."""
        tiles, chosen = self.sets(side)
        return tiles[chosen]

    @cached_property
    def cargo(self) -> Numbers:
        """The tiles that go round, a row for each device."""
        return self.tiles(self.travels)

    @property
    def length(self) -> int:
        """Of how many devices the ring is; 1 without a ring."""
        if self.before is None:
            return 1
        device, length = int(self.before[0]), 1
        while device != 0:
            device, length = int(self.before[device]), length + 1
        return length


@dataclass(frozen=True, eq=False)
class Hops:
    """How far tiles go round, by the device that they start from and their column in its cargo.

    Attributes
    ----------
    first, last : ndarray of int, (P, columns)
        The first hop (from 1 on) after which a device works on the tile, and the last to which it is passed on;
        ``last`` is 0 for a tile that stays at home, and ``first`` is then beyond every hop.
    home : ndarray of bool, (P, columns)
        Whether the device that it starts from works on it.
    """

    first: Numbers
    last: Numbers
    home: Flags

    @property
    def here(self) -> Flags:
        """Whether the device that it starts from works on it, or passes it on: whether it must be there."""
        return self.home | (self.last > 0)


@dataclass(frozen=True, eq=False)
class Meeting:
    """Which tiles of a side devices work on, of all that there are: a row for all devices that work on the same.

    Attributes
    ----------
    flags : ndarray of bool, (rows, tiles)
    of_device : ndarray of int, (P,)
    """

    flags: Flags
    of_device: Numbers

    def at(self, devices: Numbers, tiles: Numbers) -> Flags:
        """Return for each of some devices whether it works on each tile of its row, or of one row for all."""
        if len(tiles) == 1:
            return self.flags[:, tiles[0]][self.of_device[devices]]
        return self.flags[self.of_device[devices][:, None], tiles]


def _meeting(problem: SharedProblem, placement: Placement, of: str) -> Meeting:
    """Return which tiles of a side meet any of those that a device has of the other side."""
    meets = problem.met if of == "query" else problem.meets
    sets, chosen = placement.sets("key" if of == "query" else "query")
    found = meets[sets[:, 0]]
    for column in sets.T[1:]:
        found |= meets[column]
    return Meeting(found, chosen)


def hops(problem: SharedProblem, placement: Placement, pass_on: str) -> Hops:
    """Return how far every tile of a ring goes.

    Parameters
    ----------
    problem : SharedProblem
    placement : Placement
        With a ring.
    pass_on : {"needed", "all"}
        Whether a tile stops where nobody further on works on it, or goes all the way round.
    """
    assert placement.before is not None
    length, cargo = placement.length, placement.cargo
    last = np.zeros(cargo.shape, np.int64)
    first = np.full(cargo.shape, length, np.int64)
    if pass_on == "all" and length > 1:
        return Hops(np.full_like(first, 1), np.full_like(last, length - 1), np.ones(cargo.shape, bool))
    after = np.argsort(placement.before)
    visitor = np.arange(len(after))
    home = np.zeros(cargo.shape, bool)
    sees = staying_sees(problem, placement)
    for hop in range(length):
        needed = sees.flags[sees.of_device[visitor][:, None], cargo]
        if hop == 0:
            home = needed
        else:
            last[needed] = hop
            first[needed & (first > hop)] = hop
        visitor = after[visitor]
    return Hops(first, last, home)


def staying_sees(problem: SharedProblem, placement: Placement) -> Meeting:
    """Return which of all tiles that may come round a ring each device works on."""
    return _meeting(problem, placement, placement.travels)


def meetings(problem: SharedProblem, placement: Placement) -> tuple[Meeting, Meeting]:
    """Return which queries and keys each device would work on; of the side that stays, its whole ring."""
    queries, keys = (_meeting(problem, placement, side) for side in ("query", "key"))
    if placement.before is None:
        return queries, keys
    if placement.travels == "key":
        return _over_rings(queries, placement), keys
    return queries, _over_rings(keys, placement)


def works_on(problem: SharedProblem, placement: Placement) -> tuple[Flags, Flags]:
    """Tell which of its ``query`` and ``key`` tiles each device, or its whole ring if they travel, ever works on."""
    queries, keys = meetings(problem, placement)
    devices = np.arange(problem.P)
    return queries.at(devices, placement.tiles("query")), keys.at(devices, placement.tiles("key"))


def workers(problem: SharedProblem, placement: Placement, works: Flags) -> Numbers:
    """Return how many devices work on each tile of queries and block of heads, where queries do not travel."""
    count = np.zeros((problem.query_tiling.tiles, placement.blocks), np.int64)
    block = np.broadcast_to(placement.block[:, None], works.shape)
    np.add.at(count, (placement.tiles("query")[works], block[works]), 1)
    return count


def _over_rings(meeting: Meeting, placement: Placement) -> Meeting:
    """Give each device what any device of its ring has."""
    assert placement.before is not None
    first = device = np.arange(len(meeting.of_device))
    for _ in range(placement.length - 1):
        device = placement.before[device]
        first = np.minimum(first, device)
    rings, ring = np.unique(first, return_inverse=True)
    rows = [np.unique(meeting.of_device[first == one]) for one in rings]
    return Meeting(np.stack([meeting.flags[row].any(axis=0) for row in rows]), ring)
