"""The dividing point: why everything depends on whether fast memory holds d² words.

FlashAttention reads the keys and values again for each block of queries. If the blocks are small, that is
often. There must be a size of fast memory below which it is cheaper to write the scores out after all.
"""

# %%
# ## Two prices
#
# Write x = d/√M, so that x = 1 means M = d². With N queries and keys and N much larger than d, three
# schedules, the first from the [lesson before](lesson_04_attention.md), move about so many words for each of
# the N² pairs of a query and a key:
#
# - `flash-2`: **4x²**. A block of M/2d queries; all keys and values, 2d words each, pass by for every block.
# - `square-tile`: **4x + 1**. Each of the two products goes on tiles of side about √M, as in [matrix
#   multiplication](lesson_03_matrix_multiplication.md). The first product costs 2d/√M = 2x a pair. Then P is
#   written out, 1. The second product costs another 2x, in which reading P is contained.
# - `hybrid`: **(1 + x)²** = x² + 2x + 1. A block of queries without their outputs, so that twice as many
#   fit, makes P; then square tiles make O.
#
# (The names are those of `pebble schedules`. Load, store, pebble: see [lesson 1](lesson_01_first_game.md).)
# Where is 4x² = (1 + x)²? At 2x = 1 + x, that is x = 1: **M = d²**. And (1 + x)² = 4x + 1 at x = 2: M =
# d²/4.
#
# ## Counted

import math

import pebble

N, D = 65_536, 64
NAMES = ("flash-2", "hybrid", "square-tile")
problem = pebble.Problem.square(N, D)
counted: dict[float, dict[str, float]] = {}

print(f"words for each pair of a query and a key, N = {N:,}, d = {D}")
print(f"{'M/d²':>7} {'M':>7}" + "".join(f"{name:>13}" for name in NAMES) + f"{'lower bound':>13}   cheapest")
for exponent in range(-4, 5):
    mu = 2.0**exponent
    report = pebble.count(problem, int(mu * D * D), NAMES)
    row = {line.name: line.io / N**2 for line in report.rows if line.io is not None}
    bound = report.bounds.best.value / N**2
    cheapest = min(row, key=lambda name: row[name])
    counted[mu] = row
    cells = "".join(f"{row[name]:13.2f}" for name in NAMES)
    print(f"{mu:7.4f} {report.M:>7,}{cells}{bound:13.2f}   {cheapest}")
    assert bound <= row[cheapest]

# %%
# From the top down: square tiles for a very small memory, the hybrid between, and FlashAttention for a large
# one. At M = d² the hybrid and FlashAttention cost the same, about 4 words a pair. There the simple formulas
# are good. For less memory the tiles are small, and more is lost at their edges: at M = d²/16 `flash-2` moves twice
# what its formula says. (For more memory the
# first two do not follow their formulas any further down: P has to be written and read once, which is 2
# words a pair, however large M is.)

for mu in (0.25, 1.0):
    x = 1 / math.sqrt(mu)
    simple = {"flash-2": 4 * x * x, "hybrid": (1 + x) ** 2, "square-tile": 4 * x + 1}
    for name in NAMES:
        print(f"M/d² = {mu:4}, {name:11}: formula {simple[name]:5.2f}, counted {counted[mu][name]:5.2f}")
        assert abs(counted[mu][name] / simple[name] - 1) < 0.25
assert counted[16.0]["flash-2"] < 0.26
assert counted[16.0]["hybrid"] > 2
assert counted[0.25]["hybrid"] < counted[0.25]["flash-2"]
assert abs(counted[1.0]["hybrid"] / counted[1.0]["flash-2"] - 1) < 0.05
assert counted[1 / 16]["square-tile"] < counted[1 / 16]["hybrid"]

# %%
# ## Why d²?
#
# Think of a block of r queries and the r × r scores that it has with r keys. To *write* those scores costs
# r² words. To *avoid* writing them, the block must stay until all keys have passed, with the d numbers of
# each query: r·d words. If a row of Q is longer than the side of the largest square tile, d > √M, then
# holding on to rows is the more expensive of the two, and scores are better handed over through slow memory.
#
# That it is not the schedules that are to blame but the matter itself was proved by Saha and Ye (2024): any
# schedule moves at least a constant times min(N²d/√M, N²d²/M) words, and these two meet at M = d². Their
# constant is not stated; the column "lower bound" has proved ones, computed here.
#
# ## What to take away
#
# M ≥ d²: *large cache*, FlashAttention's regime, I/O falls like 1/M. M < d²: *small cache*, I/O falls like
# 1/√M. The script [which_regime.py](../../examples/which_regime.py) asks in which of them real devices are.
