"""Loop nests of many kinds, and random sizes for them."""

import random
import re

from pebble.common.errors import InvalidInput
from pebble.computations.load import load_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.graph.dag import Dag

TEXTS = [
    "C[i,j] += A[i,k]*B[k,j]",
    "C[i,j] += A[i,k]*B[j,k]*D[k]",
    "C[i,j] += A[i,k]*A[j,k] for j < i",
    "C[i,j] += A[i,k]*A[j,k] for j <= i",
    "C[i,j] += A[i,k]*B[j,k] + A[j,k]*B[i,k] for j <= i",
    "C[i,j] += A[i,k]*B[k,j]; E[i,l] += C[i,j]*D[j,l]",
    "C[i,j] = D[i,j]; C[i,j] += A[i,k]*B[k,j]",
    "C[i,j] = B[i,j]; C[i,j] += A[k,i]*B[k,j] for i < k",
    "C[i] += A[i,k]*x[k]; D[k] += A[i,k]*C[i]",
    "C[i,j,l] += A[i,k]*B[k,j]*D[k,l]",
    "C[i] += A[i+k]*B[k]",
    "C[i,j] += A[i+k]*B[k,j]",
    "x[i] += L[i,j]*x[j] for j < i",
    "s[i] += L[i,j]*x[j] for j < i; x[i] = b[i] - s[i] for 1 <= i; x[i] = b[i] for i < 1",
    "S[i,j] = A[i,j] for j <= i; S[i,j] += L[i,k]*L[j,k] for j <= i, k < j; "
    "L[i,j] = S[i,j]/D[j] for j < i; D[j] = sqrt(S[j,j])",
    "S[i,j] += Q[i,k]*K[j,k]; P[i,j] = exp(S[i,j]); U[i,e] += P[i,j]*V[j,e]",
    "S[i,j] += Q[i,k]*K[j,k] for j <= i; P[i,j] = exp(S[i,j]) for j <= i; l[i] += P[i,j] for j <= i; "
    "U[i,e] += P[i,j]*V[j,e] for j <= i; O[i,e] = U[i,e]/l[i]",
    "S[i,j] += X[i,k]*X[j,k]; U[i,e] += S[i,j]*X[j,e]",
    "S[i,j] += X[i,k]*X[j,k]; U[i,e] += S[i,j]*S[j,e]",
    "P[k,i,j] = P[k-1,i,j] + P[k-1,i,k]*P[k-1,k,j] for 1 <= k",
    "a[t,i] = a[t-1,i-1] + a[t-1,i] + a[t-1,i+1] for 1 <= t, 1 <= i, i <= LAST",
    "a[t,i] = a[t-1,i-1] + a[t-1,i+1] for 1 <= t, 1 <= i",
    "a[t,i] = a[t,i-1] + a[t-1,i] for 1 <= t, 1 <= i",
    "a[t,i] = a[t,i-1] + a[t-1,i] + a[t-1,i+1] for 1 <= t, 1 <= i",
    "a[t,i] = h[t-1,i] - h[t-1,i-1] for 1 <= t, 1 <= i; h[t,i] = h[t-1,i] - a[t,i] for 1 <= t, 1 <= i",
    "b[t,i] = a[t-1,i-1] + a[t-1,i+1] for 1 <= t; a[t,i] = b[t,i-1] + b[t,i] for 1 <= t",
    "T[i,j] += A[i,k]*B[k,j]; C[i,j] = T[i,j] + D[i,j]; E[i,l] += C[i,j]*F[j,l]",
    "Q[i,k] = A[k,i,k]/r[k]; R[k,j] += Q[i,k]*A[k,i,j] for k < j; "
    "A[m,i,j] = A[m-1,i,j] - Q[i,m-1]*R[m-1,j] for 1 <= m, m <= j",
    "S[i,j] += T[i,k]*T[k+1,j] for i <= k, k < j; T[i,j] = S[i,j] + w[i,j] for i < j",
    "C[i,j] += A[i,k]*B[k,j]; D[i,j] += A[i,k]*E[k,j]",
    "d[i,j] += A[i,k] for k <= j; e[i] += d[i,j]*d[i,j]",
    "P[k+1,i,j] = P[k,i,j] + P[k,i,k]*P[k,k,j]",
    "S[i,j] += L[i,k]*U[k,j] for k < i, k < j; U[i,j] = A[i,j] - S[i,j] for 1 <= i, i <= j; U[0,j] = A[0,j]; "
    "L[i,j] = (A[i,j] - S[i,j])/U[j,j] for 1 <= j, j < i; L[i,0] = A[i,0]/U[0,0] for 1 <= i",
    "S[i,j] += L[i,k]*L[j,k] for k < j, j <= i; L[i,j] = A[i,j] - S[i,j] for 1 <= j, j <= i; L[i,0] = A[i,0]",
    "D[i,j] = C[i,j]; D[i,j] += A[i,k]*B[k,j] for k <= i; D[i,j] += A[k,i]*B[k,j] for i < k",
    "C[2*i+j] += A[i,j]*B[j]",
    "u[j] += X[k,j]; Y[k,j] = X[k,j] - u[j]; C[i,j] += Y[k,i]*Y[k,j] for i <= j",
    "s += X[k]; Y[k] = X[k]/s",
    "x[i,j] = x[i,j-1] + u[i,j]; y[i,j] = y[i,j+1]*x[i,j]",
    "s[k] += r[k-i-1]*y[k-1,i] for i < k; a[k] = r[k] + s[k] for 1 <= k; "
    "y[k,i] = y[k-1,i] + a[k]*y[k-1,k-i-1] for i < k; y[k,k] = a[k] for 1 <= k",
    "O[i] = A[2*i] + A[2*i+1]",
    "O[i] = A[2*i]*A[3*i-1] + A[i+4]",
    "B[2*i] = A[3*i+1]; O[i] = B[i] + B[i+1]",
    "O[i] += A[3*i+2*k,i-k]*B[k]",
]


