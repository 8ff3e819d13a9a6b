"""What objects show of themselves in a notebook: the last line of a cell is enough."""

# %%
# ## A DAG, a game
#
# Inputs are squares and lie below, what is computed is round, outputs have a double rim.

import pebble

dag = pebble.load_dag("pyramid:2")
print(dag)
dag

# %%
# A game shows its position. A red pebble is a filled vertex with a dot, a blue one a diamond. Below each vertex
# stand the moves that are legal now, those that would change nothing left out; where a red pebble may be placed,
# the vertex is lit.

game = pebble.Game(dag, M=3)
for vertex in dag.predecessors_of(3):
    game.load(vertex)
game.compute(3)
game

# %%
# ## An optimum, an automatic schedule
#
# Below each vertex stands how often the pebbling loads and stores it, and how often it computes it if that is
# more than once. What is carried more than once is lit: there the words are lost.

best = pebble.optimal(dag, M=3)
best

# %%
pebble.schedule_dag(pebble.load_dag("tree:3"), M=3)

# %%
# ## A problem, a program, a pebbling
#
# A problem shows its arrays, in an order in which they can be computed.

problem = pebble.Problem.square(4, 2, mask="causal")
problem

# %%
# A pebbling of a schedule shows its program, loads and stores in bold, what each array moves, and where it has
# few vertices, the board. `pebbling.program` alone shows how many operations it is written with.

pebbling = pebble.moves("flash-2", problem, M=16)
pebbling

# %%
pebbling.program
