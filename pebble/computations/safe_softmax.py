"""Attention with the maximum subtracted: safe softmax in two passes, and online softmax in one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.array import Array
from pebble.computations.attention import OUTPUT, attention_parameters, attention_symbols
from pebble.computations.family import Family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.problem import Problem

__all__ = ["online_family", "safe_attention", "safe_family"]


def safe_family(problem: Problem) -> Family:
    """Safe softmax in two passes: the maximum of all scores of a row is known before the first exponential.

    Besides the arrays of plain softmax there is ``m``, the maximum so far of a row's scores; P reads the last one.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> family = safe_family(Problem.square(2, 2, softmax="safe"))
    >>> family
    <Family attention-forward-safe Nq=2 Nk=2 d=2 dv=2: 44 vertices, 68 edges>
    >>> family.predecessors("P", (0, 0))
    [('S', (0, 0, 1)), ('m', (0, 1))]
    """
    scale = 1.0 / math.sqrt(problem.d)
    return _family(
        problem,
        "safe",
        _probabilities("m", scale),
        Array("l", ("i",), chain="j", operands=("P",), output=problem.stats, meaning="row sums"),
        Array("U", ("i", "e"), chain="j", operands=("P", "V"), meaning="unnormalised output"),
    )


def online_family(problem: Problem) -> Family:
    """Online softmax in one pass, key by key: what has been summed up is rescaled when the maximum moves on.

    Besides the arrays of plain softmax there are ``m``, the maximum so far of a row's scores, and ``a``, by which
    row sums and outputs are rescaled: ``exp(scale · (m before − m after))``, computed before m moves on. P reads m
    just after its key.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> family = online_family(Problem.square(2, 2, softmax="online"))
    >>> family
    <Family attention-forward-online Nq=2 Nk=2 d=2 dv=2: 48 vertices, 86 edges>
    >>> family.predecessors("a", (0, 1))
    [('m', (0, 0)), ('S', (0, 1, 1))]
    >>> family.predecessors("P", (0, 0))
    [('S', (0, 0, 1)), ('m', (0, 0))]
    """
    scale = 1.0 / math.sqrt(problem.d)
    return _family(
        problem,
        "online",
        Array(
            "a",
            ("i", "j"),
            operands=("m@before", "S"),
            function=lambda most, score: np.exp(scale * np.minimum(most - score, 0.0)),
            meaning="exp(scale · (maximum before − maximum after)), by which sums are rescaled",
        ),
        _probabilities("m@after", scale),
        Array(
            "l",
            ("i",),
            chain="j",
            operands=("a", "P"),
            output=problem.stats,
            step=lambda before, a, p: before * a + p,
            meaning="row sums, rescaled",
        ),
        Array(
            "U",
            ("i", "e"),
            chain="j",
            operands=("a", "P", "V"),
            step=lambda before, a, p, v: before * a + p * v,
            meaning="unnormalised output, rescaled",
        ),
    )


def _probabilities(maximum: str, scale: float) -> Array:
    return Array(
        "P",
        ("i", "j"),
        operands=("S", maximum),
        # No score is above its maximum, but for those that a mask leaves out, of which nothing is used.
        function=lambda score, most: np.exp(scale * np.minimum(score - most, 0.0)),
        meaning="exp(scale · (score − maximum))",
    )


def _family(problem: Problem, form: str, *own: Array) -> Family:
    arrays = (
        Array("Q", ("i", "k"), meaning="queries"),
        Array("K", ("j", "k"), meaning="keys"),
        Array("V", ("j", "e"), meaning="values"),
        Array("S", ("i", "j"), chain="k", operands=("Q", "K"), meaning="scores"),
        Array(
            "m",
            ("i",),
            chain="j",
            operands=("S",),
            output=problem.stats,
            step=np.maximum,
            initial=-np.inf,
            meaning="maximum of the scores",
        ),
        *own,
        OUTPUT,
    )
    return Family(
        f"attention-forward-{form}",
        arrays,
        extents={"i": problem.Nq, "j": problem.Nk, "k": problem.d, "e": problem.dv},
        symbols=attention_symbols(problem),
        parameters=attention_parameters(problem),
    )


def safe_attention(
    Q: NDArray[np.float64],
    K: NDArray[np.float64],
    V: NDArray[np.float64],
    allowed: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Attention computed with each row's maximum subtracted, which no score makes overflow.

    Parameters
    ----------
    Q, K, V : ndarray
        Shapes (Nq, d), (Nk, d), (Nk, dv).
    allowed : ndarray of bool, optional
        Which pairs take part, shape (Nq, Nk). All that is returned of a query without any is zero.

    Returns
    -------
    O, l, m : ndarray
        Shapes (Nq, dv), (Nq,) and (Nq,): the output, the row sums of exp((score − m)/√d), the maxima of the scores.

    Examples
    --------
    >>> import numpy as np
    >>> safe_attention(np.array([[1e4]]), np.array([[1.0], [0.0]]), np.array([[2.0], [3.0]]))
    (array([[2.]]), array([1.]), array([10000.]))
    """
    scores = Q @ K.T
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    most = scores.max(axis=1)
    most = np.where(np.isinf(most), 0.0, most)
    weights = np.exp((scores - most[:, None]) / math.sqrt(Q.shape[1]))
    row_sums = weights.sum(axis=1)
    return (weights @ V) / np.where(row_sums == 0, 1.0, row_sums)[:, None], row_sums, most
