"""What does safety cost? Softmax must not overflow, so it needs the largest score of each row.

That is nearly free, or it costs a quarter more: it depends on when the maximum is known.
"""

# %%
# ## Why the maximum is needed
#
# Softmax divides exponentials by their sum. A score of 800 is too much for exp in float64, and 12 is too much in
# float16. Subtracting the row's largest score from all of them changes no probability, and then no exponential is
# above 1. Here are scores of some ten thousands, computed in the order of a schedule: once as the papers on I/O write
# softmax, once *online*, as FlashAttention does.

import numpy as np

import pebble
from pebble.program.numbers import evaluate

rng = np.random.default_rng(0)
inputs = {
    "Q": 100 * rng.normal(size=(6, 4)),
    "K": 100 * rng.normal(size=(6, 4)),
    "V": rng.normal(size=(6, 4)),
}
schedule = pebble.schedules()["flash-2"]
for softmax in ("plain", "online"):
    problem = pebble.Problem.square(6, 4, softmax=softmax)
    program = schedule.program(problem, {"rows": 2})
    with np.errstate(over="ignore", invalid="ignore"):
        output = evaluate(program, schedule.family(problem), inputs)["O"]
    print(f"{softmax}: {np.isfinite(output).all(axis=1).sum()} of 6 rows are numbers")
assert np.isfinite(output).all()

# %%
# ## Three computations of one function
#
# When is the maximum known? *Safe* softmax computes all scores of a row first, then, in a second pass, the
# exponentials. *Online* softmax takes the largest score so far, and where a later one is larger it multiplies what it
# has summed up by exp(old − new). The two are different DAGs, and so is plain softmax
# ([which vertices they have](../softmax.md)): a game on one is no game on another. What do they cost?

N, d, M = 65536, 64, 65536
words = {}
for softmax in ("plain", "online", "safe"):
    found = pebble.count(pebble.Problem.square(N, d, softmax=softmax), M, ["flash-2"])
    words[softmax] = found["flash-2"].io
    print(f"{softmax:>6}: {words[softmax]:>13,} words, {found['flash-2'].tiles}")
assert words["plain"] < words["online"] < 1.01 * words["plain"]
assert words["safe"] > 1.49 * words["online"]

# %%
# Online costs one word of fast memory for each row that is worked on, its maximum: 503 rows fit where 507 did, and the
# words moved grow by less than 1 %. That is the whole price of FlashAttention's safety.
#
# Safe softmax with the same loops costs half as much again: for each block of rows the keys pass twice.
#
# ## A better way to be late
#
# A sweep for the maxima needs Q and K only, no outputs. So its blocks may be twice as large, if it is a phase of
# its own. The maxima are written, 65,536 words, and read again.

found = pebble.count(pebble.Problem.square(N, d, softmax="safe"), M, ["flash-2", "split"])
ratio = found["split"].io / words["plain"]
print(f"split: {found['split'].io:,} words, {found['split'].tiles}, {ratio:.3f} times plain softmax")
assert found["split"].io == 1_388_445_696

# %%
# ## Can it be had for less?
#
# No: that is Theorem S ([proof](../bounds-softmax.md)). In a stretch of the game a row is either waiting for its
# maximum or has it already, and a word of fast memory that serves rows of one kind does not serve the other. To
# leading order 5·N²d²/M words are needed where plain and online softmax need 4·N²d²/M.

for softmax, name in (("plain", "flash-2"), ("online", "flash-2"), ("safe", "split")):
    problem = pebble.Problem.square(10**6, 64, softmax=softmax)
    found = pebble.count(problem, 20 * 64**2, [name])
    unit = 10**12 * 64**2 / (20 * 64**2)
    bound = found.bounds.best
    print(
        f"{softmax:>6}: at least {bound.value / unit:.3f} ({bound.name}), {name} {found[name].io / unit:.3f}"
    )
    assert bound.value <= found[name].io < 1.04 * bound.value

# %%
# ## Where it does not matter
#
# Below the [dividing point](lesson_05_dividing_point.md), M < d², scores are written to slow memory anyway. Then each
# is read when it is used, and to have its maximum by then costs no more than 2N words for each column of tiles.

small = {}
for softmax in ("plain", "online", "safe"):
    found = pebble.count(pebble.Problem.square(8192, 256, softmax=softmax), 4096, ["best"])
    small[softmax] = found["best"].io
    print(f"{softmax:>6}: {small[softmax]:>13,} words, {found['best'].chosen}")
assert max(small.values()) < 1.01 * small["plain"]

# %%
# So safety costs nothing to leading order, if the maximum is found on the way: a word for each row. Only to wait for
# it costs, 5 for 4, and only where scores are computed again.
