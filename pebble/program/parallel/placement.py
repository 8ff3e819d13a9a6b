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
    here : ndarray of bool, (P, columns)
        Whether the device that it starts from works on it, or passes it on: whether it must be there.
    """

    first: Numbers
    last: Numbers
    here: Flags


def keys_needed(problem: SharedProblem, query: Numbers, key: Numbers) -> Flags:
    """Tell for each row of tiles of queries and each row of tiles of keys which keys any of the queries attends to.

    Of tiles in order a query attends to the tiles of keys up to its own; of striped tiles of several tokens, to all.
    """
    if not problem.causal:
        return np.ones(key.shape, bool)
    seen: Flags = key <= query.max(axis=1, keepdims=True)
    return seen | _long(problem, query).any(axis=1, keepdims=True)


def queries_needed(problem: SharedProblem, query: Numbers, key: Numbers) -> Flags:
    """Tell for each row of tiles of queries and each row of tiles of keys which queries attend to any of the keys."""
    if not problem.causal:
        return np.ones(query.shape, bool)
    seen: Flags = query >= key.min(axis=1, keepdims=True)
    return seen | _long(problem, query)


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
    if pass_on == "all":
        return Hops(np.full_like(first, 1), np.full_like(last, length - 1), np.ones(cargo.shape, bool))
    after = np.argsort(placement.before)
    visitor = np.arange(len(after))
    at_home = np.zeros(cargo.shape, bool)
    for hop in range(length):
        staying = placement.staying[visitor]
        if placement.travels == "key":
            needed = keys_needed(problem, staying, cargo)
        else:
            needed = queries_needed(problem, cargo, staying)
        if hop == 0:
            at_home = needed
        else:
            first = np.where(needed & (first == length), hop, first)
            last = np.where(needed, hop, last)
        visitor = after[visitor]
    return Hops(first, last, at_home | (last > 0))


def works_on(problem: SharedProblem, placement: Placement) -> tuple[Flags, Flags]:
    """Tell which of its ``query`` and ``key`` tiles each device, or its whole ring if they travel, ever works on."""
    query, key = placement.query, placement.key
    least, greatest = key.min(axis=1), np.stack([query.min(axis=1), query.max(axis=1)])
    if placement.before is not None:
        if placement.travels == "key":
            least = _over_ring(least, placement.before, placement.length, np.minimum)
        else:
            lowest = _over_ring(greatest[0], placement.before, placement.length, np.minimum)
            highest = _over_ring(greatest[1], placement.before, placement.length, np.maximum)
            greatest = np.stack([lowest, highest])
    return queries_needed(problem, query, least[:, None]), keys_needed(problem, greatest.T, key)


def workers(problem: SharedProblem, placement: Placement, works: Flags) -> Numbers:
    """Return how many devices work on each tile of queries and block of heads, where queries do not travel."""
    count = np.zeros((problem.tiling.tiles, placement.blocks), np.int64)
    block = np.broadcast_to(placement.block[:, None], works.shape)
    np.add.at(count, (placement.query[works], block[works]), 1)
    return count


def _over_ring(values: Numbers, before: Numbers, length: int, best: np.ufunc) -> Numbers:
    """Return for each device the least (or greatest) value in its ring."""
    found, origin = values.copy(), before
    for _ in range(length - 1):
        found = best(found, values[origin])
        origin = before[origin]
    return found


def _long(problem: SharedProblem, query: Numbers) -> Flags:
    """Tell which tiles of queries see a key of every tile: those of more than one token, if tiles are striped."""
    if problem.layout != "striped":
        return np.zeros(query.shape, bool)
    long: Flags = problem.tiling.sizes[query] > 1
    return long
