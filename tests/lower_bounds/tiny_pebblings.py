"""Random legal pebblings of tiny DAGs of attention, with the vertices by their names, for the steps of proofs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

Vertex = tuple[Any, ...]
Moves = list[tuple[str, Vertex]]


class TinyPlayer:
    """Plays random legal pebblings: random order, evictions, stores, recomputation.

    A pass says what its inputs and its accumulators are called, and what comes before a vertex.
    """

    inputs: tuple[str, ...]
    accumulate: tuple[str, ...]

    def __init__(self, sizes: tuple[int, int, int, int], M: int, rng: np.random.Generator) -> None:
        self.Nq, self.Nk, self.d, self.dv = sizes
        self.M, self.rng = M, rng
        self.red: set[Vertex] = set()
        self.blue: set[Vertex] = set()
        self.moves: Moves = []
        self.store_rate = rng.uniform(0.15, 1.0)

    def predecessors(self, w: Vertex) -> list[Vertex]:
        raise NotImplementedError

    def is_blue(self, w: Vertex) -> bool:
        return w[0] in self.inputs or w in self.blue

    def make_room(self, keep: set[Vertex]) -> None:
        while len(self.red) >= self.M:
            choices = sorted(self.red - keep, key=str) or sorted(self.red, key=str)
            victim = choices[self.rng.integers(len(choices))]
            chance = 0.96 if victim[0] in self.accumulate else self.store_rate
            if not self.is_blue(victim) and self.rng.random() < chance:
                self.store(victim)
            self.red.remove(victim)
            self.moves.append(("delete", victim))

    def store(self, w: Vertex) -> None:
        self.blue.add(w)
        self.moves.append(("store", w))

    def make(self, goal: Vertex) -> None:
        stack = [goal]
        while stack:
            w = stack[-1]
            missing = [p for p in self.predecessors(w) if p not in self.red]
            if w in self.red:
                stack.pop()
            elif self.is_blue(w) or not missing:
                self.make_room({p for v in stack for p in self.predecessors(v)})
                if not self.is_blue(w) and any(p not in self.red for p in self.predecessors(w)):
                    continue
                self.red.add(w)
                self.moves.append(("load" if self.is_blue(w) else "compute", w))
            else:
                stack.append(missing[0])

    def red_before(self) -> list[set[Vertex]]:
        """Replay by the rules; return what is red before every move."""
        red: set[Vertex] = set()
        blue: set[Vertex] = set()
        before = []
        for kind, w in self.moves:
            before.append(set(red))
            if kind == "compute":
                assert red.issuperset(self.predecessors(w))
            elif kind == "load":
                assert w[0] in self.inputs or w in blue
            else:
                assert w in red
            if kind == "store":
                blue.add(w)
            elif kind == "delete":
                red.remove(w)
            else:
                red.add(w)
                assert len(red) <= self.M
        assert blue == self.blue
        return before


def cut(weight: list[Fraction], M: int, X: Fraction | int) -> list[int]:
    """Where the segments begin: each takes moves while their weight is at most X, the first at most M + X."""
    cuts, room = [0], Fraction(M + X)
    for now, w in enumerate(weight):
        if w > room:
            cuts.append(now)
            room = Fraction(X)
        room -= w
    return cuts


def kinds_of_moves(pebblings: Iterable[Moves]) -> set[str]:
    """What happens in some pebblings: "load S", "recomputed P", …"""
    kinds = set()
    for moves in pebblings:
        computed = [w for kind, w in moves if kind == "compute"]
        kinds |= {"recomputed " + w[0] for w in set(computed) if computed.count(w) > 1}
        kinds |= {f"{kind} {w[0]}" for kind, w in moves}
    return kinds
