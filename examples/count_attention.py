"""How many words does attention move, and what is the least it could? The answer for several sizes of memory.

Run it: python examples/count_attention.py
"""

from __future__ import annotations

import pebble


def main() -> None:
    problem = pebble.Problem.square(4096, 64)
    print(problem.describe())
    print(f"{'M':>8}  {'flash-1':>12}  {'flash-2':>12}  {'best':>12}  {'lower bound':>12}  best ÷ bound")
    for M in (1_000, 4_096, 16_384, 25_000, 65_536, 262_144):
        report = pebble.count(problem, M, ["flash-1", "flash-2", "best"])
        best, bound = report["best"], report.bounds.best
        assert best.io is not None
        assert best.ratio is not None
        assert bound.value <= best.io
        counts = (f"{row.io:>12,}" if row.fits else f"{'does not fit':>12}" for row in report.rows)
        print(f"{M:>8,}  {'  '.join(counts)}  {bound.value:>12,}  {best.ratio:.3f}")

    # N does not matter to the time this takes: every count is verified, and none runs all iterations.
    long = pebble.count(pebble.Problem.square(10**9, 128), 100_000, ["flash-2"])
    row = long["flash-2"]
    assert row.io is not None
    assert long.bounds.best.value <= row.io
    print(f"\n{long.problem.describe()}, M = {long.M:,}: flash-2 moves {row.io:,} words")


if __name__ == "__main__":
    main()
