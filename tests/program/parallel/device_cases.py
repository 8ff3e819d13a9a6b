"""Programs for several devices with problems to run them on."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pebble.program.parallel.device_program import DeviceProgram
from pebble.program.parallel.shared_problem import SharedProblem
from schedules.distributed.device_programs import (
    FORWARD,
    grid,
    ring_backward,
    ring_q_backward,
)

__all__ = ["BACKWARD", "NAMES", "cases", "received"]

BACKWARD = {"ring": ring_backward, "ring-q": ring_q_backward}
NAMES = [*FORWARD, "grid", "ring backward", "ring-q backward"]


def cases(name: str, seed: int, number: int) -> Iterator[tuple[DeviceProgram, SharedProblem, int]]:
    """Yield random cases of a program: with the problem, and the words that a device receives by the closed form."""
    rnd = Random(f"{name} {seed}")
    for _ in range(number):
        P, n, d = rnd.randint(1, 7), rnd.randint(1, 4), rnd.randint(1, 4)
        kv_heads = rnd.choice([1, 2, 3])
        heads = kv_heads * rnd.choice([1, 2, 4])
        R, C = rnd.randint(1, 4), rnd.randint(1, 4)
        if name == "ulysses":
            heads = P * rnd.choice([1, 2, 3])
            shared = [k for k in range(1, heads + 1) if heads % k == 0 and (k % P == 0 or P % k == 0)]
            kv_heads = rnd.choice(shared)
        layouts = ["contiguous", "striped"] + ["zigzag"] * (n % 2 == 0)
        if name == "grid":
            P, program = R * C, grid(R, C)
        elif name.endswith("backward"):
            program = BACKWARD[name.split()[0]](P)
        else:
            program = FORWARD[name](P)
        pass_name = "backward" if name.endswith("backward") else "forward"
        problem = SharedProblem(n * P, d, P, heads, kv_heads, pass_name=pass_name, layout=rnd.choice(layouts))
        yield program, problem, received(name, problem, R, C)


def received(name: str, problem: SharedProblem, R: int = 1, C: int = 1) -> int:
    """The closed form of the words that each device receives."""
    N, P, d, heads, kv_heads = problem.N, problem.P, problem.d, problem.heads, problem.kv_heads
    n = N // P
    if name in ("all-gather", "ring"):
        return 2 * n * d * (P - 1) * kv_heads
    if name in ("pass-q", "pass-q-ring"):
        return n * (2 * d + 1) * (P - 1) * heads
    if name == "ulysses":
        mine = heads // P
        return (N - n) * d * (mine + 2 * max(1, kv_heads // P)) + n * d * (heads - mine)
    if name == "grid":
        return n * ((2 * d + 1) * (C - 1) * heads + 2 * d * (R - 1) * kv_heads)
    return 4 * n * d * (P - 1) * kv_heads if name == "ring backward" else (3 * d + 2) * n * (P - 1) * heads
