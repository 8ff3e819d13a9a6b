"""S: the lower bound on two-pass safe softmax, where no exponential is taken before the maximum of its row is known.

It counts in every segment of a pebbling the steps of the maxima besides those of the outputs. Only integers are
computed with. The proof is in docs/proofs/softmax.md.
"""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.cutting import Cut, best_cut_of_less, best_start
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_all_pairs, require_pass, require_sizes
from pebble.lower_bounds.statement import Statement

__all__ = [
    "S_BY_BLOCKS",
    "S",
    "rescaled_by_block",
    "safe_softmax",
    "safe_softmax_cut",
    "safe_softmax_events",
    "safe_softmax_weight",
]

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

    Raises
    ------
    BoundDoesNotApply
        If the problem is another computation, or is so small that one segment of 34d² words does it all.

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

    Raises
    ------
    BoundDoesNotApply
        If the pass is another or has a mask, or one segment of 34d² words does it all.

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
