"""Which device owns which tokens: contiguous, zigzag or striped tiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.layouts import LAYOUTS, equal_tiles, tile_owner

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class TokenLayout:
    """N tokens on P devices, in tiles that are owned and sent as a whole.

    Parameters
    ----------
    kind : {"contiguous", "zigzag", "striped", "first"}
        contiguous: device p owns the tile p of the P tiles of consecutive tokens. zigzag: of 2P tiles of consecutive
        tokens, device p owns p and 2P − 1 − p. striped: device p owns one tile, the tokens that are p modulo P.
        first: one tile on device 0, for queries that are decoded.
    N, P : int
        Tokens and devices. Where tiles cannot all be of one size, the first ones have a token more.

    Raises
    ------
    InvalidInput
        If a tile would be empty.

    Examples
    --------
    >>> layout = TokenLayout("zigzag", 10, 2)
    >>> layout.sizes, layout.owner, layout.tokens(3)
    (array([3, 3, 2, 2]), array([0, 1, 1, 0]), array([8, 9]))
    """

    kind: str
    N: int
    P: int

    def __post_init__(self) -> None:
        if self.kind not in (*LAYOUTS, "first"):
            raise InvalidInput(f"unknown layout {self.kind!r}; known: {', '.join(LAYOUTS)}")
        if self.tiles > self.N:
            raise InvalidInput(
                f"{self.N:,} tokens are too few for {self.P:,} devices: the {self.kind} layout needs at "
                f"least {self.tiles:,}, one per tile"
            )

    @property
    def tiles(self) -> int:
        """How many tiles there are: P, 2P for zigzag, or one."""
        return len(self.owner)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The tokens of each tile."""
        return equal_tiles(self.N, self.tiles)

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The device that owns each tile."""
        return np.zeros(1, np.int64) if self.kind == "first" else tile_owner(self.kind, self.P)

    @cached_property
    def of_device(self) -> NDArray[np.int64]:
        """The tiles of each device, a row a device."""
        device = np.arange(self.P)[:, None]
        return np.hstack([device, 2 * self.P - 1 - device]) if self.kind == "zigzag" else device

    @property
    def equal(self) -> bool:
        """Whether every device owns equally many tokens."""
        return self.N % self.P == 0

    def tokens(self, tile: int) -> NDArray[np.int64]:
        """Return the tokens of a tile."""
        if self.kind == "striped":
            return np.arange(tile, self.N, self.P)
        first = int(self.sizes[:tile].sum())
        return np.arange(first, first + int(self.sizes[tile]))

    def pairs(self, causal: bool) -> NDArray[np.int64]:
        """Return how many pairs of a query and a key each pair of tiles has, a row a tile of queries.

        Examples
        --------
        >>> TokenLayout("striped", 5, 2).pairs(causal=True)
        array([[6, 3],
               [3, 3]])
        """
        size = self.sizes
        if not causal:
            return size[:, None] * size[None, :]
        triangle = size * (size + 1) // 2
        tile = np.arange(self.tiles)
        later = tile[:, None] > tile[None, :]
        if self.kind != "striped":
            return np.where(later, size[:, None] * size[None, :], 0) + np.diag(triangle)
        # Token a·P + p sees token b·P + s for b ≤ a, or for b < a where s > p.
        short = np.minimum(size[:, None], size[None, :])
        same = short * (short + 1) // 2 + (size[:, None] - short) * size[None, :]
        below = short * (short - 1) // 2 + np.maximum(size[:, None] - short, 0) * size[None, :]
        found: NDArray[np.int64] = np.where(tile[:, None] >= tile[None, :], same, below)
        return found
