"""What a device moves inside with any schedule of one device: closed forms, and all turns against few."""

from __future__ import annotations

from random import Random

import pytest

from pebble import Problem
from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.program.counting.run import run
from pebble.program.parallel import DeviceShare, MemoryRun, SharedProblem, distributed_schedule
from pebble.program.parallel.inner_work import turns_program
from pebble.program.schedule import get, registered

INNER = [one.name for one in registered("forward", "plain") if one.name != "best"]


def share(name: str, problem: SharedProblem, shape: tuple[int, ...] = ()) -> DeviceShare:
    return DeviceShare(problem, distributed_schedule(name).placement(problem, shape))


def inside(one: DeviceShare, inner: str, M: int) -> MemoryRun:
    schedule = get(inner)
    return one.run(schedule.program(one.problem, schedule.tiles(one.problem, M)), M)


def alone(inner: str, Nq: int, Nk: int, d: int, M: int) -> int:
    problem, schedule = Problem(Nq, Nk, d, d), get(inner)
    return schedule.measure(problem, schedule.tiles(problem, M)).io


SIZES = [(24, 2, 4, 30), (35, 3, 5, 40), (6, 1, 2, 9), (2**30, 128, 1024, 10**5)]


@pytest.mark.parametrize(("N", "d", "P", "M"), SIZES)
def test_a_ring_with_flash_2_inside_moves_what_its_closed_form_says(N: int, d: int, P: int, M: int) -> None:
    n, one = N // P, share("ring", SharedProblem(N, d, P))
    found = inside(one, "flash-2", M)
    blocks = -(-n // get("flash-2").tiles(one.problem, M)["rows"])
    assert found.io == P * (n * d + 2 * n * d * blocks) + 2 * (P - 1) * n * (d + 1) + n * d
    assert found.peak <= M


@pytest.mark.many(4)
@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize(("name", "P", "shape"), [("ring", 5, ()), ("grid-ring", 10, (5, 2))])
def test_every_schedule_of_one_device_is_an_inner_schedule(
    inner: str, name: str, P: int, shape: tuple[int, ...]
) -> None:
    n, d, M = 6, 2, 30
    one = share(name, SharedProblem(n * P, d, P), shape)
    try:
        found = inside(one, inner, M)
    except CacheTooSmall:
        pytest.skip("does not fit")
    schedule = get(inner)
    text = schedule.program(one.problem, schedule.tiles(one.problem, M))
    plain = run(*turns_program(text, one.problem, 5, one.whole), induction=False)
    finish = (0, 0) if one.whole else (n * (d + 1), n * d)
    assert (found.reads - finish[0], found.writes - finish[1]) == (plain.total_reads, plain.total_writes)
    assert found.peak == max(plain.peak, 0 if one.whole else d + 2)


@pytest.mark.many(2)
@pytest.mark.parametrize("inner", INNER)
def test_a_device_moves_what_the_schedule_moves_on_its_share_and_the_sums(inner: str) -> None:
    """Of each row U and l go out in the place of O, come in again in the next turn, and where O is made of them."""
    chance = Random(inner)
    n, d, M, parts = chance.randint(2, 5), chance.randint(1, 3), 60, chance.choice((2, 3))
    P, N = 2 * parts, 2 * parts * n
    finish = n * (d + 1) + n * d
    try:
        block, rows = alone(inner, n, n, d, M), alone(inner, N, n, d, M)
        row = alone(inner, 2 * n, n, d, M)
        found = {
            name: inside(share(name, SharedProblem(N, d, P), shape), inner, M).io
            for name, shape in {"ring": (), "pass-q": (), "pass-q-ring": (), "grid-ring": (parts, 2)}.items()
        }
    except CacheTooSmall:
        pytest.skip("does not fit")
    assert found["ring"] == P * block + (P - 1) * n * (d + 2)
    assert found["pass-q"] == rows + N + finish
    assert found["pass-q-ring"] == P * (block + n) + finish
    assert found["grid-ring"] == parts * (row + 2 * n) + (parts - 1) * 2 * n * (d + 1) + finish


def test_shares_that_are_whole_move_what_their_inner_schedule_moves() -> None:
    N, d, P, M = 24, 2, 4, 40
    n, problem = N // P, SharedProblem(N, d, P)
    assert inside(share("all-gather", problem), "flash-2", M).io == alone("flash-2", n, N, d, M)
    assert inside(share("grid", problem, (4, 1)), "flash-2", M).io == alone("flash-2", n, N, d, M)
    heads = SharedProblem(N, d, P, heads=2 * P, kv_heads=2 * P)
    assert inside(share("ulysses", heads), "flash-2", M).io == 2 * alone("flash-2", N, N, d, M)
    grouped = SharedProblem(N, d, P, heads=2 * P, kv_heads=P)
    assert inside(share("ulysses", grouped), "flash-2", M).io == alone("flash-2", 2 * N, N, d, M)


def test_too_small_a_memory_and_devices_that_differ_are_refused() -> None:
    one = share("ring", SharedProblem(24, 2, 4))
    schedule = get("flash-2")
    with pytest.raises(CacheTooSmall, match="several turns need"):
        one.run(schedule.program(one.problem, schedule.tiles(one.problem, 30)), 20)
    with pytest.raises(InvalidInput, match="without a mask"):
        share("ring", SharedProblem(24, 2, 4, causal=True))
    with pytest.raises(InvalidInput, match="the same amount of work"):
        share("ring", SharedProblem(25, 2, 4))
