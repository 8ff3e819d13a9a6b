"""What is to be computed: the shape of an attention problem."""

from __future__ import annotations

from dataclasses import dataclass

from pebble.errors import InvalidInput

__all__ = ["PASSES", "Problem"]

PASSES = ("forward", "backward", "both", "weights")


LARGEST_SIZE = 10**18


@dataclass(frozen=True)
class Problem:
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

    Raises
    ------
    InvalidInput
        If any size is not a positive integer.

    Examples
    --------
    >>> Problem.square(1024, 64)
    Problem(Nq=1024, Nk=1024, d=64, dv=64)
    """

    Nq: int
    Nk: int
    d: int
    dv: int
    stats: bool = False
    heads: int = 1
    batch: int = 1
    pass_name: str = "forward"

    def __post_init__(self) -> None:
        for name in ("Nq", "Nk", "d", "dv", "heads", "batch"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InvalidInput(f"{name} must be a positive whole number, not {value!r}")
            if value > LARGEST_SIZE:
                raise InvalidInput(f"{name} is too large: at most {LARGEST_SIZE:,}")
        if self.pass_name not in PASSES:
            raise InvalidInput(f"unknown pass {self.pass_name!r}; known: {', '.join(PASSES)}")
        if self.pass_name == "weights" and (self.Nq != self.Nk or self.d != self.dv):
            raise InvalidInput(
                "the gradient of the weights is defined for as many keys as queries and dv = d"
            )
        if self.stats and self.pass_name in ("backward", "weights"):
            raise InvalidInput("only the forward pass can keep its row sums (stats)")

    @classmethod
    def square(
        cls, N: int, d: int, dv: int | None = None, *, stats: bool = False, pass_name: str = "forward"
    ) -> Problem:
        """As many keys as queries; ``dv`` defaults to ``d``."""
        return cls(Nq=N, Nk=N, d=d, dv=d if dv is None else dv, stats=stats, pass_name=pass_name)

    @property
    def pairs(self) -> int:
        """Number of (query, key) pairs that take part."""
        return self.Nq * self.Nk

    @property
    def copies(self) -> int:
        """Number of independent copies, heads times batch."""
        return self.heads * self.batch

    def to_dict(self) -> dict[str, int | str | bool]:
        """Return the problem as plain data."""
        return {
            "pass": self.pass_name,
            "Nq": self.Nq,
            "Nk": self.Nk,
            "d": self.d,
            "dv": self.dv,
            "stats": self.stats,
            "heads": self.heads,
            "batch": self.batch,
        }

    def describe(self) -> str:
        """Return one line for people.

        >>> Problem.square(1024, 64).describe()
        'attention forward, N = 1,024, d = 64'
        """
        length = f"N = {self.Nq:,}" if self.Nq == self.Nk else f"Nq = {self.Nq:,}, Nk = {self.Nk:,}"
        width = f"d = {self.d:,}" if self.d == self.dv else f"d = {self.d:,}, dv = {self.dv:,}"
        extra = "".join(
            f", {value:,} {name}"
            for name, value in (("heads", self.heads), ("batch elements", self.batch))
            if value > 1
        )
        names = {"both": "forward and backward", "weights": "gradient of the weights"}
        name = names.get(self.pass_name, self.pass_name)
        return f"attention {name}, {length}, {width}{extra}{', row sums kept' if self.stats else ''}"

    def __repr__(self) -> str:
        extra = "".join(
            f", {name}={value!r}"
            for name, value, default in (
                ("stats", self.stats, False),
                ("heads", self.heads, 1),
                ("batch", self.batch, 1),
                ("pass_name", self.pass_name, "forward"),
            )
            if value != default
        )
        return f"Problem(Nq={self.Nq}, Nk={self.Nk}, d={self.d}, dv={self.dv}{extra})"
