"""How large a game on a page may be."""

from __future__ import annotations

from pebble.common.errors import InvalidInput

_MOST_VERTICES = 2_000
_MOST_EDGES = 10_000
MOST_MOVES = 20_000


def check_drawable(what: str, vertices: int, edges: int) -> None:
    """Raise InvalidInput if a computation is too large to be drawn."""
    if vertices > _MOST_VERTICES or edges > _MOST_EDGES:
        raise InvalidInput(
            f"{what} has {vertices:,} vertices and {edges:,} edges; a page can show at most "
            f"{_MOST_VERTICES:,} vertices and {_MOST_EDGES:,} edges: choose smaller sizes"
        )


def check_moves(what: str, moves: int) -> None:
    """Raise InvalidInput if a pebbling has too many moves to be stepped through."""
    if moves > MOST_MOVES:
        raise InvalidInput(
            f"{what} has at least {moves:,} moves; a page steps through at most {MOST_MOVES:,}: "
            "choose smaller sizes or more words of fast memory"
        )
