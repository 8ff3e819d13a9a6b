"""The machine under a mask: against the game and on numbers, what two schedules move at any size, what is refused."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from random import Random

import numpy as np
import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput, PebbleError
from pebble.computations.masks import BandMask, DenseMask, Mask
from pebble.computations.problem import Problem
from pebble.computations.registry import random_inputs, reference_outputs
from pebble.game.replay import replay
from pebble.lab.count import count_schedule
from pebble.lower_bounds.table import bounds
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run
from pebble.program.lowering import lower
from pebble.program.numbers import evaluate
from pebble.program.schedule import fitting_tiles, get, registered
from tests.program.named_cases import attention
from tests.program.names import compute, delete, family_of, load, loop, phase, program
from tests.support import amounts


def random_mask(Nq: int, Nk: int, rnd: Random) -> Mask:
    """A band or any pairs, some queries and keys without any."""
    if rnd.random() < 0.5:
        ends = np.array([sorted(rnd.randint(0, Nk) for _ in range(Nq)) for _ in range(2)])
        mask: Mask = BandMask("band", Nk, ends.min(axis=0), ends.max(axis=0))
    else:
        mask = DenseMask("table", np.array([[rnd.random() < 0.4 for _ in range(Nk)] for _ in range(Nq)]))
    mask.empty_rows = "zero"
    return mask if mask.pairs else random_mask(Nq, Nk, rnd)


@pytest.mark.many(2)
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize("seed", amounts.first(2, range(12)))
def test_schedules_play_the_game_and_compute_attention(pass_name: str, seed: int) -> None:
    rnd = Random(seed)
    Nq, Nk, stats = rnd.randint(1, 6), rnd.randint(1, 6), pass_name == "forward" and rnd.random() < 0.3
    mask = random_mask(Nq, Nk, rnd)
    problem = Problem(
        Nq, Nk, rnd.randint(1, 3), rnd.randint(1, 3), stats=stats, pass_name=pass_name, mask=mask
    )
    family, inputs = family_of(problem), random_inputs(problem, np.random.default_rng(seed))
    dag, expected = family.dag(), reference_outputs(problem, inputs)
    assert (dag.n_vertices, dag.n_edges) == (family.n_vertices, family.n_edges)
    for schedule in registered(pass_name, "plain"):
        M = schedule.least_M(problem) + rnd.choice([0, 1, 7, 40])
        try:
            text = schedule.program(problem, fitting_tiles(schedule, problem, M))
        except CacheTooSmall:
            continue
        counted, status = run(text, family, M), replay(dag, M, lower(text, family))
        assert status.complete
        assert (status.reads, status.writes, status.peak) == (
            counted.total_reads,
            counted.total_writes,
            counted.peak,
        )
        found = evaluate(text, family, inputs)
        for name in expected.keys() - {"l"}:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, atol=1e-10)


@pytest.mark.many(2)
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize(
    "spec",
    [
        "streaming:3,11",
        "window:9+sink:4",
        "group:3:window:9+sink:4",
        "document:causal,20,13,7+sink:2&causal",
        "window:left=3,right=9&strided:4",
    ],
)
def test_masks_of_masks_are_counted_as_their_arrays(spec: str, pass_name: str) -> None:
    Nq = 120 if spec.startswith("group") else 40
    problem = Problem(Nq, 40, 4, 4, mask=spec, pass_name=pass_name)
    table = DenseMask("table", problem.allowed.matrix((0, Nq), (0, 40)))
    other = Problem(Nq, 40, 4, 4, mask=table, pass_name=pass_name)
    runs: list[Run] = []
    for schedule, size in product(registered(pass_name, "plain"), (1, 7)):
        if schedule.name == "best":
            continue
        with suppress(InvalidInput):
            text = schedule.program(problem, dict.fromkeys(schedule.tile_names, size))
            one, two = run(text, family_of(problem)), run(text, family_of(other))
            assert (one.reads, one.writes, one.peak) == (two.reads, two.writes, two.peak)
            runs.append(one)
    peak, io = max(one.peak for one in runs), min(one.io for one in runs)
    assert max(bound.value for bound in bounds(problem, peak).proved) <= io


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
