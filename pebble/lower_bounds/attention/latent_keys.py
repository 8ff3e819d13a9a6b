"""A bound of latent attention by keys: how many words of a key and its scores enter fast memory."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound, Statement
from pebble.lower_bounds.requirements import require_fixed_order, require_pass

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

MLA_BY_KEYS = Statement(
    "MLA by keys",
    "I/O ≥ the sum over all keys, of which n queries see one, of the greater of n·ρ and d + C; ρ the lesser of d(d + "
    "dv)/M and the minimum over integers q ≥ 1 of q + (d + dv)²/((q + 2)M); C the lesser of dv + min(d − dv, max(0, n "
    "− ⌊M/(d + dv)⌋)) and the least integer with G(C) ≥ n(d + dv) − M; G(s) the greatest of 0, A(s), 2n(s − 2n), for s "
    "≥ n (d − dv)n + A(s − n), and for s ≥ 3n (d − dv)n + 2n(s − 3n); A(s) = ⌊s²/4⌋ for s ≤ 2n and n(s − n) beyond; Nq "
    "more if the row sums are outputs",
    "attention whose values are the first dv of the d words of its keys (multi-head latent attention, absorbed), any "
    "sizes and any mask; chains in a fixed order",
    "docs/proofs/latent.md, MLA by keys",
)

_MOST_KEYS = 1 << 21
"""Under a mask more keys are not counted one by one: the bound is then that by pairs."""
_MOST_CLASSES = 64
"""Under a mask keys are sorted into so many classes by how many queries see them, and each counts as the least in its
class, which gives a bound."""


def mla_by_keys(problem: Problem, M: int) -> Bound:
    """Lower bound on latent attention from the words of each key and its scores that enter fast memory.

    Strongest where a few row blocks of queries are needed, as in decoding, and for ``M`` below ``d**2``.

    Parameters
    ----------
    problem : Problem
        Latent attention, with or without a mask.
    M : int
        Words of fast memory.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> mla_by_keys(Problem(128, 4096, 576, 512, shared_values=True), 98_304).value == 4096 * (576 + 416)
    True
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "the bound by keys")
    require_fixed_order(problem, "the bound by keys")
    if problem.form != "latent":
        raise BoundDoesNotApply("the bound by keys is only for latent attention (shared values)")
    d, dv = problem.d, problem.dv
    each, pieces = words_for_each_pair(d, dv, M)
    words, more = 0, 0
    for queries, keys in _classes(problem):
        again = entering_again(queries, d, dv, M)
        words, more = words + keys * max(d + again, math.ceil(queries * each)), max(more, again)
    by_pairs = math.ceil(problem.pairs * each)
    note = f"C = {more:,}" if words > by_pairs else f"q = {pieces:,}"
    return MLA_BY_KEYS.bound(max(words, by_pairs) + problem.queries * problem.stats, note)


def words_for_each_pair(d: int, dv: int, M: int) -> tuple[Fraction, int]:
    """Return ρ, at least how many words are moved for each pair, and its q, 0 for the first form.

    Examples
    --------
    >>> words_for_each_pair(576, 512, 2**18)
    (Fraction(153, 64), 0)
    >>> rho, q = words_for_each_pair(576, 512, 30_000)
    >>> round(float(rho), 3), q
    (10.576, 4)
    """
    near = math.isqrt((d + dv) ** 2 // M) - 2
    some = ((q + Fraction((d + dv) ** 2, (q + 2) * M), q) for q in range(max(1, near), max(1, near) + 3))
    return min((Fraction(d * (d + dv), M), 0), *some)


def entering_again(queries: int, d: int, dv: int, M: int) -> int:
    """Return C: at least how many words of a key and its scores enter beside the d words of the key.

    Examples
    --------
    >>> [entering_again(128, 576, 512, M) for M in (70_000, 98_304, 116_224, 130_000, 139_263, 139_264)]
    [527, 416, 308, 193, 2, 0]
    """
    missing = queries * (d + dv) - M
    if missing <= 0:
        return 0
    most = dv + min(d - dv, max(0, queries - M // (d + dv)))
    return bisect_left(range(most), missing, key=lambda words: _elsewhere(words, queries, d - dv))


def _elsewhere(words: int, queries: int, rope: int) -> int:
    """Return G: the most multiply-adds of a key that entering words let be done apart from the others."""
    more = words - queries, words - 2 * queries, words - 3 * queries
    return max(
        _rectangle(words, queries),
        rope * queries + _rectangle(more[0], queries) if more[0] >= 0 else 0,
        2 * queries * more[1],
        rope * queries + 2 * queries * more[2] if more[2] >= 0 else 0,
    )


def _rectangle(words: int, queries: int) -> int:
    """Return A: the greatest product of two integers, one at most the number of queries, with a given sum."""
    return words * words // 4 if words <= 2 * queries else queries * (words - queries)


def _classes(problem: Problem) -> list[tuple[int, int]]:
    """Return classes of keys: at least how many queries see each key of a class, and how many keys it has."""
    if problem.mask is None:
        return [(problem.Nq, problem.Nk)]
    if problem.Nk > _MOST_KEYS:
        return []
    import numpy as np

    keys = np.arange(problem.Nk)
    whole = np.zeros_like(keys), np.full_like(keys, problem.Nq)
    seen = np.sort(problem.mask.questions.pairs("j", keys, keys + 1, *whole))[::-1][: problem.keys]
    sizes = [len(part) for part in np.array_split(seen, min(_MOST_CLASSES, len(seen)))]
    ends = np.cumsum(sizes)
    return [(int(seen[end - 1]), size) for end, size in zip(ends, sizes, strict=True)]
