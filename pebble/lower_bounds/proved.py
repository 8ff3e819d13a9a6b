"""All proved bounds on one problem, and the best of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.computations.problem_form import SOFTMAXES
from pebble.game.rules import Rules
from pebble.lower_bounds.attention.backward import b1, b2, wide_sums
from pebble.lower_bounds.attention.by_keys import by_keys
from pebble.lower_bounds.attention.compulsory import compulsory_attention, compulsory_family
from pebble.lower_bounds.attention.forward import t1, t2
from pebble.lower_bounds.attention.large_cache import large_cache, large_cache_under_mask
from pebble.lower_bounds.attention.latent import latent_bound, t1_of_all_heads, without_rope
from pebble.lower_bounds.attention.latent_keys import mla_by_keys
from pebble.lower_bounds.attention.varying_work import g1, g2, linear, linear_backward, safe_softmax
from pebble.lower_bounds.bound import Bound, applicable, by_hand
from pebble.lower_bounds.certified.backward_rows import B3Row, B4Row, b3, b4
from pebble.lower_bounds.certified.forward_rows import T3Row, T4Row, t3, t4
from pebble.lower_bounds.certified.parameters import SCALE, ParameterRow
from pebble.lower_bounds.requirements import Counts, require_mask, require_pass


def _texts(row: ParameterRow) -> dict[str, str]:
    """Return the decimals of a row."""
    return {name: f"{Decimal(value) / SCALE:f}" for name, value in row.scaled.items()}


def _with_row(
    kind: type[ParameterRow], bound: Callable[[Counts, int], Bound]
) -> Callable[[Counts, int], Bound]:
    """Return a bound that says from which row of constants it is: what another program needs to check it."""

    def told(problem: Counts, M: int) -> Bound:
        found = bound(problem, M)
        row = next(row for row in kind.load() if found.note.startswith(f"row {row};"))
        return replace(found, facts={**found.facts, "row": {"bound": found.name, **_texts(row)}})

    return told


_BY_COUNTS: dict[str, tuple[Callable[[Counts, int], Bound], ...]] = {
    "forward": (
        *(compulsory_attention, t1, t2, _with_row(T3Row, t3), _with_row(T4Row, t4)),
        *(large_cache, by_keys),
    ),
    "backward": (
        compulsory_attention,
        b1,
        b2,
        _with_row(B3Row, b3),
        _with_row(B4Row, b4),
        large_cache,
        wide_sums,
    ),
    "weights": (compulsory_attention, g1, g2),
}


def _without_rope(problem: Problem, M: int) -> Bound:
    """Bound all heads without their shared words by the best bound on each."""
    return without_rope(problem, M, best_bound)


_OF_FORM: dict[str, tuple[Callable[[Problem, int], Bound], ...]] = {
    "plain": (),
    "safe": (safe_softmax,),
    "online": (),
    "latent": (latent_bound, mla_by_keys),
    "shared-rope": (t1_of_all_heads, _without_rope),
    "linear": (linear,),
    "recurrent": (linear, linear_backward),
    "gated": (linear,),
}
"""Bounds of one computation alone. Those of plain softmax hold for safe and online softmax as well: their DAGs become
the plain one where vertices that are not inputs are deleted, which cannot raise the I/O (docs/proofs/softmax.md)."""


def forward_bounds(problem: Problem, M: int, rules: Rules | None = None) -> list[Bound]:
    """Return :func:`proved_bounds` of a forward pass.

    They are the compulsory bound, T1, T2, T3 and T4 where they are defined, D where it says more than the compulsory
    bound, and for a mask "by parts" and, where it says something, "causal triangles".

    Examples
    --------
    >>> [bound.name for bound in forward_bounds(Problem.square(4096, 64), 10**5)]
    ['T1', 'D', 'compulsory', 'T2']
    """
    require_pass(problem, "forward", "the forward bounds")
    return proved_bounds(problem, M, rules)


def backward_bounds(problem: Problem, M: int, rules: Rules | None = None) -> list[Bound]:
    """Return :func:`proved_bounds` of a backward pass.

    They are the compulsory bound, B1, B2, B3 and B4 where they are defined, D backward where it says more than the
    compulsory bound, and for a mask "by parts".

    Examples
    --------
    >>> backward_bounds(Problem(4096, 4096, 64, 64, pass_name="backward"), 10**5)[0].name
    'B1'
    """
    require_pass(problem, "backward", "the backward bounds")
    return proved_bounds(problem, M, rules)


def proved_bounds(problem: Problem, M: int, rules: Rules | None = None) -> list[Bound]:
    """Return every bound with a proved constant that applies to one copy of a problem, the best first.

    The maximum of the values is a bound, not
    their sum; multiply them by ``problem.copies`` for all heads and batch elements.

    Parameters
    ----------
    problem : Problem
    M : int
        Words of fast memory.
    rules : Rules, optional
        The game that is played; bounds that do not hold under its rules are left out. By default all are listed.

    Examples
    --------
    >>> proved_bounds(Problem.square(4096, 64), 10**5)[0].name
    'T1'
    """
    M = fast_memory_words(M)
    if problem.pass_name not in _BY_COUNTS:
        require_pass(problem, "forward", "the forward bounds")
    own = applicable(_OF_FORM.get(problem.form, ()), problem, M)
    if problem.form in SOFTMAXES:
        others = (_by_parts, _causal_triangles, large_cache_under_mask)
        plain = bounds_by_counts(problem, M) + applicable(others, problem, M)
        bounds = own + [_with_maxima(problem, bound) for bound in plain]
    else:
        bounds = [compulsory_family(problem, M), *own]
    bounds = bounds if rules is None else [bound for bound in bounds if bound.holds_under(rules)]
    return sorted(bounds, key=lambda bound: -bound.value)


def best_bound(problem: Problem, M: int, rules: Rules | None = None) -> Bound:
    """Return the greatest bound of :func:`proved_bounds`, for one copy of a forward or a backward pass.

    Examples
    --------
    >>> best_bound(Problem.square(4096, 64), 25000).value
    11020013
    """
    return proved_bounds(problem, M, rules)[0]


def bounds_by_counts(problem: Counts, M: int) -> list[Bound]:
    """Return the bounds that ask only how many pairs, queries and keys there are, the best first."""
    return sorted(applicable(_BY_COUNTS[problem.pass_name], problem, M), key=lambda bound: -bound.value)


def _with_maxima(problem: Problem, bound: Bound) -> Bound:
    """Return a bound on plain softmax as one on the problem's: with ``stats`` the maxima are stored besides.

    No file for Coq states a bound that says nothing, or the maxima alone.
    """
    bound = bound if bound.value else by_hand(bound)
    if problem.form == "plain":
        return bound
    return replace(bound, value=bound.value + problem.queries * problem.stats)


def _by_parts(problem: Problem, M: int) -> Bound:
    """Bound a masked problem by the sum over its parts, which needs numpy."""
    require_mask(problem, "the bound by parts")
    from pebble.lower_bounds.attention.by_parts import by_parts

    return by_parts(problem, M, bounds_by_counts)


def _causal_triangles(problem: Problem, M: int) -> Bound:
    """Bound a masked problem by the causal masks it contains, which needs numpy."""
    require_mask(problem, "the bound by causal triangles")
    from pebble.lower_bounds.attention.causal_triangles import causal_triangles

    return causal_triangles(problem, M)
