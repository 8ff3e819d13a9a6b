"""The machine under a mask: with and without memory, against the game, on numbers, and with broken programs."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput, PebbleError, Violation
from pebble.computations.masks import BandMask, DenseMask, Mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of, random_inputs, reference_outputs
from pebble.game.replay import replay
from pebble.lab.count import count_schedule
from pebble.program import Loop, Node, Operation, Phase, Program, When
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run
from pebble.program.lowering import lower
from pebble.program.numbers import evaluate
from pebble.program.schedule import fitting_tiles, get, registered
from tests.program.named_cases_of_signatures import X, Y, small
from tests.program.names import delete, load, loop
from tests.support.amounts import first

PASSES = ["forward", "backward"]


def random_mask(Nq: int, Nk: int, rng: random.Random) -> Mask:
    """A band or any pairs, some queries and keys without any."""
    if rng.random() < 0.5:
        ends = np.array([sorted(rng.randint(0, Nk) for _ in range(Nq)) for _ in range(2)])
        mask: Mask = BandMask("band", Nk, ends.min(axis=0), ends.max(axis=0))
    else:
        table = np.array([[rng.random() < 0.4 for _ in range(Nk)] for _ in range(Nq)])
        table[rng.randrange(Nq), rng.randrange(Nk)] = True
        mask = DenseMask("table", table)
    mask.empty_rows = "zero"
    return mask


def random_problems(seed: int, pass_name: str, sizes: int, dims: int) -> Iterator[Problem]:
    """Problems without end."""
    rng = random.Random(seed)
    while True:
        Nq, Nk = rng.randint(1, sizes), rng.randint(1, sizes)
        mask = random_mask(Nq, Nk, rng)
        if mask.pairs:
            stats = pass_name == "forward" and rng.random() < 0.3
            d, dv = rng.randint(1, dims), rng.randint(1, dims)
            yield Problem(Nq, Nk, d, dv, stats=stats, pass_name=pass_name, mask=mask)


def programs(problem: Problem, rng: random.Random) -> Iterator[tuple[Program, int]]:
    """Every schedule's program, with the words it is to fit; not that of best, which is one of the others."""
    for schedule in registered(problem.pass_name, problem.form):
        if schedule.name == "best":
            continue
        M = schedule.least_M(problem) + rng.choice([0, 1, 7, 40])
        try:
            tiles = fitting_tiles(schedule, problem, M)
        except CacheTooSmall:
            continue
        yield schedule.program(problem, tiles), M


def summary(counted: Run) -> tuple[object, ...]:
    return counted.reads, counted.writes, counted.computes, counted.peak


