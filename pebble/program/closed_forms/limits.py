"""How many blocks a closed form looks at one by one, at most."""

from __future__ import annotations

from pebble.common.errors import NoClosedForm

__all__ = ["MOST_BLOCKS", "check_blocks"]

MOST_BLOCKS = 3 * 10**7
"""Some seconds."""


def check_blocks(n_blocks: int) -> None:
    """Refuse sums over too many blocks.

    Raises
    ------
    NoClosedForm
        If there are more than ``MOST_BLOCKS``.
    """
    if n_blocks > MOST_BLOCKS:
        raise NoClosedForm(
            f"the tiles make {n_blocks:,} blocks, and the formula takes sums over at most {MOST_BLOCKS:,}"
        )
