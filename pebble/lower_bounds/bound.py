"""What a lower bound is: a value with its status, the rules it holds under, and its source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeVar

from pebble.common.clock import tell
from pebble.common.errors import BoundDoesNotApply
from pebble.common.plain import plain
from pebble.game.rules import Rules

__all__ = ["ANY_RULES", "ONCE_ONLY", "Bound", "Status", "applicable", "by_hand", "in_any_order"]

_Asked = TypeVar("_Asked")

ANY_RULES = "recomputation allowed, sliding allowed"
"""The bound holds in every variant of the game."""

ONCE_ONLY = "recomputation forbidden, sliding allowed"
"""The bound needs that no vertex is computed twice."""

Status = Literal["machine-checked", "proved", "computer-assisted", "asymptotic"]
"""Proved in docs/proofs/, and the number is one that ``--coq`` writes and Coq checks; proved by hand; proved by hand up
to constants that a program proves; or no constant at all."""


@dataclass(frozen=True)
class Bound:
    """A lower bound on the I/O (loads plus stores) of one problem with M words of fast memory.

    Parameters
    ----------
    name : str
        Short name: ``"compulsory"``, ``"T1"``, ...
    value : int or float
        Words. An integer, rounded so that floating point cannot lift it above the truth, where the bound
        carries a proved constant; a float for an asymptotic curve.
    status : {"machine-checked", "proved", "computer-assisted", "asymptotic"}
        Only the first three may be asserted. An asymptotic curve has no constant: compare its shape, not its value.
    source : str
        Where the statement and its proof are found.
    rules : str
        The rules of the game the bound holds under, in words: ``"recomputation allowed"``, ``"sliding allowed"``
        or both. What is not called allowed must be forbidden.
    note : str
        What the value was obtained with (the best number of segments, the certificate's row), for the curious.
    facts : mapping of str to str or int
        The ``statement``, its ``hypotheses``, ``authors`` and ``version``: see
        :class:`~pebble.lower_bounds.statement.Statement`.
    """

    KEYS: ClassVar[str] = "name value proved status source rules note"

    name: str
    value: int | float
    status: Status
    source: str
    rules: str = ANY_RULES
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False, compare=False)

    @property
    def proved(self) -> bool:
        """Whether the value may be asserted against a count."""
        return self.status != "asymptotic"

    def holds_under(self, rules: Rules) -> bool:
        """Tell whether the bound holds in a game played by these rules.

        >>> Bound("T1", 7, "proved", "").holds_under(Rules(sliding=True))
        True
        >>> Bound("", 7, "proved", "", rules="recomputation forbidden").holds_under(Rules())
        False
        """
        played = (("recomputation", rules.recomputation), ("sliding", rules.sliding))
        return all(f"{variant} allowed" in self.rules for variant, allowed in played if allowed)

    @property
    def brief(self) -> dict[str, Any]:
        """What a table of something else says of the bound, as plain data."""
        return plain(self, "name value status")

    def to_dict(self) -> dict[str, Any]:
        """Return the bound as plain data."""
        return {**plain(self, self.KEYS), **self.facts}


def by_hand(bound: Bound) -> Bound:
    """Return a bound as one that is derived from it by an argument on paper: at most proved, not machine-checked.

    >>> by_hand(Bound("T1", 7, "machine-checked", "")).status, by_hand(Bound("B3", 7, "computer-assisted", "")).status
    ('proved', 'computer-assisted')
    """
    return replace(bound, status="proved") if bound.status == "machine-checked" else bound


def in_any_order(bound: Bound, sums: str, width: int = 1, *, checked: bool = False) -> Bound:
    """Return a bound on chains as one on sums in any order or of any width, by a proof on paper.

    ``checked`` tells that Coq has the theorem for sums in any order of one word each.
    """
    if sums == "chain" and width == 1:
        return bound
    bound = bound if checked and width == 1 else by_hand(bound)
    return replace(bound, source=f"{bound.source}; docs/proofs/any-order.md")


def applicable(bounds: Iterable[Callable[[_Asked, int], Bound]], problem: _Asked, M: int) -> list[Bound]:
    """Return what the bounds say of a problem with M words; those that do not apply are left out."""
    found: list[Bound] = []
    for bound in bounds:
        tell(f"bounds: {len(found)} found")
        try:
            found.append(bound(problem, M))
        except BoundDoesNotApply:
            continue
    return found
