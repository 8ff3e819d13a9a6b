"""Einsum strings as loop nests."""

import pytest

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
