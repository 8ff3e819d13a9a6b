"""Random small DAGs and random runs of moves on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from pebble.game.game import Game
from pebble.game.moves import Move, Op
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.support.reference_game import ReferenceGame, ReferenceMove


@st.composite
def dags(draw: st.DrawFn, max_vertices: int = 9) -> Dag:
    """A DAG whose vertices are numbered in any order; sometimes outputs that are no sinks."""
    n = draw(st.integers(1, max_vertices))
    number = draw(st.permutations(range(n)))
    edges = []
    for v in range(1, n):
        width = draw(st.integers(0, min(v, 4)))
        row = draw(st.lists(st.integers(0, v - 1), min_size=width, max_size=width, unique=True))
        edges += [(number[p], number[v]) for p in row]
    sinks = set(range(n)) - {p for p, _ in edges}
    more = draw(st.one_of(st.just(set[int]()), st.sets(st.integers(0, n - 1), max_size=2)))
    return Dag.from_edges(edges, n, outputs=sorted(sinks | more))


def all_rules() -> st.SearchStrategy[Rules]:
    return st.builds(Rules, recomputation=st.booleans(), sliding=st.booleans())


def reference(dag: Dag, M: int, rules: Rules) -> ReferenceGame:
    rows = [dag.predecessors_of(v).tolist() for v in range(dag.n_vertices)]
    return ReferenceGame(rows, set(dag.outputs.tolist()), M, rules.recomputation, rules.sliding)


def plain(move: Move) -> ReferenceMove:
    return (move.op.word, move.vertex, move.source) if move.op == Op.SLIDE else (move.op.word, move.vertex)


def random_legal_moves(dag: Dag, M: int, rules: Rules, n: int, rng: np.random.Generator) -> list[Move]:
    """Up to n moves, each drawn from the legal ones, computations more often than deletions."""
    game = Game(dag, M, rules)
    weight = {Op.LOAD: 2.0, Op.STORE: 1.0, Op.COMPUTE: 4.0, Op.DELETE: 1.5, Op.SLIDE: 4.0}
    for _ in range(n):
        moves = list(game.legal_moves())
        if not moves:
            break
        weights = np.array([weight[move.op] for move in moves])
        game.push(moves[int(rng.choice(len(moves), p=weights / weights.sum()))])
    return list(game.history)


def mutated(moves: list[Move], dag: Dag, rng: np.random.Generator) -> list[Move]:
    """Drop, duplicate, swap, change the operation or the vertex, possibly to one that does not exist."""
    moves = list(moves)
    for _ in range(int(rng.integers(0, 3))):
        if len(moves) < 2:
            break
        at, other = (int(i) for i in rng.integers(0, len(moves), 2))
        op, vertex, source = moves[at]
        anywhere = int(rng.integers(-1, dag.n_vertices + 1))
        kind = int(rng.integers(0, 6))
        if kind == 0:
            del moves[at]
        elif kind == 1:
            moves.insert(other, moves[at])
        elif kind == 2:
            moves[at], moves[other] = moves[other], moves[at]
        elif kind == 3:
            moves[at] = Move(op, anywhere, source)
        elif kind == 4:
            new = Op(int(rng.integers(0, 5)))
            moves[at] = Move(new, vertex, anywhere if new == Op.SLIDE else -1)
        elif op == Op.SLIDE:
            moves[at] = Move(op, vertex, anywhere)
    return moves


def pyramid(height: int) -> Dag:
    """Rows of height + 1, height, ..., 1 vertices, each computed from its two neighbours below."""
    edges: list[Any] = []
    for row in range(height):
        edges += [(f"{row}.{i + side}", f"{row + 1}.{i}") for i in range(height - row) for side in (0, 1)]
    return Dag.from_edges(edges)
