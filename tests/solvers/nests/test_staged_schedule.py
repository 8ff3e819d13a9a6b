"""Programs for nests in stages: their counts are those of a legal pebbling of the whole nest, move by move."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.nests.named_kernel import read_kernel
from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.nest_family import NotAFamily
from pebble.computations.nests.statement import LoopNest
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.solvers.nests.staged_schedule import NestSchedule, schedule_stages
from tests.computations.nests.random_stages import random_staged_nest

KERNELS = ("syrk", "syr2k", "symm", "trmm", "covariance", "correlation")


def _check(nest: LoopNest, found: NestSchedule, M: int) -> None:
    status = replay(nest_dag(nest).dag, M, found.moves(), Rules(recomputation=True, sliding=False))
    status.require_complete()
    assert (status.reads, status.writes) == (found.reads, found.writes)
    assert status.peak <= found.peak <= M


def _kernel(name: str, extent: int) -> LoopNest:
    nest = read_kernel(name, {}, ())
    return LoopNest(nest.statements, dict.fromkeys(nest.extents, extent), nest.outputs)


@pytest.mark.many(1)
@pytest.mark.parametrize("name", KERNELS)
def test_the_counts_of_kernels_are_those_of_their_moves(name: str) -> None:
    nest = _kernel(name, 4)
    for M in (9, 20):
        _check(nest, schedule_stages(nest, M), M)


def _random_cases(seeds: range) -> int:
    scheduled = 0
    for seed in seeds:
        try:
            nest = random_staged_nest(seed)
            nest_dag(nest)
        except InvalidInput:
            continue
        for M in (10, 23):
            try:
                found = schedule_stages(nest, M)
            except (NotAFamily, CacheTooSmall):
                continue
            scheduled += 1
            _check(nest, found, M)
    return scheduled


@pytest.mark.slow
def test_the_counts_of_random_nests_are_those_of_their_moves() -> None:
    assert _random_cases(range(5)) > 2


@pytest.mark.slow
def test_the_counts_of_many_random_nests_are_those_of_their_moves() -> None:
    assert _random_cases(range(5, 35)) > 15


def test_what_is_computed_from_itself_has_no_stages() -> None:
    with pytest.raises(NotAFamily, match="computed from each other"):
        schedule_stages(_kernel("lu", 6), 30)


def test_a_forgotten_load_is_found() -> None:
    nest = _kernel("syrk", 5)
    with (
        patch("pebble.solvers.nests.staged_schedule._initial_reads", return_value=0),
        pytest.raises(AssertionError),
    ):
        _check(nest, schedule_stages(nest, 20), 20)
