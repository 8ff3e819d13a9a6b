"""An order made of blocks, each grown so that it costs little I/O per vertex."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.cones import Cones
from pebble.solvers.heuristic.growth import Block, Grower, Style
from pebble.solvers.heuristic.memory_state import MemoryState
from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["STYLES", "blocks"]

STYLES = (Style(),)


def blocks(
    graph: NeededGraph,
    M: int,
    styles: Sequence[Style] = STYLES,
    rng: np.random.Generator | None = None,
    progress: Callable[[float, int], object] | None = None,
    cones: Cones | None = None,
) -> NDArray[np.int64]:
    """Order by blocks; see ``docs/automatic-schedules.md``.

    Parameters
    ----------
    graph : NeededGraph
    M : int
        Words of fast memory.
    styles : sequence of Style
        Ways to grow a block; all are tried from every seed, the cheapest block per vertex is taken.
    rng : numpy Generator, optional
        For styles with jitter.
    progress : callable, optional
        Called with the part of the vertices that is done and the steps since the last call.
    cones : Cones, optional
        Those of the graph, if they are at hand.
    """
    search = _Blocks(graph, M, styles, rng or np.random.default_rng(0), cones or Cones(graph))
    while len(search.order) < len(graph.todo):
        search.step()
        if progress is not None:
            progress(len(search.order) / len(graph.todo), search.work)
            search.work = 0
    return np.array(search.order, dtype=np.int64)


class _Blocks:
    def __init__(
        self, graph: NeededGraph, M: int, styles: Sequence[Style], rng: np.random.Generator, cones: Cones
    ) -> None:
        self.memory, self.cones, self.styles, self.rng = MemoryState(graph, M), cones, styles, rng
        self.done = bytearray(len(cones))
        self.pending = [len(row) for row in cones.users]
        self.waiting = [sum(cones.of[p] >= 0 for p in leaves) for leaves in cones.leaves]
        self.ready = [c for c, n in enumerate(self.waiting) if not n]
        self.order: list[int] = []
        self.work = 0

    def step(self) -> None:
        """Grow blocks from a few seeds and carry out the cheapest."""
        best: Block | None = None
        for seed in self._seeds():
            for style in self.styles:
                grower = Grower(self.memory, self.cones, self.done, self.pending, style, self.rng)
                block = grower.grow(seed)
                self.work += grower.work
                if block is not None and (best is None or block.ratio < best.ratio):
                    best = block
        assert best is not None
        self._carry_out(best)

    def _seeds(self) -> list[int]:
        """The first cone that is ready, and the one that uses most of what is in fast memory."""
        while self.done[self.ready[0]]:
            heappop(self.ready)
        shared: dict[int, int] = {}
        for value in self.memory.red:
            for cone in self.cones.users[value]:
                if not self.done[cone] and not self.waiting[cone]:
                    shared[cone] = shared.get(cone, 0) + 1
        near = min(shared, key=lambda c: (-shared[c], c), default=self.ready[0])
        return list(dict.fromkeys([near, self.ready[0]]))

    def _carry_out(self, block: Block) -> None:
        self.memory.play(block.order)
        self.order += block.order
        for cone in block.cones:
            self.done[cone] = 1
        for cone in block.cones:
            for p in self.cones.leaves[cone]:
                self.pending[p] -= 1
            for user in self.cones.users[self.cones.root(cone)]:
                self.waiting[user] -= 1
                if not self.waiting[user] and not self.done[user]:
                    heappush(self.ready, user)
