"""The referee of exchanges: what it refuses, and its counts against ones made with sets, move by move."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import fields, replace
from itertools import groupby
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


class Sets:
    """The same game with sets of words: (array, tile, block) on each device, and a set of terms for each sum."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange, self.problem = exchange, exchange.problem
        self.layout = self.problem.tiling
        self.held: dict[int, dict[tuple[Any, ...], set[Any]]] = defaultdict(dict)
        self.rows = {arrays.names: arrays for arrays in (self.problem.queries, self.problem.keys)}
        self.sums = {arrays.names: arrays for arrays in self.problem.sums}
        for names, arrays in self.rows.items():
            for tile, owner in enumerate(self.layout.owner.tolist()):
                for block in range(exchange.blocks_of(arrays.side)):
                    self.held[owner][names, tile, block] = set()
        self.received = [0] * self.problem.P
        self.h_sum = self.rounds = 0
        self.links: dict[tuple[int, int], int] = defaultdict(int)
        self.messages: dict[tuple[str, int], int] = defaultdict(int)
        self.peak = [self.memory(device) for device in range(self.problem.P)]

    def words(self, names: tuple[str, ...], tile: int) -> int:
        known = {**self.rows, **self.sums}
        side = known[names].side if names in known else "query"
        row = known[names].words if names in known else self.problem.width
        return int(self.layout.sizes[tile]) * row * self.exchange.heads_of(side)

    def memory(self, device: int) -> int:
        return sum(self.words(names, tile) for names, tile, _ in self.held[device])

    def absorb(self, kind: str, move: dict[str, int]) -> None:
        device, block = move["device"], move["block"]
        key_block = block * self.exchange.key_blocks // self.exchange.blocks
        terms = {"query": (move["key"], 0), "key": (move["query"], block)}
        for names, arrays in self.sums.items():
            tile, at = (move["query"], block) if arrays.side == "query" else (move["key"], key_block)
            rows = self.problem.queries if arrays.side == "query" else self.problem.keys
            if kind == "work":
                assert (rows.names, tile, at) in self.held[device]
            if (rows.names, tile, at) in self.held[device]:
                absorbed = self.held[device].setdefault((names, tile, at), set())
                if kind == "work":
                    assert terms[arrays.side] not in absorbed
                    absorbed.add(terms[arrays.side])

    def play(self) -> Sets:
        for _, group in groupby(self.exchange.moves(), key=lambda move: move[0]):
            moves = [(kind, move) for _, kind, move in group]
            for kind, move in moves:
                if kind in ("work", "begin"):
                    self.absorb(kind, move)
            self.note([0] * self.problem.P)
            for kind, move in moves:
                if kind == "finish":
                    at = move["tile"], move["block"]
                    self.held[move["device"]][("O",), *at] = self.held[move["device"]].pop((("U", "l"), *at))
            self.exchange_words(moves)
        return self

    def note(self, more: list[int]) -> None:
        self.peak = [max(peak, self.memory(device) + more[device]) for device, peak in enumerate(self.peak)]

    def exchange_words(self, moves: list[tuple[str, dict[str, Any]]]) -> None:
        receives = [move for kind, move in moves if kind == "receive"]
        fetched = {(m["source"], m["arrays"], m["tile"], m["block"]) for m in receives}
        copies = [set(self.held[m["source"]][m["arrays"], m["tile"], m["block"]]) for m in receives]
        received, sent = [0] * self.problem.P, [0] * self.problem.P
        for move in receives:
            received[move["device"]] += self.words(move["arrays"], move["tile"])
            sent[move["source"]] += self.words(move["arrays"], move["tile"])
        for move in receives:
            self.links[move["source"], move["device"]] += self.words(move["arrays"], move["tile"])
        for source, device in {(move["source"], move["device"]) for move in receives}:
            self.messages["sent", source] += 1
            self.messages["received", device] += 1
        discards = [
            (m["device"], m["arrays"], m["tile"], m["block"]) for kind, m in moves if kind == "discard"
        ]
        for device, *what in (entry for entry in discards if entry not in fetched):
            del self.held[device][tuple(what)]
        self.note(received)
        for device, *what in (entry for entry in discards if entry in fetched):
            del self.held[device][tuple(what)]
        for move, copy in zip(receives, copies, strict=True):
            self.held[move["device"]].setdefault((move["arrays"], move["tile"], move["block"]), set()).update(
                copy
            )
        self.received = [a + b for a, b in zip(self.received, received, strict=True)]
        self.h_sum += max(map(max, zip(received, sent, strict=True)))
        self.rounds += bool(receives)


@pytest.mark.parametrize("seed", some(6, 60))
def test_counts_are_those_of_a_game_with_sets(seed: int) -> None:
    for exchange in small_exchanges(seed, "needed", "all"):
        traffic, sets = play(exchange), Sets(exchange).play()
        assert traffic.received == tuple(sets.received)
        assert traffic.memory == tuple(sets.peak)
        assert (traffic.rounds, traffic.h_sum) == (sets.rounds, sets.h_sum)
        assert traffic.link_max == max(sets.links.values(), default=0)
        assert max(traffic.messages) == max(sets.messages.values(), default=0)


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
