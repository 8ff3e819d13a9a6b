"""Attention forward: as a family of arrays of vertices, and on numbers as the reference for schedules."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "OUTPUT",
    "attention",
    "attention_family",
    "attention_parameters",
    "attention_symbols",
    "plain_problem",
]

OUTPUT = Array("O", ("i", "e"), operands=("U", "l"), output=True, function=np.divide, meaning="output")
"""The output of a forward pass: unnormalised, divided by the row sums."""


def attention_family(problem: Problem) -> Family:
    """Attention as arrays of vertices: softmax as the papers write it, without subtracting the maximum.

    Axes: ``i`` queries, ``j`` keys, ``k`` head dimension of Q and K, ``e`` head dimension of V. For a problem of any
    kind see :func:`pebble.family_of`; :func:`pebble.run` takes the problem itself.

    Raises
    ------
    InvalidInput
        If the problem asks for more than the sizes and ``stats``: a mask, several heads, another pass or softmax, …

    Examples
    --------
    >>> family = attention_family(Problem.square(2, 2))
    >>> family
    <Family attention-forward Nq=2 Nk=2 d=2 dv=2: 40 vertices, 58 edges>
    >>> family.predecessors("O", (0, 1))
    [('U', (0, 1, 1)), ('l', (0, 1))]
    """
    if problem != plain_problem(problem):
        raise InvalidInput(
            "attention_family is the forward pass of one head, with plain softmax and without a mask; "
            f"this is {problem.describe()}. Give pebble.run the problem itself, or take pebble.family_of"
        )
    scale = 1.0 / math.sqrt(problem.d)
    arrays = (
        Array("Q", ("i", "k"), meaning="queries"),
        Array("K", ("j", "k"), meaning="keys"),
        Array("V", ("j", "e"), meaning="values"),
        Array("S", ("i", "j"), chain="k", operands=("Q", "K"), meaning="scores"),
        Array(
            "P",
            ("i", "j"),
            operands=("S",),
            function=lambda score: np.exp(scale * score),
            meaning="exp(scale · score)",
        ),
        Array("l", ("i",), chain="j", operands=("P",), output=problem.stats, meaning="row sums"),
        Array("U", ("i", "e"), chain="j", operands=("P", "V"), meaning="unnormalised output"),
        OUTPUT,
    )
    return Family(
        "attention-forward",
        arrays,
        extents={"i": problem.Nq, "j": problem.Nk, "k": problem.d, "e": problem.dv},
        symbols=attention_symbols(problem),
        parameters=attention_parameters(problem),
    )


def plain_problem(problem: Problem) -> Problem:
    """Return the forward pass of the same sizes: one head, plain softmax, no mask."""
    return Problem(problem.Nq, problem.Nk, problem.d, problem.dv, problem.stats)


def attention_parameters(problem: Problem) -> dict[str, str]:
    """Return what the header of a pebbling file says of a forward pass, its mask aside."""
    sizes = {name: str(getattr(problem, name)) for name in ("Nq", "Nk", "d", "dv")}
    return {**sizes, "stats": "1"} if problem.stats else sizes


def attention_symbols(problem: Problem) -> dict[str, str]:
    """How formulas write the axes: N where there are as many keys as queries, d where dv = d."""
    same_n, same_d = problem.Nq == problem.Nk, problem.d == problem.dv
    return {
        "i": "N" if same_n else "Nq",
        "j": "N" if same_n else "Nk",
        "k": "d",
        "e": "d" if same_d else "dv",
    }


def attention(
    Q: NDArray[np.float64],
    K: NDArray[np.float64],
    V: NDArray[np.float64],
    allowed: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Attention computed plainly: softmax(QKᵀ/√d)·V, and the row sums of exp(QKᵀ/√d).

    Parameters
    ----------
    Q, K, V : ndarray
        Shapes (Nq, d), (Nk, d), (Nk, dv).
    allowed : ndarray of bool, optional
        Which pairs take part, shape (Nq, Nk). The output of a query without any is zero.

    Returns
    -------
    O, l : ndarray
        Shapes (Nq, dv) and (Nq,).
    """
    weights = np.exp(Q @ K.T / math.sqrt(Q.shape[1]))
    if allowed is not None:
        weights = np.where(allowed, weights, 0.0)
    row_sums = weights.sum(axis=1)
    return (weights @ V) / np.where(row_sums == 0, 1.0, row_sums)[:, None], row_sums
