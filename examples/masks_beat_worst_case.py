"""Masks that need far less than the published worst case for as many pairs.

Li et al. (2024, arXiv 2410.09397) state that sparse attention needs Ω(min(Z_in²/M, Z_in·√Z_QK/√M)) words of I/O:
Z_in non-zeros of the inputs, here N·d, and Z_QK non-zeros of the scores, here the allowed pairs. That holds for some
pattern with this number of non-zeros, not for each; the authors say themselves that a pattern can need less.

Windows and packed sequences are such patterns. With 64 keys for each query, the number of pairs is 64·N, so at fixed
M the curve grows like N·√N. What a verified schedule moves grows like N.

Run it: python examples/masks_beat_worst_case.py
"""

from __future__ import annotations

from itertools import pairwise

import pebble
from pebble.computations.problem import Problem
from pebble.lower_bounds.published import li_et_al_sparse

d, M, WIDTH = 16, 1024, 64
LENGTHS = (512, 2048, 8192)

EXPLANATION = f"""
That is no contradiction. A block of B x B allowed pairs does B²d multiplications on 2·B·d words, however sparse the
mask around it is. Pairs scattered at random over the same N x N share their queries and keys far less; patterns like
those are what the curve is about.

The curve has no constant: that a number falls below it means nothing by itself. That the ratio goes to 0 as N grows
does: whatever the constant, some length is below it.

For long inputs every mask is below it: the queries, the outputs and one key and value for each pair, 2Nd + 2d·Z_QK
words, are always enough, and the curve is above that from about N = 4·{WIDTH}·M on. There, with Z_in = N·d, it speaks
of other patterns than masks on dense inputs.

The column "proved" is a lower bound for the very mask. What lies between it and the I/O nobody knows.
"""


def main() -> None:
    print(
        f"d = {d}, M = {M:,} words, {WIDTH} keys a query, FlashAttention-2's order; all in units of N·d words\n"
    )
    print(f"{'mask':<24}{'N':>7}{'curve':>9}{'I/O':>8}{'proved':>9}{'I/O ÷ curve':>14}")
    for kind in ("windows", "sequences"):
        ratios = []
        for N in LENGTHS:
            packed = "document:" + ",".join([str(WIDTH)] * (N // WIDTH))
            problem = Problem.square(N, d, mask=f"window:{WIDTH}" if kind == "windows" else packed)
            report = pebble.count(problem, M, ["flash-2"])
            curve, words = li_et_al_sparse(problem, M).value, report["flash-2"].io
            assert words is not None
            ratios.append(words / curve)
            units = [value / (N * d) for value in (curve, words, report.bounds.best.value)]
            shown = f"{units[0]:>9.2f}{units[1]:>8.2f}{units[2]:>9.2f}{ratios[-1]:>14.3f}"
            print(f"{f'{kind} of {WIDTH}':<24}{N:>7,}{shown}")
        # Four times the length halves the ratio: whatever constant the Ω hides, some length is below it.
        assert all(0.45 < after / before < 0.55 for before, after in pairwise(ratios))
        assert ratios[-1] < 1 / 2
    print(EXPLANATION)


if __name__ == "__main__":
    main()
