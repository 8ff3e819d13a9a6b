"""Best counts against the best bounds where queries see few keys at first, and what the short block first saves.

    python tests/bench/bench_causal.py

prints, for N = 4,096, d = 64 and M from Nd/16 to 2Nd, in units of Nd words: what ``best`` moves and with which tiles,
what the best of the schedules named moves that do not put a short block first, the greatest proved bound, and the
ratio of best to bound. Tables in Markdown, a minute of processor time in all.
"""

from __future__ import annotations

from fractions import Fraction

import pebble
from pebble.program.schedule import fitting_tiles, get

N, d = 4096, 64
SHARES = [Fraction(share) for share in ["1/16", "1/8", "1/4", "3/8", "1/2", "3/4", "1", "3/2", "2"]]
FORWARD, BACKWARD = ("flash-2", "flash-2-pinned"), ("split", "keys-pinned", "queries-pinned")
PROBLEMS = [
    ("forward", "causal", FORWARD),
    ("forward", "prefix:1024", FORWARD),
    ("forward", "window:1024", FORWARD),
    ("forward", "document:causal,1500,600,1996", FORWARD),
    ("backward", "causal", BACKWARD),
]


def words(problem: pebble.Problem, M: int, name: str) -> tuple[int, str]:
    """What a schedule moves with the tiles that it chooses, and these."""
    schedule = get(name, problem.pass_name)
    tiles = fitting_tiles(schedule, problem, M)
    counted = schedule.measure(problem, tiles)
    assert counted.peak <= M
    return counted.io, ",".join(f"{tile}={size}" for tile, size in tiles.items())


def row(problem: pebble.Problem, share: Fraction, others: tuple[str, ...]) -> str:
    """A line of a table."""
    M = int(share * N * d)
    io, tiles = words(problem, M, "best")
    other = min(words(problem, M, name)[0] for name in others)
    bound = pebble.bounds(problem, M).proved[0]
    numbers = [f"{io / (N * d):.3f}", f"`{tiles}`", f"{other / (N * d):.3f}", f"{1 - io / other:.1%}"]
    numbers += [f"{bound.value / (N * d):.3f}", bound.name, f"{io / bound.value:.3f}"]
    return f"| {share} | " + " | ".join(numbers).replace("%", " %") + " |"


def main() -> None:
    """Print the tables."""
    for pass_name, mask, others in PROBLEMS:
        problem = pebble.Problem.square(N, d, mask=mask, pass_name=pass_name)
        print(f"{pass_name}, `{mask}`\n")
        print(f"| M/(Nd) | best | tiles | best of {', '.join(others)} | saved | bound | name | ratio |")
        print("|---|---|---|---|---|---|---|---|")
        for share in SHARES:
            print(row(problem, share, others), flush=True)
        print()


if __name__ == "__main__":
    main()
