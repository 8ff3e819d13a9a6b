"""The exact optimum against searches that share nothing with it, and against itself under changed conditions."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pebble.common.clock import TimeUp, limited_to
from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph import compulsory
from pebble.solvers.optimum import optimal
from pebble.solvers.optimum.best_first import prove
from pebble.solvers.optimum.bit_game import make_bit_game
from pebble.solvers.optimum.requirements import RequirementSpace
from tests.solvers.small_dags import ALL_RULES, check_witness, least, random_dag

GOLDEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "optima.json").read_text(encoding="utf-8")
)["optima"]


State = tuple[int, int, int]


def single_moves(dag: Dag, M: int, rules: Rules) -> tuple[int | None, int]:
    """Least I/O, and how many states (red, blue, computed) can be reached, by breadth-first search of all moves."""
    rows = [[int(p) for p in dag.predecessors_of(v)] for v in range(dag.n_vertices)]
    need = [sum(1 << p for p in row) for row in rows]
    wanted = sum(1 << int(v) for v in dag.outputs)
    start = (0, sum(1 << int(v) for v in dag.inputs), 0)
    distance, queue, done = {start: 0}, deque([start]), set[State]()
    best: int | None = None
    while queue:
        state = queue.popleft()
        if state in done:
            continue
        done.add(state)
        if best is None and not wanted & ~state[1]:
            best = distance[state]
        for after, price in _moves(state, need, rows, M, rules):
            total = distance[state] + price
            if total < distance.get(after, 10**9):
                distance[after] = total
                (queue.append if price else queue.appendleft)(after)
    return best, len(done)


def _moves(
    state: State, need: list[int], rows: list[list[int]], M: int, rules: Rules
) -> Iterator[tuple[State, int]]:
    red, blue, computed = state
    room = red.bit_count() < M
    for v, before in enumerate(need):
        bit = 1 << v
        if red & bit:
            yield (red ^ bit, blue, computed), 0
            yield (red, blue | bit, computed), 1
            continue
        if blue & bit and room:
            yield (red | bit, blue, computed), 1
        if not before or before & ~red or (computed & bit and not rules.recomputation):
            continue
        once = 0 if rules.recomputation else computed | bit
        if room:
            yield (red | bit, blue, once), 0
        if rules.sliding:
            for u in rows[v]:
                yield (red ^ 1 << u | bit, blue, once), 0


@pytest.mark.many(12)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_random_dags(seed: int, rules: Rules) -> None:
    rng = np.random.default_rng(seed)
    for n in (4, 5, 6):
        dag = random_dag(rng, n)
        for M in range(least(dag, rules), n + 1):
            expected, _ = single_moves(dag, M, rules)
            best = optimal(dag, M, rules)
            assert (best.io, best.lower, best.proved) == (expected, expected, True), (M, dag)
            check_witness(dag, M, rules, best)


@pytest.mark.many(12)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_larger_random_dags_at_small_M(seed: int, rules: Rules) -> None:
    rng = np.random.default_rng(1000 + seed)
    dag = random_dag(rng, 7 + seed % 2 * rules.recomputation)
    M = least(dag, rules)
    best = optimal(dag, M, rules)
    assert best.io == single_moves(dag, M, rules)[0]
    check_witness(dag, M, rules, best)


def test_an_input_whose_last_use_is_near_keeps_its_word() -> None:
    """To take the place of an input costs more here than to load it again."""
    edges = [(8, 0), (9, 0), (5, 1), (4, 1), (5, 2), (9, 2), (5, 3), (1, 3), (9, 5), (8, 5), (9, 6), (8, 6)]
    dag, rules = Dag.from_edges([*edges, (6, 7), (2, 7)]), Rules(recomputation=False)
    assert optimal(dag, 3, rules).io == single_moves(dag, 3, rules)[0] == 9


QUICK = [line if line["states"] < 1500 else pytest.param(line, marks=pytest.mark.slow) for line in GOLDEN]


@pytest.mark.many(40)
@pytest.mark.parametrize("line", QUICK, ids=lambda line: f"{line['dag']}-{line['M']}")
def test_golden(line: dict[str, Any]) -> None:
    dag, M = load_dag(line["dag"]), line["M"]
    rules = Rules(recomputation=line["recomputation"], sliding=line["sliding"])
    best = optimal(dag, M, rules)
    assert (best.io, best.proved) == (line["io"], True)
    check_witness(dag, M, rules, best)
    if line.get("reachable", 10**9) <= 1500:
        assert single_moves(dag, M, rules) == (line["io"], line["reachable"])


# -- corners of the game


def test_a_stored_value_may_be_computed_again_and_still_be_loaded_later() -> None:
    """Here the copy in slow memory must be remembered while the value is computed once more: 10 without that."""
    edges = [(1, 2), (0, 2), (0, 3), (1, 3), (3, 4), (1, 4), (2, 5), (4, 5), (5, 6), (0, 6), (6, 7), (1, 7)]
    dag = Dag.from_edges([*edges, (4, 8), (5, 8), (8, 9), (4, 9)])
    best = optimal(dag, 3)
    assert (best.io, best.proved) == (9, True)
    check_witness(dag, 3, Rules(), best)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_least_M_succeeds_and_one_less_is_refused(rules: Rules) -> None:
    dag = load_dag("fma-matmul:1,2,2")
    M = dag.least_M(sliding=rules.sliding)
    assert optimal(dag, M, rules).proved
    with pytest.raises(CacheTooSmall) as caught:
        optimal(dag, M - 1, rules)
    assert caught.value.least_M == M


@pytest.mark.parametrize(
    ("name", "M", "options", "words"),
    [
        *(("fft:2", M, {}, "M must be a positive whole number") for M in (0, -1, True, 2.5)),
        ("fft:16", 5, {}, "at most 64"),
        ("fft:2", 5, {"time_limit": 0}, "time limit"),
    ],
)
def test_what_is_refused(name: str, M: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        optimal(load_dag(name), M, **options)


# -- interruption and progress


def test_a_time_limit_leaves_a_valid_pebbling_and_a_valid_bound() -> None:
    dag = load_dag("fft:8")
    best = optimal(dag, 4, time_limit=1e-6)
    assert not best.proved
    assert 16 <= best.lower < best.io
    assert best.lower <= 36  # a pebbling of 36 is known
    check_witness(dag, 4, Rules(), best)


def test_an_interrupted_search_never_claims_too_much() -> None:
    """Stop at every wave of a search; the bound so far must not pass the optimum."""
    dag = load_dag("fma-matmul:2,2,2")
    space = RequirementSpace(make_bit_game(dag, 4, Rules()))
    truth = prove([space])
    lowers: list[int] = []
    prove([space], progress=lambda lower, _: lowers.append(lower))
    assert lowers == sorted(lowers)
    assert lowers[-1] == truth.lower
    stopped = prove([space], most_states=1)
    assert not stopped.exact
    assert stopped.lower <= truth.lower
    with limited_to(0.0), pytest.raises(TimeUp):
        prove([space])


@pytest.mark.slow
def test_a_search_ends_at_its_number_of_states() -> None:
    """Only the states decide, whatever the clock says."""
    dag = load_dag("fft:8")
    one, other = (optimal(dag, 4, most_states=300) for _ in range(2))
    assert not one.proved
    assert 300 <= one.states == other.states
    assert (one.lower, one.io) == (other.lower, other.io)
    check_witness(dag, 4, Rules(), one)


@pytest.mark.slow
def test_much_symmetry_does_not_keep_a_search_in_one_place() -> None:
    """What a few states of this tree lead to takes a minute to be told apart; the others have their turns meanwhile."""
    best = optimal(load_dag("tree:5"), 3)
    assert (best.io, best.proved) == (63, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fft:8", "fma-matmul:2,2,2"])
@pytest.mark.parametrize("after", [1, 30])
def test_an_interruption_gives_the_best_so_far(name: str, after: int) -> None:
    dag, calls = load_dag(name), count(1)

    def interrupt(lower: int, states: int) -> None:
        if next(calls) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        optimal(dag, 4, progress=interrupt)
    calls = count(1)
    best = optimal(dag, 4, progress=interrupt, stoppable=True)
    assert best.interrupted
    assert not best.proved
    assert best.to_dict()["interrupted"] is True
    assert compulsory(dag, 4).least_io <= best.lower < best.io
    check_witness(dag, 4, Rules(), best)
