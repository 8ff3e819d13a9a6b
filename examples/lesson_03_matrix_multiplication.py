"""Matrix multiplication: why four times the memory halves the traffic.

Most of the arithmetic of a language model is matrix multiplication. Its rule for the traffic between fast and slow
memory is the model for everything that follows: n³ multiplications, but only about 2n³/√M words.
"""

# %%
# ## The computation
#
# C = A·B for n × n matrices. Each entry of C is a sum of n products, `A[i,k]·B[k,j]` for k = 0, 1, …; a
# vertex of the DAG is one multiply-add, and the n of an entry form a chain. Nobody wants to draw n³
# vertices. A *family* knows them by rule:

import math
from itertools import pairwise

import pebble
from pebble.computations.matmul import matmul_family
from pebble.lower_bounds.matmul_fft import matmul
from pebble.program import Program, compute, delete, load, loop, phase, program, store

N = 1024
family = matmul_family(N, N, N)
print(family)

# %%
# ## Tiles of C
#
# Keep a tile of C of b × b entries in fast memory until it is finished. For each k, b entries of A and b of
# B are loaded, and give b² multiply-adds: b/2 for each word. The larger the tile, the better every loaded
# word is used. Here is that as a program. `load`, `store`, `compute` and `delete` are the four moves of the
# game, each on a whole tile:


def on_tiles(b: int) -> Program:
    """C = A·B on tiles of b × b entries of C."""
    inner = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"))
    return program(phase("", loop("i", b, loop("j", b, inner, store("C"), delete("C")))))


print(on_tiles(32))

# %%
# ## How large a tile?
#
# The tile, a column of A, a row of B, and one word for the next partial sum: b² + 2b + 1 = (b + 1)² words.
# So with M words b = √M − 1. The *machine* runs the program under the rules of the game, with so many words
# and not one more, and counts:

print(f"{'M':>7} {'b':>4} {'I/O':>13} {'2n³/b + n²':>13} {'lower bound':>13}  I/O ÷ bound")
counts = []
for M in (81, 289, 1_089, 4_225, 16_641):
    b = math.isqrt(M) - 1
    run = pebble.run(on_tiles(b), family, M)
    bound = matmul(N, N, N, M)
    counts.append(run.io)
    formula, ratio = 2 * N**3 // b + N**2, run.io / bound.value
    print(f"{M:>7,} {b:>4} {run.io:>13,} {formula:>13,} {bound.value:>13,}  {ratio:.3f}")
    assert run.peak == M
    assert run.io == formula
    assert bound.value <= run.io

# %%
# With about four times the memory, b doubles and the loads halve. That is the √M: M words make a tile of M
# entries, but its *side* is what counts.

loads = [io - N**2 for io in counts]  # every entry of C is stored once
for before, after in pairwise(loads):
    print(f"{before:>13,} loads, then {after:>13,}: {before / after:.3f} times fewer")
    assert before == 2 * after

# %%
# One word less, and the tile does not fit. The machine says which operation is to blame:

try:
    pebble.run(on_tiles(8), family, 80)
except pebble.Violation as error:
    print(error)
else:
    raise AssertionError("80 words were enough")

# %%
# ## Could somebody be cleverer?
#
# The last column but one says no, or hardly. Cut any game into stretches of, say, M loads each. In one
# stretch there are at most 2M words to work with: the M that were there and the M that came. With so many
# entries of A, B and C, one can form at most a constant times M·√M products (in space, a box with faces of
# so many squares has no more volume: Loomis and Whitney 1949). So n³ products take at least a constant times
# n³/(M·√M) stretches of M loads. The proof with the best constant that we know, 2n³/√M, is on [the page
# about bounds](../bounds.md).
#
# ## What to take away
#
# A large tile uses every loaded word often; how large it can be is a matter of √M, and there is a proof that
# no other trick helps. Attention is made of two matrix products with something in between. [What lies in
# between](lesson_04_attention.md) decides everything.
