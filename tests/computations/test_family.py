"""Families from headers, and names of vertices; test_implicit_dag.py holds their DAGs to the rule."""

from __future__ import annotations

from typing import Any

import pytest

from pebble.computations.attention import attention_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_from_header, family_of

OWN = "Q[i,k]\nK[j,k]\nV[j,e]\nB[i,j]\nS[i,j] += Q[i,k]*K[j,k]\nP[i,j] = exp(S[i,j] + B[i,j])\nO[i,e] += P[i,j]*V[j,e]"
FORMS: list[dict[str, Any]] = [
    *({"softmax": softmax, "stats": True} for softmax in ("plain", "safe", "online")),
    *({"pass_name": "backward"}, {"shared_values": True, "stats": True}, {"computation": OWN}),
    {"heads": 2, "shared_rope": 3, "stats": True},
    *({"attention": "linear", "chunk": chunk, "heads": 3, "kv_heads": 1} for chunk in (None, 2, 3, 9)),
    *({"attention": "linear", "gate": True, "heads": heads, "kv_heads": 1} for heads in (1, 2)),
]


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_header_names_the_computation(form: dict[str, Any], mask: str | None) -> None:
    if mask is None and ("gate" in form or form.get("chunk")):
        return
    family = family_of(Problem(5, 5, 4, 2, mask=mask, **form))
    again = family_from_header(family.name, dict(family.parameters))
    assert repr(again) == repr(family)
    assert again.arrays == family.arrays
    assert again.dag() == family.dag()


PLAIN = attention_family(Problem(2, 3, 2, 3))


@pytest.mark.parametrize(
    "name",
    [
        "",
        "S",
        "S[]",
        "S[0,0]",
        "S[0,0,9]",
        "S[0,0,0] ",
        "S[0, 0,0]",
        "S[-1,0,0]",
        "T[0]",
        "S[0,0,0",
        "s[0,0,0]",
    ],
)
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(KeyError):
        PLAIN.names.index(name)


@pytest.mark.parametrize("number", [-1, 10**9])
def test_vertices_that_are_none(number: int) -> None:
    with pytest.raises(IndexError):
        PLAIN.names[number]
