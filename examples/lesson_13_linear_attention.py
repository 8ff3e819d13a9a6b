"""Linear attention: a state in place of the scores, and what that saves.

Leave the exponential out, and attention is a product of three matrices, (Q·Kᵀ)·V. A product may be bracketed the other
way, Q·(Kᵀ·V). Then there are no scores, N of them for each query, but one *state* of d·d numbers.
"""

# %%
# ## The state
#
# The state H = Kᵀ·V is a sum over the keys. A model that writes from left to right must not look ahead: its query
# number n sees the sum over the first n keys only. So the state takes in one token after the other, and after each
# the query of that token reads it. On numbers, with the plain way beside it:

import numpy as np

import pebble
from pebble.common.errors import BoundDoesNotApply
from pebble.lower_bounds.attention.linear import linear

rng = np.random.default_rng(1)
n_tokens, width = 6, 3
Q, K, V = (rng.normal(size=(n_tokens, width)) for _ in range(3))

state = np.zeros((width, width))
output = []
for token in range(n_tokens):
    state += np.outer(K[token], V[token])
    output.append(Q[token] @ state)

scores = np.tril(Q @ K.T)
print("the same:", np.allclose(output, scores @ V))
assert np.allclose(output, scores @ V)

# %%
# ## What must be carried
#
# If the state stays in fast memory, each word of Q, K and V is loaded once, and each word of the output stored once:
# 4·N·d words, and nothing can do with fewer ([lesson 8](lesson_08_lower_bounds.md)). How much memory does that take?
# The d·d words of the state; the d words of a key, or of a query; one word of a value, or of the output; and one more,
# because the next sum is made before the last one goes. For d = 64 these are 4,096 + 64 + 1 + 1 = 4,162 words.

N, D = 100_000, 64
problem = pebble.Problem.square(N, D, attention="linear", mask="causal")
for M in (4162, 4161):
    row = pebble.count(problem, M, ["best"])["best"]
    assert row.io is not None
    print(f"M = {M:,}: {row.io / (N * D):.3f}·N·d words, tiles {row.tiles}")
assert pebble.count(problem, 4162, ["best"])["best"].io == 4 * N * D
assert pebble.count(problem, 4161, ["best"])["best"].io == 6 * N * D

# %%
# With one word less, half of the state's columns fit, and a second pass reads all keys and queries again.
#
# ## The schedule
#
# The whole program, for a small problem. A key stays while the words of its value pass; a query stays while the words
# of its output are made.

small = pebble.Problem.square(12, 4, attention="linear", mask="causal")
print(pebble.show("state-tiles", small, 22))

# %%
# ## Against softmax
#
# Attention with softmax has to move more as N grows, by N² (without a mask here, on both sides):

M = 25_000
print(f"d = {D}, M = {M:,}")
print(f"{'N':>6} {'linear':>12} {'softmax':>12} {'any softmax, at least':>22}")
for N in (128, 195, 256, 1024, 8192):
    softmax = pebble.Problem.square(N, D)
    with_softmax = pebble.count(softmax, M, ["best"])
    without = pebble.count(pebble.Problem.square(N, D, attention="linear"), M, ["best"])["best"].io
    print(f"{N:6,} {without:12,} {with_softmax['best'].io:12,} {with_softmax.best_bound[1]:22,}")
assert without is not None
assert with_softmax.best_bound[1] > 15 * without

# %%
# The last column is a lower bound: no schedule with softmax moves fewer words. Where it is above the column of linear
# attention, linear attention is not only cheaper than what is known, but than what is possible. From which length on,
# `pebble regimes --attention linear` says for devices, and `pebble plot crossover` draws.
#
# ## Small memories
#
# Below d·d words the state is cut into tiles, and what is possible is bounded as well: by the theorem L, of about
# 4·N·d²/√M words. The best schedule, divided by the best bound:

for M in (64, 256, 1024, 2048, 4096, 4162):
    report = pebble.count(problem, M, ["best"])
    best, (name, _) = report["best"], report.best_bound
    assert best.ratio is not None
    print(f"M = {M:5,}: {best.io:13,} words, {best.ratio:.2f} times {name}")
    assert 1 <= best.ratio < 1.6

# %%
# ## In chunks
#
# A graphics card multiplies matrices, not one number after the other. So kernels take C tokens at a time: scores inside
# a chunk, the state for all that lies before. That costs more arithmetic, and room for the chunk, but no word is moved
# twice, whatever C is:

for chunk in (1, 16, 64, 100):
    chunked = pebble.Problem.square(1000, D, attention="linear", mask="causal", chunk=chunk)
    row = pebble.count(chunked, 50_000, ["chunked"])["chunked"]
    print(f"C = {chunk:3}: {row.io:,} words, peak {row.peak:,}")
    assert row.io == 4 * 1000 * D

# %%
# It is another computation: other sums, in another order. The theorem L is proved for a state after every token, and
# says nothing here; the program refuses to use it.

try:
    linear(chunked, 1000)
except BoundDoesNotApply as refusal:
    print(refusal)
