"""Random legal pebblings of any DAG, and what is left of one when pairs are taken out of its mask."""

from __future__ import annotations

import numpy as np

from pebble.graph.dag import Dag

Moves = list[tuple[str, int]]


class Player:
    """Plays a random complete pebbling: random order, evictions, stores; what was dropped is computed again."""

    def __init__(self, dag: Dag, M: int, rng: np.random.Generator) -> None:
        self.before = [dag.predecessors_of(v).tolist() for v in range(dag.n_vertices)]
        self.M, self.rng = M, rng
        self.red: set[int] = set()
        self.blue = {v for v, before in enumerate(self.before) if not before}
        self.moves: Moves = []
        self.store_rate = rng.uniform(0.8, 1.0)
        order = np.arange(dag.n_vertices)
        for v in order if rng.random() < 0.5 else rng.permutation(order):
            self.make(int(v))
        for v in dag.outputs.tolist():
            self.make(v)
            if v not in self.blue:
                self.store(v)

    def store(self, v: int) -> None:
        self.blue.add(v)
        self.moves.append(("store", v))

    def make_room(self, keep: set[int]) -> None:
        if len(self.red) < self.M:
            return
        choices = sorted(self.red - keep) or sorted(self.red)
        victim = choices[int(self.rng.integers(len(choices)))]
        if victim not in self.blue and self.rng.random() < self.store_rate:
            self.store(victim)
        self.red.remove(victim)
        self.moves.append(("delete", victim))

    def make(self, goal: int) -> None:
        stack = [goal]
        while stack:
            v = stack[-1]
            missing = [p for p in self.before[v] if p not in self.red]
            if v in self.red:
                stack.pop()
            elif v not in self.blue and missing:
                stack.append(missing[0])
            else:
                self.make_room({p for w in stack for p in self.before[w]})
                if v in self.blue or all(p in self.red for p in self.before[v]):
                    self.red.add(v)
                    self.moves.append(("load" if v in self.blue else "compute", v))


def io(moves: Moves) -> int:
    """Loads plus stores."""
    return sum(kind in ("load", "store") for kind, _ in moves)
