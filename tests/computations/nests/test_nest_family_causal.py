"""Nests under one condition j <= i: the family under the causal mask is the explicit DAG, vertex for vertex."""

from __future__ import annotations

import re

import pytest

from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.nest_family import as_family
from pebble.computations.nests.read_text import loop_nest

ATTENTION = (
    "S[i,j] += Q[i,k]*K[j,k] for j <= i; P[i,j] = exp(S[i,j]) for j <= i; l[i] += P[i,j] for j <= i; "
    "U[i,e] += P[i,j]*V[j,e] for j <= i; O[i,e] = U[i,e]/l[i]"
)
MASKED = [
    ATTENTION,
    ATTENTION.replace("i", "q").replace("j", "i").replace("q", "j"),
    ATTENTION.replace("i", "a").replace("j", "b"),
    "y[i] += L[i,j]*x[j] for j <= i",
    "y[j] += L[i,j]*x[i] for j <= i; z[j] = y[j]*w[j]",
    "P[i,j] = A[i]*B[j]*C[i,j] for j <= i; r[i] += P[i,j] for j <= i; c[j] += P[i,j] for j <= i",
    "T[h,i,j] += A[h,i,k]*B[k,j] for j <= i; R[h,i] += T[h,i,j] for j <= i",
]
NOT_MASKED = [
    "y[i] += L[i,j]*x[j] for j < i",
    "S[i,j] = A[i]*B[j] for j <= i; O[a] += S[a,b]",
    "S[i,j] = A[i]*B[j] for j <= i; O[a] += S[a,b] for b <= a",
    "S[i,j] = A[i]*B[j] for j <= i; O[i] += S[i,j]",
    "S[i,j] = A[i]*B[j] for j <= i; O[i] += S[i,j] for i <= j",
    "C[i,j] += A[i,k]*A[j,k] for j <= i",
    "S[i,j] = A[i]*B[j]; O[a] += S[a,b]*A[k] for k <= a",
    "z[i] += A[j,k,i]*B[j,k] for j <= i",
]


def extents(text: str, n: int) -> dict[str, int]:
    return {name: n if name in "abij" else 2 for name in set(re.findall(r"\b[abehijk]\b", text))}


@pytest.mark.parametrize("text", MASKED)
def test_the_family_under_the_mask_is_the_graph(text: str) -> None:
    for n in (1, 2, 5):
        nest = loop_nest(text, extents(text, n))
        family = as_family(nest)
        assert family is not None
        assert family.masked_axes
        assert family.dag() == nest_dag(nest).dag


@pytest.mark.parametrize("text", NOT_MASKED)
def test_what_is_under_no_causal_mask(text: str) -> None:
    family = as_family(loop_nest(text, extents(text, 4)))
    assert family is None or not family.masked_axes


def test_ranges_of_other_lengths_are_no_causal_mask() -> None:
    assert as_family(loop_nest("y[i] += L[i,j]*x[j] for j <= i", {"i": 4, "j": 5})) is None
