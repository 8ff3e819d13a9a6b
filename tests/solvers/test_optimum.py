"""The exact optimum against searches that share nothing with it, and against itself under changed conditions."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import pebble
from pebble.cli.dag_optimal import command
from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.load import load_dag
from pebble.game.files.check import check_pebbling
from pebble.game.game import Game
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.optimum import optimal, symmetry
from pebble.solvers.optimum.automorphism import stabiliser_chain
from pebble.solvers.optimum.beam import beam
from pebble.solvers.optimum.best_first import prove
from pebble.solvers.optimum.bit_game import make_bit_game
from pebble.solvers.optimum.bits import Words, members
from pebble.solvers.optimum.search_space import SearchSpace
from pebble.solvers.optimum.state_sets import Batch, StateSet
from pebble.solvers.optimum.states import Codec, States
from pebble.solvers.optimum.successors import successors
from pebble.solvers.optimum.witness import moves_along
from tests.lower_bounds.test_bounds_optimum import optimum as placements_optimum

ALL_RULES = [Rules(recomputation=r, sliding=s) for r in (True, False) for s in (False, True)]
GOLDEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "optima.json").read_text(encoding="utf-8")
)["optima"]
QUICK = [line for line in GOLDEN if line["states"] < 1500]
State = tuple[int, int, int]


# -- the reference: every single move, no normal form, no bound


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


def random_dag(rng: np.random.Generator, n: int) -> Dag:
    """One of several kinds of small DAG, its vertices in random order, sometimes with unusual outputs."""
    kind = rng.integers(3)
    if kind == 0:
        density = rng.choice([0.2, 0.35, 0.6])
        edges = [(i, j) for j in range(n) for i in range(j) if rng.random() < density]
    elif kind == 1:
        first = int(rng.integers(2, 4))
        edges = [(int(i), j) for j in range(first, n) for i in rng.choice(j, 2, replace=False)]
    else:
        width = int(rng.integers(2, 4))
        edges = [(i, j) for j in range(width, n) for i in range((j // width - 1) * width, j // width * width)]
        edges = [edge for edge in edges if rng.random() < 0.9]
    order = rng.permutation(n)
    outputs = rng.choice(n, int(rng.integers(1, 3)), replace=False) if rng.random() < 0.3 else None
    moved = np.array([(order[a], order[b]) for a, b in edges], dtype=np.int64).reshape(-1, 2)
    return Dag.from_edges(moved, n_vertices=n, outputs=outputs)


def least(dag: Dag, rules: Rules) -> int:
    return max(1, dag.max_indegree + (not rules.sliding))


def check_witness(dag: Dag, M: int, rules: Rules, best: pebble.Optimum) -> None:
    """Play the pebbling move by move in the elementary game."""
    status = Game(dag, M, rules).play(best.pebbling).status()
    assert status.complete
    assert (status.io, status.reads, status.writes) == (best.io, best.reads, best.writes)
    assert status.peak == best.peak <= M


# -- against the reference


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


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_larger_random_dags_at_small_M(seed: int, rules: Rules) -> None:
    rng = np.random.default_rng(1000 + seed)
    dag = random_dag(rng, 7 + seed % 2 * rules.recomputation)
    M = least(dag, rules)
    best = optimal(dag, M, rules)
    assert best.io == single_moves(dag, M, rules)[0]
    check_witness(dag, M, rules, best)


@pytest.mark.parametrize("line", QUICK, ids=lambda line: f"{line['dag']}-{line['M']}")
def test_golden(line: dict[str, Any]) -> None:
    """The lines that take longer are gone through by tests/bench/bench_optimum.py."""
    dag, M = load_dag(line["dag"]), line["M"]
    rules = Rules(recomputation=line["recomputation"], sliding=line["sliding"])
    best = optimal(dag, M, rules)
    assert (best.io, best.proved) == (line["io"], True)
    check_witness(dag, M, rules, best)
    if line.get("reachable", 10**9) <= 1500:
        assert single_moves(dag, M, rules) == (line["io"], line["reachable"])


def test_every_golden_line_says_how_it_was_established() -> None:
    assert len(GOLDEN) >= 36
    for line in GOLDEN:
        assert line["first"], line
        assert line["second"], line


@pytest.mark.parametrize("M", [4, 5, 6])
def test_attention_against_a_search_over_placements(M: int) -> None:
    dag = load_dag("attention:N=1,d=2")
    rows = [dag.predecessors_of(v).tolist() for v in range(dag.n_vertices)]
    assert optimal(dag, M).io == placements_optimum((rows, dag.outputs.tolist()), M)


# -- pebblings of symmetric DAGs, whose path goes through representatives


def check_path(dag: Dag, M: int, rules: Rules, width: int) -> None:
    """A path of the narrow search can be played, at exactly its cost."""
    space = SearchSpace(make_bit_game(dag, M, rules))
    found = beam(space, width)
    if found is not None:
        status = Game(dag, M, rules).play(moves_along(space, found[1])).status()
        assert status.complete
        assert status.io == found[0] + space.game.stores


@pytest.mark.parametrize("name", ["hypercube:3", "diamond:3,3", "fft:4", "matmul:2,1,2", "stencil:4,2"])
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_pebblings_of_symmetric_dags(name: str, rules: Rules) -> None:
    dag = load_dag(name)
    M = dag.least_M(sliding=rules.sliding)
    best = optimal(dag, M, rules)
    assert best.proved
    assert best.symmetries > 1
    check_witness(dag, M, rules, best)
    hasty = optimal(dag, M, rules, time_limit=1e-6)
    assert hasty.lower <= best.io <= hasty.io
    check_witness(dag, M, rules, hasty)
    for width in (1, 4):
        check_path(dag, M + 2, rules, width)


@pytest.mark.parametrize(
    ("name", "M", "sliding", "width"),
    [
        ("diamond:4,4", 7, False, 1),
        ("diamond:4,4", 6, False, 4),
        ("fft:4", 6, True, 4),
        ("fft:4", 6, True, 16),
    ],
)
def test_successors_of_a_symmetric_state_need_not_be_symmetric(
    name: str, M: int, sliding: bool, width: int
) -> None:
    """The normal form prefers low numbers, so steps have to be made from the representatives of the path."""
    check_path(load_dag(name), M, Rules(sliding=sliding), width)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_any_choice_of_representatives_gives_a_pebbling(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the greatest image of each state represents it; nothing may hang on its being the least."""
    names = ("fft:4", "hypercube:3", "diamond:3,3")
    expected = {name: optimal(load_dag(name), 4, rules).io for name in names}
    least = symmetry._smaller

    def greater(left: Words, right: Words) -> Words:
        return np.where(least(left, right) == left, right, left)

    monkeypatch.setattr(symmetry, "_smaller", greater)
    for name, io in expected.items():
        best = optimal(load_dag(name), 4, rules)
        assert (best.io, best.proved) == (io, True)
        check_witness(load_dag(name), 4, rules, best)