@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("seed", first(1, range(6)))
def test_machine_is_game_and_numbers_are_attention(pass_name: str, seed: int) -> None:
    rng = random.Random(seed)
    problems = random_problems(seed, pass_name, 6, 3)
    for problem in (next(problems) for _ in range(2)):
        family = family_of(problem)
        dag = family.dag()
        assert (dag.n_vertices, dag.n_edges) == (family.n_vertices, family.n_edges)
        inputs = random_inputs(problem, np.random.default_rng(seed))
        for program, M in programs(problem, rng):
            counted = run(program, family, M)
            status = replay(dag, M, lower(program, family))
            assert status.complete
            assert (status.reads, status.writes) == (counted.total_reads, counted.total_writes)
            assert (status.computes, status.peak) == (sum(counted.computes.values()), counted.peak)
            assert sum(counted.peak_words.values()) == counted.peak
            found = evaluate(program, family, inputs)
            for name, expected in reference_outputs(problem, inputs).items():
                if name != "l":
                    np.testing.assert_allclose(found[name], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("seed", first(1, range(6)))
def test_what_is_remembered_is_what_would_be_run(pass_name: str, seed: int) -> None:
    rng = random.Random(seed)
    problem = next(random_problems(100 + seed, pass_name, 17, 5))
    family = family_of(problem)
    for program, M in programs(problem, rng):
        quick, plain = run(program, family, M), run(program, family, M, induction=False)
        assert summary(quick) == summary(plain)
        for array in family.arrays:
            for one, other in zip(quick.final_state(array.name), plain.final_state(array.name), strict=True):
                np.testing.assert_array_equal(one, other)


def _without(nodes: tuple[Node, ...], number: list[int]) -> tuple[Node, ...]:
    """The same nodes but one operation, counted down to."""
    kept: list[Node] = []
    for node in nodes:
        if isinstance(node, Operation):
            number[0] -= 1
            if number[0] != 0:
                kept.append(node)
        elif isinstance(node, Loop):
            kept.append(
                Loop(node.axis, node.tile, _without(node.body, number), node.start, node.stop, node.label)
            )
        else:
            kept.append(When(node.condition, _without(node.body, number)))
    return tuple(kept)


def _mutants(program: Program) -> Iterator[Program]:
    """The program with each of its operations left out in turn."""
    at = 1
    while True:
        number = [at]
        phases = tuple(Phase(part.title, _without(part.body, number)) for part in program.phases)
        if number[0] > 0:
            return
        yield Program(phases)
        at += 1


def _verdict(program: Program, problem: Problem, M: int, induction: bool) -> object:
    try:
        return summary(run(program, family_of(problem), M, induction=induction))
    except Violation as violation:
        return "refused", violation.rule
    except PebbleError as error:
        return "refused", type(error)


@pytest.mark.parametrize("pass_name", first(1, PASSES))
def test_programs_with_an_operation_left_out(pass_name: str) -> None:
    """The same verdict with and without memory; and what the machine lets pass the game does too, with its counts."""
    rng = random.Random(5)
    problem = next(random_problems(11, pass_name, 6, 2))
    family = family_of(problem)
    dag = family.dag()
    refused = 0
    for program, M in programs(problem, rng):
        for mutant in _mutants(program):
            verdict = _verdict(mutant, problem, M, True)
            assert verdict == _verdict(mutant, problem, M, False)
            if isinstance(verdict, tuple) and verdict[0] == "refused":
                refused += 1
                continue
            status = replay(dag, M, lower(mutant, family))
            assert status.complete
    assert refused > 100


@pytest.mark.parametrize("pass_name", PASSES)
def test_one_word_less_is_refused(pass_name: str) -> None:
    rng = random.Random(6)
    problem = next(random_problems(12, pass_name, 6, 3))
    family = family_of(problem)
    for program, _ in programs(problem, rng):
        peak = run(program, family).peak
        assert run(program, family, peak).peak == peak
        for induction in (True, False):
            with pytest.raises(Violation) as caught:
                run(program, family, peak - 1, induction=induction)
            assert caught.value.rule == "memory-full"


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


def test_a_full_mask_is_no_mask() -> None:
    for pass_name in PASSES:
        plain = Problem(7, 5, 3, 2, pass_name=pass_name)
        full = Problem(7, 5, 3, 2, pass_name=pass_name, mask=DenseMask("all", np.ones((7, 5), dtype=bool)))
        assert family_of(full).n_edges == family_of(plain).n_edges
        for schedule in registered(pass_name, "plain"):
            M = schedule.least_M(plain) + 9
            program = schedule.program(plain, schedule.tiles(plain, M))
            assert summary(run(program, family_of(full), M)) == summary(run(program, family_of(plain), M))


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


@pytest.mark.slow
@pytest.mark.parametrize("M", [60, 700])
@pytest.mark.parametrize("spec", first(1, ["causal", "window:16", "strided:8"]))
def test_best_under_a_mask_is_no_worse_than_its_candidates(spec: str, M: int) -> None:
    problem = Problem.square(32, 8, mask=spec)
    best = count_schedule(get("best"), problem, M, None, 1).io
    for schedule in registered("forward", "plain"):
        row = count_schedule(schedule, problem, M, None, 1)
        assert row.io is None or (best is not None and best <= row.io), schedule.name


def test_a_masked_chain_cannot_replace() -> None:
    from pebble.program import compute, load, loop, phase, program

    text = program(phase("", load("Q"), loop("j", 1, compute("U", "Q"))))
    with pytest.raises(PebbleError):
        run(text, family_of(Problem.square(3, 2, mask="causal")))
    assert issubclass(InvalidInput, PebbleError)


@pytest.mark.parametrize("induction", [True, False])
def test_of_moments_as_full_as_each_other_the_first_says_what_is_held(induction: bool) -> None:
    one, other = (loop(axis, 1, load(name), delete(name)) for axis, name in (("i", "X"), ("j", "Y")))
    program = Program((Phase("", (one,)), Phase("", (other,))))
    assert run(program, small("xxxx " * 4, X, Y), induction=induction).peak_words == {"X": 1}
