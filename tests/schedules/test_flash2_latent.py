"""Schedules of latent attention whose outputs are made in several sweeps: words, room, and when they are cheapest."""

from __future__ import annotations

import random

import pytest

from pebble import Problem, count
from pebble.program.schedule.registry import get
from pebble.testing import check_schedule

DECODING = Problem(128, 4096, 576, 512, shared_values=True)


@pytest.mark.parametrize("name", ["flash-2-late", "flash-2-parted"])
@pytest.mark.parametrize("seed", range(2))
def test_any_tiles_move_what_the_formula_says(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    schedule = get(name, "forward", "latent")
    for _ in range(4):
        Nq, Nk, dv = rng.randint(2, 9), rng.randint(1, 9), rng.randint(2, 7)
        problem = Problem(Nq, Nk, dv + rng.randint(1, 3), dv, shared_values=True, stats=rng.random() < 0.5)
        d, least = problem.d, schedule.least_M(problem)
        check_schedule(schedule, problem, M=least + rng.randint(0, Nq * (d + dv)))
        rows = rng.randint(1, Nq)
        late, cols, more = rng.randint(1, rows), rng.randint(1, dv), rng.randint(1, Nq)
        if name == "flash-2-late":
            tiles = {"rows": rows, "late": late, "cols": cols}
            words = Nk * (d * max(Nq // rows, 1) + 2 * late + cols) + Nq * (d + dv)
            words += Nq * problem.stats
        else:
            piece = rng.randint(1, cols)
            tiles = {"cols": cols, "score_rows": more, "score_cols": piece, "rows": rows}
            tiles |= {"out_rows": late, "out_cols": cols}
            words = Nk * (cols * -(-Nq // more) + (d - cols) * -(-Nq // rows) + cols * -(-Nq // late))
            words += Nq * Nk * 2 * (-(-cols // piece) + 1) + Nq * (d + dv + 2)
        assert schedule.measure(problem, tiles).io == words


@pytest.mark.parametrize(
    ("M", "name", "words"),
    [
        (49_152, "flash-2-parted", 6_045_952),
        (98_304, "flash-2", 4_857_856),
        (116_224, "flash-2-late", 4_284_416),
    ],
)
def test_what_is_cheapest_for_decoding(M: int, name: str, words: int) -> None:
    best = count(DECODING, M, ["best"])["best"]
    assert (best.chosen, best.io) == (name, words)
