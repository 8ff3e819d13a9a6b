"""Greedy orders with weights: compute next the cone that needs few loads and uses up much of fast memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.cones import Cones, Join

_REACH = 64
"""Users of one value that are looked at; keeps the cost down where one value has very many."""
_FEW = 8
"""Uses left of a value up to which a use changes the price of its other users enough to be noticed."""
_FAR = 16
"""Users that are looked at for an eviction."""


@dataclass(frozen=True)
class Weights:
    """What makes a cone cheap: its price is its loads, less what it uses of fast memory, plus a price of its level.

    Parameters
    ----------
    join : {"single-use", "first-level", "none"}
        What counts as one step, see :class:`~pebble.solvers.heuristic.cones.Cones`.
    reuse : float
        Worth of the last use of a value that is in fast memory.
    sharpness : float
        With u uses left, a use is worth ``reuse / u**sharpness``.
    level : float
        Price of each level above the inputs; negative to prefer what is far from the inputs.
    oldest : int
        How many of the least recently used values to choose from: the one whose users lack most is evicted.
    recent : float
        How much cheaper a cone is for each step that it becomes ready, or changes its price, later.
    given : bool
        Of equally cheap cones the first in the DAG's own order, instead of the depth-first order.
    """

    join: Join = "single-use"
    reuse: float = 1.2
    sharpness: float = 1.6
    level: float = 0.0
    oldest: int = 4
    recent: float = 0.0
    given: bool = False


WEIGHTS = (
    Weights(),
    Weights("single-use", 1.0, 1.0, 0.5, 1),
    Weights("none", 2.9, 0.4, -0.1, 32, 0.001),
    Weights("first-level", 0.4, 2.9, 0.0, 12, given=True),
    Weights("none", 6.0, 1.5, 0.03),
    Weights("single-use", 5.0, 0.6, 0.15, 1),
    Weights("first-level", 3.0, 1.0, 0.85, 1),
    Weights("single-use", 0.4, 2.0, 0.0, 1, 0.001),
    Weights("none", 7.0, 2.1, 1.5, 32),
    Weights("first-level", 0.8, 2.4, 0.0, 12, 0.001),
    Weights("none", 1.3, 3.0, 1.0, 1),
    Weights("none", 3.0, 2.4, -0.1, 12, 0.01),
)
"""Weights that were good for some kind of graph, the most useful first."""

_JOINS: tuple[Join, ...] = ("single-use", "first-level", "none")


def random_weights(rng: np.random.Generator) -> Weights:
    """Draw weights from the range in which good ones were found."""
    return Weights(
        _JOINS[int(rng.integers(3))],
        float(2 ** rng.uniform(-1.5, 3)),
        float(rng.uniform(0, 3)),
        float(rng.choice([-1, 0, 1]) * 10 ** rng.uniform(-2, 0.5)),
        int(rng.choice([1, 4, 12, 32])),
        float(rng.choice([0, 0, 0.001, 0.01])),
        bool(rng.random() < 0.3),
    )


def changed_weights(weights: Weights, rng: np.random.Generator) -> Weights:
    """Draw weights that differ a little from those given."""
    fresh = random_weights(rng)
    return Weights(
        weights.join,
        weights.reuse * float(2 ** rng.normal(0, 0.5)),
        abs(weights.sharpness + float(rng.normal(0, 0.4))),
        weights.level * float(2 ** rng.normal(0, 0.5)) + float(rng.normal(0, 0.02)),
        fresh.oldest if rng.random() < 0.3 else weights.oldest,
        fresh.recent if rng.random() < 0.3 else weights.recent,
        fresh.given if rng.random() < 0.2 else weights.given,
    )


def greedy(
    cones: Cones,
    M: int,
    weights: Weights,
    level: Sequence[int],
    rank: Sequence[int],
    progress: Callable[[float, int], object] | None = None,
) -> NDArray[np.int64]:
    """Order by the prices of :class:`Weights`, in a fast memory that is imitated.

    Parameters
    ----------
    cones : Cones
        Made with ``weights.join``.
    M : int
        Words of fast memory.
    weights : Weights
    level, rank : sequence of int, length V
        The level of each vertex; its place among the equally cheap.
    progress : callable, optional
        Called now and then with the part that is done and the number of steps since the last call.

    Notes
    -----
    A ready cone is priced again when a value that it takes enters fast memory, or is used and has few uses left (for
    at most 64 users of that value); and when its turn comes, if it has become dearer since. Costs O(E log V) where
    values have few users.
    """
    search = _Greedy(cones, M, weights, level, rank)
    search.run(progress)
    return np.array(search.order, dtype=np.int64)


class _Greedy:
    def __init__(
        self, cones: Cones, M: int, weights: Weights, level: Sequence[int], rank: Sequence[int]
    ) -> None:
        self.cones, self.M, self.weights = cones, M, weights
        roots = [members[-1] for members in cones.members]
        self.base = [weights.level * level[v] for v in roots]
        self.rank = [rank[v] for v in roots]
        self.left = [len(row) for row in cones.users]
        self.waiting = [sum(cones.of[p] >= 0 for p in leaves) for leaves in cones.leaves]
        most = max(self.left, default=0)
        self.worth = [0.0] + [weights.reuse / uses**weights.sharpness for uses in range(1, most + 1)]
        self.red: dict[int, None] = {}
        self.done, self.version = bytearray(len(cones)), [0] * len(cones)
        self.price = [0.0] * len(cones)
        self.effort = [3 + len(leaves) // 8 for leaves in cones.leaves]
        self.heap: list[tuple[float, int, int, int]] = []
        self.order: list[int] = []
        self.work = 0
        self.step = 0

    def run(self, progress: Callable[[float, int], object] | None) -> None:
        for cone, lacks in enumerate(self.waiting):
            if not lacks:
                self._price(cone)
        while self.heap:
            _, _, cone, version = heappop(self.heap)
            if self.done[cone] or version != self.version[cone] or self._has_become_dearer(cone):
                continue
            self._compute(cone)
            if progress is not None and not self.step % 256:
                progress(self.step / len(self.cones), self.work)
                self.work = 0
        if progress is not None:
            progress(1.0, self.work)

    def _compute(self, cone: int) -> None:
        """Compute a cone, and price the ready cones anew that this makes cheaper."""
        self.done[cone] = 1
        self.step += 1
        self.order += self.cones.members[cone]
        red, left, users, waiting, done = self.red, self.left, self.cones.users, self.waiting, self.done
        touched: list[int] = []
        for p in self.cones.leaves[cone]:
            left[p] -= 1
            missed = red.pop(p, self) is self
            if left[p]:
                red[p] = None
                if missed or left[p] <= _FEW:
                    touched.append(p)
        root = self.order[-1]
        if left[root]:
            red[root] = None
            touched.append(root)
        while len(red) >= self.M:
            self._evict()
        changed: dict[int, None] = {}
        for user in users[root]:
            waiting[user] -= 1
            if not waiting[user]:
                changed[user] = None
        for p in touched:
            row = users[p]
            for user in row if len(row) <= _REACH else row[:_REACH]:
                if not waiting[user] and not done[user]:
                    changed[user] = None
        for user in changed:
            self._price(user)

    def _evict(self) -> None:
        red, waiting, done, left = self.red, self.waiting, self.done, self.left
        victim, best = next(iter(red)), (-1, -1)
        if self.weights.oldest > 1:
            for x in islice(red, self.weights.oldest):
                lacks = min((waiting[w] for w in self.cones.users[x][:_FAR] if not done[w]), default=_FAR)
                if (lacks, left[x]) > best:
                    victim, best = x, (lacks, left[x])
        del red[victim]

    def _has_become_dearer(self, cone: int) -> bool:
        """Tell whether values that a cone takes have left fast memory since it was priced; price it anew then."""
        price = self._price_now(cone)
        if price <= self.price[cone]:
            return False
        self._push(cone, price)
        return True

    def _price(self, cone: int) -> None:
        self._push(cone, self._price_now(cone))

    def _price_now(self, cone: int) -> float:
        price = self.base[cone]
        red, left, worth = self.red, self.left, self.worth
        for p in self.cones.leaves[cone]:
            if p in red:
                price -= worth[left[p]]
            elif left[p] > 1:
                price += 1
        self.work += self.effort[cone]
        return price

    def _push(self, cone: int, price: float) -> None:
        self.price[cone] = price
        self.version[cone] += 1
        key = price - self.weights.recent * self.step
        heappush(self.heap, (key, self.rank[cone], cone, self.version[cone]))
