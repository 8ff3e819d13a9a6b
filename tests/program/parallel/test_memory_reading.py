"""The memory of one device with any inner schedule: the closed form, and all turns against few."""

from __future__ import annotations

import pytest

from pebble import Problem
from pebble.common.errors import CacheTooSmall, InvalidInput, Violation
from pebble.computations.registry import family_of
from pebble.program.counting.run import run
from pebble.program.parallel.inner_work import InnerWork
from pebble.program.parallel.memory_reading import memory_reading, memory_run
from pebble.program.parallel.shared_problem import SharedProblem
from pebble.program.schedule import registered
from pebble.program.schedule.registry import get
from schedules.distributed.device_programs import all_gather, grid, pass_q, ring, ulysses


def inner(name: str, Nq: int, Nk: int, d: int, M: int) -> tuple[InnerWork, dict[str, int]]:
    """A one-device schedule as an inner one, and its tiles."""
    problem = Problem(Nq, Nk, d, d)
    tiles = get(name).tiles(problem, M)
    return InnerWork(get(name).program(problem, tiles), family_of(problem)), dict(tiles)


SIZES = [(24, 2, 4, 30), (35, 3, 5, 40), (6, 1, 2, 9), (2**30, 128, 1024, 10**5)]


@pytest.mark.parametrize(("N", "d", "P", "M"), SIZES)
def test_a_ring_with_flash_2_inside_moves_what_its_closed_form_says(N: int, d: int, P: int, M: int) -> None:
    n = N // P
    work, tiles = inner("flash-2", n, n, d, M)
    found = memory_run(ring(P, work), SharedProblem(N, d, P), M)
    blocks = -(-n // tiles["rows"])
    assert found.io == P * (n * d + 2 * n * d * blocks) + 2 * (P - 1) * n * (d + 1) + n * d
    assert found.peak <= M


@pytest.mark.parametrize("name", [one.name for one in registered("forward", "plain") if one.name != "best"])
def test_every_schedule_of_one_device_is_an_inner_schedule(name: str) -> None:
    n, d, P, M = 6, 2, 5, 30
    try:
        work, _ = inner(name, n, n, d, M)
    except CacheTooSmall:
        pytest.skip("does not fit")
    problem = SharedProblem(n * P, d, P)
    program = ring(P, work)
    found = memory_run(program, problem)
    (every,) = memory_reading(program, problem)
    plain = run(every.program, every.family, induction=False)
    assert (found.reads, found.writes, found.peak) == (plain.total_reads, plain.total_writes, plain.peak)


def test_programs_that_work_at_once_move_what_their_inner_schedule_moves() -> None:
    N, d, P, M = 24, 2, 4, 40
    n = N // P
    one = get("flash-2")

    def alone(Nq: int, Nk: int) -> int:
        problem = Problem(Nq, Nk, d, d)
        return one.measure(problem, one.tiles(problem, M)).io

    problem = SharedProblem(N, d, P)
    assert memory_run(all_gather(P, inner("flash-2", n, N, d, M)[0]), problem, M).io == alone(n, N)
    heads = SharedProblem(N, d, P, heads=2 * P, kv_heads=2 * P)
    assert memory_run(ulysses(P, inner("flash-2", N, N, d, M)[0]), heads, M).io == 2 * alone(N, N)
    # O is stored by its owner alone; U and l in its place everywhere, and loaded there.
    for program, rows, keys in (
        (pass_q(P, inner("flash-2", N, n, d, M)[0]), N, n),
        (grid(2, 2, inner("flash-2", 2 * n, 2 * n, d, M)[0]), 2 * n, 2 * n),
    ):
        finish = n * (d + 1) + n * d
        assert memory_run(program, problem, M).io == alone(rows, keys) + rows + finish


def test_too_small_a_memory_and_masks_are_refused() -> None:
    work, _ = inner("flash-2", 6, 6, 2, 30)
    with pytest.raises(Violation):
        memory_run(ring(4, work), SharedProblem(24, 2, 4), 20)
    with pytest.raises(InvalidInput):
        memory_run(ring(4, work), SharedProblem(24, 2, 4, causal=True))
