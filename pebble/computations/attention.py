"""Attention in all its forms: each a text, from which its family of arrays is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.computations.text import family_of_text, text_parameter

__all__ = ["attention_family", "form_family", "heads_family"]

_SCORES = """
Q[i,k]  # queries
K[j,k]  # keys
V[j,e]  # values
S[i,j] += Q[i,k]*K[j,k]  # scores
"""
_MAXIMA = "m[i] max= S[i,j]  # maximum of the scores"
_SUMS = """
l[i] += P[i,j]  # row sums
U[i,e] += P[i,j]*V[j,e]  # unnormalised output
"""
_OUTPUT = "O[i,e] = U[i,e]/l[i]  # output"

_PLAIN = f"""{_SCORES}
P[i,j] = exp(scale*S[i,j])  # exp(scale · score)
{_SUMS}{_OUTPUT}
"""

_SAFE = f"""{_SCORES}{_MAXIMA}
P[i,j] = exp(scale*min(S[i,j] - m[i], 0))  # exp(scale · (score − maximum))
{_SUMS}{_OUTPUT}
"""

_ONLINE = f"""{_SCORES}{_MAXIMA}
a[i,j] = exp(scale*min(m[i,j-1] - S[i,j], 0))  # exp(scale · (maximum before − maximum after)); it rescales sums
P[i,j] = exp(scale*min(S[i,j] - m[i,j], 0))  # exp(scale · (score − maximum))
l[i,j] = l[i,j-1]*a[i,j] + P[i,j]  # row sums, rescaled
U[i,e,j] = U[i,e,j-1]*a[i,j] + P[i,j]*V[j,e]  # unnormalised output, rescaled
{_OUTPUT}
"""
"""No score is above its maximum, but for those that a mask leaves out, of which nothing is used."""

_BACKWARD = """
Q[i,k]  # queries
K[j,k]  # keys
V[j,e]  # values
dO[i,e]  # gradient of the output
O[i,e]  # output of the forward pass
l[i]  # row sums of the forward pass
S[i,j] += Q[i,k]*K[j,k]  # scores, computed again
P[i,j] = exp(scale*S[i,j])/l[i]  # probabilities
D[i] += dO[i,e]*O[i,e]  # row sums of dO∘O
dP[i,j] += dO[i,e]*V[j,e]  # gradient of P
dS[i,j] = scale*P[i,j]*(dP[i,j] - D[i])  # gradient of the scores
dV[j,e] += P[i,j]*dO[i,e]  # gradient of V
dK[j,k] += dS[i,j]*Q[i,k]  # gradient of K
dQ[i,k] += dS[i,j]*K[j,k]  # gradient of Q
"""

# Keys whose first dv words are the values, and whose other d − dv words carry the positions (DeepSeek-AI 2024,
# arXiv 2405.04434, section 2.1; decoded with absorbed projections).
_LATENT = f"""
Qc[i,e]  # queries, latent part
Qr[i,r]  # queries, rotary part
Kc[j,e]  # keys, latent part, and values
Kr[j,r]  # keys, rotary part
S1[i,j] += Qc[i,e]*Kc[j,e]  # scores, latent part
S2[i,j] += Qr[i,r]*Kr[j,r]  # scores, rotary part
P[i,j] = exp(scale*(S1[i,j] + S2[i,j]))  # exp(scale · (S1 + S2))
l[i] += P[i,j]  # row sums
U[i,e] += P[i,j]*Kc[j,e]  # unnormalised output
{_OUTPUT}
"""

# Heads h at once, the last words of whose keys are the same for all of them (the same, section 2.1.3: the decoupled
# key is shared).
_SHARED_ROPE = """
Qc[h,i,k]  # queries, but for their rotary part
Qr[h,i,r]  # queries, rotary part
Kc[h,j,k]  # keys, the head's own part
Kr[j,r]  # keys, rotary part, the same for all heads
V[h,j,e]  # values
S1[h,i,j] += Qc[h,i,k]*Kc[h,j,k]  # scores, the head's own part
S2[h,i,j] += Qr[h,i,r]*Kr[j,r]  # scores, rotary part
P[h,i,j] = exp(scale*(S1[h,i,j] + S2[h,i,j]))  # exp(scale · (S1 + S2))
l[h,i] += P[h,i,j]  # row sums
U[h,i,e] += P[h,i,j]*V[h,j,e]  # unnormalised output
O[h,i,e] = U[h,i,e]/l[h,i]  # output
"""

# The gradient g = A1ᵀ·p·A2 of ½‖f·h − E‖² with respect to X, with f = softmax of the rows of A1·X·A2ᵀ (no scale),
# h = A3·Y, c = f·h − E, q = c·hᵀ and p = f∘q − diag((f∘q)·1)·f (Li, Liang, Shi, Song & Zhou 2024, arXiv 2410.09397;
# Alman & Song 2024, arXiv 2402.04497). The row sums (f∘q)·1 are computed as the row sums D of c∘(f·h), which are equal
# and shorter.
_WEIGHTS = """
A1[i,a]  # input of the queries
A2[j,k]  # input of the keys
A3[j,b]  # input of the values
X[a,k]  # weights of the scores
Y[b,e]  # weights of the values
E[i,e]  # target
Q[i,k] += A1[i,a]*X[a,k]  # queries A1·X
h[j,e] += A3[j,b]*Y[b,e]  # values A3·Y
S[i,j] += Q[i,k]*A2[j,k]  # scores
P[i,j] = exp(S[i,j])  # exp(score)
l[i] += P[i,j]  # row sums
U[i,e] += P[i,j]*h[j,e]  # unnormalised f·h
F[i,e] = U[i,e]/l[i]  # f·h
c[i,e] = F[i,e] - E[i,e]  # f·h − E
D[i] += c[i,e]*F[i,e]  # row sums of c∘(f·h)
f[i,j] = P[i,j]/l[i]  # softmax
q[i,j] += c[i,e]*h[j,e]  # c·hᵀ
p[i,j] = f[i,j]*(q[i,j] - D[i])  # gradient of the scores
T[i,k] += p[i,j]*A2[j,k]  # p·A2
g[a,k] += A1[i,a]*T[i,k]  # gradient of X
"""

_LINEAR = """
Q[i,k]  # queries
K[j,k]  # keys
V[j,e]  # values
H[k,e] += K[j,k]*V[j,e]  # state, KᵀV
O[i,e] += Q[i,k]*H[k,e]  # output, QH
"""

# Causal linear attention: the state takes in a key and its value, then the query reads it. g are the query heads that
# share it, if there are several.
_RECURRENT = """
Q[g,n,k]  # queries
K[n,k]  # keys
V[n,e]  # values
H[k,e] += K[n,k]*V[n,e]  # state after each token
O[g,n,e] += Q[g,n,k]*H[k,e,n]  # output
"""

# Every feature of the state is multiplied with a gate before it takes in a token but the first.
_GATED = """
Q[g,n,k]  # queries
K[n,k]  # keys
V[n,e]  # values
G[n,k]  # gates
H[k,e,n] = K[n,k]*V[n,e] + later(G[n,k])*H[k,e,n-1]  # state after each token
O[g,n,e] += Q[g,n,k]*H[k,e,n]  # output
"""

# Chunks c of C tokens, with queries p and keys q; Z is what they add to the state, which nothing needs of the last
# chunk. That has 1 to C tokens and arrays of its own, on s and t. All C·C scores of a chunk are computed, as kernels do
# with products of matrices; those of later keys are multiplied with zero.
_FULL_CHUNKS = """
Q[g,c,p,k]  # queries
K[c,q,k]  # keys
V[c,q,e]  # values
S[g,c,p,q] += Q[g,c,p,k]*K[c,q,k]  # scores inside a chunk
A[g,c,p,e] += S[g,c,p,q]*V[c,q,e] if q <= p  # outputs from keys of the chunk
Z[c,k,e] += K[c,q,k]*V[c,q,e]  # what a chunk adds to the state
H[k,e] += Z[c,k,e]  # state after each chunk
B[g,c,p,e] += Q[g,c,p,k]*H[k,e,c-1]  # outputs from the state
O[g,c,p,e] = A[g,c,p,e] + B[g,c,p,e]  # output
"""
_LAST_CHUNK = """
Q_last[g,s,k]  # queries of the last chunk
K_last[t,k]  # its keys
V_last[t,e]  # its values
S_last[g,s,t] += Q_last[g,s,k]*K_last[t,k]  # its scores
"""
_INSIDE = "[g,s,e] += S_last[g,s,t]*V_last[t,e] if t <= s  # outputs from keys of the chunk"
_AFTER_OTHERS = f"""
A_last{_INSIDE}
B_last[g,s,e] += Q_last[g,s,k]*H[k,e]  # its outputs from the state
O_last[g,s,e] = A_last[g,s,e] + B_last[g,s,e]  # its output
"""

_INDICES = ("i", "j", "k", "e")
"""Those of queries, keys and columns in a text that is given."""

_TEXTS: dict[str, str | Callable[[Problem], str]] = {
    "plain": _PLAIN,
    "safe": _SAFE,
    "online": _ONLINE,
    "backward": _BACKWARD,
    "latent": _LATENT,
    "shared-rope": _SHARED_ROPE,
    "weights": _WEIGHTS,
    "linear": _LINEAR,
    "recurrent": _RECURRENT,
    "gated": _GATED,
    "chunked": lambda problem: (
        f"{_FULL_CHUNKS}{_LAST_CHUNK}{_AFTER_OTHERS}"
        if problem.chunk_sizes[0]
        else f"{_LAST_CHUNK}O_last{_INSIDE}"
    ),
}

_HEADS = """
Q[i,g,r,k]  # queries
K[j,g,k]  # keys
V[j,g,e]  # values
S[i,j,g,r] += Q[i,g,r,k]*K[j,g,k]  # scores
P[i,j,g,r] = exp(scale*S[i,j,g,r])  # exp(scale · score)
l[i,g,r] += P[i,j,g,r]  # row sums
U[i,g,r,e] += P[i,j,g,r]*V[j,g,e]  # unnormalised output
O[i,g,r,e] = U[i,g,r,e]/l[i,g,r]  # output
"""

_NAMES = {
    "plain": "attention-forward",
    "safe": "attention-forward-safe",
    "online": "attention-forward-online",
    "linear": "linear-attention",
    **{form: f"linear-attention-{form}" for form in ("recurrent", "gated", "chunked")},
}


def attention_family(problem: Problem) -> Family:
    """Attention as arrays of vertices: softmax as the papers write it, without subtracting the maximum.

    Axes: ``i`` queries, ``j`` keys, ``k`` head dimension of Q and K, ``e`` head dimension of V. For a problem of any
    kind see :func:`pebble.family_of`; :func:`pebble.run` takes the problem itself.

    Raises
    ------
    InvalidInput
        If the problem asks for more than the sizes and ``stats``: a mask, several heads, another pass or softmax, …

    Examples
    --------
    >>> family = attention_family(Problem.square(2, 2))
    >>> family
    <Family attention-forward Nq=2 Nk=2 d=2 dv=2: 40 vertices, 58 edges>
    >>> family.predecessors("O", (0, 1))
    [('U', (0, 1, 1)), ('l', (0, 1))]
    """
    if problem != Problem(problem.Nq, problem.Nk, problem.d, problem.dv, problem.stats):
        raise InvalidInput(
            "attention_family is the forward pass of one head, with plain softmax and without a mask; "
            f"this is {problem.describe()}. Give pebble.run the problem itself, or take pebble.family_of"
        )
    return form_family(problem)


def form_family(problem: Problem) -> Family:
    """Return the family of a problem's pass and form, without a mask and with sums in the order of the indices.

    Examples
    --------
    >>> form_family(Problem(2, 2, 2, 2, pass_name="backward")).predecessors("dS", (0, 1))
    [('P', (0, 1)), ('dP', (0, 1, 1)), ('D', (0, 1))]
    >>> online = form_family(Problem.square(2, 2, softmax="online"))
    >>> online.predecessors("a", (0, 1)), online.predecessors("P", (0, 0))
    ([('m', (0, 0)), ('S', (0, 1, 1))], [('S', (0, 0, 1)), ('m', (0, 0))])
    >>> form_family(Problem(2, 3, 3, 2, shared_values=True))
    <Family attention-latent Nq=2 Nk=3 d=3 dv=2: 61 vertices, 104 edges>
    """
    form = problem.pass_name if problem.pass_name != "forward" else problem.form
    text = _TEXTS[form] if problem.computation is None else problem.computation
    written = text if isinstance(text, str) else text(problem)
    if _sharing(problem) == 1:
        written = written.replace("[g,", "[")
    family = family_of_text(
        _NAMES.get(form, f"attention-{form}"),
        written,
        _extents(problem),
        _symbols(problem),
        _parameters(problem),
        outputs=("l", "m") if problem.stats else (),
        constants={"scale": 1.0 / math.sqrt(problem.d)},
    )
    if problem.computation is not None:
        _check(family)
    return family


def _check(family: Family) -> None:
    """Check that a computation that is given has the shape of attention, in one sweep over the keys.

    Raises
    ------
    InvalidInput
        If it has not; the message says what is missing.
    """
    pairs = [array for array in family.arrays if {"i", "j"} <= set(array.axes)]
    scores = [array.name for array in pairs if array.chain is not None]
    made = [array for array in pairs if array.chain is None and not array.is_input]
    late = [array for array in made if not any(read.step == "before" for read in array.reads)]
    sums = [array for array in family.arrays if array.chain == "j"]
    columns = [array for array in sums if "e" in array.axes]
    rows = [
        array for array in family.arrays if array.chain is None and array.operands and "j" not in array.axes
    ]
    inputs = {array.name: {"i", "j"} & set(array.axes) for array in family.inputs}
    whole = {array.name for array in sums}
    for right, what in (
        (set(family.extents) <= set(_INDICES), f"its indices are {', '.join(_INDICES)}"),
        (all(inputs.values()), "every input has the index i of queries or j of keys"),
        (
            scores
            and all([inputs.get(one) for one in family[name].operands] == [{"i"}, {"j"}] for name in scores),
            "scores are sums of products of an input with i and one with j",
        ),
        (
            len(late) == 1 and set(scores) <= set(late[0].operands),
            "one array of weights is made of all scores",
        ),
        (
            not any(read.step == "last" and read.array in whole for array in made for read in array.reads),
            "what is made of a pair reads sums over the keys at its own key, as m[i,j], not whole",
        ),
        (
            len(columns) == 1 and inputs.get(columns[0].operands[-1]) == {"j"},
            "one sum over the keys has columns e, of weights times an input with j",
        ),
        (
            all(columns[0].name in array.operands for array in rows) and len(rows) < 2,
            "at most one array is computed of that sum",
        ),
    ):
        if not right:
            raise InvalidInput(f"the computation is not one that the schedules know: {what}")


def heads_family(problem: Problem, query_heads: int, key_heads: int) -> Family:
    """Attention forward of several heads, as arrays of vertices.

    Axes: those of one head, and ``g`` key heads, ``r`` the query heads that share one: query head ``h`` is
    ``(g, r) = divmod(h, query_heads / key_heads)``. ``Q[i,g,r,k]``, ``K[j,g,k]``, ``V[j,g,e]``, ``O[i,g,r,e]``: the
    token comes first, so that a layout of tokens says which device owns what.

    Parameters
    ----------
    problem : Problem
        One head; its mask is that of all.
    query_heads, key_heads : int

    Raises
    ------
    InvalidInput
        If the key heads do not divide the query heads.

    Examples
    --------
    >>> heads_family(Problem.square(2, 1), 4, 2)
    <Family attention-heads Nq=2 Nk=2 d=1 dv=1 Hq=4 Hk=2: 88 vertices, 128 edges>
    """
    if key_heads < 1 or query_heads < 1 or query_heads % key_heads:
        raise InvalidInput(f"{query_heads} query heads cannot share {key_heads} key heads evenly")
    one = attention_family(replace(problem, mask=None))
    family = family_of_text(
        "attention-heads",
        _HEADS,
        {**one.extents, "g": key_heads, "r": query_heads // key_heads},
        {**one.symbols, "g": "Hk", "r": "Hq/Hk"},
        {**one.parameters, "Hq": str(query_heads), "Hk": str(key_heads)},
        outputs=("l",) if problem.stats else (),
        constants={"scale": 1.0 / math.sqrt(problem.d)},
    )
    return family if problem.mask is None else family.under(problem.allowed)


def _sharing(problem: Problem) -> int:
    """Return how many query heads share the state of causal linear attention."""
    return problem.Nq // problem.Nk if problem.attention == "linear" and problem.mask is not None else 1


def _extents(problem: Problem) -> dict[str, int]:
    """Return the lengths of all axes that the texts know."""
    rope = problem.shared_rope or problem.d - problem.dv
    chunks, size, rest = problem.chunk_sizes
    tokens = {"i": problem.Nq, "j": problem.Nk, "n": problem.Nk}
    vectors = {
        "a": problem.d,
        "k": problem.d - problem.shared_rope,
        "b": problem.d,
        "e": problem.dv,
        "r": rope,
    }
    parts = {"c": chunks, "p": size, "q": size, "s": rest, "t": rest}
    return {"g": _sharing(problem), "h": problem.heads, **tokens, **parts, **vectors}


def _symbols(problem: Problem) -> dict[str, str]:
    """How formulas write the axes: N where there are as many keys as queries, d where dv = d."""
    same = problem.Nq == problem.Nk
    found = {"g": "G", "h": "H", "i": "N" if same else "Nq", "j": "N" if same else "Nk", "n": "N"}
    found |= {"c": "n", "p": "C", "q": "C", "s": "R", "t": "R", "k": "d", "r": "(d − dv)", "a": "d", "b": "d"}
    if problem.shared_rope:
        found |= {"k": "(d − r)", "r": "r"}
    return {**found, "e": "d" if problem.d == problem.dv and not problem.shared_rope else "dv"}


def _parameters(problem: Problem) -> dict[str, str]:
    """Return what the header of a pebbling file says of a computation, its mask aside."""
    found = {"N": problem.Nk, "d": problem.d, "dv": problem.dv}
    if problem.pass_name == "weights":
        del found["dv"]
    elif _sharing(problem) > 1:
        found["group"] = _sharing(problem)
    elif problem.attention != "linear" or problem.mask is None:
        del found["N"]
        found = {"Nq": problem.Nq, "Nk": problem.Nk, **found}
    if problem.stats:
        found["stats"] = 1
    if problem.shared_rope:
        found |= {"heads": problem.heads, "rope": problem.shared_rope}
    if problem.chunk is not None:
        found["chunk"] = problem.chunk
    own = {} if problem.computation is None else {"text": text_parameter(problem.computation)}
    return {name: str(value) for name, value in found.items()} | own
