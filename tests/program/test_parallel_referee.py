"""The referee of exchanges: what it refuses; test_elementary.py has its counts."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from pebble.common.errors import InvalidInput, Violation
from pebble.program.parallel import (
    LAYOUTS,
    Exchange,
    Receive,
    SharedProblem,
    Superstep,
    Work,
    distributed_schedule,
    distributed_schedules,
    play,
)

Shape = tuple[int, ...]


def some(quick: int, slow: int) -> list[Any]:
    """Seeds: the first ones quick, the others for the long run."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, slow))]


def small_exchanges(seed: int, *pass_on: str) -> list[Exchange]:
    """Exchanges of all schedules that serve a random small problem."""
    chance = random.Random(seed)
    P, kv_heads = chance.choice((2, 3, 4, 6)), chance.choice((1, 2))
    problem = SharedProblem(
        chance.randint(2 * P, 3 * P),
        chance.randint(1, 3),
        P,
        kv_heads * chance.choice((1, 2, 3)),
        kv_heads,
        causal=chance.random() < 0.6,
        pass_name=chance.choice(("forward", "backward")),
        layout=chance.choice(LAYOUTS),
    )
    found = []
    for schedule in distributed_schedules(problem.pass_name):
        try:
            shape = chance.choice(schedule.shapes(problem))
        except InvalidInput:
            continue
        found.append(schedule.exchange(problem, shape, chance.choice(pass_on)))
    return found


def mutants(exchange: Exchange, chance: random.Random) -> list[Exchange]:
    """The exchange with one entry of one move left out, or there twice."""
    found = []
    for number, step in enumerate(exchange.supersteps):
        for kind in ("work", "finish", "receives", "discards"):
            for place, move in enumerate(getattr(step, kind)):
                entry = chance.randrange(len(move.device)) if len(move.device) else None
                if entry is None:
                    continue
                for chosen in (_without(len(move.device), entry), _twice(len(move.device), entry)):
                    columns = {
                        field.name: getattr(move, field.name)[chosen]
                        for field in fields(move)
                        if isinstance(getattr(move, field.name), np.ndarray)
                    }
                    steps = list(exchange.supersteps)
                    moves = list(getattr(step, kind))
                    moves[place] = replace(move, **columns)
                    steps[number] = replace(step, **{kind: moves})
                    if kind in ("work", "receives") or len(chosen) > len(move.device):
                        found.append(Exchange(exchange.problem, exchange.blocks, steps))
    return found


def _without(count: int, entry: int) -> np.ndarray:
    return np.delete(np.arange(count), entry)


def _twice(count: int, entry: int) -> np.ndarray:
    return np.append(np.arange(count), entry)


@pytest.mark.parametrize("seed", some(2, 30))
def test_a_move_left_out_or_doubled_is_refused(seed: int) -> None:
    chance = random.Random(seed)
    tried = 0
    for exchange in small_exchanges(seed, "needed"):  # sums without a term may be left out
        for mutant in mutants(exchange, chance):
            if _idle(mutant, exchange):
                continue
            with pytest.raises(Violation):
                play(mutant)
            tried += 1
    assert tried > 5


def _idle(mutant: Exchange, exchange: Exchange) -> bool:
    """Whether the change is only in work on pairs that the mask forbids, which may be left out or doubled."""
    words = [sorted(map(repr, (m for m in e.moves() if m[1] != "begin"))) for e in (mutant, exchange)]
    return words[0] == words[1]


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def refused(rule: str, exchange: Exchange) -> str:
    with pytest.raises(Violation) as caught:
        play(exchange)
    assert caught.value.rule == rule
    return str(caught.value)


def test_refusals_say_what_is_wrong() -> None:
    p = SharedProblem(4, 1, 2)
    both, none = numbers(0, 1), numbers(0, 0)
    own = Work(both, none, both[:, None], both[:, None])
    swap = Receive(("K", "V"), both, both[::-1], both[::-1], none)
    other = Work(both, none, both[:, None], both[::-1, None])
    play(Exchange(p, 1, [Superstep(work=[own], receives=[swap]), Superstep(work=[other])]))

    text = refused("work-needs-held", Exchange(p, 1, [Superstep(work=[own, other])]))
    assert text == "superstep 0: device 0 works with K, V of tile 1, which it does not hold"
    text = refused("term-left-out", Exchange(p, 1, [Superstep(work=[own])]))
    assert text == "device 0 has an incomplete U and l: U, l of tile 0"
    twice = Superstep(work=[own, own])
    assert "term that is in the sum already" in refused("term-counted-twice", Exchange(p, 1, [twice]))
    lost = Receive(("K", "V"), numbers(0), numbers(1), numbers(0), numbers(0))
    text = refused("receive-needs-held", Exchange(p, 1, [Superstep(receives=[lost])]))
    assert text == "superstep 0: device 1 is asked for what it does not hold: K, V of tile 0"
    alone = Receive(("K", "V"), numbers(0), numbers(0), numbers(0), numbers(0))
    refused("receive-from-itself", Exchange(p, 1, [Superstep(receives=[alone])]))
    refused("already-held", Exchange(p, 1, [Superstep(receives=[swap]), Superstep(receives=[swap])]))
    with pytest.raises(InvalidInput, match="do not travel together"):
        play(Exchange(p, 1, [Superstep(receives=[Receive(("K",), both, both[::-1], both[::-1], none)])]))


def test_a_partial_sum_that_is_sent_twice_is_counted_twice() -> None:
    exchange = distributed_schedule("pass-q").exchange(SharedProblem(6, 2, 3))
    back = exchange.supersteps[1].receives[0]
    again = Superstep(receives=[back])
    exchange.supersteps[1].discards.clear()
    refused("term-counted-twice", Exchange(exchange.problem, 1, [*exchange.supersteps[:2], again]))


def test_the_length_does_not_matter_until_pairs_do_not_fit() -> None:
    schedule = distributed_schedule("grid")
    traffic = play(schedule.exchange(SharedProblem(2**30, 128, 16, 32, 8), (4, 4)))
    assert sum(traffic.pairs) == 32 * 2**60
    with pytest.raises(InvalidInput, match="too long to count"):
        play(schedule.exchange(SharedProblem(2**32, 1, 4), (2, 2)))
