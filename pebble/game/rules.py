"""The rules of the red-blue pebble game as one value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rules:
    """Which variant of the red-blue pebble game is played.

    The default is the game of Hong and Kung (1981) with inputs that are exactly the sources and are never
    computed: recomputation is allowed, sliding is not.

    Parameters
    ----------
    recomputation : bool
        Whether a vertex may be computed more than once.
    sliding : bool
        Whether ``compute v`` may move a pebble from a predecessor to ``v`` when fast memory is full, that is,
        whether the new pebble needs no room of its own if a predecessor is given up in the same move.
    """

    recomputation: bool = True
    sliding: bool = False

    def __str__(self) -> str:
        return (
            f"recomputation {'allowed' if self.recomputation else 'forbidden'}, "
            f"sliding {'allowed' if self.sliding else 'forbidden'}"
        )
