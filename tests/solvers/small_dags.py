"""Small DAGs and the check of a pebbling that the tests of the optimum share."""

from __future__ import annotations

from functools import cache

import numpy as np

import pebble
from pebble.computations.load import load_dag
from pebble.game.game import Game
from pebble.game.rules import Rules
from pebble.graph.dag import Dag

ALL_RULES = [Rules(recomputation=r, sliding=s) for r in (True, False) for s in (False, True)]


def random_dag(rng: np.random.Generator, n: int) -> Dag:
    """One of several kinds of small DAG, its vertices in random order, sometimes with unusual outputs."""
    kind = rng.integers(3)
    if kind == 0:
        density = rng.choice([0.2, 0.35, 0.6])
        edges = [(i, j) for j in range(n) for i in range(j) if rng.random() < density]
    elif kind == 1:
        first = int(rng.integers(2, 4))
        edges = [(int(i), j) for j in range(first, n) for i in rng.choice(j, 2, replace=False)]
    else:
        width = int(rng.integers(2, 4))
        edges = [(i, j) for j in range(width, n) for i in range((j // width - 1) * width, j // width * width)]
        edges = [edge for edge in edges if rng.random() < 0.9]
    order = rng.permutation(n)
    outputs = rng.choice(n, int(rng.integers(1, 3)), replace=False) if rng.random() < 0.3 else None
    moved = np.array([(order[a], order[b]) for a, b in edges], dtype=np.int64).reshape(-1, 2)
    return Dag.from_edges(moved, n_vertices=n, outputs=outputs)


def least(dag: Dag, rules: Rules) -> int:
    return max(1, dag.max_indegree + (not rules.sliding))


def check_witness(dag: Dag, M: int, rules: Rules, best: pebble.Optimum) -> None:
    """Play the pebbling move by move in the elementary game."""
    status = Game(dag, M, rules).play(best.pebbling).status()
    assert status.complete
    assert (status.io, status.reads, status.writes) == (best.io, best.reads, best.writes)
    assert status.peak == best.peak <= M


@cache
def some_dags() -> tuple[Dag, ...]:
    rng = np.random.default_rng(7)
    names = ("pyramid:3", "fma-matmul:2,2,2", "fft:4")
    return (*(random_dag(rng, 9) for _ in range(4)), *(load_dag(name) for name in names))
