"""Masks: half of the pairs are left out, and how much less has to be carried?

A query need not attend to every key. A language model that writes from left to right must not look ahead, and for long
texts it may look back only so far. A mask says which pairs of a query and a key there are.
"""

# %%
# ## Three masks
#
# *Causal*: each query attends to the keys up to its own place. *Window*: only to the last few of these. *Blocks*: to
# some squares of pairs that are drawn at random. For eight queries and keys, a query a line:

import pebble
from pebble.computations.masks import Mask
from pebble.computations.registry import family_of
from pebble.program import Program, compute, delete, load, loop, phase, program, store


def square_mask(text: str, n: int) -> Mask:
    """Return a mask for n queries and n keys."""
    mask = pebble.make_mask(text, n, n)
    assert mask is not None
    return mask


for text in ("causal", "window:3", "blocks:size=2,density=0.4"):
    mask = square_mask(text, 8)
    allowed = mask.matrix((0, 8), (0, 8))
    print(f"{text}: {mask.pairs} of 64 pairs")
    print("\n".join(" ".join("x" if pair else "." for pair in row) for row in allowed))
assert square_mask("causal", 8).pairs == 36

# %%
# A pair that is masked out has no score: the computation itself is smaller, and its DAG has fewer vertices (DAG,
# vertices, load and store: [lesson 1](lesson_01_first_game.md)). Two queries and keys, all pairs and causal, with the
# exact optimum of each:

for text in ("none", "causal"):
    dag = family_of(pebble.Problem.square(2, 1, mask=text)).dag()
    best = pebble.optimal(dag, M=5)
    print(f"{text:6}: {dag.n_vertices} vertices, {best.io} words with M = 5")
    assert best.proved

# %%
# ## Tiles that can be skipped
#
# FlashAttention with a tile of queries and a tile of keys ([lesson 4](lesson_04_attention.md)). A tile of keys none of
# which the tile of queries attends to is skipped: it is not even loaded. The same program is run for every mask
# (`none` stands for all pairs).

N, D, M = 128, 16, 800


def flash(rows: int, columns: int) -> Program:
    """Queries outside, keys inside, one row of scores at a time."""
    row = loop("i", 1, compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P"), label="row")
    keys = loop("j", columns, load("K", "V"), row, delete("K", "V"))
    end = compute("O", "U"), store("O"), delete("O", "l", "Q")
    return program(phase("", loop("i", rows, load("Q"), keys, end)))


def count(mask_text: str, rows: int) -> int:
    """Return the words that the program moves under a mask."""
    return pebble.run(flash(rows, 4), family_of(pebble.Problem.square(N, D, mask=mask_text)), M).io


print(f"N = {N}, d = {D}, M = {M:,}; tiles of 16 queries and 4 keys")
print(f"{'mask':26} {'pairs':>7} {'words':>10} {'words ÷ all':>12} {'÷ lower bound':>14}")
masks = ("none", "causal", "window:16", "blocks:size=16,density=0.2", "blocks:size=2,density=0.2")
words = {}
for text in masks:
    problem = pebble.Problem.square(N, D, mask=text)
    words[text] = count(text, 16)
    bound = pebble.bounds(problem, M).best.value
    share, less = problem.pairs / N**2, words[text] / words["none"]
    print(f"{text:26} {share:7.3f} {words[text]:>10,} {less:12.3f} {words[text] / bound:14.2f}")
    assert bound <= words[text]

# %%
# With the causal mask there are half as many pairs, but six tenths of the words: the tiles on the diagonal are
# loaded in full, though half of their pairs are masked out, and the queries and the output must be carried in
# any case. The window has an eighth of the pairs and takes a third of the words, for the same reasons.
#
# The last two masks have nearly the same number of pairs. In the first they lie in squares of 16 × 16, and four fifths
# of the tiles are skipped. In the second they are scattered in squares of 2 × 2, and there is hardly a tile without
# any: nearly all are loaded for the sake of a few pairs.

assert words["causal"] < 0.65 * words["none"]
assert words["window:16"] < 0.35 * words["none"]
assert words["blocks:size=16,density=0.2"] < 0.3 * words["none"]
assert words["blocks:size=2,density=0.2"] > 0.95 * words["none"]

# %%
# ## Smaller tiles skip more, and carry more

for rows in (4, 8, 16):
    counts = {text: count(text, rows) for text in masks[:3]}
    line = "  ".join(f"{text} {io:>7,} ({io / counts['none']:.2f})" for text, io in counts.items())
    print(f"tiles of {rows:2} queries: {line}")
    assert counts["none"] > counts["causal"] > counts["window:16"]

# %%
# ## What to take away
#
# A mask saves words as far as whole tiles can be skipped, and how large tiles should be depends on the mask.
# What a mask saves at most is a question of its shape, not only of the number of its pairs. All kinds of masks
# are on [the page about masks](../masks.md).
