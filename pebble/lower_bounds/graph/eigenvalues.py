"""The smallest eigenvalues of a graph's Laplacian, rounded to the safe side.

Dense matrices are left to LAPACK, whose eigenvalues are off by a small multiple of the rounding unit times the
norm. For sparse ones a Lanczos iteration *guesses* the eigenvalues, and the number of negative pivots of
L - σI (Sylvester's law of inertia) says how many lie below σ: it is checked that fewer than i lie below the value
returned for the i-th one, so that none was missed. Rounding in the factorisation is measured and subtracted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import BoundDoesNotApply
from pebble.lower_bounds.graph.maximum_flow import has_scipy

__all__ = ["smallest_eigenvalues"]

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]

_DENSE = 700
_DENSE_WITHOUT_SCIPY = 4000
_UNIT = float(np.finfo(np.float64).eps)
_SLACKS = (1e-7, 1e-6, 1e-5, 1e-4)
"""How far below a guess it is counted, one after the other until the count is certain."""


def smallest_eigenvalues(
    n: int, tails: _Ints, heads: _Ints, weights: _Floats, count: int, dense: bool | None = None
) -> list[float]:
    """Return numbers a little below the smallest eigenvalues of a weighted graph's Laplacian.

    Parameters
    ----------
    n : int
        Number of vertices.
    tails, heads : array of int64, shape (e,)
        Edges; their direction is ignored.
    weights : array of float64, shape (e,)
        Not negative; parallel edges add up.
    count : int
        How many, at most n.
    dense : bool, optional
        Whether to use a full matrix; by default for up to 700 vertices (4000 without scipy).

    Returns
    -------
    list of float
        Ascending, none negative, none above the true eigenvalue in its place, and at most 0.0003 below it
        (mostly 0.0000001).

    Raises
    ------
    BoundDoesNotApply
        If the graph is too large without scipy, or the values could not be confirmed.

    Examples
    --------
    The path on three vertices has the eigenvalues 0, 1 and 3:

    >>> path = np.array([0, 1]), np.array([1, 2]), np.ones(2)
    >>> [round(value, 5) for value in smallest_eigenvalues(3, *path, 3)]
    [0.0, 1.0, 3.0]
    """
    count = min(count, n)
    if dense is None:
        dense = n <= (_DENSE if has_scipy() else _DENSE_WITHOUT_SCIPY) or n <= 2 * count + 10
    if dense:
        found = _dense(n, tails, heads, weights, count)
    elif has_scipy():
        found = _sparse(n, tails, heads, weights, count)
    else:
        raise BoundDoesNotApply(
            f"the spectral bound of {n:,} vertices needs scipy: pip install 'pebble-io[graph]' (or '.[graph]')"
        )
    values = np.maximum.accumulate(np.maximum(np.minimum.accumulate(found[::-1])[::-1], 0.0))
    return [float(value) for value in values]


def _dense(n: int, tails: _Ints, heads: _Ints, weights: _Floats, count: int) -> _Floats:
    laplacian = np.zeros((n, n))
    np.add.at(laplacian, (tails, heads), -weights)
    np.add.at(laplacian, (heads, tails), -weights)
    degree = np.bincount(tails, weights, n) + np.bincount(heads, weights, n)
    laplacian[np.arange(n), np.arange(n)] += degree
    error = 16 * n * _UNIT * 2 * float(degree.max(initial=0.0))
    return np.asarray(np.linalg.eigvalsh(laplacian)[:count] - error, dtype=np.float64)


def _sparse(n: int, tails: _Ints, heads: _Ints, weights: _Floats, count: int) -> _Floats:
    laplacian = _laplacian(n, tails, heads, weights)
    for attempt in range(3):
        guessed = _guess(laplacian, n, min(n - 2, count * (attempt + 1) + 4 * attempt), attempt)
        found = _confirmed(laplacian, n, guessed[:count])
        if found is not None:
            return found
    raise BoundDoesNotApply(f"the {count} smallest eigenvalues of {n:,} vertices could not be confirmed")


def _laplacian(n: int, tails: _Ints, heads: _Ints, weights: _Floats) -> Any:
    from scipy.sparse import coo_matrix, diags  # type: ignore[import-untyped,unused-ignore]

    half = coo_matrix((weights, (tails, heads)), shape=(n, n))
    both = (half + half.T).tocsc()
    return (diags(np.asarray(both.sum(axis=1)).ravel()) - both).tocsc()


def _factors(laplacian: Any, n: int, shift: float) -> Any:
    """Factorise L - shift I without exchanging rows, so that the signs of the pivots are the inertia."""
    from scipy.sparse import identity  # type: ignore[import-untyped,unused-ignore]
    from scipy.sparse.linalg import splu  # type: ignore[import-untyped,unused-ignore]

    return splu(
        (laplacian - shift * identity(n, format="csc")).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _guess(laplacian: Any, n: int, count: int, attempt: int) -> _Floats:
    """Return approximate smallest eigenvalues by Lanczos on the inverse of L + 0.01 I."""
    from scipy.sparse.linalg import (  # type: ignore[import-untyped,unused-ignore]
        LinearOperator,
        eigsh,
    )

    factors = _factors(laplacian, n, -0.01)
    inverse = LinearOperator((n, n), matvec=factors.solve, dtype=np.float64)
    start = np.random.default_rng(attempt).normal(size=n)
    width = min(n - 1, max(4 * count, 40))
    largest = eigsh(inverse, count, which="LA", return_eigenvectors=False, v0=start, ncv=width, tol=1e-13)
    return np.sort(1.0 / largest - 0.01)


def _confirmed(laplacian: Any, n: int, guessed: _Floats) -> _Floats | None:
    """Return the guesses, lowered a little, if it is certain that no eigenvalue was missed; else None."""
    lowered: list[float] = []
    for place, value in enumerate(guessed.tolist()):
        if lowered and abs(value - guessed[place - 1]) < _SLACKS[0]:
            lowered.append(lowered[-1])  # equal to the one before, which is a bound for it too
            continue
        certain = 0.0 if value <= _SLACKS[0] else _certain(laplacian, n, value, place)
        if certain is None:
            return None
        lowered.append(certain)
    return np.array(lowered)


def _certain(laplacian: Any, n: int, value: float, place: int) -> float | None:
    """Return a number just below ``value`` that no more than ``place`` eigenvalues are less than, or None."""
    for slack in _SLACKS:
        below = _eigenvalues_below(laplacian, n, value - slack)
        if below is not None and below[1] <= slack:
            return value - slack - below[1] if below[0] <= place else None
    return None


def _eigenvalues_below(laplacian: Any, n: int, shift: float) -> tuple[int, float] | None:
    """Return how many eigenvalues lie below a number, up to an error that is returned too."""
    try:
        factors = _factors(laplacian, n, shift)
    except RuntimeError:  # a pivot is exactly zero
        return None
    if not np.array_equal(factors.perm_r, factors.perm_c):
        return None
    lower, upper = abs(factors.L), abs(factors.U)
    ones = np.ones(n)
    rows = float(np.max(lower @ (upper @ ones)))
    columns = float(np.max(upper.T @ (lower.T @ ones)))
    length = int(np.diff(upper.tocsr().indptr).max()) + int(np.diff(lower.tocsc().indptr).max())
    error = 2 * length * _UNIT * float(np.sqrt(rows * columns))
    return int((factors.U.diagonal() < 0).sum()), error
