"""Automatic schedules: legal, complete, counted right, and better than what is known for six graphs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pebble.cli.dag import schedule as command
from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.load import load_dag
from pebble.game.game import Game
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import EVICTIONS, ORDERS, schedule_dag
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.optimum import optimal
from tests.support.amounts import examples
from tests.support.random_dags import dags

DATA = Path(__file__).parents[1] / "data"

# graph, M, I/O of a C++ scheduler, of Belady in construction order, and of a mapper that is told the structure
TARGETS = [("matmul8", 16, 1222, 600, 448), ("fft6", 16, 302, 771, None), ("attn8x4", 32, 800, 428, None)]


def graph_file(name: str) -> Dag:
    rows = np.loadtxt(DATA / f"{name}.txt", dtype=np.int64)
    return Dag.from_edges(rows[1:], int(rows[0, 0]))


# -- every order and every eviction


@pytest.mark.parametrize("eviction", EVICTIONS)
@pytest.mark.parametrize("order", ORDERS)
@examples(6, 12)
@given(dag=dags(), room=st.integers(0, 3), seed=st.integers(0, 3))
def test_every_order_and_eviction_is_legal(order: str, eviction: str, dag: Dag, room: int, seed: int) -> None:
    M = dag.least_M() + room
    found = schedule_dag(dag, M, order, eviction, seed)
    game = Game(dag, M, Rules(recomputation=False))
    for chunk in found.moves():
        for move in chunk:
            game.push(move)
    status = game.status()
    assert status.complete
    assert (status.reads, status.writes, status.peak) == (found.reads, found.writes, found.peak)
    assert found.io == found.reads + found.writes
    assert found.peak <= M
    assert status.redundant == 0
    assert status.computes == len(found.compute_order) == len(NeededGraph(dag).todo)


@examples(15, 60)
@given(dag=dags(max_vertices=30), room=st.integers(0, 4), data=st.data())
def test_larger_dags_are_legal_and_nothing_is_stored_in_vain(
    dag: Dag, room: int, data: st.DataObject
) -> None:
    M = dag.least_M() + room
    found = schedule_dag(
        dag, M, data.draw(st.sampled_from(sorted(ORDERS))), data.draw(st.sampled_from(sorted(EVICTIONS)))
    )
    stored: list[int] = []
    loaded: set[int] = set()
    for chunk in found.moves():
        stored += chunk.vertex[chunk.op == 1].tolist()
        loaded |= set(chunk.vertex[chunk.op == 0].tolist())
    assert len(stored) == len(set(stored))
    assert not set(stored) & set(dag.inputs.tolist())
    assert set(stored) <= loaded | set(dag.outputs.tolist())


@examples(10, 40)
@given(dag=dags(max_vertices=7), room=st.integers(0, 2))
def test_no_schedule_beats_the_exact_optimum(dag: Dag, room: int) -> None:
    M = dag.least_M() + room
    least = optimal(dag, M, Rules(recomputation=False)).io
    for order in ("given", "depth-first", "greedy", "lattice"):
        for eviction in EVICTIONS:
            assert schedule_dag(dag, M, order, eviction).io >= least


# -- figures


@pytest.mark.slow
@pytest.mark.parametrize(("name", "M", "scheduler", "belady", "told"), TARGETS)
def test_targets(name: str, M: int, scheduler: int, belady: int, told: int | None) -> None:
    dag = graph_file(name)
    assert schedule_dag(dag, M, "given").io == belady
    found = schedule_dag(dag, M)
    assert found.io < min(scheduler, belady)
    assert told is None or found.io < told


@pytest.mark.parametrize("order", ["greedy", "lattice"])
def test_a_tile_of_dot_products_is_square(order: str) -> None:
    """Room for a 3×3 tile: 3×3 tiles of a 3×3×k product load every input once."""
    dag = load_dag("matmul:3,3,6")
    assert schedule_dag(dag, 16, order).io == 2 * 18 + 9


# -- input


def test_order_given_as_a_sequence() -> None:
    dag = Dag.from_edges([("a", "x"), ("x", "y"), ("b", "z")])
    found = schedule_dag(dag, 2, ["z", "x", "y"])
    assert (found.order, found.io) == ("custom", 4)
    for wrong, why in (
        (["x", "y"], "lacks 1 vertex"),
        (["y", "x", "z"], "place 0: y comes before its predecessor x"),
        (["x", "x", "y", "z"], "place 1: x comes a second time"),
        (["a", "x", "y", "z"], "place 0: a is an input"),
    ):
        with pytest.raises(InvalidInput, match=why):
            schedule_dag(dag, 2, wrong)


@examples(15, 30)
@given(dag=dags())
def test_least_M_is_a_threshold(dag: Dag) -> None:
    least = dag.least_M()
    assert schedule_dag(dag, least, "given").peak <= least
    if least > 1:
        with pytest.raises(CacheTooSmall, match=f"the least M is {least}") as caught:
            schedule_dag(dag, least - 1, "given")
        assert caught.value.least_M == least


def test_faulty_arguments() -> None:
    dag = Dag.from_edges([("a", "x")])
    for M in (0, -1, True, 2.0):
        with pytest.raises(InvalidInput, match="positive whole number"):
            schedule_dag(dag, M)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"unknown order 'gredy'; did you mean 'greedy'\?"):
        schedule_dag(dag, 2, "gredy")
    with pytest.raises(InvalidInput, match=r"unknown eviction 'random'\. Known: belady, lru, fifo"):
        schedule_dag(dag, 2, eviction="random")


def test_wide_and_deep_graphs_need_no_recursion() -> None:
    n = 3000
    chain = Dag.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))
    star = Dag.from_edges(np.stack([np.arange(n - 1), np.full(n - 1, n - 1)], axis=1))
    fan = Dag.from_edges(np.stack([np.zeros(n - 1, dtype=np.int64), np.arange(1, n)], axis=1))
    for order in ("given", "depth-first", "breadth-first", "greedy"):
        assert schedule_dag(chain, 2, order).io == 2
        assert schedule_dag(star, n, order).io == n
        assert schedule_dag(fan, 2, order).io == n


def test_the_command_says_and_writes_what_it_found(tmp_path: Path) -> None:
    target = tmp_path / "fft.pebbling"
    arguments = ["fft:8", "-M", "6", "--order", "greedy", "--json", "-o", str(target)]
    document = json.loads(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout)
    assert (document["order"], document["eviction"], document["M"]) == ("greedy", "belady", 6)
    lines = target.read_text().splitlines()
    assert lines[:4] == ["# pebbling 1", "# dag fft:8", "# M 6", "# rules recomputation=no"]
    moved = [sum(line.startswith(word) for line in lines) for word in ("load ", "store ")]
    assert [document["reads"], document["writes"], document["io"]] == [*moved, sum(moved)]
    result = CliRunner().invoke(command, ["fft:8", "-M", "6", "--order", "given"], catch_exceptions=False)
    assert result.stdout.endswith("peak 6 of 6 words; order given, eviction belady\n")
