"""Your own schedule in twenty lines, and how it is checked.

A schedule is written like the algorithm box of a paper, as loops over tiles. Everything else follows from it: the
number of words as a formula, a run that enforces M, every single move of the game, the result in numbers.
"""

# %%
# ## The idea
#
# Blocks of queries stay in fast memory. Keys and values pass by one at a time; each brings one column of
# scores for the block, all computed at once. (FlashAttention-2 in [lesson 4](lesson_04_attention.md) has one
# score at a time. Load, store, compute and delete are the moves of [lesson 1](lesson_01_first_game.md).)
#
# ## The schedule

import pebble
from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, largest, load, loop, program, store


class Rows(Schedule):
    """Blocks of query rows stay in fast memory; keys and values pass by one at a time."""

    name = "rows"
    summary = "blocks of query rows; keys and values pass by one at a time"
    source = "an example"
    tile_names = ("rows",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        return largest(self, problem, M, "rows", high=problem.Nq, guess=M // (problem.d + problem.dv))

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        rows = self.check_tiles(tiles)["rows"]
        scores = compute("S"), compute("P", "S"), compute("l")
        keys = loop("j", 1, load("K", "V"), scores, compute("U"), delete("P", "K", "V"))
        end = compute("O", "U"), store("O"), store("l") if problem.stats else None, delete("O", "l", "Q")
        return program(loop("i", rows, load("Q"), keys, end))


# %%
# The last method is the schedule proper. `loop("i", rows, …)` goes over tiles of that many queries,
# `loop("j", 1, …)` over the keys one by one. An operation such as `load("Q")` is about the *current* part of
# the array: the rows of the tile. U is the output before it is divided by the row sums l. `compute("P",
# "S")` replaces each score by its weight. The other method chooses the size of the tiles: `largest`
# tries out what fits M.

schedule = Rows()
problem = pebble.Problem.square(4096, 64)
print(pebble.show(schedule, problem, M=25_000))

# %%
# The formula, the number of words and the peak were not written by anybody; they were read off the program.
#
# ## Is it right?
#
# One call plays every move of a small game, compares the counts of four independent ways to arrive at them,
# and calculates attention with real numbers in just this order. Several shapes, some of them nasty:

from pebble.testing import check_schedule

for shape in (Problem(7, 5, 3, 2), Problem(1, 6, 2, 4, stats=True), Problem(6, 1, 1, 1)):
    contract = check_schedule(schedule, shape, M=60)
    assert contract.peak <= 60
    print(f"{shape.describe()}: {contract.io} words with {contract.tiles}, needs {contract.least_M}")

# %%
# ## And if it is wrong?
#
# Let us forget to delete the keys and values. On paper that is easily overlooked:


class Forgetful(Rows):
    """The same, but keys and values are never deleted."""

    name = "forgetful"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        rows = self.check_tiles(tiles)["rows"]
        scores = compute("S"), compute("P", "S"), compute("l")
        keys = loop("j", 1, load("K", "V"), scores, compute("U"), delete("P"))
        end = compute("O", "U"), store("O"), delete("O", "l", "Q")
        return program(loop("i", rows, load("Q"), keys, end))


tiles = {"rows": 4}
family = schedule.family(Problem(7, 5, 3, 2))
right = pebble.run(schedule.program(Problem(7, 5, 3, 2), tiles), family)
try:
    pebble.run(Forgetful().program(Problem(7, 5, 3, 2), tiles), family, M=right.peak)
except pebble.Violation as error:
    print(error)
else:
    raise AssertionError("the mistake was not noticed")

# %%
# ## Is it good?

report = pebble.count(problem, M=25_000, schedules=["naive", "flash-2", schedule])
print(report)
assert report["rows"].io == report["flash-2"].io
assert report["rows"].ratio is not None
assert report["rows"].ratio >= 1

# %%
# As good as FlashAttention-2 at this size. Its blocks need room for a column of scores, which matters only
# if they are large. How to register a schedule, so that `pebble count` lists it beside the others, is in
# [add a schedule](../add-a-schedule.md).
#
# ## What to take away
#
# Twenty lines, and no counting by hand. Now change something: the order of the loops, a second tile size,
# what is kept. `check_schedule` will tell you whether it is still attention, `count` whether it has become
# better.
