"""Matrix multiplication as a family of arrays of vertices."""

from __future__ import annotations

from pebble.computations.array import Array
from pebble.computations.family import Family


def matmul_family(m: int, n: int, k: int) -> Family:
    """C = A·B with A of shape (m, k) and B of shape (k, n), one vertex per multiply-add.

    >>> matmul_family(2, 2, 3)
    <Family matmul m=2 n=2 k=3: 24 vertices, 32 edges>
    """
    arrays = (
        Array("A", ("i", "k"), meaning="left factor"),
        Array("B", ("k", "j"), meaning="right factor"),
        Array("C", ("i", "j"), chain="k", operands=("A", "B"), output=True, meaning="product"),
    )
    return Family(
        "matmul",
        arrays,
        extents={"i": m, "j": n, "k": k},
        symbols={"i": "m", "j": "n", "k": "k"},
        parameters={"m": str(m), "n": str(n), "k": str(k)},
    )
