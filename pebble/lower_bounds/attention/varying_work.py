"""S, L, G1 and G2: lower bounds where the work that counts depends on the segment."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.backward import segment_work
from pebble.lower_bounds.attention.forward import t1
from pebble.lower_bounds.bound import HONG_KUNG, LOOMIS_WHITNEY, Bound, Statement
from pebble.lower_bounds.cutting import Cut, best_cut_of_less, best_start
from pebble.lower_bounds.requirements import Counts, require_all_pairs, require_pass, require_sizes
from pebble.lower_bounds.rounding import ceil_div, ceil_sqrt

S = Statement(
    "S",
    "I/O ≥ M + 1 + X·(⌈W(T) / ⌊T²/(4d)⌋⌉ − 1), T = M + X ≥ 34d², W(T) = z·(d + 4dv) − d·min(z, Nq·⌊T/d⌋), for every "
    "integer X ≥ 1 with at least two segments; 2Nq more if the row sums and the maxima are outputs",
    "attention with two-pass safe softmax, forward pass, any sizes and any mask; z is the number of pairs, Nq that of "
    "queries that have one; chains in a fixed order",
    "docs/proofs/softmax.md, S",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
    version=2,
)

S_BY_BLOCKS = Statement(
    "S by blocks",
    "I/O ≥ M + 1 + X·(⌈W(T) / ⌊T²/(4d)⌋⌉ − 1), T = M + X ≥ 34d², W(T) = Nq·Nk·(d + 4dv) − d·Nq·(the sum over blocks of "
    "at most B keys of min(keys of the block, ⌊T/d⌋)), for every integer X ≥ 1 with at least two segments; 2Nq more if "
    "the row sums and the maxima are outputs",
    "attention with online softmax that renews the maximum of a row after every B keys, forward pass, every pair of "
    "query and key; chains in a fixed order",
    "docs/proofs/softmax.md, by blocks",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

_LEAST = 34
"""A segment's weight is bounded for T ≥ 34d²."""
_SCALE = 10**40


def safe_softmax_events(T: int, d: int) -> int:
    """At most what the steps weigh that a segment of ``T >= 34 d**2`` words can do: ``T**2 / (4 d)``.

    A step of a maximum weighs d, one of an output 4.

    >>> safe_softmax_events(34 * 4**2, 4)
    18496
    """
    return T * T // (4 * d)


def safe_softmax_weight(problem: Problem, T: int, block: int | None = None) -> int:
    """What all steps weigh, less those that segments of ``T`` words may share between a maximum and its outputs.

    A maximum is that of ``block`` keys where every pair is allowed, and by default of all a query sees.

    >>> problem = Problem.square(100, 2, softmax="safe")
    >>> safe_softmax_weight(problem, 136), safe_softmax_weight(problem, 136, 80), safe_softmax_weight(problem, 136, 1)
    (86400, 82400, 80000)
    """
    d, most = problem.d, T // problem.d
    if block is None:
        struck = min(problem.pairs, problem.queries * most)
    else:
        blocks, rest = divmod(problem.Nk, block)
        struck = problem.Nq * (blocks * min(block, most) + min(rest, most))
    return problem.pairs * (d + 4 * problem.dv) - d * struck


def safe_softmax(problem: Problem, M: int) -> Bound:
    """Lower bound on two-pass safe softmax: ``5 N**2 d**2 / M`` to leading order for ``d**2 << M << N d``.

    Examples
    --------
    >>> safe_softmax(Problem.square(65536, 64, softmax="safe"), 65536).value
    1328698157
    """
    cut = safe_softmax_cut(problem, M)
    return S.bound(cut.moves + 2 * problem.queries * problem.stats, str(cut))


def safe_softmax_cut(problem: Problem, M: int) -> Cut:
    """Return the cutting that gives S; see :func:`safe_softmax`."""
    M = fast_memory_words(M)
    require_pass(problem, "forward", "S")
    if problem.form != "safe":
        raise BoundDoesNotApply(
            f"S is proved only for safe softmax in two passes, not for {problem.describe()}"
        )
    return _best_cut(problem, M, None)


