"""Attention whose tokens are shared out over devices: sizes, heads, mask, layout, and the words a row has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.plain import PlainRow, plain
from pebble.common.whole_numbers import singular
from pebble.computations.masks import Mask, make_mask
from pebble.computations.masks.band_mask import FullMask
from pebble.computations.tile_cuts import need_cuts, pairs_of_stripes, pairs_of_tiles
from pebble.computations.token_layout import TokenLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray


@lru_cache(maxsize=4)
def _mask(spec: str, Nq: int, Nk: int) -> Mask:
    """Make a mask, once for a problem and the same in another layout."""
    return make_mask(spec, Nq, Nk) or FullMask(Nq, Nk)


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
        Query heads, and heads of keys and values that they share evenly, unless ``groups`` says how.
    causal : bool
        The same as ``mask="causal"``.
    pass_name : {"forward", "backward"}
    layout : {"contiguous", "zigzag", "striped"}
        Q, K, V, O (dO, l, …) of a token are on the device that owns the token.
    dv : int, optional
        Head dimension of V; d by default.
    queries_decoded : int, optional
        Decoding: this many queries of each head, all on device 0 with their outputs, attend to N keys shared out over
        the devices. By default each token has a query, on its own device.
    mask : str, optional
        A mask as :func:`~pebble.computations.masks.make_mask` takes it.
    Nq : int, optional
        Queries, laid out like the N keys; N by default.
    groups : tuple of int, optional
        Of each head of keys, how many query heads share it: with ``(3, 1)`` query heads 0 to 2 share head 0 of keys.

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
    mask: str | None = None
    Nq: int | None = None
    groups: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        sizes = {"N": self.N, "d": self.d, "P": self.P, "heads": self.heads, "kv_heads": self.kv_heads}
        for name, value in {**sizes, "dv": self.width, "Nq": self.query_count}.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InvalidInput(f"{name} must be a positive whole number, not {value!r}")
        self._check_heads()
        if self.causal and self.mask not in (None, "causal"):
            raise InvalidInput(f"the mask is either causal or {self.mask}")
        pattern = self.pattern
        object.__setattr__(self, "mask", None if isinstance(pattern, FullMask) else pattern.spec)
        object.__setattr__(self, "causal", self.mask == "causal")
        if self.pass_name not in ("forward", "backward"):
            raise InvalidInput(
                f"several devices compute the forward or the backward pass, not {self.pass_name!r}"
            )
        if self.queries_decoded is not None and (self.mask or self.Nq or self.pass_name != "forward"):
            raise InvalidInput("queries are decoded in the forward pass, and without a mask")
        _ = self._tilings

    def _check_heads(self) -> None:
        """Check that the query heads share the heads of keys evenly, or as the groups say."""
        if self.groups is None and self.heads % self.kv_heads:
            raise InvalidInput(
                f"{self.heads} query heads cannot share {self.kv_heads} heads of keys and values evenly"
            )
        sizes = self.group_sizes
        if min(sizes) < 1 or (len(sizes), sum(sizes)) != (self.kv_heads, self.heads):
            raise InvalidInput(
                f"groups of {', '.join(map(str, sizes))} query heads are not {self.heads} query heads on "
                f"{self.kv_heads} heads of keys and values"
            )

    @property
    def query_count(self) -> int:
        """How many queries each query head has."""
        return self.queries_decoded or (self.N if self.Nq is None else self.Nq)

    @cached_property
    def pattern(self) -> Mask:
        """The mask; without one, that of all pairs."""
        return _mask("causal" if self.causal else self.mask or "full", self.query_count, self.N)

    @cached_property
    def regular(self) -> bool:
        """Whether tiles are whole: all pairs, or causal with a query for each key. Else they may be cut further."""
        return self.mask is None or (self.causal and self.query_count == self.N)

    @cached_property
    def _tilings(self) -> dict[str, TokenLayout]:
        """By side, tiles that each tile of the other side needs wholly or not at all; stripes stay as they are."""
        kind = self.layout if self.queries_decoded is None else "first"
        queries, keys = TokenLayout(kind, self.query_count, self.P), TokenLayout(self.layout, self.N, self.P)
        if self.regular or self.layout == "striped":
            return {"query": queries, "key": keys}
        cuts = (need_cuts(self.pattern, *asked) for asked in (("i", keys.places), ("j", queries.places)))
        return {"query": replace(queries, cuts=next(cuts)), "key": replace(keys, cuts=next(cuts))}

    @property
    def tiling(self) -> TokenLayout:
        """The tiles of tokens and their owners."""
        return self._tilings["key"]

    @property
    def query_tiling(self) -> TokenLayout:
        """The tiles of queries and their owners."""
        return self._tilings["query"]

    def tiling_of(self, side: str) -> TokenLayout:
        """Return the tiles of a side, ``"query"`` or ``"key"``."""
        return self._tilings[side]

    @property
    def width(self) -> int:
        """Head dimension of V."""
        return self.d if self.dv is None else self.dv

    @property
    def tokens_each(self) -> tuple[int, int]:
        """Queries and keys of a device, where P divides them."""
        return self.query_count // self.P, self.N // self.P

    @property
    def group_sizes(self) -> tuple[int, ...]:
        """How many query heads share each head of keys."""
        return self.groups or (self.heads // self.kv_heads,) * self.kv_heads

    @property
    def uneven(self) -> bool:
        """Whether heads of keys are shared by different numbers of query heads."""
        return len(set(self.group_sizes)) > 1

    @property
    def group(self) -> int:
        """How many query heads share a head of keys, which must be the same for all."""
        if self.uneven:
            raise BoundDoesNotApply("heads of keys are not shared evenly")
        return self.group_sizes[0]

    @property
    def pairs(self) -> int:
        """Pairs of a query and a key, of one query head."""
        return self.pattern.pairs

    @cached_property
    def tile_pairs(self) -> NDArray[np.int64]:
        """Pairs of each pair of tiles, a row a tile of queries."""
        if self.mask is None:
            return self.query_tiling.sizes[:, None] * self.tiling.sizes
        if self.regular:
            return self.tiling.causal_pairs()
        if self.layout == "striped":
            return pairs_of_stripes(self.pattern, self.P)
        return pairs_of_tiles(self.pattern, self.query_tiling.places, self.tiling.places)

    @cached_property
    def meets(self) -> NDArray[np.bool_]:
        """Whether each pair of tiles has any pair, a row a tile of queries.

        Under the causal mask, a tile in order attends to those up to its own; a stripe of several tokens to all.
        """
        if not self.regular:
            return self.tile_pairs > 0
        shape = self.query_tiling.tiles, self.tiling.tiles
        if self.mask is None:
            return np.ones(shape, bool)
        found = np.tri(*shape, dtype=bool)
        if self.layout == "striped":
            found[self.query_tiling.sizes > 1] = True
        return found

    @cached_property
    def met(self) -> NDArray[np.bool_]:
        """The same, a row a tile of keys, so that rows can be taken quickly."""
        return np.ascontiguousarray(self.meets.T)

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

    def to_dict(self) -> dict[str, object]:
        """Return plain data; ``Nq`` and ``groups`` where they are given."""
        given = plain(self, " ".join(name for name in ("Nq", "groups") if getattr(self, name) is not None))
        return {**super().to_dict(), **given}

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
        if self.uneven:
            heads += f" ({', '.join(map(str, self.group_sizes))})"
        if self.heads == self.kv_heads:
            heads = f", {self.heads:,} heads" if self.heads > 1 else ""
        decoded = self.queries_decoded
        queries = "" if decoded is None else singular(f", {decoded:,} queries decoded")
        if self.Nq is not None:
            queries += singular(f", {self.Nq:,} queries")
        mask = "" if self.mask is None else ", causal mask" if self.causal else f", mask {self.mask}"
        devices = singular(f"on {self.P:,} devices")
        about = f"attention {self.pass_name}, N = {self.N:,}, {width}{heads}{queries}{mask}"
        return f"{about}, {devices}, {self.layout} layout"
