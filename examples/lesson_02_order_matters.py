"""Why order matters: one computation, one memory, and seven times the words.

Whoever plays the game makes two decisions again and again. What is computed next? And when fast memory is full,
what has to leave? The second has had a good answer since 1966. The first is where all the difficulty lies.
"""

# %%
# ## The computation
#
# A square grid of 8 × 8 values. Each is computed from the one above and the one to the left, as when two
# texts are compared letter by letter. The corner `x[0,0]` is the input, the opposite corner the output. (As
# in the [first lesson](lesson_01_first_game.md): fast memory holds M words, one for each red pebble; to
# *load* a word into it or to *store* one back costs 1 each; to *compute* and to *delete* is free.)

import pebble

SIDE = 8
M = 6
dag = pebble.load_dag(f"diamond:{SIDE},{SIDE}")
print(dag)

# %%
# ## What has to leave?
#
# Compute the grid row by row, as one reads. Each value is needed twice: at once by its neighbour on the
# right, and eight steps later by the one below. A row has eight values and fast memory six words, so some of
# them must leave in between. Three rules for which:
#
# - *first in, first out*: the value that has been there the longest;
# - *least recently used*: the value that nobody has looked at for the longest;
# - *Belady's rule*: the value that will not be needed for the longest.

rules = {"fifo": "first in, first out", "lru": "least recently used", "belady": "Belady"}
row_by_row = [i * SIDE + j for i in range(SIDE) for j in range(SIDE)][1:]


def play(order: list[int], eviction: str) -> pebble.DagSchedule:
    """Compute in a given order; when fast memory is full, let the rule say what leaves."""
    return pebble.schedule_dag(dag, M, order=order, eviction=eviction)


print(f"row by row, M = {M}")
for eviction, name in rules.items():
    played = play(row_by_row, eviction)
    print(f"{name:20} {played.reads:3} reads {played.writes:3} writes {played.io:4} I/O")
assert play(row_by_row, "belady").reads < play(row_by_row, "lru").reads

# %%
# Belady's rule looks into the future. A processor cannot do that, but a schedule can: it is known in advance
# what will be computed when. For a *fixed* order in which everything is computed once, no rule has fewer
# *reads* (Belady 1966). So the second decision is settled, nearly: counting the writes as well, a cleverer
# rule may gain a little.
#
# ## What is computed next?
#
# Now keep Belady's rule, and change the order: cut the grid into vertical strips, and finish one strip
# before the next begins. Inside a strip, a row is short enough for fast memory. Only the values on the
# border between two strips must be stored and loaded again.


def strips(width: int) -> list[int]:
    """Return the order strip by strip, and row by row in each."""
    first_columns = range(0, SIDE, width)
    order = [
        i * SIDE + j
        for first in first_columns
        for i in range(SIDE)
        for j in range(first, min(first + width, SIDE))
    ]
    return order[1:]


for width in (8, 4, 2, 1):
    played = play(strips(width), "belady")
    print(f"strips of {width}: {played.reads:3} reads {played.writes:3} writes {played.io:4} I/O")

best = play(strips(4), "belady")
worst = play(row_by_row, "fifo")
print(f"between the best and the worst: a factor of {worst.io / best.io:.1f}")
assert best.io == 16
assert worst.io > 6 * best.io
assert all(play(strips(width), "belady").io >= best.io for width in range(1, SIDE + 1))
best

# %%
# Strips of 8 are whole rows: too wide for six words. Strips of 1 fit easily, but then everything is border.
# Strips of 4 are the widest that fit, and move the fewest words. The picture shows which: but for the input
# and the output, nothing is carried except the border between the two strips.
#
# ## Tiles
#
# This is the oldest trick of the trade: cut the work into *tiles*, as large as fast memory allows, and
# finish one before the next begins. Can a program find it out by itself, looking at nothing but the graph?
# It can, and the last one here even finds two words less than the best of these strips:

for order_name in ("given", "breadth-first", "greedy", "auto"):
    found = pebble.schedule_dag(dag, M, order=order_name)
    print(f"{order_name:14} {found.io:3} I/O")
assert found.io <= best.io

# %%
# ## What to take away
#
# The number of words depends far more on the order than on the rule for what leaves, and good orders come
# from tiles. The [next lesson](lesson_03_matrix_multiplication.md) asks how large a tile can be, and what
# that means for the computation that matters most.
