"""The weighted work of a segment of a backward pass, and Lagrange's bound on it: common to B3 and B4.

The formulas, with their proofs, are in ``docs/proofs/b4.md``; those of B3 are the case of one weight for every pair,
of whole rows wherever there are words, and of words that are nowhere scarce.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.backward_rows import BackwardRow
from pebble.lower_bounds.certified.branch_and_bound import SAFETY, SLACK, ConstantSearch, Reals, last

AnyBackwardRow = TypeVar("AnyBackwardRow", bound=BackwardRow)


class BackwardWeights(NamedTuple):
    """Weight of one multiply-add of each product; of dV, dK and dQ on pairs that are stored, and on others."""

    S: float
    dP: float
    dV_stored: float
    dV: float
    dK_stored: float
    dK: float
    dQ_stored: float
    dQ: float


@dataclass(frozen=True)
class Amounts:
    """What a segment touches, in units of d²: the amounts that its work is bounded by.

    Parameters
    ----------
    q, k, o, v : float or ndarray
        Words of Q, K, dO and V.
    uV, uK, uQ : float or ndarray
        Chains of dV, dK and dQ at work.
    p_stored, p_kept : float or ndarray
        Pairs with a vertex of S or P red at the start or loaded: those of which one is ever stored, and others.
    p_new : float or ndarray
        Pairs that are none of these and whose chain of S is begun.
    r_stored, r_kept, r_new : float or ndarray
        The same for dP; a pair counts as stored if a vertex of dP or dS ever is.
    s_stored, s_kept : float or ndarray
        The same for dS.
    whole : float or ndarray
        Between 0 and 1: the part of √(q·k) that lies in whole rows (docs/proofs/b4.md).
    """

    q: Any
    k: Any
    o: Any
    v: Any
    uV: Any
    uK: Any
    uQ: Any
    p_stored: Any
    p_kept: Any
    p_new: Any
    r_stored: Any
    r_kept: Any
    r_new: Any
    s_stored: Any
    s_kept: Any
    whole: Any

    def on_gradients(self, w: BackwardWeights) -> Any:
        """Bound the weighted work on dV, dK and dQ, in units of d³."""
        x, least = self, np.minimum
        inner = x.whole**2 * (x.q * x.k)  # pairs with whole rows of Q and K
        both, dO_and_V = least(x.q, x.o) * least(x.k, x.v), x.o * x.v
        dV_outside = w.dV_stored * x.p_stored + w.dV * x.p_kept
        dV_pairs = w.dV_stored**2 * x.p_stored + w.dV**2 * (x.p_kept + inner)
        work = least(np.sqrt(dV_pairs * x.uV * x.o), dV_outside + w.dV * least(x.q * x.uV, x.k * x.o))
        for stored, other, chains, operand, events in (
            (w.dK_stored, w.dK, x.uK, x.q, least(x.q, x.o)),
            (w.dQ_stored, w.dQ, x.uQ, x.k, x.k),
        ):
            p, r = x.p_stored + x.p_kept, stored**2 * x.r_stored + other**2 * x.r_kept
            made = least(least(other**2 * (p + inner), r + other**2 * dO_and_V), other**2 * (p + both) + r)
            pairs = stored**2 * x.s_stored + other**2 * x.s_kept + made
            outside = other * (p + x.r_kept + x.s_kept) + stored * (x.r_stored + x.s_stored)
            work = work + least(np.sqrt(pairs * chains * operand), outside + other * events * chains)
        return work

    def on_dP(self, w: BackwardWeights) -> Any:
        """Bound the weighted work on dP, in units of d³."""
        return w.dP * np.sqrt((self.r_stored + self.r_kept + self.r_new) * self.o * self.v)


class BackwardShares(NamedTuple):
    """Lagrange multipliers: the price of a unit of weight, and shares between 0 and 1.

    ``scarce`` is t − 1; ``by_q`` and ``by_k`` are a₁ and a₂, ``fK`` and ``fQ`` the φ, ``both`` and ``by_p`` π and π' of
    dK and of dQ, ``by_v`` their η', ``mix`` is α, ``capped_S`` and ``capped_dP`` the σ, and
    ``together`` is θ of ``docs/proofs/b4.md``.
    """

    price: Reals
    scarce: Reals
    by_q: Reals
    by_k: Reals
    fK: Reals
    fQ: Reals
    both_K: Reals
    by_p_K: Reals
    by_v_K: Reals
    both_Q: Reals
    by_p_Q: Reals
    by_v_Q: Reals
    mix: Reals
    capped_S: Reals
    capped_dP: Reals
    together: Reals


class BackwardSearch(ConstantSearch[AnyBackwardRow]):
    """What the searches for B3 and B4 have in common: boxes of q, k, o, and of the part in whole rows."""

    weighs: ClassVar[tuple[float, ...]] = (1.0, 1.0, 1.0, 0.0)
    spread = 0.4
    within = 1 - 1e-12

    def __init__(self, row: AnyBackwardRow, rng: np.random.Generator) -> None:
        super().__init__(row, rng)
        self.mu = math.nextafter(float(row.mu), math.inf)
        self.begun_S, self.begun_dP = map(float, row.charges)
        self.weights = BackwardWeights(*map(float, row.weights))

    def lagrange(
        self, corners: Sequence[Any], multipliers: Sequence[Reals] | Reals
    ) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/proofs/b4.md, section 4, at the corners, and whether its conditions hold at the last."""
        (q, k, o, whole), w, m = corners, self.weights, BackwardShares(*multipliers)
        half, pairs, together = 0.25, q * k, m.together * whole
        full = m.price * (1 - SLACK)
        held = full * (1 + m.scarce)  # what a word costs that is red at the start
        least = m.mix * q + (1 - m.mix) * o  # at least min(q, o)
        left_V, left_K, left_Q = held - m.by_q * w.dV * q, held - m.fK * w.dK * least, held - m.fQ * w.dQ * k
        of_V = (1 - m.by_q - m.by_k) ** 2 * half * o / left_V
        of_K, of_Q = (1 - m.fK) ** 2 * half * q / left_K, (1 - m.fQ) ** 2 * half * k / left_Q
        stored_K, stored_Q = of_K * w.dK_stored**2, of_Q * w.dQ_stored**2
        other_K, other_Q = of_K * w.dK**2, of_Q * w.dQ**2
        linear, direct = m.fK * w.dK + m.fQ * w.dQ, m.by_q + m.by_k
        through_p = (
            other_K * (m.both_K + m.by_p_K) + other_Q * (m.both_Q + m.by_p_Q) + linear + m.capped_S * w.S
        )
        left_p = np.minimum(
            full - (of_V * w.dV_stored**2 + direct * w.dV_stored + through_p),
            held - (of_V * w.dV**2 + direct * w.dV + through_p),
        )
        bound = m.price * (self.tau + m.scarce * self.mu - q - k - o)
        bound = bound + m.price * (2 * self.tau + self.mu) * SLACK
        inner = of_V * w.dV**2 + other_K * m.by_p_K + other_Q * m.by_p_Q
        bound = bound + inner * (whole**2 * pairs) + m.by_k * w.dV * k * o
        both = other_K * (m.both_K * (1 - m.by_v_K)) + other_Q * (m.both_Q * (1 - m.by_v_Q))
        bound = bound + both * least * k
        if w.S > 0:
            rest = (1 - m.capped_S) * w.S
            left_p = np.minimum(self.begun_S * full - m.capped_S * w.S, left_p)
            bound = (
                bound + rest * (together * pairs) + rest**2 * half * ((1 - together) ** 2 * pairs) / left_p
            )
        stored_K, stored_Q, other_K, other_Q = map(last, (stored_K, stored_Q, other_K, other_Q))
        linear_stored = m.fK * w.dK_stored + m.fQ * w.dQ_stored
        by_r_K, by_r_Q = 1 - m.by_p_K, 1 - m.by_p_Q
        left_r = np.minimum(
            full - (stored_K * by_r_K + stored_Q * by_r_Q) - linear_stored,
            held - (other_K * by_r_K + other_Q * by_r_Q) - linear,
        )
        through_v = other_K * ((by_r_K - m.both_K) * last(o) + m.both_K * m.by_v_K * last(least))
        through_v = through_v + other_Q * ((by_r_Q - m.both_Q) * last(o) + m.both_Q * m.by_v_Q * last(least))
        left_v = full - through_v
        defined = (last(left_V) > 0) & (last(left_K) > 0) & (last(left_Q) > 0) & (last(left_p) > 0)
        defined &= (left_r >= 0) & (left_v >= 0)
        defined &= (full - stored_K - stored_Q - linear_stored >= 0) & (
            held - other_K - other_Q - linear >= 0
        )
        if w.dP > 0:
            left_r = np.minimum(self.begun_dP * full, left_r) - m.capped_dP * w.dP
            needed = ((1 - m.capped_dP) * w.dP) ** 2 * half * last(o)
            defined &= (left_r >= 0) & (left_r * left_v >= needed * SAFETY)
        return bound, defined
