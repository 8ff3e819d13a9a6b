"""Random nests that are no family but may be computed in stages: initial values, views, strict conditions, halves."""

from __future__ import annotations

import random

from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest

_CONDITIONS = ("", "j <= i", "j < i", "i < j", "i <= k", "i < k", "k < j", "k + 2 <= i")
_TERMS = (
    "A[i,k]*A[j,k]",
    "A[i,k]*B[k,j]",
    "A[k,i]*B[k,j]",
    "A[i,k]*A[k,j]",
    "A[i,k]*B[j,k] + A[j,k]*B[i,k]",
    "A[i,k+1]*B[k,j]*w",
    "A[i,k]*A[i,k]*v[k]",
)
_INITIAL = ("C[i,j]", "beta", "beta*C[i,j]", "beta*C[i,j] + u[i]*u[j]", "A[i,j]", "C[j,i] + C[i,j]", "X[i,j]")


def random_staged_nest(seed: int) -> LoopNest:
    """Return a random nest of a product, perhaps with something before and after it."""
    draw = random.Random(seed)
    condition = draw.choice(_CONDITIONS)
    tail = f" for {condition}" if condition else ""
    statements = []
    initial = draw.choice((None, *_INITIAL))
    if draw.random() < 0.3:
        statements.append("m[j] += A[i,j]")
        statements.append("Y[i,j] = A[i,j] - m[j]")
    if initial is not None:
        both = condition in ("j <= i", "j < i", "i < j") and draw.random() < 0.7
        statements.append(f"D[i,j] = {initial}" + (tail if both else ""))
    if initial == "X[i,j]":
        statements.insert(0, "X[i,j] = exp(C[i,j])")
    if draw.random() < 0.2:
        statements += ["D[i,j] += A[i,k]*B[k,j] for k <= i", "D[i,j] += A[k,i]*B[k,j] for i < k"]
    else:
        terms = draw.choice(_TERMS)
        if statements and "Y" in statements[-1] + statements[0] and draw.random() < 0.7:
            terms = terms.replace("A[", "Y[")
        statements.append(f"D[i,j] += {terms}{tail}")
    if draw.random() < 0.3 and not condition:
        statements.append(draw.choice(("E[i,l] += D[i,j]*F[j,l]", "r[i] += D[i,j]", "G[i,j] = exp(D[i,j])")))
    text = "; ".join(statements)
    side = draw.randint(3, 6)
    extents = dict.fromkeys("ij", side) | {"k": draw.choice((side, side, draw.randint(2, 6)))}
    if "l]" in text:
        extents["l"] = draw.randint(1, 4)
    outputs = ["D"] if draw.random() < 0.2 else []
    return loop_nest(text, extents, outputs)
