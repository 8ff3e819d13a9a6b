"""The smallest game for tests."""

from __future__ import annotations

from pebble.game.game import Game
from pebble.game.rules import Rules
from pebble.graph.dag import Dag


def two_sum(M: int = 3, rules: Rules | None = None) -> Game:
    return Game(Dag.from_edges([("a", "s"), ("b", "s")]), M, rules)
