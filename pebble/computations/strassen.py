"""Strassen's product of matrices, as a function on arrays and as a DAG."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.classic_dags import check_dag_size
from pebble.graph.dag import Dag
from pebble.graph.trace import trace

__all__ = ["strassen", "strassen_product"]


def strassen(n: int) -> Dag:
    """Strassen's product of two n × n matrices, n a power of two, recursing down to single numbers.

    Seven products and eighteen sums of halves, as first published (Strassen 1969).

    Examples
    --------
    >>> strassen(2)
    Dag(strassen:2: 33 vertices, 50 edges, 8 inputs, 4 outputs)
    """
    if n < 1 or n & (n - 1):
        raise InvalidInput(f"strassen needs a power of two, not {n}")
    check_dag_size("strassen", 7 * 7 ** min(n.bit_length(), 40), 0)
    return trace(strassen_product, (n, n), (n, n), description=f"strassen:{n}")


def strassen_product(A: NDArray[Any], B: NDArray[Any]) -> NDArray[Any]:
    """Multiply two square arrays, their size a power of two, by Strassen's algorithm down to single numbers.

    >>> import numpy as np
    >>> A = np.arange(16.0).reshape(4, 4)
    >>> bool(np.all(strassen_product(A, A) == A @ A))
    True
    """
    if len(A) == 1:
        single: NDArray[Any] = A * B
        return single
    A11, A12, A21, A22 = _quarters(A)
    B11, B12, B21, B22 = _quarters(B)
    M1 = strassen_product(A11 + A22, B11 + B22)
    M2 = strassen_product(A21 + A22, B11)
    M3 = strassen_product(A11, B12 - B22)
    M4 = strassen_product(A22, B21 - B11)
    M5 = strassen_product(A11 + A12, B22)
    M6 = strassen_product(A21 - A11, B11 + B12)
    M7 = strassen_product(A12 - A22, B21 + B22)
    return np.asarray(np.block([[M1 + M4 - M5 + M7, M3 + M5], [M2 + M4, M1 - M2 + M3 + M6]]))


def _quarters(A: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    h = len(A) // 2
    return A[:h, :h], A[:h, h:], A[h:, :h], A[h:, h:]
