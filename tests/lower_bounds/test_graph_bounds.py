"""Lower bounds of any DAG: below exact optima, at published figures, refused where they are not proved."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from pebble.cli.dag import bounds as command
from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph import (
    convex_min_cut,
    dag_bounds,
    family_bounds,
    hong_kung,
    spectral,
)
from pebble.lower_bounds.graph.min_cut import _least_cut, _weight, _weights
from pebble.lower_bounds.graph.needed_part import maximum_flow, needed_part
from pebble.lower_bounds.graph.spectral import smallest_eigenvalues
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.optimum import optimal

ONCE = Rules(recomputation=False)
ALL_RULES = [Rules(again, slide) for again, slide in product((True, False), repeat=2)]


def random_dag(rng: np.random.Generator, most: int = 8) -> Dag:
    """A few inputs, each other vertex from one to three before it, sometimes outputs that are no sinks."""
    n = int(rng.integers(3, most + 1))
    sources = int(rng.integers(1, n))
    edges = []
    for v in range(sources, n):
        number = int(rng.integers(1, min(3, v) + 1))
        edges += [(int(p), v) for p in rng.choice(v, size=number, replace=False)]
    outputs = rng.choice(n, size=int(rng.integers(1, n)), replace=False) if rng.random() < 0.4 else None
    return Dag.from_edges(edges, n_vertices=n, outputs=outputs)


def grown_dag(rng: np.random.Generator) -> Dag:
    """One or two inputs and up to eight vertices with two predecessors each: little is compulsory."""
    sources, n = int(rng.integers(1, 3)), int(rng.integers(6, 10))
    edges = [(int(p), v) for v in range(sources, n) for p in rng.choice(v, size=min(2, v), replace=False)]
    return Dag.from_edges(edges, n_vertices=n)


@pytest.mark.many(3)
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
@pytest.mark.parametrize("make", [random_dag, grown_dag])
def test_no_bound_exceeds_the_optimum_of_a_random_dag(
    make: Callable[[np.random.Generator], Dag], rules: Rules
) -> None:
    beyond = 0
    for seed in range(12):
        dag = make(np.random.default_rng(seed))
        for M in range(dag.least_M(sliding=rules.sliding), dag.least_M(sliding=rules.sliding) + 2):
            least = optimal(dag, M, rules).io
            found = dag_bounds(dag, M, rules)
            assert {"compulsory", "Hong-Kung"} <= {bound.name for bound in found}
            for bound in found:
                assert bound.value <= least, (seed, M, bound)
            beyond += found.best.name != "compulsory"
    assert beyond or rules.recomputation or make is random_dag


@pytest.mark.parametrize(
    ("name", "M", "rules", "known"),
    [
        ("fft:4", 3, Rules(), 14),
        ("fft:4", 4, Rules(), 11),
        ("pyramid:3", 3, ONCE, None),
        ("diamond:3,3", 3, ONCE, None),
        ("diamond:3,4", 3, Rules(recomputation=False, sliding=True), None),
        ("hypercube:3", 4, ONCE, None),
        ("matmul:2,2,1", 3, Rules(), None),
        ("fma-matmul:1,2,2", 4, ONCE, None),
        ("attention:N=1,d=2", 4, ONCE, None),
    ],
)
def test_no_bound_exceeds_the_optimum_of_a_classic(
    name: str, M: int, rules: Rules, known: int | None
) -> None:
    dag = load_dag(name)
    least = optimal(dag, M, rules).io
    assert known in (None, least)
    for bound in dag_bounds(dag, M, rules):
        assert bound.value <= least, bound


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


def test_alive_values_of_a_small_case() -> None:
    """Inputs 0, 1; x = 2, y = 3 (an output too), z = 4 from all: just after y, alive are 0, 2 and 3."""
    dag = Dag.from_edges([(0, 2), (0, 3), (0, 4), (1, 3), (2, 4), (3, 4)], outputs=[3, 4])
    part = needed_part(dag)
    fired = np.array([True, True, True, True, False])
    assert _weight(part, _weights(part, "words"), fired) == 3
    assert _weight(part, _weights(part, "io"), fired) == 1 + 2 + 1
    # whatever is computed before y, only 0 and y itself are surely alive
    assert _least_cut(part, _weights(part, "io"), 3) == 2
    assert convex_min_cut(dag, 1, ONCE).value == 2 + 2 + max(2 - 1, 2 - 2, 1 + 2 - 2)


@pytest.mark.parametrize("seed", range(20))
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


def test_a_cut_may_not_hold_a_vertex_without_its_predecessors() -> None:
    """v = f(0) and z = f(v, x) wait; y = f(0, x) would free 0, but takes x = f(1), which then waits for z."""
    part = needed_part(Dag.from_edges([(0, 2), (1, 3), (0, 4), (3, 4), (2, 5), (3, 5)]))
    assert _least_cut(part, _weights(part, "words"), 2) == 2


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


def test_flow_by_both_libraries() -> None:
    pytest.importorskip("scipy")
    rng = np.random.default_rng(5)
    for _ in range(10):
        tails, heads = rng.integers(0, 12, size=(2, 50))
        kept = tails != heads
        arcs = tails[kept], heads[kept], rng.integers(1, 9, size=int(kept.sum()))
        assert maximum_flow(12, *arcs, 0, 11, "scipy") == maximum_flow(12, *arcs, 0, 11, "networkx")


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


def test_family_bounds_are_those_of_the_problem() -> None:
    from pebble.computations.problem import Problem
    from pebble.lower_bounds.proved import proved_bounds

    wanted = {b.name: b.value for b in proved_bounds(Problem(3, 5, 2, 4, stats=True), 7)}
    found = family_bounds(load_dag("attention:Nq=3,Nk=5,d=2,dv=4,stats=1"), 7, Rules())
    assert {b.name: b.value for b in found} == {k: v for k, v in wanted.items() if k != "compulsory"}
    backward = family_bounds(load_dag("backward:N=2,d=3"), 7, Rules())
    assert {b.name for b in backward} >= {"B1", "B2"}


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


def test_nothing_to_do_costs_nothing() -> None:
    dag = Dag.from_edges([(0, 1)], outputs=[0])
    for rules in ALL_RULES:
        assert {bound.value for bound in dag_bounds(dag, 1, rules)} == {0}


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


def test_command_prints_one_document() -> None:
    done = CliRunner().invoke(command, ["diamond:8,8", "-M", "3", "--no-recomputation", "--json"])
    document = json.loads(done.output)
    assert document["schema_version"] == 1
    first = document["bounds"][0]
    assert (first["name"], first["value"], first["proved"]) == ("forced loads", 44, True)
    assert set(first) >= {"rules", "source", "note"}
    values = [Fraction(bound["value"]) for bound in document["bounds"]]
    assert values == sorted(values, reverse=True)
    text = CliRunner().invoke(command, ["diamond:8,8", "-M", "2"]).output
    assert "no pebbling exists with 2 words; the least M is 3" in text
    assert "not used: convex min-cut" in text


def test_a_dag_given_as_a_kernel_has_the_bounds_of_its_loop_nest() -> None:
    dag = load_dag("kernel:C[i,j] += A[i,k]*B[k,j]:i=6,j=6,k=6")
    best = dag_bounds(dag, 5).best
    assert best.name == "nest projections"
    assert best.value <= schedule_dag(dag, 5, order="greedy").io
    other = Dag(
        dag.predecessor_start, dag.predecessors, outputs=dag.sinks, description="kernel:ik,k->i:i=6,k=6"
    )
    assert not any(bound.name.startswith("nest") for bound in dag_bounds(other, 5))