def test_the_automorphism_to_a_representative_takes_the_state_there() -> None:
    for name in ("fft:4", "fft:8", "fma-matmul:2,2,2"):
        space = SearchSpace(make_bit_game(load_dag(name), 5, Rules()))
        rng = np.random.default_rng(9)
        red = np.array(
            [sum(1 << int(v) for v in rng.choice(space.game.red_bits, 4, replace=False))], dtype=np.uint64
        )
        row = space.codec.pack(States(red, np.zeros_like(red), np.zeros_like(red)))
        taken = space.symmetry.taking(row)
        image = sum(1 << taken[v] for v in members(int(red[0])))
        assert int(space.codec.unpack(space.symmetry.least(row)).red[0]) == image


# -- order


@cache
def _some_dags() -> tuple[Dag, ...]:
    rng = np.random.default_rng(7)
    names = ("pyramid:3", "fma-matmul:2,2,2", "fft:4")
    return (*(random_dag(rng, 9) for _ in range(4)), *(load_dag(name) for name in names))


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_more_memory_never_costs_more(rules: Rules) -> None:
    for dag in _some_dags():
        first = least(dag, rules)
        costs = [optimal(dag, M, rules).io for M in range(first, first + 4)]
        assert costs == sorted(costs, reverse=True)


def test_more_freedom_never_costs_more() -> None:
    """And each freedom is worth something on some DAG."""
    gained = {"recomputation": 0, "sliding": 0}
    for dag in (*_some_dags(), load_dag("diamond:3,3"), load_dag("hypercube:3")):
        M = dag.max_indegree + (dag.max_indegree == 2)
        for other in (True, False):
            free, once = (optimal(dag, M, Rules(r, sliding=True)).io for r in (True, False))
            slid, plain = (optimal(dag, M + 1, Rules(other, sliding=s)).io for s in (True, False))
            assert free <= once
            assert slid <= plain
            gained["recomputation"] += once - free
            gained["sliding"] += plain - slid
    assert min(gained.values()) > 0


