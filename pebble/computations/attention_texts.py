"""Attention in all its forms, as texts of a line for each array: :func:`~pebble.computations.text.family_of_text`."""

from __future__ import annotations

from collections.abc import Callable

from pebble.computations.problem import Problem

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

# The gradients of the recurrence: dQ of the state H as it grows, dK and dV of its gradient R, which takes in the last
# token first. So an index n of dK and dV is the n-th token from the end.
_RECURRENT_BACKWARD = """
Q[n,k]  # queries
K[n,k]  # keys
V[n,e]  # values
dO[n,e]  # gradient of the output
Qr[n,k] = Q[last-n,k]  # queries, from the last
Kr[n,k] = K[last-n,k]  # keys, from the last
Vr[n,e] = V[last-n,e]  # values, from the last
dOr[n,e] = dO[last-n,e]  # gradient of the output, from the last
H[k,e] += K[n,k]*V[n,e]  # state after each token
dQ[n,k] += dO[n,e]*H[k,e,n]  # gradient of Q
R[k,e] += Qr[n,k]*dOr[n,e]  # gradient of the state, of the tokens from each to the last
dK[n,k] += Vr[n,e]*R[k,e,n]  # gradient of K, from the last
dV[n,e] += Kr[n,k]*R[k,e,n]  # gradient of V, from the last
"""

# Chunks c of C tokens, with queries p and keys q; Z is what they add to the state, which nothing needs of the last
# chunk. That has 1 to C tokens and arrays of its own, on s and t. All C·C scores of a chunk are computed, as kernels do
# with products of matrices; those of later keys are multiplied with zero.
_CHUNK_STATE = "H[k,e] += Z[c,k,e]  # state after each chunk"
_FULL_CHUNKS = f"""
Q[g,c,p,k]  # queries
K[c,q,k]  # keys
V[c,q,e]  # values
S[g,c,p,q] += Q[g,c,p,k]*K[c,q,k]  # scores inside a chunk
A[g,c,p,e] += S[g,c,p,q]*V[c,q,e] if q <= p  # outputs from keys of the chunk
Z[c,k,e] += K[c,q,k]*V[c,q,e]  # what a chunk adds to the state
{_CHUNK_STATE}
B[g,c,p,e] += Q[g,c,p,k]*H[k,e,c-1]  # outputs from the state
O[g,c,p,e] = A[g,c,p,e] + B[g,c,p,e]  # output
"""
# With gates, queries and keys come with those of their chunk up to their token: Q multiplied by the product, K divided.
_GATED_CHUNK_STATE = """
G[c,k]  # products of the gates of each chunk
H[k,e,c] = G[c,k]*Z[c,k,e] + G[c,k]*H[k,e,c-1]  # state after each chunk
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
# The gradients in chunks, all of C tokens. The scores and their gradients are computed in either direction.
_CHUNKED_BACKWARD = """
Q[c,p,k]  # queries
K[c,q,k]  # keys
V[c,q,e]  # values
dO[c,p,e]  # gradient of the output
Qr[c,p,k] = Q[last-c,p,k]  # queries, from the last chunk
Kr[c,q,k] = K[last-c,q,k]  # keys, from the last chunk
Vr[c,q,e] = V[last-c,q,e]  # values, from the last chunk
dOr[c,p,e] = dO[last-c,p,e]  # gradient of the output, from the last chunk
dS[c,p,q] += dO[c,p,e]*V[c,q,e]  # gradients of the scores inside a chunk
A[c,p,k] += dS[c,p,q]*K[c,q,k] if q <= p  # dQ, from keys of the chunk
Z[c,k,e] += K[c,q,k]*V[c,q,e]  # what a chunk adds to the state
H[k,e] += Z[c,k,e]  # state after each chunk
B[c,p,k] += dO[c,p,e]*H[k,e,c-1]  # dQ, from the state
dQ[c,p,k] = A[c,p,k] + B[c,p,k]  # gradient of Q
Sr[c,p,q] += Qr[c,p,k]*Kr[c,q,k]  # scores inside a chunk, from the last
dSr[c,p,q] += dOr[c,p,e]*Vr[c,q,e]  # their gradients, from the last
Ar[c,q,k] += dSr[c,p,q]*Qr[c,p,k] if q <= p  # dK, from queries of the chunk
Cr[c,q,e] += Sr[c,p,q]*dOr[c,p,e] if q <= p  # dV, from queries of the chunk
Y[c,k,e] += Qr[c,p,k]*dOr[c,p,e]  # what a chunk adds to the gradient of the state
R[k,e] += Y[c,k,e]  # gradient of the state, of the chunks from each to the last
Br[c,q,k] += Vr[c,q,e]*R[k,e,c-1]  # dK, from the gradient of the state
Dr[c,q,e] += Kr[c,q,k]*R[k,e,c-1]  # dV, from the gradient of the state
dK[c,q,k] = Ar[c,q,k] + Br[c,q,k]  # gradient of K, from the last chunk
dV[c,q,e] = Cr[c,q,e] + Dr[c,q,e]  # gradient of V, from the last chunk
"""


def _full_chunks(problem: Problem) -> str:
    return _FULL_CHUNKS.replace(_CHUNK_STATE, _GATED_CHUNK_STATE) if problem.gate else _FULL_CHUNKS


TEXTS: dict[str, str | Callable[[Problem], str]] = {
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
    "recurrent backward": _RECURRENT_BACKWARD,
    "chunked backward": _CHUNKED_BACKWARD,
    "chunked": lambda problem: (
        f"{_full_chunks(problem)}{_LAST_CHUNK}{_AFTER_OTHERS}"
        if problem.chunk_sizes[0]
        else f"{_LAST_CHUNK}O_last{_INSIDE}"
    ),
}

HEADS = """
Q[i,g,r,k]  # queries
K[j,g,k]  # keys
V[j,g,e]  # values
S[i,j,g,r] += Q[i,g,r,k]*K[j,g,k]  # scores
P[i,j,g,r] = exp(scale*S[i,j,g,r])  # exp(scale · score)
l[i,g,r] += P[i,j,g,r]  # row sums
U[i,g,r,e] += P[i,j,g,r]*V[j,g,e]  # unnormalised output
O[i,g,r,e] = U[i,g,r,e]/l[i,g,r]  # output
"""
