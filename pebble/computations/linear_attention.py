"""Linear attention, which has no softmax: as families of arrays of vertices, and on numbers as the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.array import Array
from pebble.computations.attention import attention_symbols
from pebble.computations.family import Family
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["linear_attention", "right_product_family"]


def right_product_family(problem: Problem) -> Family:
    """Linear attention without a mask, by the right product: O = Q·(Kᵀ·V).

    Axes: ``i`` queries, ``j`` keys, ``k`` features of Q and K, ``e`` dimension of V. H, the *state*, has d·dv words.

    Examples
    --------
    >>> family = right_product_family(Problem.square(2, 2, attention="linear"))
    >>> family
    <Family linear-attention Nq=2 Nk=2 d=2 dv=2: 28 vertices, 40 edges>
    >>> family.predecessors("O", (0, 1, 1))
    [('O', (0, 1, 0)), ('Q', (0, 1)), ('H', (1, 1, 1))]
    """
    arrays = (
        Array("Q", ("i", "k"), meaning="queries"),
        Array("K", ("j", "k"), meaning="keys"),
        Array("V", ("j", "e"), meaning="values"),
        Array("H", ("k", "e"), chain="j", operands=("K", "V"), meaning="state, KᵀV"),
        Array("O", ("i", "e"), chain="k", operands=("Q", "H"), output=True, meaning="output, QH"),
    )
    return Family(
        "linear-attention",
        arrays,
        extents={"i": problem.Nq, "j": problem.Nk, "k": problem.d, "e": problem.dv},
        symbols=attention_symbols(problem),
        parameters={name: str(getattr(problem, name)) for name in ("Nq", "Nk", "d", "dv")},
    )


def linear_attention(
    Q: NDArray[np.float64],
    K: NDArray[np.float64],
    V: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return linear attention by the left product (Q·Kᵀ)·V: another way than any schedule.

    Parameters
    ----------
    Q, K, V : ndarray
        Of shapes (Nq, d), (Nk, d), (Nk, dv).

    Returns
    -------
    ndarray
        Of shape (Nq, dv).
    """
    return np.asarray((Q @ K.T) @ V)