def test_with_room_for_everything_only_the_compulsory_io_is_left() -> None:
    for dag in _some_dags():
        best = optimal(dag, dag.n_vertices)
        needed = make_bit_game(dag, dag.n_vertices, Rules())
        assert best.io == needed.n_inputs + needed.stores


def test_numbering_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    dag = load_dag("fma-matmul:2,2,2")
    expected = optimal(dag, 4)
    for _ in range(3):
        order = rng.permutation(dag.n_vertices)
        edges = [(order[p], order[v]) for v in range(dag.n_vertices) for p in dag.predecessors_of(v)]
        moved = optimal(Dag.from_edges(np.array(edges)), 4)
        assert (moved.io, moved.symmetries) == (expected.io, expected.symmetries)


# -- corners of the game


def test_a_stored_value_may_be_computed_again_and_still_be_loaded_later() -> None:
    """Here the copy in slow memory must be remembered while the value is computed once more: 10 without that."""
    edges = [(1, 2), (0, 2), (0, 3), (1, 3), (3, 4), (1, 4), (2, 5), (4, 5), (5, 6), (0, 6), (6, 7), (1, 7)]
    dag = Dag.from_edges([*edges, (4, 8), (5, 8), (8, 9), (4, 9)])
    best = optimal(dag, 3)
    assert (best.io, best.proved) == (9, True)
    check_witness(dag, 3, Rules(), best)


def test_an_output_that_is_used_further_is_stored_once() -> None:
    dag = Dag.from_edges([("a", "b"), ("b", "c")], outputs=["b", "c"])
    best = optimal(dag, 2)
    assert (best.io, best.reads, best.writes) == (3, 1, 2)


def test_vertices_that_no_output_needs_cost_nothing() -> None:
    dag = Dag.from_edges([("a", "b"), ("x", "wide"), ("y", "wide"), ("z", "wide")], outputs=["b"])
    assert optimal(dag, 2).io == 2


def test_an_input_as_output_is_there_already() -> None:
    dag = Dag.from_edges([("a", "b")], outputs=["a"])
    best = optimal(dag, 1)
    assert (best.io, best.proved, len(best.pebbling)) == (0, True, 0)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_least_M_succeeds_and_one_less_is_refused(rules: Rules) -> None:
    dag = load_dag("fma-matmul:1,2,2")
    M = dag.least_M(sliding=rules.sliding)
    assert optimal(dag, M, rules).proved
    with pytest.raises(CacheTooSmall) as caught:
        optimal(dag, M - 1, rules)
    assert caught.value.least_M == M


