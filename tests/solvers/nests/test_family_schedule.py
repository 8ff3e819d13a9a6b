"""Programs found for families: legal, exact, right on numbers, and as good as those written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.attention import attention_family
from pebble.computations.family import Family
from pebble.computations.masks import causal_mask
from pebble.computations.matmul import matmul_family
from pebble.computations.nests.nest_family import family_of_nest
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.moves import Moves
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.program.lowering import lower
from pebble.program.numbers import evaluate
from pebble.solvers.nests.family_schedule import FamilySchedule, schedule_family
from tests.solvers.nests.random_families import inputs_of, plain_values, random_family


def check(family: Family, M: int) -> FamilySchedule:
    """Find a program, and compare its counts with the replay of every move, and its numbers with the plain ones."""
    found = schedule_family(family, M)
    columns = (Moves(op, vertex) for op, vertex in lower(found.program, family))
    status = replay(family.dag(), M, columns, Rules(recomputation=True))
    status.require_complete()
    assert (status.reads, status.writes) == (found.run.total_reads, found.run.total_writes)
    assert status.peak == found.run.peak <= M
    values = evaluate(found.program, family, inputs_of(family))
    for name, expected in plain_values(family).items():
        assert np.allclose(values[name], expected)
    return found


def check_memories(seed: int, memories: list[int]) -> None:
    """More words of fast memory never cost more; with enough of them only the compulsory words move."""
    family = random_family(seed)
    least = family.max_indegree + 1
    assert least == family.dag().least_M()
    with pytest.raises(CacheTooSmall) as caught:
        schedule_family(family, least - 1)
    assert caught.value.least_M == least
    counts = [check(family, least + more).run.io for more in memories]
    assert counts == sorted(counts, reverse=True)
    compulsory = sum(family.words(array.name) for array in (*family.inputs, *family.outputs))
    assert check(family, family.n_vertices + 1).run.io == compulsory


@pytest.mark.parametrize("seed", [3, 111, 223])
def test_random_families_are_computed_in_any_memory(seed: int) -> None:
    check_memories(seed, [0, 3, 9])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_more_random_families_are_computed_in_any_memory(seed: int) -> None:
    check_memories(seed, [0, 1, 2, 4, 8, 20])


@pytest.mark.parametrize("M", [4, *(pytest.param(M, marks=pytest.mark.slow) for M in range(5, 24))])
def test_every_memory_of_a_small_product(M: int) -> None:
    assert check(matmul_family(4, 3, 5), M).run.io >= 4 * 5 + 5 * 3 + 4 * 3


def chained(rank: int) -> Family:
    """Return a chain of two products whose middle has so many columns."""
    text = "C[i,j] += A[i,k]*B[k,j]; E[i,l] += C[i,j]*D[j,l]"
    return family_of_nest(loop_nest(text, {"i": 256, "j": 256, "k": rank, "l": rank}))


@pytest.mark.slow
def test_chained_products_are_fused_where_that_pays() -> None:
    few, many = schedule_family(chained(8), 600), schedule_family(chained(256), 600)
    assert [part.title for part in few.program.phases] == ["C, E"]
    assert [part.title for part in many.program.phases] == ["C", "E"]
    apart = 2 * schedule_family(matmul_family(256, 256, 8), 600).run.io
    assert few.run.io < apart / 4


def test_an_axis_of_all_arrays_is_outermost() -> None:
    text = "C[b,i,j] += A[b,i,k]*B[b,k,j]"
    family = family_of_nest(loop_nest(text, {"b": 2, "i": 6, "j": 6, "k": 6}))
    one = schedule_family(matmul_family(6, 6, 6), 20).run.io
    assert schedule_family(family, 20).run.io == 2 * one


@pytest.mark.slow
@pytest.mark.parametrize("M", [pytest.param(12, marks=pytest.mark.slow), 40])
def test_under_a_mask_the_moves_are_those_counted(M: int) -> None:
    masked = attention_family(Problem.square(9, 2)).under(causal_mask(9, 9))
    found = schedule_family(masked, M)
    columns = (Moves(op, vertex) for op, vertex in lower(found.program, masked))
    status = replay(masked.dag(), M, columns, Rules(recomputation=True))
    status.require_complete()
    assert (status.reads, status.writes) == (found.run.total_reads, found.run.total_writes)
    assert status.peak == found.run.peak <= M


def test_what_is_no_loop_nest_is_refused() -> None:
    with pytest.raises(InvalidInput, match="partial result"):
        schedule_family(family_of(Problem(4, 4, 2, 2, softmax="online")), 50)