def strided_text(draw: random.Random) -> tuple[str, dict[str, int]]:
    """Return one or two assignments whose places have any factors and constants, and extents."""
    ranks = {"A": draw.randint(1, 2), **{array: draw.randint(0, 2) for array in "BCD"}}

    def place(names: list[str]) -> str:
        chosen = draw.sample(names, min(len(names), draw.choice([1, 1, 2])))
        terms = [f"{draw.choice([1, 1, 1, 2, 3, -1, -2])}*{name}" for name in chosen]
        return "+".join([*terms, str(draw.choice([0, 0, 0, -2, -1, 1, 2, 3]))])

    def access(array: str, names: list[str]) -> str:
        places = ",".join(place(names) for _ in range(ranks[array]))
        return f"{array}[{places}]" if places else array

    statements = []
    for target, arrays in (("C", "AABC"), ("D", "ABC"))[: draw.randint(1, 2)]:
        names = draw.sample("ijk", draw.randint(1, 3))
        reads = [access(array, names) for array in draw.choices(arrays, k=draw.randint(1, 3))]
        limit = f" for {names[0]} <= {draw.choice(['', '2*'])}{names[-1]} + {draw.randint(-1, 1)}"
        statements.append(f"{access(target, names)} += {'*'.join(reads)}" + limit * (draw.random() < 0.3))
    text = "; ".join(statements)
    return text, {name: draw.randint(1, 5) for name in "ijk" if f"*{name}" in text}


def _small(draw: random.Random, text: str, most: int) -> tuple[str, dict[str, int]]:
    used = sorted({name for places in re.findall(r"\[(.*?)\]", text) for name in re.findall("[a-z]", places)})
    extents = {name: draw.randint(1, most) for name in used}
    return text.replace("LAST", str(extents.get("i", 2) - 2)), extents


def small_nest(draw: random.Random, text: str, most: int = 4) -> LoopNest:
    """Return the nest with random small extents."""
    return loop_nest(*_small(draw, text, most))


def small_kernel(draw: random.Random, text: str, most: int) -> Dag | None:
    """Return the DAG of the nest with random small extents, named as a kernel; None if nothing is computed."""
    text, extents = _small(draw, text, most)
    try:
        return load_dag(f"kernel:{text}:" + ",".join(f"{name}={size}" for name, size in extents.items()))
    except InvalidInput:
        return None
