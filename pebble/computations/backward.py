"""Attention backward: as a family of arrays of vertices, and on numbers as the reference for schedules."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.array import Array
from pebble.computations.attention import attention_symbols
from pebble.computations.family import Family
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["attention_gradients", "backward_family"]


def backward_family(problem: Problem) -> Family:
    """Backward pass: from Q, K, V, dO, O and the row sums l of the forward pass to dQ, dK and dV.

    Axes: ``i`` queries, ``j`` keys, ``k`` head dimension of Q and K, ``e`` head dimension of V. The scores are
    computed again; P is normalised here, since the row sums are known.

    Examples
    --------
    >>> family = backward_family(Problem(2, 2, 2, 2, pass_name="backward"))
    >>> family
    <Family attention-backward Nq=2 Nk=2 d=2 dv=2: 74 vertices, 130 edges>
    >>> family.predecessors("dS", (0, 1))
    [('P', (0, 1)), ('dP', (0, 1, 1)), ('D', (0, 1))]
    """
    scale = 1.0 / math.sqrt(problem.d)
    arrays = (
        Array("Q", ("i", "k"), meaning="queries"),
        Array("K", ("j", "k"), meaning="keys"),
        Array("V", ("j", "e"), meaning="values"),
        Array("dO", ("i", "e"), meaning="gradient of the output"),
        Array("O", ("i", "e"), meaning="output of the forward pass"),
        Array("l", ("i",), meaning="row sums of the forward pass"),
        Array("S", ("i", "j"), chain="k", operands=("Q", "K"), meaning="scores, computed again"),
        Array(
            "P",
            ("i", "j"),
            operands=("S", "l"),
            function=lambda score, row_sum: np.exp(scale * score) / row_sum,
            meaning="probabilities",
        ),
        Array("D", ("i",), chain="e", operands=("dO", "O"), meaning="row sums of dO∘O"),
        Array("dP", ("i", "j"), chain="e", operands=("dO", "V"), meaning="gradient of P"),
        Array(
            "dS",
            ("i", "j"),
            operands=("P", "dP", "D"),
            function=lambda p, dp, row: scale * p * (dp - row),
            meaning="gradient of the scores",
        ),
        Array("dV", ("j", "e"), chain="i", operands=("P", "dO"), output=True, meaning="gradient of V"),
        Array("dK", ("j", "k"), chain="i", operands=("dS", "Q"), output=True, meaning="gradient of K"),
        Array("dQ", ("i", "k"), chain="j", operands=("dS", "K"), output=True, meaning="gradient of Q"),
    )
    return Family(
        "attention-backward",
        arrays,
        extents={"i": problem.Nq, "j": problem.Nk, "k": problem.d, "e": problem.dv},
        symbols=attention_symbols(problem),
        parameters={name: str(getattr(problem, name)) for name in ("Nq", "Nk", "d", "dv")},
    )


def attention_gradients(
    Q: NDArray[np.float64],
    K: NDArray[np.float64],
    V: NDArray[np.float64],
    dO: NDArray[np.float64],
    allowed: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Gradients of the sum of dO∘attention(Q, K, V) with respect to Q, K and V, computed directly.

    Parameters
    ----------
    Q, K, V, dO : ndarray
        Shapes (Nq, d), (Nk, d), (Nk, dv), (Nq, dv).
    allowed : ndarray of bool, optional
        Which pairs take part, shape (Nq, Nk).

    Returns
    -------
    dQ, dK, dV : ndarray
        Shapes (Nq, d), (Nk, d), (Nk, dv).
    """
    scale = 1.0 / math.sqrt(Q.shape[1])
    weights = np.exp(scale * (Q @ K.T))
    if allowed is not None:
        weights = np.where(allowed, weights, 0.0)
    row_sums = weights.sum(axis=1, keepdims=True)
    P = weights / np.where(row_sums == 0, 1.0, row_sums)
    dP = dO @ V.T
    dS = scale * P * (dP - (P * dP).sum(axis=1, keepdims=True))
    return dS @ K, dS.T @ Q, P.T @ dO
