"""What the bounds read off a problem: its sizes, and how many pairs, queries and keys take part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Counts", "Part"]


class Counts(Protocol):
    """A :class:`~pebble.computations.problem.Problem`, or a :class:`Part` of one."""

    @property
    def pass_name(self) -> str:
        """Which pass."""

    @property
    def d(self) -> int:
        """Head dimension of Q and K."""

    @property
    def dv(self) -> int:
        """Head dimension of V."""

    @property
    def stats(self) -> bool:
        """Whether the row sums are outputs."""

    @property
    def sums(self) -> str:
        """Whether sums are added in a fixed order ("chain"), in any ("free"), or in slow memory too ("accumulate")."""

    @property
    def sum_width(self) -> int:
        """Words of a sum over queries or keys."""

    @property
    def pairs(self) -> int:
        """Number of pairs of query and key."""

    @property
    def queries(self) -> int:
        """Number of queries that have a pair."""

    @property
    def keys(self) -> int:
        """Number of keys that have a pair."""


@dataclass(frozen=True)
class Part:
    """Some pairs of a masked problem, with the queries and keys that have one of them: a smaller masked problem."""

    pass_name: str
    d: int
    dv: int
    stats: bool
    pairs: int
    queries: int
    keys: int
    sums: str = field(default="chain", kw_only=True)
    sum_width: int = field(default=1, kw_only=True)
