"""Blocks that are cut where packed sequences end: machine, closed form and formula agree; best takes them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble import Problem, bounds, make_mask
from pebble.computations.masks import DenseMask
from pebble.program.schedule import fitting_tiles, get, offered
from pebble.testing import check_schedule
from tests.support.amounts import first


def packed(
    lengths: list[int], d: int, causal: bool, pass_name: str = "forward", stats: bool = False
) -> Problem:
    """Sequences of these lengths in one."""
    spec = "document:" + "causal," * causal + ",".join(map(str, lengths))
    return Problem.square(sum(lengths), d, mask=spec, pass_name=pass_name, stats=stats)


def formula(lengths: list[int], rows: int, d: int, causal: bool) -> int:
    """Words of flash-2-packed: queries and outputs once, keys and values of a sequence once for each block of it."""
    words = 0
    for length in lengths:
        ends = range(length, 0, -rows)
        words += 2 * d * length + 2 * d * (sum(ends) if causal else len(ends) * length)
    return words


@pytest.mark.many(1)
@pytest.mark.parametrize("seed", first(4, range(24)))
def test_all_readings_and_the_formula_agree(seed: int) -> None:
    rnd = random.Random(seed)
    lengths = [rnd.randint(1, 6) for _ in range(rnd.randint(2, 4))]
    causal, d = rnd.random() < 0.5, rnd.randint(1, 3)
    problem = packed(lengths, d, causal)
    schedule = get("flash-2-packed")
    M = schedule.least_M(problem) + rnd.randint(0, 40)
    found = check_schedule(schedule, problem, M)
    assert found.io == formula(lengths, found.tiles["packed_rows"], d, causal)
    assert found.io <= check_schedule(get("flash-2"), problem, M).io


@pytest.mark.many(1)
@pytest.mark.parametrize("name", ["split-packed", "keys-packed"])
@pytest.mark.parametrize("seed", first(2, range(12)))
def test_all_readings_of_the_backward_pass_agree(name: str, seed: int) -> None:
    rnd = random.Random(seed)
    lengths = [rnd.randint(1, 6) for _ in range(rnd.randint(2, 4))]
    problem = packed(lengths, rnd.randint(1, 3), rnd.random() < 0.5, "backward")
    schedule = get(name, "backward")
    check_schedule(schedule, problem, schedule.least_M(problem) + rnd.randint(0, 60))


@pytest.mark.parametrize(("pass_name", "name"), [("forward", "flash-2-packed"), ("backward", "keys-packed")])
def test_sequences_that_fit_move_every_word_once(pass_name: str, name: str) -> None:
    problem = packed([20, 7, 31, 13], 4, True, pass_name)
    schedule = get(name, pass_name)
    run = schedule.measure(problem, dict.fromkeys(schedule.tile_names, 31))
    compulsory = next(one for one in bounds(problem, 10**6).proved if one.name == "compulsory")
    assert run.io == compulsory.value


@pytest.mark.slow
def test_best_takes_it() -> None:
    lengths = [300, 500, 30, 700, 900, 94]
    for causal, saved in ((False, 0.04), (True, 0.04)):
        problem = packed(lengths, 64, causal)
        tiles = fitting_tiles(get("flash-2-packed"), problem, 20_000)
        assert tiles == {"packed_rows": 154}
        words = formula(lengths, 154, 64, causal)
        assert get("flash-2-packed").measure(problem, tiles).io == words
        best = fitting_tiles(get("best"), problem, 20_000)
        assert best == {"rows": 150, "pinned": 4, "sequences": 1} or causal
        assert get("best").measure(problem, best).io <= words
        others = get("flash-2-causal")
        assert words < (1 - saved) * others.measure(problem, others.tiles(problem, 20_000)).io


def test_it_is_counted_where_the_mask_falls_apart() -> None:
    def names(mask: str | None) -> set[str]:
        return {schedule.name for schedule in offered(Problem.square(12, 2, mask=mask))}

    assert "flash-2-packed" in names("document:5,7")
    assert not any("flash-2-packed" in names(mask) for mask in (None, "causal", "window:3", "document:12"))
    assert get("flash-2-packed").program(Problem.square(12, 2, mask="causal"), {"packed_rows": 5})


@pytest.mark.parametrize("seed", range(30))
def test_where_a_mask_falls_apart(seed: int) -> None:
    """By its definition, of bands and of arrays; each place begins with lines that have pairs."""
    rnd = random.Random(seed)
    lengths = [rnd.choice([1, 1, 2, 5]) for _ in range(rnd.randint(1, 5))]
    N = sum(lengths)
    spec = "document:" + "causal," * rnd.randint(0, 1) + ",".join(map(str, lengths))
    group = rnd.choice([1, 1, 2, 3])
    band = make_mask(f"group:{group}:{spec}" if group > 1 else spec, group * N, N) if seed % 2 else None
    pairs: NDArray[np.bool_] = (
        np.random.default_rng(seed).random((N, N)) < 0.3 * np.eye(N) + 0.1 * np.eye(N, k=1)
        if band is None
        else band.matrix((0, band.Nq), (0, band.Nk))
    )
    pairs[0, 0] = True
    masks = [DenseMask("array:own", pairs), *([band] if band else [])]
    for axis, lines in (("i", pairs), ("j", pairs.T)):
        below = np.tril(np.ones((lines.shape[1],) * 2, dtype=bool))
        apart = []
        for place in range(1, len(lines)):
            before, behind = (np.asarray(some.any(axis=0)) for some in (lines[:place], lines[place:]))
            if lines[place].any() and not (before[:, None] & behind[None, :] & below).any():
                apart.append(place)
        assert masks[0].separations(axis) == [p for p in apart if lines[:p].any()]
        for mask in masks[1:]:
            assert set(mask.separations(axis)) <= set(apart)