@pytest.mark.parametrize("M", [0, -1, True, 2.5])
def test_wrong_M(M: Any) -> None:
    with pytest.raises(InvalidInput, match="M must be a positive whole number"):
        optimal(load_dag("fft:2"), M)


def test_too_large_a_dag_is_refused() -> None:
    with pytest.raises(InvalidInput, match="up to 64"):
        optimal(load_dag("fft:16"), 5)


def test_wrong_time_limit() -> None:
    with pytest.raises(InvalidInput, match="time limit"):
        optimal(load_dag("fft:2"), 5, time_limit=0)


# -- interruption and progress


def test_a_time_limit_leaves_a_valid_pebbling_and_a_valid_bound() -> None:
    dag = load_dag("fft:8")
    begin = time.monotonic()
    best = optimal(dag, 4, time_limit=0.2)
    assert time.monotonic() - begin < 120  # far more than the limit, on any machine
    assert not best.proved
    assert 16 <= best.lower < best.io
    assert best.lower <= 36  # a pebbling of 36 is known
    check_witness(dag, 4, Rules(), best)


def test_an_interrupted_search_never_claims_too_much() -> None:
    """Stop at every wave of a search; the bound so far must not pass the optimum."""
    dag = load_dag("fma-matmul:2,2,2")
    space = SearchSpace(make_bit_game(dag, 4, Rules()))
    truth = prove(space)
    lowers: list[int] = []
    prove(space, progress=lambda lower, _: lowers.append(lower))
    assert lowers == sorted(lowers)
    assert lowers[-1] == truth.lower
    stopped = prove(space, deadline=0.0)
    assert not stopped.exact
    assert stopped.lower <= truth.lower


def test_progress_counts_whole_io() -> None:
    seen: list[tuple[int, int]] = []
    best = optimal(load_dag("pyramid:4"), 3, progress=lambda lower, states: seen.append((lower, states)))
    assert seen
    assert all(6 <= lower <= best.io for lower, _ in seen)
    assert seen[-1][1] <= best.states


def test_a_known_cost_stops_the_search_without_changing_the_answer() -> None:
    space = SearchSpace(make_bit_game(load_dag("fft:4"), 3, Rules()))
    truth = prove(space)
    told = prove(space, upper=truth.lower)
    assert (told.lower, told.exact, told.path) == (truth.lower, True, None)
    assert told.states < truth.states
    assert prove(space, upper=truth.lower + 3).lower == truth.lower


def test_beam_finds_pebblings_that_exist() -> None:
    space = SearchSpace(make_bit_game(load_dag("pyramid:4"), 3, Rules(recomputation=False)))
    found = beam(space, 8)
    assert found is not None
    assert found[0] >= prove(space).lower


# -- parts


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("fft:2", 4),
        ("fft:4", 64),
        ("fft:8", 16384),
        ("fma-matmul:2,2,4", 8),
        ("fma-matmul:2,3,2", 12),
        ("pyramid:3", 2),
    ],
)
def test_number_of_symmetries(name: str, order: int) -> None:
    game = make_bit_game(load_dag(name), 9, Rules())
    levels = stabiliser_chain(game.before, game.after, [0] * game.n)
    assert int(np.prod([len(level) + 1 for level in levels])) == order


def test_symmetries_are_automorphisms() -> None:
    game = make_bit_game(load_dag("fma-matmul:2,2,2"), 4, Rules())
    levels = stabiliser_chain(game.before, game.after, [0] * game.n)
    edges = {(p, v) for v in range(game.n) for p in range(game.n) if game.before[v] >> p & 1}
    for permutation in (p for level in levels for p in level):
        assert {(permutation[p], permutation[v]) for p, v in edges} == edges


