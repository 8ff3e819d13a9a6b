"""Block-sparse FlashAttention against its published cost, Θ(Nd + N²d²s/M), from one block in sixteen to all of them.

Proposition 4 of the FlashAttention paper (Dao et al. 2022, arXiv 2205.14135): s is the fraction of blocks that are
not zero. A Θ has no constant, so the question is whether count and curve keep a ratio between two constants while s
changes sixteenfold. They do, and the constants can be named.

Here the blocks of the mask are the blocks of the algorithm, as in the paper: 64 keys are held at a time. Only what
an allowed block needs is moved; queries and keys without any block are not even read.

Run it: python examples/block_sparse_flash.py
"""

from __future__ import annotations

from fractions import Fraction

import pebble
from pebble.computations.problem import Problem
from pebble.lower_bounds.published import block_sparse_flash_attention

N, d, BLOCK = 1024, 32, 64
DENSITIES = ("0.0625", "0.125", "0.25", "0.5", "1")


def by_hand(problem: Problem) -> int:
    """Count as on paper: each allowed block reads its queries, and reads and rewrites their accumulators.

    A query in v blocks costs v·d words to read it, (v − 1)·(d + 1) to read partial outputs and a row sum, as many
    to write them, and d to write the result; each key that is attended to, 2d.
    """
    visits = problem.pairs // BLOCK  # of queries by blocks of keys
    rewritten = visits - problem.queries
    return 2 * problem.keys * d + visits * d + 2 * rewritten * (d + 1) + problem.queries * d


def main() -> None:
    M = pebble.count(Problem.square(N, d), 10**6, ["flash-1"], {"cols": BLOCK})["flash-1"].peak
    assert M is not None
    print(f"N = {N:,}, d = {d}, blocks of {BLOCK} keys, M = {M:,} words: just what flash-1 needs\n")
    print(" density s        I/O    Nd + N²d²s/M   ratio   (I/O − Nd) ÷ N²d²s/M")
    ratios = []
    for density in DENSITIES:
        problem = Problem.square(N, d, mask=f"blocks:size={BLOCK},density={density},seed=1")
        count = pebble.count(problem, M, ["flash-1"], {"cols": BLOCK})["flash-1"].io
        assert count == by_hand(problem)
        s = Fraction(problem.pairs, N * N)
        assert s == Fraction(density)
        curve = block_sparse_flash_attention(problem, M).value
        slope = (count - N * d) / (curve - N * d)
        ratios.append(count / curve)
        print(f"{s!s:>10}{count:>11,}{curve:>16,.0f}{count / curve:>8.2f}{slope:>23.2f}")
    assert 1 < min(ratios) < max(ratios) < 6 * 1.05
    print(
        "\nWhy the ratio goes from 2 towards 6: there are N/64 · N·s visits of a query by a block of keys, each moves\n"
        "3d + 2 words (a query, its partial outputs and row sum read and rewritten), and 64 keys and values are\n"
        "nearly all that M holds: M = 2d·64 + a little. So the term in s is nearly 3d · 2d · N²s/M = 6·N²d²s/M. The\n"
        "term without s is keys, values and outputs, 3Nd, less the 2Nd of the first and last visits, which have\n"
        "nothing to read back or to rewrite: Nd, like the curve's; less at the smallest s, where some keys have no\n"
        "block. The published sizes keep M/4d keys instead, and pay twice as much."
    )


if __name__ == "__main__":
    main()
