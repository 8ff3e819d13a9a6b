"""The spectral bound of Jain and Zaharia, as published and counted above the compulsory I/O."""

from __future__ import annotations

import math

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import ONCE_ONLY
from pebble.lower_bounds.graph.eigenvalues import smallest_eigenvalues
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.needed_part import Needed, needed_part
from pebble.lower_bounds.references import JAIN_ZAHARIA
from pebble.lower_bounds.requirements import require_no_recomputation
from pebble.lower_bounds.statement import Statement

__all__ = ["EIGENVALUES", "SPECTRAL", "SPECTRAL_ABOVE_COMPULSORY", "spectral", "spectral_above_compulsory"]

SPECTRAL = Statement(
    "spectral",
    "I/O ≥ ⌊n/k⌋·(λ₁ + … + λ_k) − 2k·M for every k, λ the least eigenvalues of the Laplacian of the graph in which the "
    "edge (u, v) weighs 1/outdegree(u)",
    "any DAG",
    f"{PAGE}, spectral; Jain & Zaharia, SPAA 2020",
    rules=ONCE_ONLY,
    by=JAIN_ZAHARIA,
)
SPECTRAL_ABOVE_COMPULSORY = Statement(
    "spectral, above compulsory",
    "I/O ≥ compulsory + ⌊n/k⌋·(λ₁ + … + λ_k) − 2·(k − 1)·M for every k, λ as for spectral, edges out of inputs and out "
    "of outputs with half the weight",
    "any DAG",
    f"{PAGE}, spectral",
    rules=ONCE_ONLY,
    after=(JAIN_ZAHARIA,),
)

EIGENVALUES = 10
_SAFE = 1.0 - 1e-12


def spectral(dag: Dag, M: int, rules: Rules, eigenvalues: int = EIGENVALUES) -> GraphBound:
    """Return the greatest over k of ``floor(n/k) (λ_1 + ... + λ_k) - 2 k M``, as published.

    Parameters
    ----------
    dag : Dag
    M : int
        Words of fast memory.
    rules : Rules
        Recomputation must be forbidden.
    eigenvalues : int
        The largest k that is tried; all are tried up to there.

    Returns
    -------
    GraphBound
        A float, at least 0 and not above the exact value of the formula; the I/O, a whole number, is at least
        the next whole number. Here n is the number of vertices that some output depends on, and λ are the
        smallest eigenvalues of the Laplacian of the undirected graph on them whose edge (u, v) has the weight
        1 / outdegree(u).

    Raises
    ------
    InvalidInput
        If M or the number of eigenvalues is not a positive whole number.
    BoundDoesNotApply
        If the rules allow recomputation, or the eigenvalues cannot be found; see
        :func:`~pebble.lower_bounds.graph.eigenvalues.smallest_eigenvalues`.

    References
    ----------
    S. Jain and M. Zaharia, "Spectral lower bounds on the I/O complexity of computation graphs", SPAA 2020.

    Examples
    --------
    >>> from pebble.computations.classic_dags import matmul
    >>> round(spectral(matmul(8, 8, 8), 4, Rules(recomputation=False)).value, 1)
    19.8
    """
    part = _part(dag, M, rules, eigenvalues)
    values = _eigenvalues(part, np.ones(part.n), eigenvalues)
    best, k = _best(part.n, values, lambda k: 2 * k * M)
    return GraphBound.of(SPECTRAL, best, _note(k, len(values)), {"eigenvalues": eigenvalues})


def spectral_above_compulsory(dag: Dag, M: int, rules: Rules, eigenvalues: int = EIGENVALUES) -> GraphBound:
    """Compulsory I/O plus the greatest over k of ``floor(n/k) (λ_1 + ... + λ_k) - 2 (k - 1) M``.

    As :func:`spectral`, but the edges out of inputs and of outputs count half in the Laplacian, because the
    first load of the ones and the store of the others are counted as compulsory. Nothing has to be spared at
    the beginning and at the end of a pebbling, hence k - 1.

    Returns
    -------
    GraphBound
        A whole number, at least the compulsory I/O.

    Raises
    ------
    InvalidInput
        If M or the number of eigenvalues is not a positive whole number.
    BoundDoesNotApply
        If the rules allow recomputation, or the eigenvalues cannot be found.

    Examples
    --------
    >>> from pebble.computations.classic_dags import hypercube
    >>> spectral_above_compulsory(hypercube(8), 9, Rules(recomputation=False)).value
    36
    """
    part = _part(dag, M, rules, eigenvalues)
    factors = np.where(part.is_input | part.is_output, 0.5, 1.0)
    values = _eigenvalues(part, factors, eigenvalues)
    best, k = _best(part.n, values, lambda k: 2 * (k - 1) * M)
    value, note = part.loads + part.stores + math.ceil(best), _note(k, len(values))
    return GraphBound.of(SPECTRAL_ABOVE_COMPULSORY, value, note, {"eigenvalues": eigenvalues})


def _part(dag: Dag, M: int, rules: Rules, eigenvalues: int) -> Needed:
    M = fast_memory_words(M)
    if isinstance(eigenvalues, bool) or not isinstance(eigenvalues, int) or eigenvalues < 1:
        raise InvalidInput(f"the number of eigenvalues is a positive whole number, not {eigenvalues!r}")
    require_no_recomputation(rules, "the spectral bound")
    return needed_part(dag)


def _eigenvalues(
    part: Needed, factors: np.ndarray[tuple[int], np.dtype[np.float64]], count: int
) -> list[float]:
    if part.n == 0:
        return []
    weights = factors[part.tails] / part.outdegree[part.tails]
    return smallest_eigenvalues(part.n, part.tails, part.heads, weights, count)


def _best(n: int, values: list[float], spared: object) -> tuple[float, int]:
    """Return the greatest value that is not negative, rounded down, and its k (0 if nothing is positive)."""
    assert callable(spared)
    best, best_k, total = 0.0, 0, 0.0
    for k, value in enumerate(values, 1):
        total += value
        candidate = (n // k) * total * _SAFE - spared(k)
        if candidate > best:
            best, best_k = candidate, k
    return best, best_k


def _note(k: int, tried: int) -> str:
    return f"k = {k} of up to {tried} eigenvalues" if k else f"nothing positive with {tried} eigenvalues"
