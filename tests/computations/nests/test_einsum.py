"""Einsum strings as loop nests."""

import pytest

import pebble
from pebble.common.errors import InvalidInput
from pebble.computations.nests.einsum import einsum_text


@pytest.mark.parametrize(
    ("products", "text"),
    [
        ("ik,kj->ij", "C[i,j] += A[i,k]*B[k,j]"),
        ("ik, kj", "C[i,j] += A[i,k]*B[k,j]"),
        ("ik,kj->ij; ij,jl->il", "C[i,j] += A[i,k]*B[k,j]; E[i,l] += C[i,j]*D[j,l]"),
        ("i,j->ij", "C[i,j] = A[i]*B[j]"),
        ("ij->", "B += A[i,j]"),
        ("bik,bkj->bij", "C[b,i,j] += A[b,i,k]*B[b,k,j]"),
        (",i->i", "C[i] = A*B[i]"),
    ],
)
def test_products(products: str, text: str) -> None:
    assert einsum_text(products) == text


@pytest.mark.parametrize(
    ("products", "why"),
    [
        ("", "an einsum is missing"),
        ("ik;", "an einsum is missing"),
        ("i1,j->i", "indices are letters"),
        ("...i->i", "indices are letters"),
        ("i->j", "no operand has the index j"),
        ("ij->ii", "an index twice"),
        (",".join("i" * 30) + "->i", "at most 26"),
    ],
)
def test_what_is_no_einsum(products: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        pebble.einsum(products, i=2, j=2, k=2)


def test_extents_are_needed() -> None:
    with pytest.raises(InvalidInput, match="the extent of j is missing"):
        pebble.einsum("ik,kj->ij", i=2, k=2)
