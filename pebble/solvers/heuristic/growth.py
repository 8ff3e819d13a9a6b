"""Growing a block: cones that share values, taken in one at a time as long as the I/O per vertex falls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pebble.solvers.heuristic.cones import Cones
from pebble.solvers.heuristic.memory_state import MemoryState
from pebble.solvers.heuristic.orders_in_blocks import cone_by_cone, in_step, reuse_first

__all__ = ["Block", "Grower", "Style"]

_PRICED = 160
"""Cones that are priced in one step, ancestors included, once a few candidates have been."""
_FEW = 8
_ANCESTORS = 32
"""Cones that may come along with the one that is taken in, because it depends on them."""
_PATIENCE = 8
"""A block stops growing after this many steps without becoming cheaper per vertex."""
_SAMPLE = 8
_FAN = 64
"""Users of one value that are looked at."""
_TURN = 4
"""All inner orders are compared at every fourth step, only the favourite at the others."""
_SMALL = 200
_MAKERS = (in_step, reuse_first, cone_by_cone)


@dataclass(frozen=True)
class Style:
    """How a block grows.

    Parameters
    ----------
    spread : int
        What to do if several cones are equally cheap: 1 takes the one that makes most other cones cheaper,
        so that a block of dot products becomes a square; -1 the one that makes the fewest cheaper: a line.
    whole : bool
        Whether the next cone is the one that makes the whole block cheapest per vertex, or is cheapest itself.
    candidates : int
        How many cones are priced before one is taken in, those first that share most values with the block.
    jitter : float
        Relative random error of these prices.
    """

    spread: int = 1
    whole: bool = True
    candidates: int = 48
    jitter: float = 0.0


@dataclass(frozen=True)
class Block:
    """Cones with an order of their vertices, and the I/O per vertex that it is expected to cost."""

    ratio: float
    cones: list[int]
    order: list[int]


class Grower:
    """Grows one block from a seed.

    Parameters
    ----------
    memory : MemoryState
        What the blocks before it leave.
    cones : Cones
    done : bytearray
        Which cones have been computed.
    pending : list of int, length V
        How many cones still to be computed use each value.
    style : Style
    rng : numpy Generator
        Used only if the style has jitter.
    """

    def __init__(
        self,
        memory: MemoryState,
        cones: Cones,
        done: bytearray,
        pending: list[int],
        style: Style,
        rng: np.random.Generator,
    ) -> None:
        self.memory, self.cones, self.done, self.pending = memory, cones, done, pending
        self.style, self.rng = style, rng
        self.is_output = memory.graph.is_output
        self.inside: dict[int, None] = {}
        self.uses: dict[int, int] = {}
        self.affinity: dict[int, int] = {}
        self.boundary = 0
        self.size = 0
        self.work = 0
        self._favourite = 0
        self._turn = 0

    def grow(self, seed: int) -> Block | None:
        """Return the cheapest block that was met, None if the seed needs too many cones before it."""
        cone = self._with_ancestors(seed)
        if cone is None:
            return None
        self._take(cone)
        best, judged, worse = self._block(), self.size, 0
        while worse < _PATIENCE:
            cone = self._choose()
            if cone is not None:
                self._take(cone)
                if self.size < judged * 1.05:
                    continue
            elif self.size == judged:
                break
            block, judged = self._block(), self.size
            worse = 0 if block.ratio < best.ratio else worse + 1
            best = min(best, block, key=lambda block: block.ratio)
            if block.ratio > 2 * max(best.ratio, 0.0) or cone is None:
                break
        return best

    def _block(self) -> Block:
        """Order and price what has been taken in: by all inner orders now and then, else by the one that was best."""
        self._turn += 1
        everything = self.size < _SMALL or self._turn % _TURN == 0
        which = range(len(_MAKERS)) if everything else (self._favourite,)
        cones, found = list(self.inside), []
        self.work += 2 * self.size * len(which)
        for i in which:
            order = _MAKERS[i](self.memory.graph, self.cones, cones)
            found.append((self.memory.cost(order), i, order))
        cost, self._favourite, order = min(found, key=lambda priced: priced[:2])
        return Block(cost / self.size, cones, order)

    def _with_ancestors(self, cone: int) -> list[int] | None:
        """Return the cone and all that must come before it, in topological order; None if that is too much."""
        stack, found = [cone], {cone}
        while stack:
            for p in self.cones.leaves[stack.pop()]:
                before = self.cones.of[p]
                if (
                    before >= 0
                    and not self.done[before]
                    and before not in self.inside
                    and before not in found
                ):
                    if len(found) >= _ANCESTORS:
                        return None
                    found.add(before)
                    stack.append(before)
        return sorted(found)

    def _take(self, cones: list[int]) -> None:
        change, size = self._price(cones)
        self.boundary += change
        self.size += size
        for cone in cones:
            self.inside[cone] = None
            for p in self.cones.leaves[cone]:
                if p not in self.uses:
                    self._meet(p)
                self.uses[p] = self.uses.get(p, 0) + 1
            root = self.cones.root(cone)
            if root not in self.uses:
                self.uses[root] = 0
                self._meet(root)
        for cone in cones:
            self.affinity.pop(cone, None)

    def _meet(self, value: int) -> None:
        """Make candidates of the other users of a value that has come into the block."""
        for user in self.cones.users[value][:_FAN]:
            if not self.done[user] and user not in self.inside:
                self.affinity[user] = self.affinity.get(user, 0) + 1

    def _price(self, cones: list[int]) -> tuple[int, int]:
        """Return how many more values would cross the block's boundary with these cones, and their vertices."""
        change, size = 0, 0
        self.work += 8 * len(cones)
        more: dict[int, int] = {}
        for cone in cones:
            size += len(self.cones.members[cone])
            for p in self.cones.leaves[cone]:
                more[p] = more.get(p, 0) + 1
        red, uses, of, done = self.memory.red, self.uses, self.cones.of, self.done
        for p, n in more.items():
            maker = of[p]
            if maker < 0 or done[maker]:
                change += p not in uses and p not in red
            elif maker in self.inside and not self.is_output[p]:
                change -= self.pending[p] == uses[p] + n
        for cone in cones:
            root = self.cones.root(cone)
            change += self.is_output[root] or self.pending[root] > more.get(root, 0)
        return change, size

    def _choose(self) -> list[int] | None:
        """Return the next cones to take in, None if there is no candidate."""
        likely = sorted(self.affinity.items(), key=lambda item: (-item[1], item[0]))[: self.style.candidates]
        best: tuple[float, float, int] | None = None
        chosen: list[int] | None = None
        priced = 0
        for place, (candidate, shared) in enumerate(likely):
            cones = self._with_ancestors(candidate)
            if cones is None:
                continue
            priced += len(cones)
            if priced > _PRICED and place >= _FEW and chosen is not None:
                break
            change, size = self._price(cones)
            price = (self.boundary + change) / (self.size + size) if self.style.whole else change / size
            if self.style.jitter:
                price *= 1 + self.style.jitter * self.rng.random()
            if best is not None and price > best[0]:
                continue
            key = (price, -self.style.spread * self._opens(cones), -shared)
            if best is None or key < best:
                best, chosen = key, cones
            if change <= 0:
                break
        return chosen

    def _opens(self, cones: list[int]) -> float:
        """Return how much cheaper the new values of these cones would make other candidates."""
        new = {p for cone in cones for p in self.cones.leaves[cone] if p not in self.uses}
        sample = [p for p in sorted(new) if self.cones.of[p] < 0 or self.done[self.cones.of[p]]][:_SAMPLE]
        total = 0.0
        for p in sample:
            for user in self.cones.users[p][:_FAN]:
                total += self.affinity.get(user, 0) / len(self.cones.leaves[user])
        return total / len(sample) if sample else 0.0