def test_outputs_restrict_symmetries() -> None:
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert optimal(Dag.from_edges(edges), 3).symmetries == 2
    assert optimal(Dag.from_edges(edges, outputs=["b", "d"]), 3).symmetries == 1


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_two_words_a_state_give_the_same_answers(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = [optimal(dag, dag.max_indegree + 1, rules) for dag in _some_dags()[3:6]]
    make = Codec.__init__

    def wide(self: Codec, game: Any) -> None:
        make(self, game)
        self.narrow = False

    monkeypatch.setattr(Codec, "__init__", wide)
    for dag, expected in zip(_some_dags()[3:6], narrow, strict=True):
        best = optimal(dag, dag.max_indegree + 1, rules)
        assert (best.io, best.symmetries) == (expected.io, expected.symmetries)


def test_more_than_64_bits() -> None:
    """A pyramid of 55 vertices needs two words a state; with enough memory only the compulsory I/O is left."""
    dag = load_dag("pyramid:9")
    assert not Codec(make_bit_game(dag, 11, Rules())).narrow
    best = optimal(dag, 11)
    assert (best.io, best.proved) == (11, True)


def test_state_set() -> None:
    rng = np.random.default_rng(5)
    known: set[int] = set()
    states = StateSet()
    for _ in range(40):
        rows = rng.integers(0, 500, size=int(rng.integers(1, 60))).astype(np.uint64)
        fresh = states.new_ones(Batch(rows, np.arange(len(rows))).distinct())
        assert set(fresh.rows.tolist()) == set(rows.tolist()) - known
        assert all(rows[i] == row for row, i in zip(fresh.rows, fresh.parent, strict=True))
        states.add(fresh.rows)
        known |= set(rows.tolist())
    assert states.size == len(known)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_the_bound_never_falls_along_a_step(rules: Rules) -> None:
    """On which the search in layers relies; and dearer steps raise it by what they say."""
    for dag in _some_dags()[:6]:
        space = SearchSpace(make_bit_game(dag, dag.max_indegree + 1, rules))
        forms, states = space.forms, space.forms.start()
        for _ in range(4):
            bound = forms.bound(states)
            rows = space.codec.pack(states.take(slice(0)))
            for steps in successors(forms, states):
                after, keep = forms.tidy(steps.states)
                rise = steps.cost + forms.bound(after) - bound[steps.parent]
                assert (rise >= steps.raised)[keep].all()
                rows = np.concatenate([rows, space.codec.pack(after.take(keep))[:50]])
            states = space.codec.unpack(rows[:200])


# -- the command


def run(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def test_command_json() -> None:
    result = run("fft:4", "-M", "3", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["schema_version"] == 1
    assert (document["io"], document["proved"], document["lower"]) == (14, True, 14)
    assert document["states"] > 0
    assert document["rules"] == {"recomputation": True, "sliding": False}


def test_command_rules() -> None:
    found = [
        json.loads(run("fft:4", "-M", "3", *more, "--json").stdout)["io"] for more in ([], ["--sliding"])
    ]
    assert found == [14, 12]
    once = json.loads(run("fft:4", "-M", "3", "--no-recomputation", "--json").stdout)
    assert once["rules"]["recomputation"] is False


def test_command_text_and_file(tmp_path: Path) -> None:
    path = tmp_path / "best.pebbling"
    result = run("pyramid:3", "-M", "4", "--sliding", "-o", str(path))
    assert "proved optimal" in result.stdout
    checked = check_pebbling(str(path), lambda header: load_dag(header.dag_name))
    assert checked.complete
    assert f"{checked.io} I/O" in result.stdout
    assert "# rules sliding=yes" in path.read_text(encoding="utf-8")


def test_command_says_when_it_is_not_proved() -> None:
    result = run("fft:8", "-M", "4", "--time-limit", "0.1")
    assert result.exit_code == 0
    assert "not proved: the optimum is at least" in result.stdout


def test_command_refuses_two_documents_on_standard_output() -> None:
    with pytest.raises(InvalidInput, match="choose one"):
        run("fft:4", "-M", "3", "--json", "-o", "-")
