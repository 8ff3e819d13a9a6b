"""Lower bounds of any DAG: below exact optima and pebblings, and refused where they are not proved."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import numpy as np
import pytest
from click.testing import CliRunner

from pebble.cli.dag import bounds as command
from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.graph.statistics import compulsory_io
from pebble.lower_bounds.graph import convex_min_cut, dag_bounds, family_bounds, hong_kung, spectral
from pebble.lower_bounds.graph.min_cut import _least_cut, _weight, _weights
from pebble.lower_bounds.graph.needed_part import needed_part
from pebble.lower_bounds.graph.spectral import smallest_eigenvalues
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.optimum import optimal
from tests.lower_bounds.graph.sums_of_random_values import products_with_holes, sums_of_random_values
from tests.lower_bounds.nests.small_nests import TEXTS, small_kernel
from tests.solvers.small_dags import ALL_RULES, random_dag

ONCE = Rules(recomputation=False)


def grown(rng: random.Random, most: int) -> Dag:
    """One or two inputs and some vertices with two predecessors each: little is compulsory."""
    sources, n = rng.randint(1, 2), rng.randint(most + 2, most + 5)
    edges = [(p, v) for v in range(sources, n) for p in rng.sample(range(v), min(2, v))]
    return Dag.from_edges(edges, n_vertices=n)


def layers(rng: random.Random, most: int) -> Dag:
    """Each vertex reads two of the layer before."""
    edges = [
        (p + most * layer, v + most * (layer + 1))
        for layer in range(3)
        for v in range(most)
        for p in rng.sample(range(most), 2)
    ]
    return Dag.from_edges(edges, 4 * most)


MAKERS: dict[str, Callable[[random.Random, int], Dag]] = {
    "any": lambda rng, most: random_dag(np.random.default_rng(rng.getrandbits(32)), most + 4),
    "grown": grown,
    "layers": layers,
    "sums": sums_of_random_values,
    "products": products_with_holes,
}


def check(dag: Dag, rng: random.Random, most_exact: int) -> bool:
    """Hold all bounds to what can be done with two memories; return whether some say more than what must pass."""
    above = False
    for M in (dag.least_M(), dag.least_M() + rng.randint(1, 6)):
        rules = rng.choice(ALL_RULES)
        found = dag_bounds(dag, M, rules)
        least = schedule_dag(dag, M, order="greedy").io
        if dag.n_vertices <= most_exact:
            least = optimal(dag, M, rules, most_states=20_000).io
        values = {bound.name: bound.value for bound in found}
        assert values["compulsory"] == sum(compulsory_io(dag))
        assert values.get("nest compulsory", values["compulsory"]) == values["compulsory"]
        for bound in found:
            assert bound.value <= least, (M, rules, bound)
            assert bound.holds_under(rules)
        above |= found.best.name not in ("compulsory", "nest compulsory")
    return above


@pytest.mark.parametrize("make", MAKERS)
def test_no_bound_is_above_an_optimum_or_a_pebbling(make: str) -> None:
    for seed in range(2):
        rng = random.Random(seed)
        check(MAKERS[make](rng, 2 + seed), rng, 6)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(100, 108), range(108, 116)], ids=str)
@pytest.mark.parametrize("make", MAKERS)
def test_no_bound_is_above_many_optima_and_pebblings(make: str, seeds: range) -> None:
    above = 0
    for seed in seeds:
        rng = random.Random(seed)
        above += check(MAKERS[make](rng, 2 + seed % 5), rng, 16 if seed % 2 else 0)
    assert above or make != "products"


@pytest.mark.many(3)
@pytest.mark.parametrize("most", [2, 3, 4])
@pytest.mark.parametrize("text", TEXTS)
def test_no_bound_of_a_loop_nest_is_above_a_pebbling(text: str, most: int) -> None:
    rng = random.Random(f"{text} {most}")
    dag = small_kernel(rng, text, most)
    if dag is not None:
        check(dag, rng, 12 if most < 4 else 0)


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("name", "most_exact"),
    [
        *((name, 12) for name in ("fft:4", "pyramid:3", "diamond:3,4", "hypercube:3", "matmul:2,2,1")),
        *((name, 12) for name in ("fma-matmul:1,2,2", "attention:N=1,d=2")),
        *((name, 0) for name in ("diamond:14,14", "pyramid:16", "fft:32", "hypercube:6")),
    ],
)
def test_no_bound_is_above_what_a_classic_takes(name: str, most_exact: int) -> None:
    check(load_dag(name), random.Random(name), most_exact)


@pytest.mark.parametrize("seed", range(12))
def test_least_cut_is_the_least_over_all_closed_sets(seed: int) -> None:
    part = needed_part(random_dag(np.random.default_rng(seed), 9))
    computed = [int(v) for v in part.computed]
    closed = []
    for mask in range(1 << len(computed)):
        done = np.array(
            [bool(mask >> computed.index(v) & 1) if v in computed else False for v in range(part.n)]
        )
        if all(done[p] or part.is_input[p] for v in np.flatnonzero(done) for p in part.predecessors[v]):
            closed.append(done)
    for v in computed:
        after, stack = {v}, [v]
        while stack:
            new = [w for w in part.successors[stack.pop()] if w not in after]
            after.update(new)
            stack += new
        feasible = [done for done in closed if done[v] and not any(done[w] for w in after - {v})]
        for side in ("io", "words"):
            weights = _weights(part, side)
            least = min(_weight(part, weights, done) for done in feasible)
            for library in ("scipy", "networkx"):
                if library == "scipy":
                    pytest.importorskip("scipy")
                assert _least_cut(part, weights, v, library) == least


@pytest.mark.parametrize("seed", range(10))
def test_spectral_inequality_on_random_orders(seed: int) -> None:
    """Any order cut into k runs: words loaded again or stored are at least floor(n/k) (λ_1 + ... + λ_k)."""
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 30)
    part = needed_part(dag)
    charged = part.is_input | part.is_output
    weights = np.where(charged[part.tails], 0.5, 1.0) / part.outdegree[part.tails]
    values = smallest_eigenvalues(part, weights, 6)
    run = np.arange(part.n)
    for k in range(1, len(values) + 1):
        of = run * k // part.n
        entering = {
            (int(t), int(of[h])) for t, h in zip(part.tails, part.heads, strict=True) if of[t] != of[h]
        }
        leaving = {t for t, _ in entering}
        stored = {t for t in leaving if not charged[t]}
        assert len(entering) + len(stored) >= part.n // k * sum(values[:k])


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    dag = load_dag("diamond:8,8")
    with_it = [(b.name, b.value) for b in dag_bounds(dag, 3, ONCE)]
    monkeypatch.setattr("pebble.lower_bounds.graph.needed_part.has_scipy", lambda: False)
    assert [(b.name, b.value) for b in dag_bounds(dag, 3, ONCE)] == with_it


def test_eigenvalues_of_a_hypercube_in_their_multiplicity() -> None:
    """0, then 2 seven times, then 4; they are rounded down."""
    part = needed_part(load_dag("hypercube:7"))
    found = smallest_eigenvalues(part, np.ones(len(part.tails)), 10)
    exact = [0, *[2] * 7, 4, 4]
    assert all(value - 1e-9 <= bound <= value for bound, value in zip(found, exact, strict=True))


def test_too_many_vertices_have_no_spectral_bound() -> None:
    with pytest.raises(BoundDoesNotApply, match="the limit is 2,000"):
        spectral(load_dag("fft:512"), 16, ONCE)


@pytest.mark.parametrize("rules", [Rules(), Rules(sliding=True)])
def test_bounds_that_need_no_recomputation_refuse_it(rules: Rules) -> None:
    dag = load_dag("diamond:4,4")
    for bound in (convex_min_cut, spectral):
        with pytest.raises(BoundDoesNotApply, match="Rules\\(recomputation=False\\)"):
            bound(dag, 3, rules)
    assert {"convex min-cut", "spectral, above compulsory"} <= set(dag_bounds(dag, 3, rules).refused)
    assert [
        bound.name for bound in dag_bounds(dag, 3, rules) if "recomputation forbidden" in bound.rules
    ] == []


def test_family_bounds_are_for_the_very_dag_of_the_name() -> None:
    dag = load_dag("fft:64")
    assert family_bounds(dag, 8, Rules())[0].value == 133
    edges = [(int(p), v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v)]
    other = Dag.from_edges(edges[:-1], description="fft:64")
    moved = [(edges[0][0] + 1 + (edges[1][0] == edges[0][0] + 1), edges[0][1]), *edges[1:]]
    same_size = Dag.from_edges(moved, description="fft:64")
    for wrong in (other, same_size, Dag.from_edges(edges), Dag.from_edges([(0, 1)], description="fft:x")):
        with pytest.raises(BoundDoesNotApply, match="a DAG given by name"):
            family_bounds(wrong, 8, Rules())
    with pytest.raises(BoundDoesNotApply, match="more for fft:2"):
        family_bounds(load_dag("fft:2"), 3, Rules(sliding=True))


def test_partition_bound_is_monotone_in_the_rules_and_exact_where_it_can_be() -> None:
    dag = load_dag("diamond:3,3")
    assert hong_kung(dag, 3, ONCE, 1).value >= hong_kung(dag, 3, Rules(), 1).value
    chain = Dag.from_edges([(0, 1), (1, 2)])
    assert hong_kung(chain, 2, Rules(), 1).value == 1
    assert hong_kung(Dag.from_edges([(v, 9) for v in range(9)]), 10, Rules(), 3).value == 1 + 3
    with pytest.raises(BoundDoesNotApply, match="tiny"):
        hong_kung(load_dag("fft:64"), 4, Rules())
    with pytest.raises(BoundDoesNotApply, match="no pebbling exists"):
        hong_kung(Dag.from_edges([(v, 9) for v in range(9)]), 3, ONCE, 2)


def test_faulty_arguments() -> None:
    dag = load_dag("diamond:3,3")
    for M in (0, -1, 2.5, True):
        with pytest.raises(InvalidInput):
            dag_bounds(dag, M)  # type: ignore[arg-type]
    for what in ({"sample": 0}, {"eigenvalues": 0}):
        with pytest.raises(InvalidInput):
            dag_bounds(dag, 3, ONCE, **what)
    with pytest.raises(InvalidInput):
        hong_kung(dag, 3, ONCE, 0)


def test_a_sample_is_below_the_whole_and_repeatable() -> None:
    dag = load_dag("layered:6,16,3")
    whole = convex_min_cut(dag, 6, ONCE).value
    some = [convex_min_cut(dag, 6, ONCE, sample=3, seed=seed).value for seed in (1, 1, 2)]
    assert some[0] == some[1] <= whole == 52
    assert some[2] <= whole
    assert convex_min_cut(dag, 6, ONCE, vertices=["x[3,15]"]).value == whole


def test_the_command_prints_one_document() -> None:
    done = CliRunner().invoke(command, ["diamond:8,8", "-M", "3", "--no-recomputation", "--json"])
    document = json.loads(done.output)
    assert document["schema_version"] == 1
    first = document["bounds"][0]
    assert (first["name"], first["value"], first["proved"]) == ("forced loads", 44, True)
    assert set(first) >= {"rules", "source", "note"}
    text = CliRunner().invoke(command, ["diamond:8,8", "-M", "2"]).output
    assert "no pebbling exists with 2 words; the least M is 3" in text
    assert "not used: convex min-cut" in text
