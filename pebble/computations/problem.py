"""The attention problem: its shape, its pass and its mask."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.whole_numbers import LARGEST_SIZE, singular
from pebble.computations.problem_form import Form, check_form, form_options, form_text

if TYPE_CHECKING:
    from pebble.computations.masks import Mask

__all__ = ["LARGEST_SIZE", "PASSES", "Problem"]

PASSES = ("forward", "backward", "both", "weights")


def _check_size(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidInput(f"{name} must be a positive whole number, not {value!r}")
    if value > LARGEST_SIZE:
        raise InvalidInput(f"{name} is too large: at most {LARGEST_SIZE:,}")


def _repeated(mask: Mask, sharing: int) -> Mask:
    """Return the mask of some query heads that share their keys, of the mask of each."""
    from pebble.computations.masks import grouped_mask

    return mask if sharing == 1 else grouped_mask(mask, sharing)


@dataclass(frozen=True, init=False)
class Problem(Form):
    """Shape of an attention problem, one head of one batch element.

    Parameters
    ----------
    Nq, Nk : int
        Number of queries and of keys.
    d, dv : int
        Head dimension of Q and K, and of V.
    stats : bool
        Whether the row sums are outputs too, as a training forward pass must keep them.
    heads, batch : int
        How many independent copies there are; they only multiply counts and bounds.
    pass_name : {"forward", "backward", "both", "weights"}
        "both" is a training step: forward with row sums kept, then backward. "weights" is the gradient of the
        weights as the papers write it; it needs Nq = Nk and dv = d
    mask : Mask, optional
        Which keys each query attends to; all of them by default. A text that names a mask (``"causal"``) is
        taken too, see :func:`~pebble.computations.masks.make_mask`.
    kv_heads : int, optional
        Grouped queries: the number of key-value heads that ``heads`` query heads share, a divisor of ``heads``. Query
        heads that share are one problem, with the queries of all of them: ``Nq`` becomes heads/kv_heads · Nq,
        ``heads`` becomes ``kv_heads``, and ``mask``, given for one query head, becomes ``group:G:mask``. By default
        every query head has keys and values of its own.
    group : int
        Of how many query heads the Nq queries are. It changes descriptions only; ``kv_heads`` sets it.
    softmax : {"plain", "safe", "online"}
        How the forward pass takes the exponentials: without the maximum, with the maximum of the whole row (two
        sweeps over the keys), or with the running maximum. The backward pass is the same for all.
    attention : {"softmax", "linear"}
        "linear" is attention without softmax: the product Q·(Kᵀ·V) without a mask, under the causal mask the
        recurrence of the state token by token. Forward and backward.
    gate : bool
        Whether every feature of the state of causal linear attention is multiplied with an input at each token.
    chunk : int, optional
        How many tokens of causal linear attention are processed at a time, with products of matrices.
    shared_values : bool
        Whether the values are the first dv of the d words of the keys, as in multi-head latent attention
        whose projections are absorbed.
    shared_rope : int
        How many words of each key are the same for all heads, as the rotary ones of multi-head latent attention in
        training. Then the heads are one computation, not copies; 0 by default.
    sums : {"chain", "free", "accumulate"}
        Whether sums over queries and keys are added in the order of the indices, in any order, or, in the backward
        pass, in any order and in slow memory too: ``red.add``, one word and no load.
    sum_width : int
        Words that a sum over queries or keys takes, finished or not: 2 for 32-bit sums beside 16-bit inputs.
    computation : str, optional
        Another attention: a text for :func:`~pebble.computations.text.family_of_text`.

    Raises
    ------
    InvalidInput
        If any size is not a positive integer, kv_heads does not divide heads, the mask is of other sizes or
        leaves a query without keys where that has not been allowed, or the computation is none that is known.

    Examples
    --------
    >>> Problem.square(1024, 64)
    Problem(Nq=1024, Nk=1024, d=64, dv=64)
    >>> Problem.square(1024, 64, mask="causal").pairs
    524800
    >>> Problem.square(1024, 64, heads=32, kv_heads=8)
    Problem(Nq=4096, Nk=1024, d=64, dv=64, heads=8, group=4)
    """

    Nq: int
    Nk: int
    d: int
    dv: int
    stats: bool = False
    heads: int = 1
    batch: int = 1
    pass_name: str = "forward"
    mask: Mask | None = None
    group: int = field(default=1, compare=False)
    softmax: str = "plain"
    attention: str = "softmax"
    gate: bool = False
    chunk: int | None = None
    shared_values: bool = False
    shared_rope: int = 0
    sums: str = "chain"
    computation: str | None = None
    sum_width: int = 1

    def __init__(
        self,
        Nq: int,
        Nk: int,
        d: int,
        dv: int,
        stats: bool = False,
        heads: int = 1,
        batch: int = 1,
        pass_name: str = "forward",
        mask: Mask | str | None = None,
        *,
        kv_heads: int | None = None,
        group: int = 1,
        softmax: str = "plain",
        attention: str = "softmax",
        gate: bool = False,
        chunk: int | None = None,
        shared_values: bool = False,
        shared_rope: int = 0,
        sums: str = "chain",
        computation: str | None = None,
        sum_width: int = 1,
    ) -> None:
        given = locals()
        self._set(**{one.name: given[one.name] for one in fields(self)})
        self._check()
        if mask is not None:
            self._take_mask(mask)
        if kv_heads is not None:
            self._share(kv_heads)
        check_form(self)

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check(self) -> None:
        """Check all but the mask."""
        for name in ("Nq", "Nk", "d", "dv", "heads", "batch", "group"):
            _check_size(name, getattr(self, name))
        if self.pass_name not in PASSES:
            raise InvalidInput(f"unknown pass {self.pass_name!r}; known: {', '.join(PASSES)}")
        if self.pass_name == "weights" and (self.Nq != self.Nk or self.d != self.dv):
            raise InvalidInput(
                "the gradient of the weights (--pass weights) is defined only for as many keys as "
                "queries and dv = d"
            )
        if self.stats and self.pass_name in ("backward", "weights"):
            raise InvalidInput("only the forward pass can keep its row sums (stats)")
        if self.Nq % self.group:
            raise InvalidInput(f"Nq = {self.Nq:,} is not a multiple of group = {self.group:,}")

    def _share(self, kv_heads: int) -> None:
        """Put the queries of the heads that share keys and values together, and repeat the mask for each."""
        _check_size("kv_heads", kv_heads)
        if self.heads % kv_heads:
            raise InvalidInput(
                f"{self.heads:,} query heads (heads) cannot share {kv_heads:,} heads of keys and values "
                f"(kv_heads) evenly: {self.heads:,} is not a multiple of {kv_heads:,}"
            )
        sharing = self.heads // kv_heads
        if sharing == 1:
            return
        if self.pass_name == "weights":
            raise InvalidInput(
                "the gradient of the weights is defined without heads that share keys and values"
            )
        self._set(Nq=self.Nq * sharing, heads=kv_heads, group=self.group * sharing)
        _check_size("heads / kv_heads · Nq", self.Nq)
        if self.mask is not None:
            self._set(mask=_repeated(self.mask, sharing))

    def _take_mask(self, mask: Mask | str) -> None:
        """Make the mask if it is named by a text, and check that it fits."""
        from pebble.computations.masks import Mask, check_rows, make_mask

        if isinstance(mask, str):
            self._set(mask=make_mask(mask, self.Nq, self.Nk))
        elif not isinstance(mask, Mask):
            raise InvalidInput(
                f"mask must be a Mask or a text such as 'causal', not {type(mask).__name__}; for an "
                "array use pebble.mask_from_array"
            )
        elif (mask.Nq, mask.Nk) != (self.Nq, self.Nk):
            raise InvalidInput(
                f"mask {mask.spec} is for {mask.Nq:,} queries and {mask.Nk:,} keys; "
                f"the problem has {self.Nq:,} and {self.Nk:,}"
            )
        else:
            check_rows(mask, mask.empty_rows)
        if self.mask is not None and self.pass_name == "weights":
            raise InvalidInput("the gradient of the weights (--pass weights) is defined only without a mask")

    @classmethod
    def square(cls, N: int, d: int, dv: int | None = None, **options: Any) -> Problem:
        """As many keys as queries; ``dv`` defaults to ``d``, and the options are those of a problem."""
        return cls(N, N, d, d if dv is None else dv, **options)

    @property
    def chunk_sizes(self) -> tuple[int, int, int]:
        """How many chunks there are before the last one, their tokens, and those of the last one; for linear attention.

        >>> [Problem.square(N, 2, attention="linear", mask="causal", chunk=3).chunk_sizes for N in (7, 6, 2)]
        [(2, 3, 1), (1, 3, 3), (0, 3, 2)]
        """
        size = self.chunk or 1
        full = -(-self.Nk // size) - 1
        return full, size, self.Nk - full * size

    @cached_property
    def allowed(self) -> Mask:
        """The mask; where none was given, the one that allows every pair."""
        from pebble.computations.masks.band_mask import FullMask

        return FullMask(self.Nq, self.Nk) if self.mask is None else self.mask

    @property
    def pairs(self) -> int:
        """Number of (query, key) pairs that take part."""
        return self.allowed.pairs

    @property
    def queries(self) -> int:
        """Number of queries that take part: those that attend to any key."""
        return self.allowed.present("i")

    @property
    def keys(self) -> int:
        """Number of keys that take part: those that any query attends to."""
        return self.allowed.present("j")

    def under(self, mask: Mask | None) -> Problem:
        """Return the same problem under a mask, which is that of one query head where several share their keys."""
        return replace(self, mask=None if mask is None else _repeated(mask, self.group))

    def without_mask(self) -> Problem:
        """Return the same problem with all pairs; linear attention as it is: its mask chooses a computation."""
        return self if self.attention == "linear" else replace(self, mask=None)

    @property
    def copies(self) -> int:
        """Number of independent copies, heads times batch; the batch where the heads are one computation."""
        return self.batch if self.shared_rope else self.heads * self.batch

    @property
    def single(self) -> Problem:
        """One of the independent copies, all of which are alike."""
        return replace(self, batch=1) if self.shared_rope else replace(self, heads=1, batch=1)

    @property
    def kv_heads(self) -> int:
        """Number of heads of keys and values; each is a copy, so it is ``heads``."""
        return self.heads

    @property
    def query_heads(self) -> int:
        """Number of query heads: more than ``heads`` where several share keys and values."""
        return self.heads * self.group

    def to_dict(self) -> dict[str, int | str | bool | None]:
        """Return the problem as plain data; what chooses a computation only where it is not the plain one."""
        keys = "pass=pass_name Nq Nk d dv stats heads batch mask=mask.spec pairs"
        return plain(self, keys) | form_options(self)

    def describe(self) -> str:
        """Return a description in one line.

        >>> Problem.square(1024, 64).describe()
        'attention forward, N = 1,024, d = 64'
        >>> Problem.square(1024, 64, mask="causal").describe()
        'attention forward, N = 1,024, d = 64, causal mask, 524,800 of 1,048,576 pairs'
        """
        size = f"N = {self.Nq:,}" if self.Nq == self.Nk else f"Nq = {self.Nq:,}, Nk = {self.Nk:,}"
        size += f", d = {self.d:,}" if self.d == self.dv else f", d = {self.d:,}, dv = {self.dv:,}"
        batch = f"{self.batch:,} batch elements" if self.batch > 1 else ""
        extra = "".join(f", {text}" for text in (self.heads_text, batch) if text)
        what = {"both": "forward and backward", "weights": "gradient of the weights"}.get(self.pass_name)
        kept = ", row sums kept" if self.stats else ""
        pairs = "" if self.attention == "linear" else f", {self.pairs:,} of {self.Nq * self.Nk:,} pairs"
        masked = f", {self.mask.spec} mask{pairs}" if self.mask else ""
        chunks = "" if self.chunk is None else singular(f" in chunks of {self.chunk:,} tokens")
        return f"{form_text(self)}attention {what or self.pass_name}{chunks}, {size}{extra}{kept}{masked}"

    @property
    def heads_text(self) -> str:
        """How many heads there are, in words; empty for one."""
        heads = f"{self.heads:,} head{'s' * (self.heads > 1)}"
        if self.group > 1:
            return f"{heads} of keys and values for {self.query_heads:,} of queries"
        return heads if self.heads > 1 else ""

    def __repr__(self) -> str:
        extra = "".join(
            f", {name}={value!r}"
            for name, value, default in (
                ("stats", self.stats, False),
                ("heads", self.heads, 1),
                ("batch", self.batch, 1),
                ("pass_name", self.pass_name, "forward"),
                ("group", self.group, 1),
            )
            if value != default
        )
        extra += "".join(f", {name}={value!r}" for name, value in form_options(self).items())
        if self.mask:
            extra += f", mask={self._mask_text(self.mask)}"
        return f"Problem(Nq={self.Nq}, Nk={self.Nk}, d={self.d}, dv={self.dv}{extra})"

    @staticmethod
    def _mask_text(mask: Mask) -> str:
        """Return how a mask is written in Python."""
        if mask.present("i") == mask.Nq:
            return repr(mask.spec)
        return f"make_mask({mask.spec!r}, {mask.Nq}, {mask.Nk}, empty_rows='zero')"
