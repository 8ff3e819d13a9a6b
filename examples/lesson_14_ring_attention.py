"""Several devices: why a ring moves √P/2 times too much, and what moves less.

When attention outgrows one device, its tokens are shared out. Each of P devices owns N/P tokens, their queries, keys,
values and outputs, in a memory of its own. But every query meets every key, so words must travel. How many?
"""

# %%
# ## A game with two memories
#
# The smallest case: four tokens, two devices, one number a token. In a *ring* each device sends its keys and values to
# the next, and passes on what came. Every move of it can be written down, and checked
# ([the rules](../processors.md)):

import io
import math

import numpy as np

from pebble.lab.parallel import parallel
from pebble.lab.parallel.exchange_moves import exchange_moves
from pebble.lab.pebblings import check
from pebble.program.parallel import SharedProblem

moves = list(exchange_moves(SharedProblem(4, 1, 2), "ring"))
print("\n".join(move for move in moves if move.startswith(("send", "superstep"))))
file = io.StringIO()
exchange_moves(SharedProblem(4, 1, 2), "ring").write(file)
print(check(io.StringIO(file.getvalue())))

# %%
# Each device receives the keys and values that it does not own, 2·N·d·(1 − 1/P) words. All together that is
# 2·N·d·(P − 1): in proportion to the number of devices.

N, D = 16_384, 64
for P in (4, 16, 64, 256):
    row = parallel(SharedProblem(N, D, P), ["ring"])["ring"]
    print(
        f"P = {P:3}: {max(row.received) / (N * D):.3f}·N·d a device, {row.total / (N * D):5.0f}·N·d in total"
    )
    assert row.total == 2 * N * D * (P - 1)

# %%
# ## The shape of a share
#
# A device computes a share of the N·N scores. In the ring its share is a strip: its own N/P queries, times all N keys.
# What has to come is what stands at the edges of the share: for each of its rows a query in and a partial output back,
# for each of its columns a key and a value. A strip has long edges. Of all rectangles with so many scores, the square
# has the shortest. Let 16 devices stand in a grid, R × C: those of a row share their queries, those of a column their
# keys, and each computes (N/R) × (N/C) scores.

P = 16
for R in (16, 8, 4, 2, 1):
    C = P // R
    row = parallel(SharedProblem(N, D, P), ["grid"], (R, C))["grid"]
    size = f"{N // R:6,} queries × {N // C:6,} keys"
    print(f"{R:2} × {C:2}: {size}: {max(row.received) / (N * D):.3f}·N·d words a device")

# %%
# The first line, 16 × 1, is the ring's strip; the words are the same, in one round. The square, 4 × 4, needs less
# than half of that.
#
# ## No share is better
#
# Must it be rectangles? Let four devices share the 8 × 8 pairs of eight tokens in any way, 16 pairs each. A device
# that works on a row it does not own receives a query and sends a partial output; for a column it receives a key and a
# value. Begin with a random share, and exchange pairs as long as that saves words:

rng = np.random.default_rng(3)
tokens, devices = 8, 4
owner = np.arange(tokens) * devices // tokens


def words(share: np.ndarray) -> int:
    """Count what travels, for d = 1, the row sums left out."""
    total = 0
    for p in range(devices):
        mine, foreign = share == p, owner != p
        total += 2 * int((mine.any(axis=1) & foreign).sum())  # queries in, partial outputs back
        total += 2 * int((mine.any(axis=0) & foreign).sum())  # keys and values
    return total


share = rng.permutation(np.arange(tokens * tokens) % devices).reshape(tokens, tokens)
least = words(share)
print("a random share:", least)
for _ in range(6000):
    one, other = (tuple(pair) for pair in rng.integers(tokens, size=(2, 2)))
    share[one], share[other] = share[other], share[one]
    if words(share) <= least:
        least = words(share)
    else:
        share[one], share[other] = share[other], share[one]
square = (owner // 2)[:, None] * 2 + (owner % 2)[None, :]
print("after exchanges:", least)
print("squares:", words(square))
assert words(square) == 4 * tokens * (math.isqrt(devices) - 1) <= least

# %%
# Nothing can be better than the squares: a theorem, D1, says that devices that do equally much receive at least
# 4·N·d·(√P − 1) words together, if N/√P is at least 2.4·d. A share with w products has edges of at least 4·√(d·w)
# words, by the inequality of Loomis and Whitney that also bounds what one device does with its fast memory; and of
# these a device owns only few. So the ring moves (√P + 1)/2 times too much, and the grid hardly anything:

print(f"{'P':>5} {'ring':>8} {'grid':>8} {'bound':>8}   ring/bound  grid/bound")
for P in (4, 16, 64, 256, 1024):
    report = parallel(SharedProblem(N, D, P), ["ring", "grid"])
    bound = next(bound.value for bound in report.bounds if bound.name == "D1-total")
    ring, grid = report["ring"], report["grid"]
    line = [f"{total / (N * D):8.2f}" for total in (ring.total, grid.total, bound)]
    print(f"{P:5} {' '.join(line)}   {ring.total / bound:10.2f} {grid.total / bound:11.4f}")
    if N / math.sqrt(P) >= 64 / 27 * D:
        assert math.isclose(ring.total / bound, (math.sqrt(P) + 1) / 2)

# %%
# In N·d words. Half of √P, at a thousand devices, is sixteen.
#
# ## What the ring is good at
#
# Memory. The ring holds one block of visitors, and the next one that arrives: eight blocks of N/P rows with all that is
# its own. A grid gathers whole rows and columns, √P blocks of each.

for P in (16, 256):
    for name in ("ring", "grid"):
        row = parallel(SharedProblem(N, D, P), [name])[name]
        assert row.traffic is not None
        print(
            f"P = {P:3}, {name}: {max(row.traffic.memory) / (N // P * D):5.1f} blocks of (N/P)·d words a device"
        )

# %%
# With so little memory, the order of the ring's words cannot be improved: the theorem D2. Where the
# work on a tile takes longer than its hop, all hops are hidden. `pebble parallel` compares all of them, with heads,
# masks and links: sharing out whole heads comes first, since a head on one device has the squarest share there is.
