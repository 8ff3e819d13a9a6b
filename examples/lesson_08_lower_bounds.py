"""What a lower bound proves: nobody will ever need fewer words, however clever.

A schedule proves that so many words are enough. That fewer do not suffice has to be proved for *all* schedules, also
those nobody has thought of. There are two ways: to go through all games, or to find an argument.
"""

# %%
# ## All games of a tiny attention
#
# Two queries, two keys, vectors of length one. Its DAG has 24 vertices (what that is, and what red and blue
# pebbles, loads and stores are: [lesson 1](lesson_01_first_game.md)).

import pebble

dag = pebble.load_dag("attention:N=2,d=1")
print(dag)
print(", ".join(dag.name(v) for v in range(dag.n_vertices)))
dag

# %%
# A program goes through all games, leaving out only what provably cannot be better
# ([how](../exact-optimum.md)). The result is the *optimum*: there is a game with so many words, and none
# with fewer.

found = {M: pebble.optimal(dag, M) for M in range(4, 10)}
for M, best in found.items():
    assert best.proved
    print(f"M = {M}: {best.io:2} words, {best.reads} loads and {best.writes} stores")
optima = {M: best.io for M, best in found.items()}
assert optima == {4: 16, 5: 11, 6: 10, 7: 9, 8: 8, 9: 8}
found[5]

# %%
# The picture is the optimum for M = 5: what is loaded twice is lit.
#
# From M = 4, one word more saves five words of I/O; beyond M = 8 nothing is left to be saved. For larger
# problems going through all games is hopeless: the number of positions grows exponentially. One needs
# arguments.
#
# ## The first argument: what must be carried in any case
#
# Every entry of Q, K and V has to come in, every entry of O has to go out: 3·N·d + N·d = 8 words here. This
# *compulsory* bound holds for every M, and the table above shows that it is attained from M = 8 on.

problem = pebble.Problem.square(2, 1)
for M, optimum in optima.items():
    bound = pebble.bounds(problem, M).best
    assert bound.value <= optimum
    print(f"M = {M}: {bound.value} ({bound.name}) ≤ {optimum}")

# %%
# For M = 4 the bound says 8 and the truth is 16. That is no contradiction. A bound may be weak; it must
# never be wrong. *Bound ≤ optimum ≤ every schedule*, that is the order in which all numbers of this package
# stand, and its tests check it again and again.
#
# ## The second argument: what can be done with few words
#
# Cut a game into stretches of X loads each. At most M words were in fast memory when the stretch began, X
# came in: so the work done in it is done with M + X words. If one can prove that with so many words at most
# F multiply-adds of attention are possible, then all Nq·Nk·(d + dv) of them need at least that number
# divided by F stretches, X loads each. (Values may also be computed anew within a stretch; the real proofs
# take care of that.) All bounds here with a name such as T1, T2, T3 are of this kind; they differ in how F is
# bounded. The proofs are in [lower bounds](../bounds.md). They count for large problems:

names = ["flash-2", "square-tile", "best"]
for N, d, M in ((64, 8, 32), (256, 16, 256), (4096, 64, 1024), (4096, 64, 25_000), (10**6, 128, 10**6)):
    report = pebble.count(pebble.Problem.square(N, d), M, names)
    bound = report.bounds.best
    ratio = report["best"].ratio
    assert ratio is not None
    assert ratio >= 1
    shape = f"N = {N:>9,}, d = {d:>3}, M = {M:>9,}"
    print(f"{shape}: at least {bound.value:>14,} words ({bound.name}), best known {ratio:.3f} times that")

# %%
# ## Proved and asymptotic
#
# In papers one finds statements such as Ω(N²d²/M): at least a *constant* times N²d²/M. Without the constant
# that is no number of words. Such curves are listed too, but as what they are, and nothing is ever divided
# by them:

for line in pebble.bounds(pebble.Problem.square(4096, 64), 25_000).to_list():
    print(f"{line['status']:16} {line['name']}")

# %%
# ## What to take away
#
# If someone claims a schedule that moves fewer words than a proved bound, then there is a mistake in the
# schedule, in the count, or in the proof; never "it depends". And where bound and best schedule meet, as
# they nearly do for the largest of the problems above, the search is over.
