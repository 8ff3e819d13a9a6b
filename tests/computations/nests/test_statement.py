"""Statements and loop nests: what is computed, summed over, read only."""

from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment, LoopNest


def _access(array: str, *indices: str) -> Access:
    return Access(array, tuple(map(Affine.index, indices)))


def test_a_product_says_its_sum_and_its_inputs() -> None:
    reads = (_access("A", "i", "k"), _access("B", "k", "j"))
    product = Assignment(_access("C", "i", "j"), True, reads, ("i", "j", "k"))
    assert product.sum_indices == ("k",)
    assert str(product) == "C[i,j] += A[i,k]*B[k,j]"
    nest = LoopNest((product,), {"i": 2, "j": 3, "k": 4})
    assert nest.computed == ("C",)
    assert nest.read_only == ("A", "B")
