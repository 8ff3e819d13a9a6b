"""The backward pass: calculating a thing twice to carry less.

To train a model, gradients are needed: how does the result change with each entry of Q, K and V? This *backward pass*
needs the weights P of the forward pass again, N² of them. Keep them, or calculate them anew?
"""

# %%
# ## Calculating anew in a game of seven values
#
# In the game (see [lesson 1](lesson_01_first_game.md)) a value may be computed as often as one likes;
# computing costs nothing, carrying does. Here `x` is made from the input `a`, used at once, and used again
# at the end. In between fast memory, three words, is needed for other things.

import pebble

dag = pebble.Dag.from_edges(
    [("a", "x"), ("x", "y"), ("b", "y"), ("y", "z"), ("c", "z"), ("x", "result"), ("z", "result")]
)
once = pebble.optimal(dag, 3, pebble.Rules(recomputation=False))
again = pebble.optimal(dag, 3)
print("every value computed once:", once)
print("recomputation allowed:    ", again)
assert (once.io, again.io) == (6, 5)
assert once.proved
assert again.proved

# %%
# Who computes `x` once must store it and load it later: two words. Who computes it twice loads `a` a second
# time: one word. That is the cheaper pebbling, move by move:

game = pebble.Game(dag, 3)
print("; ".join(game.notation(move) for move in again.pebbling))
assert sum(game.notation(move) == "compute x" for move in again.pebbling) == 2
again

# %%
# ## The same in earnest
#
# S and P take N² words, Q and K only N·d each. To store P in the forward pass and load it in the backward
# pass costs 2N² words. To compute it anew costs the rows of Q and K that are needed anyway, if the tiles are
# large enough. The gradient takes five matrix products with P and its like: S again, dP, dV, dK and dQ. (The
# whole computation is on [its own page](../backward.md).)

N, D = 16_384, 64
M = 4 * D * D
problem = pebble.Problem.square(N, D, pass_name="backward")
report = pebble.count(problem, M, ["naive", "standard", "flash-1", "flash-2", "split"])
words = {row.name: row.io for row in report.rows if row.io is not None}
print(report.problem.describe(), f"M = 4d² = {M:,}")
for name, io in words.items():
    print(f"{name:9} {io / N**2:8.2f} N² words")
assert words["split"] < words["flash-2"] < words["standard"] < words["naive"]

# %%
# `standard` writes S, P, dP and dS out and reads them again, some of them more than once. `flash-2` computes
# P anew and writes out no N × N array at all.
#
# ## Seven products instead of five
#
# `split` goes further. FlashAttention keeps a tile of keys with the gradients dK and dV, and lets the
# queries pass by; but each passing query brings its unfinished dQ along, which is loaded, increased, and
# stored again. `split` makes two passes: one for dK and dV, another for dQ. Then nothing unfinished ever
# travels. For that it computes S and dP twice: seven products instead of five, and fewer words. Array by
# array, loads and stores:

for name in ("flash-2", "split"):
    moved = report[name].by_array
    text = "  ".join(f"{array} {(w['reads'] + w['writes']) / N**2:.2f}" for array, w in moved.items())
    print(f"{name:8} {text}")
assert report["split"].by_array["dQ"]["reads"] == 0
assert report["flash-2"].by_array["dQ"]["reads"] > 0

# %%
# For large M theory says 16N²d²/M against 14N²d²/M, an eighth less. At M = 4d²:


def computations(name: str) -> int:
    """Return how many vertices a schedule computes."""
    schedule = pebble.schedules("backward")[name]
    return sum(schedule.measure(problem, report[name].tiles or {}).computes.values())


gain = 1 - words["split"] / words["flash-2"]
more = computations("split") / computations("flash-2") - 1
print(f"{gain:.1%} fewer words, {more:.0%} more computations")
assert 0.11 < gain < 0.13
assert 0.35 < more < 0.45
bound = report.bounds.best
print(f"no schedule can do with less than {bound.value / N**2:.2f} N² words ({bound.name}, proved)")
assert bound.value <= words["split"]

# %%
# ## What to take away
#
# Recomputation trades arithmetic, which the game gives away, for traffic, which it charges. Whether that is
# a bargain on a real device depends on which of the two it is short of. How much less is possible nobody knows:
# between the bound and the best schedule there is a gap.
