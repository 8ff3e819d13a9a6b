"""D1, Phi, D2 and D3: what devices must send to each other, however sums are added up and whatever is recomputed.

Everything is computed with fractions and rounded to the safe side. The proofs are in docs/proofs/communication.md.
A bound raises ``BoundDoesNotApply`` for another pass than its own, and where tokens or tiles are not what its statement
asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.shared_problem import SharedProblem
from pebble.lower_bounds.attention.crossing import d4
from pebble.lower_bounds.attention.tile_words import (
    least_words,
    most_products,
    pair_products,
    products_of,
    received_at_least,
    require,
    require_equal_shares,
    row_words,
)
from pebble.lower_bounds.bound import IRONY, LOOMIS_WHITNEY, Bound, Statement, by_hand
from pebble.lower_bounds.rounding import sqrt_below

_GAME = "any legal run of the game on several devices, sums in any order, recomputation and repeated sends allowed; "
_RULES = "recomputation allowed, sliding allowed"

D1_TOTAL = Statement(
    "D1-total",
    "W ≥ (P/λ)·G(λw/P) − (Hq·Nq + Hk·N)(d + dv), G(w) = min(3w^(2/3), 4√(dw)), w = Hq·z·dv; summed over the parts of a "
    "mask, such as documents; one head, all pairs, dv = d, λ = 1 and N/√P ≥ (64/27)d: W ≥ 4Nd(√P − 1)",
    _GAME
    + "no device is traced more than λ·w/P of the products P·V; every input on one device at the start, every "
    "output with one owner; Q, K, V distinct; z pairs of any mask",
    "docs/proofs/communication.md, D1",
    status="machine-checked",
    rules=_RULES,
    after=(LOOMIS_WHITNEY, IRONY),
)
D1_BUSIEST = Statement(
    "D1-busiest",
    "some device receives plus sends ≥ G(w/P) − (Hq·⌈Nq/P⌉ + Hk·⌈N/P⌉)(d + dv), G and w as in D1-total",
    _GAME
    + "any balance; every device owns the inputs and outputs of at most ⌈Nq/P⌉ queries and ⌈N/P⌉ keys; Q, K, V "
    "distinct",
    "docs/proofs/communication.md, D1",
    status="machine-checked",
    rules=_RULES,
    after=(LOOMIS_WHITNEY, IRONY),
)
PHI = Statement(
    "Phi",
    "some device receives plus sends ≥ Φ = min Σ over heads of keys of max(0, G_g(w_h) − (g·Nq + N)(d + dv)/P), "
    "Σ w_h = Hq·z·dv/P, w_h ≤ g·z·dv, G_g(w) = min(3w^(2/3), 4√(dw) up to w = N²dv, 2N√(d·dv) + 2w√(d/dv)/N beyond); "
    "if all devices are traced equally many products, some device receives ≥ Φ, and W ≥ P·Φ",
    _GAME
    + "P divides Nq and N, every device owns the inputs and outputs of Nq/P queries and N/P keys; Q, K, V distinct",
    "docs/proofs/communication.md, Phi",
    rules=_RULES,
    after=(LOOMIS_WHITNEY,),
)
D2 = Statement(
    "D2",
    "some device receives plus sends ≥ X·(2w − 2F(2H+X)) / (F(2H+X) + F(X)) for every X > 0, F(T) = max((T/3)^(3/2), "
    "T²/16d), w = Hq·z·dv/P; leading term 8(√2 − 1)·w·d/H",
    _GAME + "no device ever holds more than H words, fast memory included; Q, K, V distinct",
    "docs/proofs/communication.md, D2",
    rules=_RULES,
    after=(LOOMIS_WHITNEY,),
)
D3_TOTAL = Statement(
    "D3-total",
    "W ≥ (P/λ)·4√(3λ·Hq·z·m²/P) − (3Hq·Nq + 4Hk·N)·m, m = min(d, dv); summed over the parts of a mask, such as "
    "documents; one head, all pairs, dv = d, λ = 1: W ≥ 4√3·Nd√P − 7Nd",
    _GAME
    + "λ·Hq·z/P ≥ 53m²; no device is traced more than λ/P of the products of dV, dK and dQ; every input on one "
    "device at the start, every output with one owner; Q, K, V distinct",
    "docs/proofs/communication.md, D3",
    rules=_RULES,
    after=(LOOMIS_WHITNEY,),
)


def d1_total(problem: SharedProblem, balance: Fraction | int = 1) -> Bound:
    """Bound the words that move in total, forward, if no device does more than ``balance`` times its share.

    ``balance`` is λ: the most products P·V that count for the result on one device, over their mean.

    Examples
    --------
    >>> d1_total(SharedProblem(4096, 64, 16, 1, 1)).value == 4 * 4096 * 64 * 3
    True
    """
    require(problem, "forward", "D1-total")
    words, parts = _over_parts(problem, _share(problem, balance), lambda w: least_words(w, problem.d))
    bound = D1_TOTAL.bound(_at_least(words), _balanced(balance))
    return bound if parts == 1 else by_hand(bound)


def d1_busiest(problem: SharedProblem) -> Bound:
    """Bound what some device receives plus sends, forward, however the work is shared.

    Examples
    --------
    >>> d1_busiest(SharedProblem(4096, 64, 16, 1, 1)).value == 4 * 4096 * 64 * 3 // 16
    True
    """
    require(problem, "forward", "D1-busiest")
    if problem.queries_decoded is not None:
        raise BoundDoesNotApply("D1-busiest needs queries that are shared out over the devices")
    own = row_words(problem, -(-problem.query_count // problem.P), -(-problem.N // problem.P))
    words = least_words(_share(problem, 1), problem.d) - own
    return D1_BUSIEST.bound(_at_least(words), "received plus sent")


def phi(problem: SharedProblem) -> Bound:
    """Bound what some device receives plus sends, or receives alone where all do equal work; by whole heads.

    Examples
    --------
    >>> round(phi(SharedProblem(2**17, 128, 32, 32, 8)).value / 2**17 / 128, 2)
    3.6
    """
    require(problem, "forward", "Phi")
    require_equal_shares(problem, "Phi")
    words = received_at_least(problem, _share(problem, 1))
    return PHI.bound(_at_least(words), "received alone, if all devices do equal work")


def words_for_shares(problem: SharedProblem, pairs: Iterable[int]) -> int:
    """Return how many words all devices receive at least, if the products of this many pairs are traced to each.

    The sum of what Phi says of each device; P·Φ where all have equally many.
    """
    require(problem, "forward", "Phi")
    require_equal_shares(problem, "Phi")
    shares: dict[int, int] = {}
    for count in pairs:
        shares[count] = shares.get(count, 0) + 1
    found = (
        received_at_least(problem, Fraction(share * problem.width)) * count for share, count in shares.items()
    )
    return _at_least(sum(found, Fraction(0)))


def d2(problem: SharedProblem, H: int) -> Bound:
    """Bound what some device receives plus sends, forward, if no device ever holds more than H words.

    Examples
    --------
    >>> problem = SharedProblem(2**20, 64, 1024, 1, 1)
    >>> round(d2(problem, 8 * 2**10 * 64).value / (2**20 * 64), 1)
    0.4
    """
    require(problem, "forward", "D2")
    if not isinstance(H, int) or isinstance(H, bool) or H < 1:
        raise InvalidInput(f"the memory of a device must be a positive whole number of words, not {H!r}")
    share = _share(problem, 1)

    def words(X: int) -> Fraction:
        with_memory = most_products(2 * H + X, problem.d)
        return X * (2 * share - 2 * with_memory) / (with_memory + most_products(X, problem.d))

    found = max(words(X) for X in {max(1, H * step // 16) for step in range(1, 65)})
    return D2.bound(_at_least(found), f"received plus sent, with at most {H:,} words on a device")


def d3_total(problem: SharedProblem, balance: Fraction | int = 1) -> Bound:
    """Bound the words that move in total, backward, if no device does more than ``balance`` times its share.

    Examples
    --------
    >>> d3_total(SharedProblem(2**16, 64, 16, 1, 1, pass_name="backward")).value / (2**16 * 64)
    20.71...
    """
    require(problem, "backward", "D3-total")
    share, m = _share(problem, balance), min(problem.d, problem.width)
    if share < 159 * m**3:
        pairs = problem.heads * problem.pairs / problem.P
        raise BoundDoesNotApply(
            f"D3-total needs λ·Hq·z/P ≥ 53d²: there are {pairs:,.0f} pairs per device, and 53d² is "
            f"{53 * m**2:,}; use fewer devices or more tokens"
        )
    words, _ = _over_parts(problem, share, lambda w: sqrt_below(16 * m * w), 159 * m**3)
    return D3_TOTAL.bound(_at_least(words), _balanced(balance))


def communication_bounds(problem: SharedProblem, H: int | None = None) -> tuple[list[Bound], dict[str, str]]:
    """Return the bounds of a pass with work shared equally, and of those that do not apply why not.

    Parameters
    ----------
    problem : SharedProblem
    H : int, optional
        Words of memory on a device; D2 is left out without it.

    Examples
    --------
    >>> found, refused = communication_bounds(SharedProblem(1000, 64, 16, 1, 1))
    >>> [bound.name for bound in found], refused
    (['D1-total', 'D1-busiest'],
     {'Phi': 'Phi needs the same number of tokens on every device, but P = 16 does not divide N = 1000'})
    """
    asked: dict[str, Callable[[], tuple[Bound, ...]]] = {}
    if not problem.regular or problem.uneven or problem.queries_decoded is not None:
        asked["D4"] = lambda: d4(problem)
    if problem.pass_name == "forward":
        asked["D1-total"] = lambda: (d1_total(problem),)
        asked["D1-busiest"] = lambda: (d1_busiest(problem),)
        asked["Phi"] = lambda: (phi(problem),)
        if H is not None:
            asked["D2"] = lambda: (d2(problem, H),)
    else:
        asked["D3-total"] = lambda: (d3_total(problem),)
    found, refused = list[Bound](), dict[str, str]()
    for name, bounds in asked.items():
        try:
            found += bounds()
        except BoundDoesNotApply as error:
            refused[name] = str(error)
    return found, refused


def _share(problem: SharedProblem, balance: Fraction | int) -> Fraction:
    """Return the most products of a device."""
    if balance < 1:
        raise InvalidInput(f"the busiest device cannot do less than its share: λ = {float(balance):g}")
    return balance * Fraction(products_of(problem), problem.P)


def _over_parts(
    problem: SharedProblem, share: Fraction, least: Callable[[Fraction], Fraction], floor: int = 0
) -> tuple[Fraction, int]:
    """Return what must move of all parts of the mask together, and how many parts there are.

    No device is traced more than x = min(share, w) of the w products of a part, and ``least`` is concave: all devices
    together hold at least (w/x)·least(x) of its words. They own what it has. A part for which that is no more costs
    nothing. From ``floor`` on, ``least`` may be used with a greater x.
    """
    mask = problem.pattern
    places = {axis: np.array([0, *mask.separations(axis), mask.extents[axis]]) for axis in mask.extents}
    (q0, q1), (k0, k1) = ((ends[:-1], ends[1:]) for ends in places.values())
    parts = np.stack(
        [
            mask.questions.pairs("i", q0, q1, k0, k1),
            mask.questions.present("i", q0, q1),
            mask.questions.present("j", k0, k1),
        ]
    )
    kinds, times = np.unique(parts, axis=1, return_counts=True)
    total, each = Fraction(0), problem.heads * pair_products(problem)
    for pairs, queries, keys, count in zip(*kinds.tolist(), times.tolist(), strict=True):
        products = Fraction(pairs * each)
        most = max(min(share, products), Fraction(floor))
        words = products / most * least(most) - row_words(problem, queries, keys)
        total += count * max(Fraction(0), words)
    return total, len(q0)


def _at_least(words: Fraction) -> int:
    """Return the least integer that the number of words can be."""
    return max(0, math.ceil(words))


def _balanced(balance: Fraction | int) -> str:
    return (
        "work shared equally"
        if balance == 1
        else f"no device with more than {float(balance):.6g} times its share"
    )
