"""The machine under a mask: what two telling schedules move at any size, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.common.errors import PebbleError
from pebble.computations.masks import DenseMask
from pebble.computations.problem import Problem
from pebble.lab.count import count_schedule
from pebble.program.counting.run import run
from pebble.program.schedule import get, registered
from tests.program.named_cases import attention
from tests.program.names import compute, delete, family_of, load, loop, phase, program


def test_causal_flash_2_at_any_size() -> None:
    """Every tile of 192 queries reads the keys up to its last query, and the cost hardly grows with N."""
    for N in (1000, 4096, 40_000):
        problem = Problem.square(N, 64, mask="causal")
        row = count_schedule(get("flash-2"), problem, 25_000, {"rows": 192}, 1)
        keys = sum(min(start + 192, N) for start in range(0, N, 192))
        assert row.io == 2 * 64 * N + 2 * 64 * keys
        chosen = count_schedule(get("flash-2"), problem, 25_000, None, 1)
        assert chosen.io is not None
        assert chosen.io <= row.io


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_a_full_mask_is_no_mask(pass_name: str) -> None:
    plain = Problem(7, 5, 3, 2, pass_name=pass_name)
    full = Problem(7, 5, 3, 2, pass_name=pass_name, mask=DenseMask("all", np.ones((7, 5), dtype=bool)))
    assert family_of(full).n_edges == family_of(plain).n_edges
    for schedule in registered(pass_name, "plain"):
        M = schedule.least_M(plain) + 9
        text = schedule.program(plain, schedule.tiles(plain, M))
        one, other = (run(text, family_of(problem), M) for problem in (full, plain))
        assert (one.reads, one.writes, one.peak) == (other.reads, other.writes, other.peak)


@pytest.mark.parametrize(
    "spec", ["window:32", "document:causal,40,60,28", "blocks:size=16,density=0.2,seed=1"]
)
def test_key_window_moves_every_word_once(spec: str) -> None:
    problem = Problem.square(128, 8, mask=spec)
    row = count_schedule(get("key-window"), problem, 10_000, None, 1)
    assert row.io == 2 * 8 * (problem.queries + problem.keys)
    backward = Problem.square(128, 8, mask=spec, pass_name="backward")
    row = count_schedule(get("key-window", "backward"), backward, 20_000, None, 1)
    assert row.io == 8 * 4 * (problem.queries + problem.keys) + problem.queries


def test_a_masked_chain_cannot_replace() -> None:
    text = program(phase("", load("Q"), loop("j", 1, compute("U", "Q"))))
    with pytest.raises(PebbleError):
        run(text, family_of(Problem.square(3, 2, mask="causal")))


@pytest.mark.parametrize("induction", [True, False])
def test_of_moments_as_full_as_each_other_the_first_says_what_is_held(induction: bool) -> None:
    one, other = (loop(axis, 1, load(name), delete(name)) for axis, name in (("i", "Q"), ("j", "K")))
    found = run(program(phase("", one), phase("", other)), attention(4, 4), induction=induction)
    assert found.peak_words == {"Q": 1}
