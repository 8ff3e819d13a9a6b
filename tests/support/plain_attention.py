"""Attention as numpy writes it: what all else is held to."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def attention(
    Q: Matrix, K: Matrix, V: Matrix, allowed: NDArray[np.bool_] | None = None
) -> tuple[Matrix, Matrix]:
    """softmax(QKᵀ/√d)·V and the row sums of exp(QKᵀ/√d); the output of a query without any key is zero."""
    weights = np.exp(Q @ K.T / math.sqrt(Q.shape[1]))
    if allowed is not None:
        weights = np.where(allowed, weights, 0.0)
    row_sums = weights.sum(axis=1)
    return (weights @ V) / np.where(row_sums == 0, 1.0, row_sums)[:, None], row_sums


def weights_loss(inputs: dict[str, Matrix]) -> float:
    """½‖softmax(A1·X·A2ᵀ)·A3·Y − E‖²."""
    weights = np.exp(inputs["A1"] @ inputs["X"] @ inputs["A2"].T)
    f = weights / weights.sum(axis=1, keepdims=True)
    return 0.5 * float(((f @ inputs["A3"] @ inputs["Y"] - inputs["E"]) ** 2).sum())
