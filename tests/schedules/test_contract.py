"""Every registered schedule keeps the contract, on shapes with ragged tiles, one row, one key, one dimension."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.program.schedule import available, get, registered, resolve_tiles
from pebble.testing import check_schedule
from tests.program.random_masks import documents, random_mask
from tests.support.amounts import first
from tests.support.problems import OPTIONS

FORMS = {"forward": list(OPTIONS), "backward": ["plain"]}

SIZES = [
    Problem(7, 5, 3, 2),
    Problem(5, 9, 2, 4, stats=True),
    Problem(1, 6, 3, 3),
    Problem(6, 1, 2, 2),
    Problem(4, 4, 1, 1, stats=True),
    Problem(1, 1, 1, 1),
    Problem(11, 8, 5, 1),
]


BACKWARD = [replace(problem, pass_name="backward", stats=False) for problem in SIZES]
LATENT = [replace(problem, shared_values=True) for problem in SIZES if problem.dv < problem.d]
SOFTMAX = [replace(problem, softmax=softmax) for problem in SIZES for softmax in ("safe", "online")]
WEIGHTS = [Problem.square(*size, pass_name="weights") for size in ((1, 1), (1, 3), (5, 1), (6, 3), (9, 2))]
ROPE = [
    Problem(4, 5, 3, 2, heads=2, shared_rope=1),
    Problem(4, 4, 4, 3, heads=3, shared_rope=2, mask="causal", stats=True),
    Problem(1, 6, 3, 2, heads=4, shared_rope=2),
    Problem(1, 1, 2, 1, shared_rope=1),
    Problem(5, 4, 3, 1, heads=3, shared_rope=1, stats=True),
]
LINEAR = [
    problem
    for N, d, dv in ((5, 3, 2), (4, 2, 3), (1, 2, 2), (3, 1, 1), (6, 1, 2))
    for problem in (
        Problem(N, N + 1, d, dv, attention="linear"),
        *(
            Problem.square(N, d, dv, attention="linear", mask="causal", **options)
            for options in ({}, {"gate": True}, {"chunk": 2})
        ),
    )
]
LINEAR += [
    Problem.square(N, d, dv, attention="linear", mask="causal", pass_name="backward", chunk=chunk)
    for N, d, dv, chunk in ((4, 3, 2, None), (1, 2, 2, None), (4, 2, 3, 2), (2, 2, 2, 2))
]
LARGEST = (SIZES[-1], BACKWARD[-1], *(one for one in SOFTMAX if (one.Nq, one.Nk) != (5, 9)))
OFTEN = SIZES[2:-1] + BACKWARD[1:-1] + ROPE[2:] + LINEAR[4:]
"""Best tries all the others; elsewhere they are tried enough."""
CASES = [
    pytest.param(
        name,
        problem,
        id=f"{name}-{problem}",
        marks=[pytest.mark.slow] if problem in LARGEST or (name == "best" and problem in OFTEN) else [],
    )
    for problem in SIZES + BACKWARD + LATENT + SOFTMAX + WEIGHTS + ROPE + LINEAR
    for name in sorted(available(problem.pass_name, problem.form))
]


@pytest.mark.many(60)
@pytest.mark.parametrize("memories", first(1, ["least and plenty", "between"]))
@pytest.mark.parametrize(("name", "problem"), CASES)
def test_contract(name: str, problem: Problem, memories: str) -> None:
    schedule = get(name, problem.pass_name, problem.form)
    least = schedule.least_M(problem)
    for M in (least, 1000) if memories == "least and plenty" else (least + 4, 3 * least):
        contract = check_schedule(schedule, problem, M)
        assert contract.peak <= M
        assert contract.least_M == least


# Random problems under random masks, with chosen tiles and with any

REGISTERED = [
    (schedule.name, pass_name, form)
    for pass_name in ("forward", "backward")
    for form in FORMS[pass_name]
    for schedule in registered(pass_name, form)
]


def random_problem(rnd: Random, pass_name: str, form: str) -> Problem:
    """A small problem, under no mask, under packed sequences or under any mask; queries may have no keys."""
    options, d = OPTIONS[form], rnd.randint(2, 3)
    dv = rnd.randint(1, d - 1) if form in ("latent", "shared-rope") else rnd.randint(1, 3)
    if "attention" in options:
        N = rnd.randint(1, 7)
        return Problem(N, N, d, dv, **options)
    Nq, Nk, masked = rnd.randint(1, 7), rnd.randint(1, 7), rnd.random()
    mask = None
    if masked < 0.3:
        Nk, mask = Nq, make_mask(documents(rnd, Nq), Nq, Nq)
    elif masked < 0.7:
        mask = random_mask(rnd, Nq, Nk)
    whole = mask is None or mask.present("i") == Nq
    stats = pass_name == "forward" and whole and rnd.random() < 0.3
    return Problem(Nq, Nk, d, dv, pass_name=pass_name, mask=mask, stats=stats, **options)


@pytest.mark.many(1)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("name", "pass_name", "form"), REGISTERED)
def test_contract_under_masks(name: str, pass_name: str, form: str, seed: int) -> None:
    check_random(name, pass_name, form, seed)


@pytest.mark.many(2)
@pytest.mark.parametrize("part", range(8))
def test_some_contracts_under_masks(part: int) -> None:
    for at, case in enumerate(REGISTERED[part::8]):
        check_random(*case, seed=100 + at)


def check_random(name: str, pass_name: str, form: str, seed: int) -> None:
    rnd, schedule = Random(f"{name} {pass_name} {form} {seed}"), get(name, pass_name, form)
    problem = random_problem(rnd, pass_name, form)
    if schedule.masks_only and problem.mask is None:
        return
    least = schedule.least_M(problem)
    M, tiles = least + rnd.choice([0, 1, rnd.randint(0, 60)]), None
    if rnd.random() < 0.5:
        tiles = {
            tile: rnd.randint(int(tile not in schedule.may_be_zero), max(1, high))
            for tile, high in schedule.greatest(problem).items()
        }
        try:
            M = max(M, schedule.measure(problem, tiles).peak)
        except InvalidInput:  # of sizes for several orders of loops only some go together
            tiles = None
    contract = check_schedule(schedule, problem, M, tiles)
    assert (contract.least_M, contract.peak <= M) == (least, True)


OVERSIZED = [
    one
    for problem in (Problem.square(24, 8), Problem(40, 5, 12, 12), Problem(5, 20, 6, 4))
    for one in (
        *(replace(problem, softmax=softmax) for softmax in ("plain", "safe", "online")),
        replace(problem, pass_name="backward"),
        replace(problem, attention="linear"),
        *([replace(problem, shared_values=True)] if problem.dv < problem.d else ()),
    )
]


@pytest.mark.many(1)
@pytest.mark.parametrize("problem", OVERSIZED, ids=str)
def test_no_tile_is_longer_than_its_axis(problem: Problem) -> None:
    """Of whatever M, and of the published sizes too; rows that stay are of K and of V."""
    extents = {"i": problem.Nq, "j": problem.Nk, "k": problem.d, "e": problem.dv}
    for name, schedule in available(problem.pass_name, problem.form).items():
        most = {
            one: extents.get(schedule.axis_of(one), greatest)
            for one, greatest in schedule.greatest(problem).items()
        }
        for M in (10, 40, 150, 600, 10**6):
            for preset in (None, *schedule.presets):
                with suppress(CacheTooSmall):
                    tiles = resolve_tiles(schedule, problem, M, preset)
                    longer = name != "best" and any(size > most[one] for one, size in tiles.items())
                    assert not longer, (name, M, preset, tiles)


@pytest.mark.many(1)
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize("name", ["flash-1", "flash-2"])
def test_literal_and_paper_tiles(name: str, pass_name: str) -> None:
    schedule, problem = get(name, pass_name), Problem(12, 10, 3, 2, pass_name=pass_name)
    for M in (35, 60, 100):
        tiles = schedule.preset(problem, M, "literal")
        assert check_schedule(schedule, problem, M, tiles).peak <= M
        paper = schedule.preset(problem, M, "paper")
        needed = schedule.measure(problem, paper).peak
        assert check_schedule(schedule, problem, needed, paper).peak == needed
    with pytest.raises(CacheTooSmall):
        schedule.preset(problem, 5, "literal")
