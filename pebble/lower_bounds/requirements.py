"""What bounds read off a problem, and what they require of their arguments before they answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules

if TYPE_CHECKING:
    from pebble.computations.masks import Mask


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


Counts: TypeAlias = Problem | Part
"""What bounds read their counts off: head dimensions, pairs, and queries and keys that have a pair."""


def require_sizes(**sizes: object) -> None:
    """Check that every named size is a positive whole number."""
    for name, value in sizes.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InvalidInput(f"{name} must be a positive whole number, not {value!r}")


def require_power_of_two(n: int) -> None:
    """Check that an FFT has a power of two of at least 2 points."""
    require_sizes(n=n)
    if n < 2 or n & (n - 1):
        raise InvalidInput(f"the FFT needs a power of two of at least 2 points, not n = {n}")


def require_pass(problem: Counts, pass_name: str, bound: str) -> None:
    """Check that the problem is of the pass that a bound is proved for."""
    if problem.pass_name != pass_name:
        raise BoundDoesNotApply(
            f"{bound} is proved only for the {pass_name} pass, not for the {problem.pass_name} pass"
        )


def require_fixed_order(problem: Counts, bound: str) -> None:
    """Check that the problem adds its sums in the order of the indices."""
    if problem.sums != "chain":
        raise BoundDoesNotApply(
            f"{bound} is proved for sums in a fixed order; for sums in any order T1 to T4 and B1 to B4 are "
            "(docs/proofs/any-order.md)"
        )


def require_loads_of_sums(problem: Counts, bound: str) -> None:
    """Check that a partial sum in slow memory must be loaded before a term is added."""
    if problem.sums == "accumulate":
        raise BoundDoesNotApply(
            f"{bound} counts the loads of partial sums, which adding in slow memory does without; T1, T2, B1, B2 and "
            "B3 hold there (docs/proofs/any-order.md)"
        )


def has_all_pairs(problem: Problem) -> bool:
    """Tell whether there is no mask; most bounds need not ask, but count pairs, queries and keys."""
    return problem.mask is None


def require_all_pairs(problem: Problem, statement: str) -> None:
    """Check that there is no mask."""
    if not has_all_pairs(problem):
        mask = require_mask(problem, statement).spec
        raise BoundDoesNotApply(
            f"{statement} is published for all pairs of query and key, not for the mask {mask}; "
            "published for masks are Li et al.'s worst case and the cost of block-sparse FlashAttention"
        )


def require_mask(problem: Problem, statement: str) -> Mask:
    """Return the problem's mask."""
    if problem.mask is None:
        raise BoundDoesNotApply(f"{statement} is for masks; this problem has all pairs of query and key")
    return problem.mask


def require_no_recomputation(rules: Rules, bound: str) -> None:
    """Check that the rules forbid recomputation."""
    if rules.recomputation:
        raise BoundDoesNotApply(
            f"{bound} is proved only if no vertex is computed twice; forbid that with --no-recomputation, "
            "Rules(recomputation=False), or use another bound"
        )
