"""The first game: five values, and a fast memory of four words, then of three.

A processor calculates only with what is in its fast memory, and fast memory is small. Everything else waits in
slow memory. What takes time and energy today is less the arithmetic than the carrying of words between the two.
So the question of this package is: how few words must be carried? In 1981 Hong and Kung made a game of it.
"""

# %%
# ## The board
#
# We want (a + b)·(a − b). That is five values: the inputs `a` and `b`, and three values that are computed,
# `sum`, `difference` and `product`. Draw an arrow from each value to the ones that are computed from it, and
# you have a *directed acyclic graph*, a DAG. Its points are called vertices; one vertex is one value, one
# word of memory.
#
# ```text
#    a           b
#    │ ╲       ╱ │
#    │   ╲   ╱   │
#    │     ╳     │
#    │   ╱   ╲   │
#    ▼ ▼       ▼ ▼
#    sum    difference
#       ╲       ╱
#        ▼     ▼
#        product
# ```

import pebble

dag = pebble.Dag.from_edges(
    [
        ("a", "sum"),
        ("b", "sum"),
        ("a", "difference"),
        ("b", "difference"),
        ("sum", "product"),
        ("difference", "product"),
    ]
)
print(dag)
dag

# %%
# So the package draws it, inputs below: in a notebook, a line with nothing but a name shows what the name
# stands for. A square is an input, a double rim an output.
#
# ## The rules
#
# A *red pebble* on a vertex says: this value is in fast memory. A *blue pebble* says: it is in slow memory.
# A value may be in both. There are at most M red pebbles, for fast memory has M words, and as many blue ones
# as you like. At the start the inputs are blue. You win when the outputs are blue. Four moves:
#
# - **load** a value: it is blue, and becomes red too. One word is carried.
# - **store** a value: it is red, and becomes blue too. One word is carried.
# - **compute** a value: all it is computed from is red; it becomes red. Free.
# - **delete** a value: its red pebble goes. Free.
#
# The score is the number of words carried, loads plus stores: the *I/O*. Less is better. Here is a game with
# M = 4.

game = pebble.Game(dag, M=4)
game.load("a")
game.load("b")
game.compute("sum")
game.compute("difference")
print("in fast memory:", ", ".join(game.red.names()))
print(game.status())
game

# %%
# A filled vertex with a dot carries a red pebble, a diamond is a blue one, and below each vertex stand the
# moves that are legal now.
#
# Fast memory is full, with `a`, `b` and both results. The product needs a word of its own while its two
# predecessors are still there. The game refuses, and says why:

try:
    game.compute("product")
except pebble.IllegalMove as refused:
    print(refused)
else:
    raise AssertionError("five red pebbles were allowed")

# %%
# The inputs are not needed any more. One of them goes, and the game can be finished.

game.delete("a")
game.compute("product")
game.store("product")
print(game.status())
assert game.complete
assert game.status().io == 3

# %%
# Three words: two loads and a store. Nobody needs fewer, because both inputs must come in and the output
# must go out. These words are called *compulsory*.
#
# ## One word less
#
# With M = 3 there is no room for `a`, `b` and *both* results at once. So `sum` has to make room for
# `difference`, and to come back later: it is stored and loaded again.

game = pebble.Game(dag, M=3)
for vertex in ("a", "b"):
    game.load(vertex)
game.compute("sum")
game.store("sum")
game.delete("sum")
game.compute("difference")
game.delete("a")
game.delete("b")
game.load("sum")
game.compute("product")
game.store("product")
print(game.status())
assert game.complete
assert game.status().io == 5

# %%
# Five words instead of three: that is the price of a small memory. But is five the least for M = 3? To have
# played well proves nothing about those who play better. For such a small DAG a program can go through all
# games there are:

for M in (3, 4):
    best = pebble.optimal(dag, M)
    print(f"M = {M}: {best}")
    assert best.proved
    assert best.io == {3: 5, 4: 3}[M]

# %%
# And with two words it cannot be done at all:

try:
    pebble.optimal(dag, 2)
except pebble.CacheTooSmall as impossible:
    print(impossible)
else:
    raise AssertionError("two words were enough")

# %%
# ## What to take away
#
# A *pebbling*, a legal game from start to end, shows that so many words are *enough*. To show that fewer are
# *not* enough, something else is needed: a proof, or a search through everything. The whole package is about
# bringing the two numbers together, for computations as large as the attention of a language model.
#
# To go on playing with the mouse, in a browser: `pebble play --dag pyramid:3 -M 4 -o game.html` writes a page for that
# ([watch and play](../play.md)).
