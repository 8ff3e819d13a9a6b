"""Which device works on which tiles, and how tiles come to it: from their owners, or round a ring."""

from __future__ import annotations

from dataclasses import dataclass
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
    query, key : ndarray of int, (P, a) and (P, b)
        Without a ring, each device works on its ``query`` times its ``key`` tiles, fetched from their owners. With
        one, the tiles of one side stay, and those of the other go round: a device works on what it has, and on what
        every other device of its ring began with.
    block : ndarray of int, (P,)
        The block of heads of each device.
    blocks : int
        How many there are.
    before : ndarray of int, (P,), optional
        The ring: from which device each receives.
    travels : {"key", "query"}
        Which side goes round.
    """

    query: Numbers
    key: Numbers
    block: Numbers
    blocks: int = 1
    before: Numbers | None = None
    travels: str = "key"

    @property
    def cargo(self) -> Numbers:
        """The tiles that go round."""
        return self.key if self.travels == "key" else self.query

    @property
    def staying(self) -> Numbers:
        """The tiles that stay where a ring goes round."""
        return self.query if self.travels == "key" else self.key

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


def _seen(meets: Flags, tiles: Numbers) -> Flags:
    """Tell for each row of tiles which tiles of the other side any of them meets; rows that are alike are once done."""
    rows: dict[bytes, int] = {}
    place = [rows.setdefault(row.tobytes(), len(rows)) for row in tiles]
    different = np.stack([np.frombuffer(row, dtype=tiles.dtype) for row in rows])
    found = meets[different[:, 0]]
    for column in different.T[1:]:
        found |= meets[column]
    return found if len(rows) == len(tiles) else found[place]


def staying_sees(problem: SharedProblem, placement: Placement) -> Flags:
    """Tell for each device of a ring which of all tiles that may come round it works on."""
    return _seen(problem.meets if placement.travels == "key" else problem.met, placement.staying)


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
    seen = staying_sees(problem, placement)
    for hop in range(length):
        needed = seen[visitor[:, None], cargo]
        if hop == 0:
            home = needed
        else:
            first = np.where(needed & (first == length), hop, first)
            last = np.where(needed, hop, last)
        visitor = after[visitor]
    return Hops(first, last, home)


def works_on(problem: SharedProblem, placement: Placement) -> tuple[Flags, Flags]:
    """Tell which of its ``query`` and ``key`` tiles each device, or its whole ring if they travel, ever works on."""
    sees_queries = _seen(problem.met, placement.key)
    sees_keys = _seen(problem.meets, placement.query)
    if placement.before is not None:
        _over_rings(sees_queries if placement.travels == "key" else sees_keys, placement)
    query, key = placement.query, placement.key
    return np.take_along_axis(sees_queries, query, axis=1), np.take_along_axis(sees_keys, key, axis=1)


def workers(problem: SharedProblem, placement: Placement, works: Flags) -> Numbers:
    """Return how many devices work on each tile of queries and block of heads, where queries do not travel."""
    count = np.zeros((problem.query_tiling.tiles, placement.blocks), np.int64)
    block = np.broadcast_to(placement.block[:, None], works.shape)
    np.add.at(count, (placement.query[works], block[works]), 1)
    return count


def _over_rings(flags: Flags, placement: Placement) -> None:
    """Give each device what any device of its ring has."""
    assert placement.before is not None
    ring = device = np.arange(len(flags))
    for _ in range(placement.length - 1):
        device = placement.before[device]
        ring = np.minimum(ring, device)
    for first in np.unique(ring):
        flags[ring == first] = flags[ring == first].any(axis=0)
