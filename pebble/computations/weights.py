"""The gradient of attention's weights as the papers write it: as a family, and on numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["weights_family", "weights_gradient", "weights_loss"]


def weights_family(problem: Problem) -> Family:
    """From A1, A2, A3, X, Y and E to g = A1ᵀ·p·A2, the gradient of ½‖f·h − E‖² with respect to X.

    With f = softmax of the rows of A1·X·A2ᵀ (no scale), h = A3·Y, c = f·h − E, q = c·hᵀ and
    p = f∘q − diag((f∘q)·1)·f (Li, Liang, Shi, Song & Zhou 2024, arXiv 2410.09397; Alman & Song 2024, arXiv
    2402.04497). The row sums (f∘q)·1 are computed as the row sums D of c∘(f·h), which are equal and shorter.

    Axes: ``i`` and ``j`` the N rows of A1 and of A2, A3; ``a`` and ``k`` the rows and columns of X; ``b`` and
    ``e`` those of Y. All of these four have length d.

    Examples
    --------
    >>> weights_family(Problem.square(2, 1, pass_name="weights"))
    <Family attention-weights N=2 d=1: 54 vertices, 91 edges>
    """
    arrays = (
        Array("A1", ("i", "a"), meaning="input of the queries"),
        Array("A2", ("j", "k"), meaning="input of the keys"),
        Array("A3", ("j", "b"), meaning="input of the values"),
        Array("X", ("a", "k"), meaning="weights of the scores"),
        Array("Y", ("b", "e"), meaning="weights of the values"),
        Array("E", ("i", "e"), meaning="target"),
        Array("Q", ("i", "k"), chain="a", operands=("A1", "X"), meaning="queries A1·X"),
        Array("h", ("j", "e"), chain="b", operands=("A3", "Y"), meaning="values A3·Y"),
        Array("S", ("i", "j"), chain="k", operands=("Q", "A2"), meaning="scores"),
        Array("P", ("i", "j"), operands=("S",), function=np.exp, meaning="exp(score)"),
        Array("l", ("i",), chain="j", operands=("P",), meaning="row sums"),
        Array("U", ("i", "e"), chain="j", operands=("P", "h"), meaning="unnormalised f·h"),
        Array("F", ("i", "e"), operands=("U", "l"), function=lambda u, row: u / row, meaning="f·h"),
        Array("c", ("i", "e"), operands=("F", "E"), function=lambda out, aim: out - aim, meaning="f·h − E"),
        Array("D", ("i",), chain="e", operands=("c", "F"), meaning="row sums of c∘(f·h)"),
        Array("f", ("i", "j"), operands=("P", "l"), function=lambda p, row: p / row, meaning="softmax"),
        Array("q", ("i", "j"), chain="e", operands=("c", "h"), meaning="c·hᵀ"),
        Array(
            "p",
            ("i", "j"),
            operands=("f", "q", "D"),
            function=lambda f, q, row: f * (q - row),
            meaning="gradient of the scores",
        ),
        Array("T", ("i", "k"), chain="j", operands=("p", "A2"), meaning="p·A2"),
        Array("g", ("a", "k"), chain="i", operands=("A1", "T"), output=True, meaning="gradient of X"),
    )
    d = problem.d
    return Family(
        "attention-weights",
        arrays,
        extents={"i": problem.Nq, "j": problem.Nk, "a": d, "k": d, "b": d, "e": d},
        symbols={"i": "N", "j": "N", "a": "d", "k": "d", "b": "d", "e": "d"},
        parameters={"N": str(problem.Nq), "d": str(d)},
    )


Matrices = dict[str, "NDArray[np.float64]"]


def weights_loss(inputs: Matrices) -> float:
    """½‖softmax(A1·X·A2ᵀ)·A3·Y − E‖², computed plainly.

    Parameters
    ----------
    inputs : dict of str to ndarray
        A1, A2, A3 and E of shape (N, d), X and Y of shape (d, d).
    """
    return 0.5 * float((_residual(inputs)[0] ** 2).sum())


def weights_gradient(inputs: Matrices) -> NDArray[np.float64]:
    """Gradient of :func:`weights_loss` with respect to X, shape (d, d), computed plainly."""
    c, f, h = _residual(inputs)
    q = c @ h.T
    p = f * q - (f * q).sum(axis=1, keepdims=True) * f
    gradient: NDArray[np.float64] = inputs["A1"].T @ p @ inputs["A2"]
    return gradient


def _residual(
    inputs: Matrices,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    weights = np.exp(inputs["A1"] @ inputs["X"] @ inputs["A2"].T)
    f = weights / weights.sum(axis=1, keepdims=True)
    h = inputs["A3"] @ inputs["Y"]
    return f @ h - inputs["E"], f, h
