"""Attention: the plain way and FlashAttention, counted word by word.

Attention takes N queries, N keys and N values, vectors of length d. Each query is compared with each key, and the
answer to a query is the mean of the values, weighted by how well their keys fit: softmax(Q·Kᵀ)·V.
"""

# %%
# ## The computation
#
# | array | size | what it is |
# |---|---|---|
# | Q, K, V | N × d | inputs |
# | S = Q·Kᵀ | N × N | scores: each query with each key |
# | P = exp(S) | N × N | weights, not yet divided by their sum |
# | l | N | the sums of the rows of P |
# | O = P·V / l | N × d | output |
#
# For N = 1024 and d = 64, S and P have a million entries each, and the inputs and the output 65,536 each.
# The small arrays must be carried: the inputs in, the output out. Whether the large ones must is the
# question.

import pebble
from pebble.lab.count_table import Report

problem = pebble.Problem.square(1024, 64)
M = 25_000  # words of fast memory, about 100 kB of single precision numbers


def io(report: Report, name: str) -> int:
    """Return the words that a schedule moves: loads plus stores."""
    words = report[name].io
    assert words is not None, f"{name} does not fit"
    return words


problem

# %%
# The table is what the package makes of it: `S` and `U` (that is O before it is divided by `l`) are sums, one
# vertex for each step.
#
# ## The plain way
#
# A *schedule* says what is loaded, computed, stored and deleted, and in which order. The plain one computes
# S, writes it out; reads it, computes P, writes it out; reads it again, and computes O. In the table, `N²`
# is one pass over S or P:

print(pebble.show("naive", problem, M))

# %%
# It also reads all of K and all of V again for each query, `N²·d` words. That is no use of tiles at all, and
# the first thing to be mended. `standard` does each of the two products on tiles, as in the [lesson
# before](lesson_03_matrix_multiplication.md), and still writes out S and P.
#
# ## FlashAttention
#
# Why write S and P out at all? Keep a block of queries in fast memory. Let the keys and values pass by, one
# at a time. A score is computed, turned into a weight, added to the row's sum and, times the value, to the
# row's output; then it is deleted. It never leaves fast memory.

print(pebble.show("flash-2", problem, M))

# %%
# The price: K and V pass by once for each block of queries, `⌈N/192⌉` = 6 times. The larger the block, the
# fewer times; and a query in the block needs about 2d words (itself and its output), so that about M/2d
# queries fit. Together 2·N·d words for each of N/(M/2d) blocks: **4·N²d²/M**.
#
# ## Side by side

report = pebble.count(problem, M, ["naive", "standard", "flash-1", "flash-2"])
print(report)
assert io(report, "flash-2") < io(report, "flash-1") < io(report, "standard") < io(report, "naive")

# %%
# Where do the words go? Array by array, reads and writes together:

for name in ("standard", "flash-2"):
    moved = report[name].by_array
    total = {array: both["reads"] + both["writes"] for array, both in moved.items()}
    print(f"{name:9}", "  ".join(f"{array} {words:,}" for array, words in total.items()))
assert "P" in report["standard"].by_array
assert "P" not in report["flash-2"].by_array

# %%
# The last column of the table divides by a *lower bound*, a number of words that is proved to be needed,
# whatever the schedule. For large N, FlashAttention-2 is within a few percent of it (the first
# FlashAttention has keys outside and has to write its unfinished output back):

for N in (1_024, 16_384, 262_144, 10**9):
    large = pebble.count(pebble.Problem.square(N, 64), M, ["flash-1", "flash-2"])
    bound = large.bounds.best.value
    first, second = io(large, "flash-1") / bound, io(large, "flash-2") / bound
    print(f"N = {N:>13,}: flash-1 {first:.3f}, flash-2 {second:.3f} times the bound")
    assert 1 <= second < first
assert second < 1.04

# %%
# The last line, N = 10⁹, took no longer than the others. How a count can be verified without going through
# all those iterations is explained under [how a count is verified](../verification.md).
#
# ## What to take away
#
# FlashAttention is faster although it does not calculate less: it does not write out the N × N arrays. It
# pays by reading K and V several times. When that is a good bargain, and when not, is the subject of [the
# next lesson](lesson_05_dividing_point.md).
