"""D6: what devices must send to each other for documents that do not attend to each other, wherever these are.

Everything is computed with fractions. The proof is in docs/proofs/communication.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from pebble.computations.shared_problem import SharedProblem
from pebble.lower_bounds.attention.tile_words import _of_head, products_of, require
from pebble.lower_bounds.bound import LOOMIS_WHITNEY, Bound, Statement

D6 = Statement(
    "D6",
    "W ≥ Σ over documents of max(0, ν·w − μ·N), with f(x, n) ≥ νx − μn for x up to the most products of a device and "
    "all n; f(x, n) = min Σ over heads of keys of max(0, G_g(x_h) − (g+1)n(d+dv)), Σ x_h = x",
    "any legal run of the game on several devices, sums in any order, recomputation and repeated sends allowed; "
    "forward; documents do not attend to each other; every token's inputs and outputs on one device, whichever; "
    "Q, K, V distinct",
    "docs/proofs/communication.md, D6",
    rules="recomputation allowed, sliding allowed",
    after=(LOOMIS_WHITNEY,),
)

_STEPS = 8
"""How many prices of a token are tried for each head of keys."""


def documents_total(problem: SharedProblem, lengths: Sequence[int], pairs: int) -> Bound:
    """Bound the words that move in total if no device has more pairs, of all query heads and documents.

    Parameters
    ----------
    problem : SharedProblem
        Heads, head dimension and mask; its N and P are not looked at.
    lengths : sequence of int
        Tokens of each document.
    pairs : int
        The most pairs of a device.

    Raises
    ------
    BoundDoesNotApply
        For another pass than forward, or heads of keys that are not shared evenly.

    Examples
    --------
    Two devices share a document equally, with one head and all pairs: 4Nd(√2 − 1), as D1 says. A short document adds
    nothing.

    >>> documents_total(SharedProblem(64, 1, 1), [64, 16], 64 * 32).value
    106
    """
    found = 0
    for length, times in Counter(lengths).items():
        alone = replace(problem, N=length, P=1, layout="contiguous")
        require(alone, "forward", "D6")
        found += times * _document(alone, pairs * problem.width)
    return D6.bound(found, f"no device with more than {pairs:,} pairs")


def _document(problem: SharedProblem, most: int) -> int:
    """Return what moves of one document if no device is traced more products P·V.

    A device with n tokens and w products receives at least f(w, n), which is Φ(w) with n tokens of its own. If f(w, n)
    ≥ ν·w − μ·n for all n and all w up to the most, then W ≥ ν·Σw − μ·N. Between the corners f is concave.
    """
    products = products_of(problem)
    if products <= most:
        return 0
    corners = _corners(problem, Fraction(most))
    best = Fraction(0)
    for step in range(_STEPS * problem.kv_heads + 1):
        price = Fraction(_own(problem) * step, _STEPS)
        of_products = min((words + price * tokens) / w for w, tokens, words in corners)
        best = max(best, of_products * products - price * problem.N)
    return int(best)


def _corners(problem: SharedProblem, most: Fraction) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return products, tokens and f where j whole heads are computed, and all others as far as that costs nothing."""
    heads, own = problem.kv_heads, _own(problem)
    whole = Fraction(products_of(problem), heads)
    least = _of_head(problem, whole)
    wholes = [j for j in range(heads) if j * whole < most]
    corners = [(j * whole, Fraction(0), j * least) for j in wholes if j]
    corners.append(
        (most, Fraction(0), len(wholes[1:]) * least + _of_head(problem, most - wholes[-1] * whole))
    )
    for j in wholes:
        tokens = min(Fraction(problem.N), _of_head(problem, (most - j * whole) / (heads - j)) / own)
        corners.append((most, tokens, j * max(Fraction(0), least - own * tokens)))
    return corners


def _own(problem: SharedProblem) -> int:
    """Return the words of a token's inputs and outputs, of one head of keys."""
    return (problem.group + 1) * (problem.d + problem.width)
