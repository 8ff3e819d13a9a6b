"""Exchanges of tiles, word by word: the referee of tiles and that of the elementary game count the same."""

from __future__ import annotations

import io
import random

import pytest

from pebble.common.errors import InvalidInput
from pebble.game.processors.game import ProcessorGame
from pebble.lab.parallel.exchange_moves import exchange_moves
from pebble.lab.pebblings import check
from pebble.program.parallel import (
    DistributedSchedule,
    Exchange,
    Shape,
    SharedProblem,
    distributed_schedules,
    play,
)
from pebble.program.parallel.elementary import ExchangeMoves

LAYOUTS = ("contiguous", "zigzag", "striped")
CASES = [(schedule, pass_name) for schedule in distributed_schedules() for pass_name in schedule.passes]


def drawn(
    schedule: DistributedSchedule, pass_name: str, rng: random.Random
) -> tuple[SharedProblem, Shape, str] | None:
    """A small problem, a shape and whether all is passed on; None if the schedule does not apply."""
    P = rng.choice([1, 2, 3, 4, 6])
    N = rng.choice([2 * P, 2 * P + 1, 3 * P])
    heads, kv_heads = (
        rng.choice([(1, 1), (2, 1), (2, 2), (4, 2)]) if pass_name == "forward" and N < 8 else (1, 1)
    )
    N = min(N, 12)
    window, half = rng.randint(2, N), N // 2
    masks = [None, "causal", "causal", f"window:{window}", f"window:{min(window, half)}+sink:1"]
    masks += [
        f"document:causal,{half},{N - half}",
        f"document:2,{N - 2}",
        f"window:1+blocks:size=2,density=0.4,seed={N}",
    ]
    sizes = (N, rng.choice([1, 2]), P, heads, kv_heads)
    try:
        problem = SharedProblem(
            *sizes,
            mask="causal" if schedule.causal_only else rng.choice(masks),
            pass_name=pass_name,
            layout=rng.choice(schedule.layouts),
            dv=rng.choice([None, 1, 2]),
        )
        return problem, rng.choice(schedule.shapes(problem)), rng.choice(["needed", "all"])
    except InvalidInput:
        return None


def played(exchange: Exchange) -> ProcessorGame:
    """Play an exchange move by move."""
    game = ExchangeMoves(exchange).played()
    assert game.complete
    return game


def assert_counts_agree(exchange: Exchange, game: ProcessorGame, pass_on: str) -> None:
    problem, traffic, tally = exchange.problem, play(exchange), game.tally
    assert (tuple(tally.computes_of("P")), tally.work_sum("P")) == (traffic.pairs, traffic.work_sum)
    assert tally.rounds == traffic.rounds
    assert all(a <= b for a, b in zip(tally.counts("messages"), traffic.messages, strict=True))
    words = [*tally.counts("received"), *tally.counts("sent"), tally.link_max, tally.h_sum]
    tiles = [*traffic.received, *traffic.sent, traffic.link_max, traffic.h_sum]
    over = [a - b for a, b in zip(tally.counts("memory_peak"), traffic.memory, strict=True)]
    scores = 2 * (problem.width + 2) + 4
    if problem.mask is None or (problem.layout != "striped" and pass_on == "needed"):
        assert words == tiles
        # Where the mask has no pair, a tile of sums that has begun has no words yet.
        assert all(more <= scores and (more >= 0 or not problem.regular) for more in over)
    else:
        assert all(a <= b for a, b in zip(words, tiles, strict=True)), (
            "rows of a tile without terms are not sent"
        )
        assert all(more <= scores for more in over)


def assert_agree(case: tuple[DistributedSchedule, str], rng: random.Random) -> bool:
    asked = drawn(*case, rng)
    if asked is None:
        return False
    problem, shape, pass_on = asked
    exchange = case[0].exchange(problem, shape, pass_on)
    assert_counts_agree(exchange, played(exchange), pass_on)
    return True


def test_both_referees_count_the_same() -> None:
    rng = random.Random(2)
    assert sum(assert_agree(case, rng) for case in CASES[::3]) > len(CASES) // 9


@pytest.mark.slow
def test_both_referees_count_the_same_of_many_exchanges() -> None:
    rng = random.Random(3)
    assert sum(assert_agree(case, rng) for case in CASES for _ in range(8)) > 40


def test_the_file_of_an_exchange_is_legal() -> None:
    stream = io.StringIO()
    written = exchange_moves(SharedProblem(4, 1, 4), "grid", (2, 2)).write(stream)
    found = check(io.StringIO(stream.getvalue()))
    assert found.complete
    assert found.moves == written


def test_what_cannot_be_written() -> None:
    with pytest.raises(InvalidInput, match="limit for a file is 20,000,000"):
        exchange_moves(SharedProblem(4096, 64, 4), "ring")
    with pytest.raises(InvalidInput, match="for one head"):
        exchange_moves(SharedProblem(4, 1, 2, heads=2, kv_heads=2, pass_name="backward"), "ring")
