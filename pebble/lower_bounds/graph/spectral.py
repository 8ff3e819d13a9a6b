"""The spectral bound of Jain and Zaharia, counted above the compulsory I/O."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import JAIN_ZAHARIA, ONCE_ONLY, Statement
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.needed_part import Needed, needed_part
from pebble.lower_bounds.requirements import require_no_recomputation

SPECTRAL = Statement(
    "spectral, above compulsory",
    "I/O ≥ compulsory + ⌊n/k⌋·(λ₁ + … + λ_k) − 2·(k − 1)·M for every k, λ the least eigenvalues of the Laplacian of "
    "the graph in which the edge (u, v) weighs 1/outdegree(u), half of that if u is an input or an output",
    "any DAG of up to 2,000 vertices",
    f"{PAGE}, spectral",
    rules=ONCE_ONLY,
    after=(JAIN_ZAHARIA,),
)

EIGENVALUES = 10
_MOST_VERTICES = 2000
_SAFE = 1.0 - 1e-12


def spectral(dag: Dag, M: int, rules: Rules, eigenvalues: int = EIGENVALUES) -> GraphBound:
    """Compulsory I/O plus the greatest over k of ``floor(n/k) (λ_1 + ... + λ_k) - 2 (k - 1) M``.

    Parameters
    ----------
    dag : Dag
        At most 2,000 vertices that some output depends on; their number is n.
    M : int
        Words of fast memory.
    rules : Rules
        Recomputation must be forbidden.
    eigenvalues : int
        The largest k that is tried; all are tried up to there.

    Returns
    -------
    GraphBound
        A whole number, at least the compulsory I/O. λ are the smallest eigenvalues of the Laplacian of the undirected
        graph whose edge (u, v) has the weight 1 / outdegree(u), half of that if u is an input or an output.

    Examples
    --------
    >>> from pebble.computations.classic_dags import hypercube
    >>> spectral(hypercube(8), 9, Rules(recomputation=False)).value
    36
    """
    M = fast_memory_words(M)
    if isinstance(eigenvalues, bool) or not isinstance(eigenvalues, int) or eigenvalues < 1:
        raise InvalidInput(f"the number of eigenvalues is a positive whole number, not {eigenvalues!r}")
    require_no_recomputation(rules, "the spectral bound")
    part = needed_part(dag)
    if part.n > _MOST_VERTICES:
        raise BoundDoesNotApply(f"{part.n:,} vertices are too many; the limit is {_MOST_VERTICES:,}")
    factors = np.where(part.is_input | part.is_output, 0.5, 1.0)
    values = smallest_eigenvalues(part, factors[part.tails] / part.outdegree[part.tails], eigenvalues)
    best, best_k, total = 0.0, 0, 0.0
    for k, eigenvalue in enumerate(values, 1):
        total += eigenvalue
        found = (part.n // k) * total * _SAFE - 2 * (k - 1) * M
        if found > best:
            best, best_k = found, k
    tried = f"{len(values)} eigenvalues"
    note = f"k = {best_k} of up to {tried}" if best_k else f"nothing positive with {tried}"
    value = part.loads + part.stores + math.ceil(best)
    return GraphBound.of(SPECTRAL, value, note, {"eigenvalues": eigenvalues})


def smallest_eigenvalues(part: Needed, weights: NDArray[np.float64], count: int) -> list[float]:
    """Return numbers just below the smallest eigenvalues of the Laplacian of a part with weighted edges, ascending.

    LAPACK's eigenvalues are off by a small multiple of the rounding unit times the norm; that is subtracted.
    """
    laplacian = np.zeros((part.n, part.n))
    np.add.at(laplacian, (part.tails, part.heads), -weights)
    np.add.at(laplacian, (part.heads, part.tails), -weights)
    degree = -laplacian.sum(axis=1)
    laplacian[np.diag_indices(part.n)] += degree
    error = 32 * part.n * float(np.finfo(np.float64).eps) * float(degree.max(initial=0.0))
    return [max(0.0, float(value) - error) for value in np.linalg.eigvalsh(laplacian)[:count]]
