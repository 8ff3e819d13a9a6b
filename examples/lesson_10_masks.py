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
from pebble.family import Family
from pebble.masked.family import MaskedFamily
from pebble.masks import Mask
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

tiny = pebble.attention_family(pebble.Problem.square(2, 1))
for name, dag in (
    ("all pairs", tiny.dag()),
    ("causal", MaskedFamily(tiny, square_mask("causal", 2)).dag()),
):
    best = pebble.optimal(dag, M=5)
    print(f"{name:9}: {dag.n_vertices} vertices, {best.io} words with M = 5")
    assert best.proved

# %%
# ## Tiles that can be skipped
#
# FlashAttention with a tile of queries and a tile of keys ([lesson 4](lesson_04_attention.md)). A tile of keys none of
# which the tile of queries attends to is skipped: it is not even loaded. The same program is run for every mask.

N, D, M = 128, 16, 800


def flash(rows: int, columns: int) -> Program:
    """Queries outside, keys inside, one row of scores at a time."""
    row = loop("i", 1, compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P"), label="row")
    keys = loop("j", columns, load("K", "V"), row, delete("K", "V"))
    end = compute("O", "U"), store("O"), delete("O", "l", "Q")
    return program(phase("", loop("i", rows, load("Q"), keys, end)))


def family(mask_text: str) -> Family:
    """Return the computation under a mask."""
    everything = pebble.attention_family(pebble.Problem.square(N, D))
    return MaskedFamily(everything, square_mask(mask_text, N)) if mask_text else everything


print(f"N = {N}, d = {D}, M = {M:,}; tiles of 16 queries and 4 keys")
print(f"{'mask':34} {'pairs':>7} {'words':>10} {'words ÷ all':>12} {'÷ lower bound':>14}")
masks = ("", "causal", "window:16", "blocks:size=16,density=0.2", "blocks:size=2,density=0.2")
words = {}
for text in masks:
    problem = pebble.Problem.square(N, D, mask=text or None)
    words[text] = pebble.run(flash(16, 4), family(text), M).io
    bound = pebble.bounds(problem, M).best.value
    share, less = problem.pairs / N**2, words[text] / words[""]
    print(
        f"{text or 'all pairs':34} {share:7.3f} {words[text]:>10,} {less:12.3f} {words[text] / bound:14.2f}"
    )
    assert bound <= words[text]

# %%
# With the causal mask there are half as many pairs, and a little more than half of the words: the tiles on the
# diagonal are loaded in full, though half of their pairs are masked out. The window has an
# eighth of the pairs and takes three tenths of the words, for the same reason.
#
# The last two masks have the same number of pairs. In the first they lie in squares of 16 × 16, and four fifths of the
# tiles are skipped. In the second they are scattered in squares of 2 × 2, and there is hardly a tile without any:
# nearly all are loaded for the sake of a few pairs.

assert words["causal"] < 0.65 * words[""]
assert words["window:16"] < 0.35 * words[""]
assert words["blocks:size=16,density=0.2"] < 0.3 * words[""]
assert words["blocks:size=2,density=0.2"] > 0.95 * words[""]

# %%
# ## Smaller tiles skip more, and carry more

for rows in (4, 8, 16):
    counts = {text: pebble.run(flash(rows, 4), family(text), M).io for text in masks[:3]}
    line = "  ".join(f"{text or 'all pairs'} {io:>7,} ({io / counts['']:.2f})" for text, io in counts.items())
    print(f"tiles of {rows:2} queries: {line}")
    assert counts[""] > counts["causal"] > counts["window:16"]

# %%
# ## What to take away
#
# A mask saves words as far as whole tiles can be skipped, and how large tiles should be depends on the mask.
# What a mask saves at most is a question of its shape, not only of the number of its pairs. All kinds of masks
# are on [the page about masks](../masks.md).
