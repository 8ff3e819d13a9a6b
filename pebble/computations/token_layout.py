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
    cuts : tuple of int
        Tokens before which tiles of consecutive tokens are cut further. All have as many parts as the tile with most
        cuts; the others end with empty ones.

    Examples
    --------
    >>> layout = TokenLayout("zigzag", 10, 2)
    >>> layout.sizes, layout.owner, layout.tokens(3)
    (array([3, 3, 2, 2]), array([0, 1, 1, 0]), array([8, 9]))
    """

    kind: str
    N: int
    P: int
    cuts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in (*LAYOUTS, "first"):
            raise InvalidInput(f"unknown layout {self.kind!r}; known: {', '.join(LAYOUTS)}")
        if len(self._whole) > self.N:
            raise InvalidInput(
                f"too few tokens for {self.P:,} devices: the {self.kind} layout needs at least "
                f"{len(self._whole):,}, one per tile, not {self.N:,}"
            )

    @cached_property
    def _whole(self) -> NDArray[np.int64]:
        """The owner of each tile before it is cut further."""
        return np.zeros(1, np.int64) if self.kind == "first" else tile_owner(self.kind, self.P)

    @property
    def tiles(self) -> int:
        """How many tiles there are: P, 2P for zigzag, or one; times the parts of each."""
        return len(self.owner)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """Where each tile of consecutive tokens begins, and where the last one ends."""
        whole = np.append(0, np.cumsum(equal_tiles(self.N, len(self._whole))))
        cuts = np.setdiff1d(np.asarray(self.cuts, np.int64), whole)
        tile = np.searchsorted(whole, cuts) - 1
        parts = 1 + int(np.bincount(tile, minlength=1).max())
        places = np.repeat(whole[1:], parts).reshape(-1, parts)
        places[:, 0] = whole[:-1]
        places[tile, 1 + np.arange(len(tile)) - np.searchsorted(tile, tile)] = cuts
        return np.append(places, self.N)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The tokens of each tile."""
        return np.diff(self.places)

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The device that owns each tile."""
        return np.repeat(self._whole, (len(self.places) - 1) // len(self._whole))

    @cached_property
    def of_device(self) -> NDArray[np.int64]:
        """The tiles of each device, a row a device."""
        return np.argsort(self.owner, kind="stable").reshape(self.P, -1)

    @property
    def equal(self) -> bool:
        """Whether every device owns equally many tokens."""
        return self.N % self.P == 0

    def tokens(self, tile: int) -> NDArray[np.int64]:
        """Return the tokens of a tile."""
        if self.kind == "striped":
            return np.arange(tile, self.N, self.P)
        return np.arange(*self.places[tile : tile + 2])

    def causal_pairs(self) -> NDArray[np.int64]:
        """Return how many pairs of a query and a key each pair of uncut tiles has under the causal mask.

        Examples
        --------
        >>> TokenLayout("striped", 5, 2).causal_pairs()
        array([[6, 3],
               [3, 3]])
        """
        size = self.sizes
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
