"""What every bound asks of its arguments before it answers."""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds.counts import Counts

__all__ = [
    "require_all_pairs",
    "require_backward",
    "require_forward",
    "require_mask",
    "require_no_recomputation",
    "require_sizes",
    "require_words",
]


def require_words(M: object) -> int:
    """Return ``M`` if it is a positive whole number of words.

    Raises
    ------
    InvalidInput
        If it is not.

    Examples
    --------
    >>> require_words(64)
    64
    """
    if not isinstance(M, int) or isinstance(M, bool) or M < 1:
        raise InvalidInput(f"M is the number of words of fast memory, a positive whole number, not {M!r}")
    return M


def require_sizes(**sizes: object) -> None:
    """Check that every named size is a positive whole number.

    Raises
    ------
    InvalidInput
        If one is not; the message names it.
    """
    for name, value in sizes.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InvalidInput(f"{name} must be a positive whole number, not {value!r}")


def require_forward(problem: Counts, bound: str) -> None:
    """Check that the problem is a forward pass.

    Raises
    ------
    BoundDoesNotApply
        If it is not.
    """
    if problem.pass_name != "forward":
        raise BoundDoesNotApply(
            f"{bound} is proved for the forward pass only, not for the {problem.pass_name} pass"
        )


def require_backward(problem: Counts, bound: str) -> None:
    """Check that the problem is a backward pass.

    Raises
    ------
    BoundDoesNotApply
        If it is not.
    """
    if problem.pass_name != "backward":
        raise BoundDoesNotApply(
            f"{bound} is proved for the backward pass only, not for the {problem.pass_name} pass"
        )


def require_all_pairs(problem: Problem, statement: str) -> None:
    """Check that there is no mask.

    Raises
    ------
    BoundDoesNotApply
        If there is one.
    """
    if problem.mask is not None:
        raise BoundDoesNotApply(
            f"{statement} is published for all pairs of query and key, not for the mask {problem.mask.spec}; "
            "published for masks are Li et al.'s worst case and the cost of block-sparse FlashAttention"
        )


def require_mask(problem: Problem, statement: str) -> None:
    """Check that there is a mask.

    Raises
    ------
    BoundDoesNotApply
        If there is none.
    """
    if problem.mask is None:
        raise BoundDoesNotApply(f"{statement} is about masks; this problem has all pairs of query and key")


def require_no_recomputation(rules: Rules, bound: str) -> None:
    """Check that the rules forbid recomputation.

    Raises
    ------
    BoundDoesNotApply
        If they allow it.
    """
    if rules.recomputation:
        raise BoundDoesNotApply(
            f"{bound} is proved only if no vertex is computed twice; these rules are: {rules}. "
            f"Use a bound that allows recomputation, or Rules(recomputation=False)"
        )
