"""All bounds on one problem, and the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds.attention.backward import b1, b2, compulsory_backward
from pebble.lower_bounds.attention.compulsory import compulsory
from pebble.lower_bounds.attention.forward import t1, t2
from pebble.lower_bounds.attention.weights import compulsory_weights
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts, Part
from pebble.lower_bounds.domain import require_backward, require_forward, require_words

__all__ = ["backward_bounds", "best_bound", "forward_bounds", "proved_bounds"]


def forward_bounds(problem: Problem, M: int, rules: Rules | None = None) -> list[Bound]:
    """Return every bound with a proved constant that applies to one copy of a forward pass, the best first.

    Parameters
    ----------
    problem : Problem
        Forward pass; multiply the values by ``problem.copies`` for all heads and batch elements.
    M : int
        Words of fast memory.
    rules : Rules, optional
        The game that is played. All of these bounds hold with or without recomputation and sliding, so that
        none has to be left out whatever the rules.

    Returns
    -------
    list of Bound
        The compulsory bound, T1, T2, T3 where it is defined, and for a mask "by parts", by falling value. Their
        maximum is a bound, not their sum.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass.

    Examples
    --------
    >>> [bound.name for bound in forward_bounds(Problem.square(4096, 64), 10**5)]
    ['T1', 'compulsory', 'T2']
    """
    del rules
    require_words(M)
    require_forward(problem, "the forward bounds")
    return _with_parts(problem, M)


def backward_bounds(problem: Problem, M: int, rules: Rules | None = None) -> list[Bound]:
    """Return every bound with a proved constant that applies to one copy of a backward pass, the best first.

    Parameters
    ----------
    problem : Problem
        Backward pass; multiply the values by ``problem.copies`` for all heads and batch elements.
    M : int
        Words of fast memory.
    rules : Rules, optional
        The game that is played; all of these bounds hold with or without recomputation and sliding.

    Returns
    -------
    list of Bound
        The compulsory bound, B1, B2, B3 where it is defined, and for a mask "by parts", by falling value. Their
        maximum is a bound, not their sum.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a backward pass.

    Examples
    --------
    >>> problem = Problem(4096, 4096, 64, 64, pass_name="backward")
    >>> backward_bounds(problem, 10**5)[0].name
    'B1'
    """
    del rules
    require_words(M)
    require_backward(problem, "the backward bounds")
    return _with_parts(problem, M)


def proved_bounds(problem: Problem, M: int, rules: Rules | None = None) -> list[Bound]:
    """Return :func:`forward_bounds` or :func:`backward_bounds`, whichever is for the problem's pass.

    Of the gradient of the weights only the compulsory words are bounded.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.

    Examples
    --------
    >>> proved_bounds(Problem.square(4096, 64), 10**5)[0].name
    'T1'
    >>> proved_bounds(Problem(4096, 4096, 64, 64, pass_name="backward"), 10**5)[0].name
    'B1'
    """
    if problem.pass_name == "weights":
        return [compulsory_weights(problem, M)]
    listing = backward_bounds if problem.pass_name == "backward" else forward_bounds
    return listing(problem, M, rules)


def best_bound(problem: Problem, M: int, rules: Rules | None = None) -> Bound:
    """Return the greatest bound of :func:`proved_bounds`, for one copy of a forward or a backward pass.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.

    Examples
    --------
    >>> best_bound(Problem.square(4096, 64), 25000).value
    11020013
    """
    return proved_bounds(problem, M, rules)[0]


def _with_parts(problem: Problem, M: int) -> list[Bound]:
    bounds = _own(problem, M)
    if problem.mask is None:
        return bounds
    from pebble.lower_bounds.attention.by_parts import by_parts

    return sorted([*bounds, by_parts(problem, M, _own)], key=lambda bound: -bound.value)


def _own(problem: Problem | Part, M: int) -> list[Bound]:
    """Return the bounds that ask only how many pairs, queries and keys there are."""
    if problem.pass_name == "backward":
        return _applicable((compulsory_backward, b1, b2, _b3), problem, M)
    return _applicable((compulsory, t1, t2, _t3), problem, M)


def _applicable(candidates: Iterable[Callable[[Counts, int], Bound]], problem: Counts, M: int) -> list[Bound]:
    bounds = []
    for bound in candidates:
        try:
            bounds.append(bound(problem, M))
        except BoundDoesNotApply:
            continue
    return sorted(bounds, key=lambda bound: -bound.value)


def _t3(problem: Counts, M: int) -> Bound:
    from pebble.lower_bounds.certified.t3 import t3

    return t3(problem, M)


def _b3(problem: Counts, M: int) -> Bound:
    from pebble.lower_bounds.certified.b3 import b3

    return b3(problem, M)
