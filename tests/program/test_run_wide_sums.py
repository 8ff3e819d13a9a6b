"""Sums of several words: the fold against the plain machine, closed forms, and what a word more costs."""

from __future__ import annotations

import random

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.lab.count import count, run
from pebble.lower_bounds.table import bounds
from pebble.program.closed_forms.count import words_by_array
from pebble.program.schedule import registered

MASKS = (None, "causal", "window:3")
SUMS = {"forward": {"U", "l"}, "backward": {"dQ", "dK", "dV"}}


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize("mask", MASKS)
def test_the_fold_is_the_plain_machine(mask: str | None, pass_name: str) -> None:
    rng, counted = random.Random(f"{mask} {pass_name}"), 0
    made = None if mask is None else make_mask(mask, 6, 6)
    for schedule in rng.sample(registered(pass_name, "plain"), 5):
        width = rng.randint(2, 4)
        sums = rng.choice(("chain", "accumulate"))
        problem = Problem(6, 6, 2, 2, pass_name=pass_name, mask=made, sum_width=width, sums=sums)
        M = rng.randint(40, 90)
        try:
            tiles = schedule.tiles(problem, M)
        except (CacheTooSmall, InvalidInput):
            continue
        program = schedule.program(problem, tiles)
        found, plain = (run(program, problem, M, induction=way) for way in (True, False))
        assert (found.reads, found.writes, found.computes) == (plain.reads, plain.writes, plain.computes)
        assert found.peak == plain.peak <= M, schedule.name
        assert found.peak_words == plain.peak_words
        reads, writes = words_by_array(program, schedule.family(problem))
        assert sum(reads.values()) + sum(writes.values()) == found.io
        assert max(one.value for one in bounds(problem, M).proved) <= found.io
        narrow = run(program, Problem(6, 6, 2, 2, pass_name=pass_name, mask=made, sums=sums))
        for moved in ("reads", "writes"):
            one, more = getattr(narrow, moved), getattr(found, moved)
            assert more == {
                name: words * (width if name in SUMS[pass_name] else 1) for name, words in one.items()
            }
        counted += 1
    assert counted > 1


def test_two_kernels_with_seven_products_move_fewest_where_sums_are_twice_as_wide() -> None:
    problem = Problem(2**20, 2**20, 64, 64, pass_name="backward", sum_width=2, sums="accumulate")
    report = count(problem, 116_224, ["flash-2", "split"])
    flash, split = (report[name].ratio for name in ("flash-2", "split"))
    assert flash is not None
    assert split is not None
    assert 1.21 < flash < 1.22
    assert 1.01 < split < 1.02
