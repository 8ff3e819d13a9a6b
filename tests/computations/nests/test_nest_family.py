"""Loop nests as families: products are the product's family, attention's assignments are attention."""

import re

import numpy as np
import pytest

from pebble.computations.attention import attention_family
from pebble.computations.matmul import matmul_family
from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.nest_family import as_family, family_of_nest
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.problem import Problem
from pebble.program import compute, load, phase, program, store
from pebble.program.numbers import evaluate
from tests.computations.nests.nest_numbers import vertex_values

ATTENTION = (
    "S[i,j] += Q[i,k]*K[j,k]; P[i,j] = exp(S[i,j]); l[i] += P[i,j]; U[i,e] += P[i,j]*V[j,e]; "
    "O[i,e] = U[i,e]/l[i]"
)


def test_a_product_is_the_family_of_products() -> None:
    family = family_of_nest(loop_nest("C[i,j] += A[i,k]*B[k,j]", {"i": 3, "j": 4, "k": 5}))
    assert family.dag() == matmul_family(3, 4, 5).dag()


def test_the_assignments_of_attention_are_attention() -> None:
    nest = loop_nest(ATTENTION, {"i": 3, "j": 4, "k": 2, "e": 3})
    assert family_of_nest(nest).dag() == attention_family(Problem(3, 4, 2, 3)).dag()


def test_axes_are_matched_through_the_arrays() -> None:
    extents = {"i": 2, "j": 2, "k": 2}
    family = family_of_nest(loop_nest("C[i,j] += A[i,k]*B[k,j]; E[i,j] += C[i,k]*D[k,j]", extents))
    assert [(array.name, array.indices) for array in family.arrays] == [
        ("A", ("i", "k")),
        ("B", ("k", "j")),
        ("D", ("j", "j2")),
        ("C", ("i", "j", "k")),
        ("E", ("i", "j2", "j")),
    ]


def test_indices_summed_side_by_side_are_one_axis() -> None:
    family = family_of_nest(loop_nest("C[i] += A[i,k,l]*x[k,l]", {"i": 2, "k": 3, "l": 5}))
    assert family.extents == {"i": 2, "kl": 15}


def test_indices_summed_together_may_stand_anywhere() -> None:
    extents = {"i": 2, "j": 3, "k": 2, "l": 3}
    nest = loop_nest("C[i,j] += A[k,i,l]*B[l,j,k]", extents)
    family, found = family_of_nest(nest), nest_dag(nest)
    assert [array.axes for array in family.inputs] == [("kl", "i"), ("kl", "j")]
    assert (family.n_vertices, family.n_edges) == (found.dag.n_vertices, found.dag.n_edges)
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 2, 3)), rng.normal(size=(3, 3, 2))
    text = program(phase("", load("A", "B"), compute("C"), store("C")))
    turned = {"A": A.transpose(0, 2, 1).reshape(6, 2), "B": B.transpose(2, 0, 1).reshape(6, 3)}
    values = vertex_values(found, np.concatenate([A.ravel(), B.ravel()]))
    assert np.allclose(evaluate(text, family, turned)["C"].ravel(), values[found.dag.outputs])
    assert np.allclose(values[found.dag.outputs], np.einsum("kil,ljk->ij", A, B).ravel())


def test_what_is_no_family_is_none() -> None:
    assert as_family(loop_nest("C[i] = A[i+1]", {"i": 2})) is None
    assert as_family(loop_nest("y[i] += L[i,j]*x[j] for j <= i", {"i": 4, "j": 5})) is None


# Under one condition j <= i: the family under the causal mask is the explicit DAG, vertex for vertex

CAUSAL = (
    "S[i,j] += Q[i,k]*K[j,k] for j <= i; P[i,j] = exp(S[i,j]) for j <= i; l[i] += P[i,j] for j <= i; "
    "U[i,e] += P[i,j]*V[j,e] for j <= i; O[i,e] = U[i,e]/l[i]"
)
MASKED = [
    CAUSAL,
    CAUSAL.replace("i", "q").replace("j", "i").replace("q", "j"),
    CAUSAL.replace("i", "a").replace("j", "b"),
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
