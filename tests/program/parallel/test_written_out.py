"""Programs under a causal mask, all devices at once: closed forms of the rings, any N."""

from __future__ import annotations

from random import Random

import pytest

from pebble.common.errors import InvalidInput
from pebble.program.parallel import distributed_schedule
from pebble.program.parallel.referee import play
from pebble.program.parallel.shared_problem import SharedProblem
from pebble.program.parallel.written_out import written_out
from schedules.distributed.device_programs import FORWARD, all_gather, grid, heads_grid, pass_q, ring, usp


def triangle(n: int) -> int:
    return n * (n + 1) // 2


@pytest.mark.parametrize(("P", "n"), [(1, 2), (2, 4), (5, 6), (8, 2), (128, 2**20)])
def test_rings_under_a_causal_mask(P: int, n: int) -> None:
    d = 4
    N = n * P
    for layout in ("contiguous", "zigzag", "striped"):
        problem = SharedProblem(N, d, P, causal=True, layout=layout)
        found = play(written_out(ring(P), problem))
        assert max(found.received) == 2 * n * d * (P - 1)
        assert sum(found.pairs) == triangle(N)
        if layout == "contiguous":
            assert found.received == tuple(2 * p * n * d for p in range(P))
            assert found.pairs == tuple(triangle(n) + p * n * n for p in range(P))
        elif layout == "zigzag":
            assert set(found.pairs) == {n // 2 * (N + 1)}
        else:
            assert found.pairs == tuple(n * (N - P) // 2 + (p + 1) * n for p in range(P))
        everything = play(written_out(ring(P), problem, "all"))
        assert everything.total == 2 * n * d * (P - 1) * P
        assert everything.rounds == P - 1
        if P >= 3:
            assert max(everything.memory) == 8 * n * d + n


def test_an_all_gather_of_what_is_needed() -> None:
    P, n, d = 6, 4, 3
    found = play(written_out(all_gather(P), SharedProblem(n * P, d, P, causal=True)))
    assert found.received == tuple(2 * p * n * d for p in range(P))
    assert found.rounds == 1


@pytest.mark.parametrize("name", ["all-gather", "ring", "pass-q", "ulysses", "grid", "usp", "heads-grid"])
def test_programs_move_what_the_placements_of_their_names_move(name: str) -> None:
    rnd = Random(name)
    for _ in range(5):
        P, R, C = rnd.randint(1, 7), rnd.randint(1, 3), rnd.randint(1, 3)
        kv_heads = rnd.choice([1, 2])
        heads = kv_heads * (P if name == "ulysses" else rnd.choice([1, 2]))
        shape: tuple[int, ...] = ()
        program = grid(R, C)
        if name == "grid":
            P, shape = R * C, (R, C)
        elif name in ("usp", "heads-grid"):
            u = rnd.randint(1, 3)
            heads, kv_heads = 2 * u, u
            P, shape = (u * R, (u, R)) if name == "usp" else (u * R * C, (u, R, C))
            program = usp(u, R) if name == "usp" else heads_grid(u, R, C)
        else:
            program = FORWARD[name](P)
        causal = name in ("ring", "all-gather") and rnd.random() < 0.5
        layout = rnd.choice(["contiguous", "striped"] + ["zigzag"] * (name != "ring"))
        problem = SharedProblem(
            rnd.randint(2 * P, 5 * P), 2, P, heads, kv_heads, causal=causal, layout=layout
        )
        found = play(written_out(program, problem))
        expected = play(distributed_schedule(name).exchange(problem, shape))
        for count in ("received", "sent", "rounds", "messages", "h_sum", "memory", "pairs", "work_sum"):
            assert getattr(found, count) == getattr(expected, count), f"{count}: {name}, {problem}"


def test_what_a_mask_does_not_serve_is_refused() -> None:
    problem = SharedProblem(8, 2, 4, causal=True)
    with pytest.raises(InvalidInput, match="partial sums"):
        written_out(pass_q(4), problem)
    with pytest.raises(InvalidInput, match="needed or all"):
        written_out(ring(4), problem, "some")
    with pytest.raises(InvalidInput, match="devices"):
        written_out(ring(3), problem)