def rescaled_by_block(problem: Problem, M: int, block: int) -> Bound:
    """Lower bound on online softmax that renews the maximum of a row, and rescales, after every ``block`` keys.

    With one block it is :func:`safe_softmax`; for blocks of much fewer than ``2 M / d`` keys T1 says as much.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy, without a mask; only its sizes matter, and whether it keeps statistics.
    M : int
        Words of fast memory.
    block : int
        Keys of a block, at least 1; the last block may have fewer.

    Examples
    --------
    >>> problem = Problem.square(65536, 64, softmax="online")
    >>> [rescaled_by_block(problem, 65536, block).value for block in (1024, 8192, 65536)]
    [1070080001, 1266525747, 1328698157]
    """
    M = fast_memory_words(M)
    require_sizes(block=block)
    require_pass(problem, "forward", "S by blocks")
    if problem.form not in ("safe", "online"):
        raise BoundDoesNotApply(f"S by blocks is for softmax with its maximum, not for {problem.describe()}")
    require_all_pairs(problem, "S by blocks")
    cut = _best_cut(problem, M, min(block, problem.Nk))
    note = f"{cut}; blocks of {block:,} keys"
    return S_BY_BLOCKS.bound(cut.moves + 2 * problem.Nq * problem.stats, note)


def _best_cut(problem: Problem, M: int, block: int | None) -> Cut:
    """Return the best cutting that is found; every one with at least two segments is valid."""
    least = max(1, _LEAST * problem.d**2 - M)

    def work(T: int) -> int:
        return safe_softmax_weight(problem, T, block)

    def events(T: int) -> int:
        return safe_softmax_events(T, problem.d)

    start = best_start(M, lambda T: _SCALE * events(T) // max(work(T), 1), least, max(least, 4 * M))
    cut = best_cut_of_less(work, events, M, least, start)
    if cut is None:
        raise BoundDoesNotApply(
            f"S needs two segments of at least 34d² = {_LEAST * problem.d**2:,} words; {problem.describe()} with "
            f"M = {M:,} is done in one"
        )
    return cut


LINEAR = Statement(
    "L",
    "I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) − d·dv, F(T) = ⌊(T/3)^(3/2)⌋, for every integer X ≥ 1 with at least two "
    "segments; W = d·dv·(N + G·max(0, N − ⌈(M + X)/2⌉)), G query heads to each head of keys; for the right product "
    "d·dv·(Nk + Nq), or d·dv·Nk where "
    "2·Nk ≤ M + X; (N − 1)·d more with gates",
    "linear attention without a mask by the right product, or causal with a state for every token, with gates or "
    "without; not in chunks; chains in a fixed order",
    "docs/proofs/linear.md, L",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

_FORMS = ("linear", "recurrent", "gated")


def linear_events(problem: Problem, T: int) -> int:
    """Return the number W of multiply-adds that a segment which reaches ``T`` words does at most F(T) of.

    The multiply-adds that read a state which ``T`` words suffice to make anew are left out.

    Examples
    --------
    >>> linear_events(Problem.square(10, 2, attention="linear", mask="causal"), 7)
    64
    >>> linear_events(Problem(9, 10, 2, 2, attention="linear"), 19)
    76
    """
    state = problem.d * problem.dv
    if problem.form == "linear":
        return state * (problem.Nk + (problem.Nq if 2 * problem.Nk > T else 0))
    heads = problem.Nq // problem.Nk
    return state * (problem.Nk + heads * max(0, problem.Nk - ceil_div(T, 2)))


def linear(problem: Problem, M: int) -> Bound:
    """Lower bound for linear attention: leading term ``4 N d dv / sqrt(M)`` for N much larger than M.

    0 where it says nothing.

    Examples
    --------
    >>> linear(Problem.square(10**6, 64, attention="linear", mask="causal"), 1000).value
    517731029
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "L")
    if problem.form not in _FORMS:
        raise BoundDoesNotApply(
            "L is proved for linear attention by the right product or with a state for every token, not for "
            + ("chunks of tokens" if problem.form == "chunked" else "softmax")
        )
    cut = linear_best_cut(problem, M)
    if cut is None:
        return LINEAR.bound(0, "no cut into two segments", status="proved")
    gates = (problem.Nk - 1) * problem.d * problem.gate
    state = problem.d * problem.dv
    # What docs/proofs/LinearCertificate.v has a test by numbers for.
    written = 2 * problem.Nk > M + cut.X if problem.form == "linear" else problem.Nq == problem.Nk
    status = LINEAR.status if written and cut.moves > state else "proved"
    return LINEAR.bound(max(0, cut.moves - state) + gates, str(cut), status=status)


def linear_best_cut(problem: Problem, M: int) -> Cut | None:
    """Return the best cut that is found; None if one segment may do it all."""
    return best_cut_of_less(partial(linear_events, problem), lambda T: math.isqrt(T**3 // 27), M, window=24)


LINEAR_BACKWARD = Statement(
    "L backward",
    "I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) − 2·d·dv, F(T) = ⌊2·T^(3/2)/9⌋, for every integer X ≥ 1 with at least two "
    "segments; W = d·dv·(2N + 3·max(0, N − ⌈(M + X)/2⌉))",
    "the gradients of causal linear attention with a state for every token, without gates; not in chunks; chains in a "
    "fixed order",
    "docs/proofs/linear.md, L backward",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


def linear_backward_events(problem: Problem, T: int) -> int:
    """Return the number W of multiply-adds of gradients that a segment of ``T`` words does at most F(T) of.

    >>> linear_backward_events(Problem.square(10, 2, attention="linear", mask="causal", pass_name="backward"), 7)
    152
    """
    return problem.d * problem.dv * (2 * problem.Nk + 3 * max(0, problem.Nk - ceil_div(T, 2)))


def linear_backward(problem: Problem, M: int) -> Bound:
    """Lower bound for the gradients of causal linear attention: about ``5 √3 N d dv / √M`` for N much larger than M.

    0 where it says nothing.

    Examples
    --------
    >>> linear_backward(Problem.square(10**6, 64, attention="linear", mask="causal", pass_name="backward"), 1000).value
    1120745701
    """
    M = fast_memory_words(M)
    require_pass(problem, "backward", "L backward")
    if problem.form != "recurrent":
        raise BoundDoesNotApply(
            "L backward is proved for causal linear attention with a state for every token"
        )
    events = partial(linear_backward_events, problem)
    cut = best_cut_of_less(events, lambda T: math.isqrt(4 * T**3 // 81), M, window=24)
    if cut is None:
        return LINEAR_BACKWARD.bound(0, "no cut into two segments")
    return LINEAR_BACKWARD.bound(max(0, cut.moves - 2 * problem.d * problem.dv), str(cut))


_ABOUT = "the gradient of the weights (--pass weights) of N tokens, A1, A2 and A3 different; chains in a fixed order"

G1 = Statement(
    "G1",
    "I/O ≥ M + 1 + X·(⌈N²·d / F(M + X)⌉ − 1) − N·d + d², F(T) that of T1 for dv = d, for every integer X ≥ 1 with at "
    "least two segments",
    _ABOUT,
    "docs/proofs/weights.md, G1",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

G2 = Statement(
    "G2",
    "I/O ≥ M + 1 + X·(⌈(10N²d² − 4NdT) / F(T)⌉ − 1) − 2N·d + d², T = M + X < N·d, F(T) = max over b of (T − b)²/4 + "
    "min(10d²·b', 3d·√b'·(T − b)), b' = b/(1 − T/(N·d)), for every integer X ≥ 1 with at least two segments",
    _ABOUT,
    "docs/proofs/weights.md, G2",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

g1 = replace(
    t1, statement=G1, pass_name="weights", more=lambda problem: problem.d * (problem.d - problem.queries)
)
"""The bound from the product of P and h alone: ``4 N² d² / M`` for ``M >= 4 d²``."""


def g2_events(T: int, N: int, d: int) -> int:
    """The most weighted work of both products that a segment that reaches ``T`` words can do.

    >>> g2_events(40_000, 10**6, 8) == 40_000**2 // 4, g2_events(8000, 1000, 8) == 10 * 8000**2
    (True, True)
    """
    whole = N * d
    if whole <= T:  # all rows of A2 may be there: all of the work
        return 10 * whole * whole
    left = whole - T
    return segment_work(T, ceil_sqrt(ceil_div(36 * d * d * whole, left)), ceil_div(10 * d * d * whole, left))


def g2(problem: Counts, M: int) -> Bound:
    """Lower bound on the gradient of the weights from its two products over pairs: ``10 N² d² / M`` for M far above d².

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> round(g2(Problem.square(10**6, 64, pass_name="weights"), 10**6).value / (10 * 10**6 * 64**2), 3)
    0.984
    """
    M, N, d = fast_memory_words(M), problem.queries, problem.d
    require_pass(problem, "weights", "G2")
    cut = best_cut_of_less(
        lambda T: max(0, 10 * N * N * d * d - 4 * N * d * T), lambda T: g2_events(T, N, d), M
    )
    if cut is None:
        raise BoundDoesNotApply("G2 says nothing: one segment may do all of the work")
    return G2.bound(max(0, cut.moves - 2 * N * d + d * d), str(cut))
