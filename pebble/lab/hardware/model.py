"""Models: the shapes of their attention heads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.units import bytes_per_word
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.lab.hardware.device import Device, find, read_table


@dataclass(frozen=True)
class Model:
    """The attention of one layer of a model.

    Attributes
    ----------
    key : str
        Name on the command line.
    heads, kv_heads : int
        Number of query heads, and of heads of keys and values.
    d, dv : int
        Head dimension of Q and K, and of V.
    layers : int
        Layers of the model; counts here are for one of them.
    shared_values : bool
        Whether V is the first dv of the d words of K.
    shared_rope : int
        How many of the d words of a key all heads share.
    hidden : int
        Words of a token between layers.
    """

    key: str
    heads: int
    kv_heads: int
    d: int
    dv: int
    layers: int
    source: str
    note: str = ""
    shared_values: bool = False
    shared_rope: int = 0
    hidden: int = 0

    @property
    def kv_words(self) -> int:
        """Words of K and V of a token, in one layer's cache."""
        own = self.d - self.shared_rope + (0 if self.shared_values else self.dv)
        return self.kv_heads * own + self.shared_rope

    def decoding(self, N: int, device: Device, dtype: str) -> dict[str, float]:
        """Return the least time of one token's attention in one layer, and the link that hides its hidden words.

        The time is that of reading K and V of N tokens, or of arithmetic; projections are left out. Many tokens are
        decoded at once, each with keys of its own. If the feed-forward layers are on other devices, a token's hidden
        words go there and come back, while the attention of other tokens takes place.

        Step-3 reads 512 words a key, and a token has 7,168: with 14 keys the link is as fast as the memory.

        >>> from pebble.lab.hardware import device
        >>> model("step-3").decoding(14, device("h100"), "bf16")
        {'decode_seconds': 4.279...e-09, 'hiding_bytes_per_second': 3350000000000.0}
        """
        if device.bandwidth is None:
            raise InvalidInput(f"{device.key} has no bandwidth with a source, so decoding has no time")
        peak, operations = device.flops(dtype), 2 * N * self.heads * (self.d + self.dv)
        seconds = N * self.kv_words * bytes_per_word(dtype) / device.bandwidth
        seconds = max(seconds, operations / peak) if peak else seconds
        rate = self.hidden * bytes_per_word(dtype) / seconds
        return {"decode_seconds": seconds, "hiding_bytes_per_second": rate}

    @property
    def group(self) -> int:
        """Number of query heads that share a head of keys and values."""
        return self.heads // self.kv_heads

    def changed(self, **numbers: int | None) -> Model:
        """Return the model with other numbers in place of its own.

        Parameters
        ----------
        d, dv, heads, kv_heads : int, optional
            What is to be another. A new ``d`` is ``dv`` too where the model has one number for both, and new
            ``heads`` are ``kv_heads`` too.

        Examples
        --------
        >>> other = model("llama3-8b").changed(d=64, heads=16)
        >>> other.d, other.dv, other.heads, other.kv_heads
        (64, 64, 16, 8)
        """
        for one, both in (("d", "dv"), ("heads", "kv_heads")):
            if numbers.get(both) is None and getattr(self, one) == getattr(self, both):
                numbers[both] = numbers.get(one)
        changed: dict[str, Any] = {name: one for name, one in numbers.items() if one is not None}
        return replace(self, **changed)

    def problem(
        self,
        N: int,
        Nk: int | None = None,
        *,
        mask: str | None = None,
        empty_rows: str = "error",
        **settings: Any,
    ) -> Problem:
        """Return the attention of one layer on a sequence.

        Query heads that share keys and values are one problem, as with ``Problem(..., heads=..., kv_heads=...)``:
        their queries are stacked, so there are ``kv_heads`` problems of ``group · N`` queries and ``N`` keys each.
        This counts the sharing, and the bounds hold for it; as independent heads the shared words would be
        counted again for each.

        Parameters
        ----------
        N : int
            Number of queries of each head.
        Nk : int, optional
            Number of keys; N by default.
        mask : str, optional
            Which keys each query of a head attends to; every head that shares keys has the same mask.
        empty_rows : {"error", "zero"}
            As in :func:`pebble.make_mask`.
        **settings
            Other parameters of :class:`pebble.Problem`: batch, pass_name and so on.

        Examples
        --------
        >>> model("llama3-8b").problem(8192)
        Problem(Nq=32768, Nk=8192, d=128, dv=128, heads=8, group=4)
        """
        if isinstance(N, bool) or not isinstance(N, int) or N < 1:
            raise InvalidInput(f"N must be a positive whole number, not {N!r}")
        Nk = N if Nk is None else Nk
        made = None if mask is None else make_mask(mask, N, Nk, empty_rows=empty_rows)
        own = ("d", "dv", "heads", "kv_heads", "shared_values", "shared_rope")
        return Problem(N, Nk, mask=made, **{name: getattr(self, name) for name in own}, **settings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return {**vars(self), "group": self.group, "kv_words": self.kv_words}


@lru_cache(maxsize=1)
def models() -> Mapping[str, Model]:
    """All models by name.

    Examples
    --------
    >>> models()["deepseek-v3"].d, models()["deepseek-v3"].dv
    (192, 128)
    """
    table = read_table("models.toml")
    found = {}
    for key, entry in table["models"].items():
        texts = {what: table[f"{what}s"][entry[what]] for what in ("source", "note") if what in entry}
        found[key] = Model(key, **{**entry, **texts})
    return MappingProxyType(found)


def model(name: str) -> Model:
    """Return the model with a name.

    Examples
    --------
    >>> model("Llama3-8B").group
    4
    """
    return find(name, models(), "model")
