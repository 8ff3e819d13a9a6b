"""Attention whose tokens are shared out over devices: sizes, heads, mask, layout, and the words a row has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.common.plain import PlainRow
from pebble.common.whole_numbers import singular
from pebble.computations.token_layout import TokenLayout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Arrays:
    """Arrays that move together, row by row.

    Parameters
    ----------
    names : tuple of str
    side : {"query", "key"}
        Whether a row belongs to a query (of a query head) or to a key (of a head of keys).
    words : int
        Words of a row of one head, of all these arrays.
    final_words : int
        For partial sums: words of a row once it is complete and finished; ``words`` where nothing changes then.
    """

    names: tuple[str, ...]
    side: str
    words: int
    final_words: int = 0


@dataclass(frozen=True)
class SharedProblem(PlainRow):
    """Attention on P devices, each with a memory of its own.

    Parameters
    ----------
    N, d, P : int
        Tokens, head dimension and devices.
    heads, kv_heads : int
        Query heads, and heads of keys and values that they share evenly.
    causal : bool
    pass_name : {"forward", "backward"}
    layout : {"contiguous", "zigzag", "striped"}
        Q, K, V, O (dO, l, …) of a token are on the device that owns the token.
    dv : int, optional
        Head dimension of V; d by default.
    queries_decoded : int, optional
        Decoding: this many queries of each head, all on device 0 with their outputs, attend to N keys shared out over
        the devices. By default each token has a query, on its own device.

    Examples
    --------
    >>> SharedProblem(8, 2, 4).queries, SharedProblem(8, 2, 4).sums
    (Arrays(names=('Q',), side='query', words=2, final_words=0),
     (Arrays(names=('U', 'l'), side='query', words=3, final_words=2),))
    """

    KEYS = "N d dv=width P heads kv_heads"

    N: int
    d: int
    P: int
    heads: int = 1
    kv_heads: int = 1
    causal: bool = False
    pass_name: str = "forward"
    layout: str = "contiguous"
    dv: int | None = None
    queries_decoded: int | None = None

    def __post_init__(self) -> None:
        sizes = {"N": self.N, "d": self.d, "P": self.P, "heads": self.heads, "kv_heads": self.kv_heads}
        for name, value in {**sizes, "dv": self.width}.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InvalidInput(f"{name} must be a positive whole number, not {value!r}")
        if self.heads % self.kv_heads:
            raise InvalidInput(
                f"{self.heads} query heads cannot share {self.kv_heads} heads of keys and values evenly"
            )
        if self.pass_name not in ("forward", "backward"):
            raise InvalidInput(
                f"several devices compute the forward or the backward pass, not {self.pass_name!r}"
            )
        if self.queries_decoded is not None and (self.causal or self.pass_name != "forward"):
            raise InvalidInput("queries are decoded in the forward pass, and without a mask")
        _ = self.tiling, self.query_tiling

    @cached_property
    def tiling(self) -> TokenLayout:
        """The tiles of tokens and their owners."""
        return TokenLayout(self.layout, self.N, self.P)

    @cached_property
    def query_tiling(self) -> TokenLayout:
        """The tiles of queries and their owners: those of the tokens, unless queries are decoded."""
        if self.queries_decoded is None:
            return self.tiling
        return TokenLayout("first", self.queries_decoded, self.P)

    def tiling_of(self, side: str) -> TokenLayout:
        """Return the tiles of a side, ``"query"`` or ``"key"``."""
        return self.query_tiling if side == "query" else self.tiling

    @property
    def width(self) -> int:
        """Head dimension of V."""
        return self.d if self.dv is None else self.dv

    @property
    def mask(self) -> str | None:
        """The name of the mask."""
        return "causal" if self.causal else None

    @property
    def group(self) -> int:
        """How many query heads share a head of keys."""
        return self.heads // self.kv_heads

    @property
    def pairs(self) -> int:
        """Pairs of a query and a key, of one query head."""
        if self.queries_decoded is not None:
            return self.queries_decoded * self.N
        return self.N * (self.N + 1) // 2 if self.causal else self.N * self.N

    @cached_property
    def tile_pairs(self) -> NDArray[np.int64]:
        """Pairs of each pair of tiles, a row a tile of queries."""
        if self.queries_decoded is not None:
            return self.query_tiling.sizes[:, None] * self.tiling.sizes
        return self.tiling.pairs(self.causal)

    @property
    def queries(self) -> Arrays:
        """What a row of queries brings along: Q, and in the backward pass dO, l, D."""
        if self.pass_name == "forward":
            return Arrays(("Q",), "query", self.d)
        return Arrays(("Q", "dO", "l", "D"), "query", self.d + self.width + 2)

    @property
    def keys(self) -> Arrays:
        """What a row of keys brings along: K, V."""
        return Arrays(("K", "V"), "key", self.d + self.width)

    @property
    def sums(self) -> tuple[Arrays, ...]:
        """What is summed up: U and l, which become O, or dQ, and dK with dV."""
        if self.pass_name == "forward":
            return (Arrays(("U", "l"), "query", self.width + 1, self.width),)
        key_words = self.d + self.width
        return Arrays(("dQ",), "query", self.d, self.d), Arrays(("dK", "dV"), "key", key_words, key_words)

    @property
    def finished(self) -> tuple[str, ...]:
        """What a complete row of the first sum is called."""
        return ("O",) if self.pass_name == "forward" else ("dQ",)

    def with_layout(self, layout: str) -> SharedProblem:
        """Return the same with another layout."""
        return replace(self, layout=layout)

    def describe(self) -> str:
        """Return a description in one line.

        >>> SharedProblem(4096, 64, 8, causal=True, layout="zigzag").describe()
        'attention forward, N = 4,096, d = 64, causal mask, on 8 devices, zigzag layout'
        """
        width = f"d = {self.d:,}" + (f", dv = {self.width:,}" if self.width != self.d else "")
        heads = f", {self.kv_heads:,} heads of keys and values for {self.heads:,} of queries"
        if self.group == 1:
            heads = f", {self.heads:,} heads" if self.heads > 1 else ""
        decoded = self.queries_decoded
        queries = "" if decoded is None else singular(f", {decoded:,} queries decoded")
        mask = ", causal mask" if self.causal else ""
        devices = singular(f"on {self.P:,} devices")
        about = f"attention {self.pass_name}, N = {self.N:,}, {width}{heads}{queries}{mask}"
        return f"{about}, {devices}, {self.layout} layout"
