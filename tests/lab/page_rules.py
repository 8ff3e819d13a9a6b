"""Random games, played by the Python game, that the rules in the page must play in the same way."""

from __future__ import annotations

from typing import Any

import numpy as np

from pebble.game.game import Game
from pebble.game.moves import Move, Op
from pebble.game.rules import Rules
from pebble.graph.dag import Dag

__all__ = ["RUNNER", "random_games"]

RUNNER = """
function runGames(games) {
  const text = (state) => JSON.stringify([...state.red, ...state.blue, ...state.computed, state.moves]);
  return games.map(({ game, moves }) => {
    let state = PebbleRules.start(game);
    const verdicts = moves.map(([op, vertex, source]) => {
      const move = { op, vertex, source };
      const why = PebbleRules.explain(game, state, move);
      if (PebbleRules.legal(game, state, move) !== (why === null)) throw new Error("two verdicts");
      if (why) return [PebbleRules.notation(game, move), why.rule, why.reason, why.remedy];
      const before = text(state);
      const next = PebbleRules.apply(game, state, move);
      if (text(state) !== before) throw new Error("apply changed its argument");
      state = next;
      return PebbleRules.notation(game, move);
    });
    const counts = ["moves", "reads", "writes", "computes", "deletes", "slides", "redundant", "peak", "inUse"];
    return {
      verdicts,
      counts: counts.map((name) => state[name]),
      red: [...state.red], blue: [...state.blue], missing: PebbleRules.missing(game, state),
    };
  });
}
"""
"""JavaScript that plays games and returns, for each, what :func:`random_games` returns as its results."""


def random_games(count: int, moves: int, seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return games as the page takes them, and what the Python game made of every move."""
    rng = np.random.default_rng(seed)
    played = [_one(rng, moves) for _ in range(count)]
    return [task for task, _ in played], [result for _, result in played]


def _one(rng: np.random.Generator, moves: int) -> tuple[dict[str, Any], dict[str, Any]]:
    dag = _dag(rng)
    rules = Rules(recomputation=bool(rng.random() < 0.7), sliding=bool(rng.random() < 0.3))
    M = int(rng.integers(1, dag.n_vertices + 2))
    game, made, verdicts = Game(dag, M, rules), [], []
    for _ in range(moves):
        move = _move(rng, game)
        refusal = game.refusal(move)
        text = game.notation(move)
        verdicts.append([text, refusal.rule, refusal.reason, refusal.remedy] if refusal else text)
        if refusal is None:
            game.push(move)
        made.append([int(part) for part in move])
    status = game.status()
    task = {"names": [dag.name(v) for v in range(dag.n_vertices)], "outputs": dag.outputs.tolist(), "M": M}
    task["predecessors"] = [dag.predecessors_of(v).tolist() for v in range(dag.n_vertices)]
    task["rules"] = {"recomputation": rules.recomputation, "sliding": rules.sliding}
    result = {
        "verdicts": verdicts,
        "counts": [
            *(status.moves, status.reads, status.writes, status.computes, status.deletes),
            *(status.slides, status.redundant, status.peak, status.red),
        ],
        "red": [int(v in game.red) for v in range(dag.n_vertices)],
        "blue": [int(v in game.blue) for v in range(dag.n_vertices)],
        "missing": list(status.missing),
    }
    return {"game": task, "moves": made}, result


def _dag(rng: np.random.Generator) -> Dag:
    n = int(rng.integers(2, 12))
    edges = [
        (int(p), v) for v in range(1, n) for p in rng.permutation(v)[: int(rng.integers(0, min(v, 6) + 1))]
    ]
    return Dag.from_edges(edges, n_vertices=n, outputs=[n - 1, int(rng.integers(n))])


def _move(rng: np.random.Generator, game: Game) -> Move:
    """Return a legal move half of the time, else anything, also on vertices that do not exist."""
    if rng.random() < 0.5:
        legal = list(game.legal_moves())
        useful = [move for move in legal if move.op != Op.DELETE] or legal
        if useful and rng.random() < 0.8:
            return useful[int(rng.integers(len(useful)))]
        if legal:
            return legal[int(rng.integers(len(legal)))]
    n = game.dag.n_vertices
    op = int(rng.integers(0, 5)) if rng.random() < 0.97 else 7
    vertex = int(rng.integers(n)) if rng.random() < 0.95 else int(rng.choice([-1, n]))
    source = int(rng.integers(-1, n + 1)) if op == Op.SLIDE else -1
    return Move(Op(op) if op <= Op.SLIDE else op, vertex, source)  # type: ignore[arg-type]
