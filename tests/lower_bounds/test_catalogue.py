"""Every bound that can be shown has a permanent name, and everything that has to be said of it."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pebble.lower_bounds
from pebble.computations.load import load_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.problem import Problem
from pebble.computations.shared_problem import SharedProblem
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.attention.communication import communication_bounds
from pebble.lower_bounds.attention.crossing import d4, d5_total
from pebble.lower_bounds.attention.documents import documents_total
from pebble.lower_bounds.attention.varying_work import rescaled_by_block
from pebble.lower_bounds.bound import Bound, Statement
from pebble.lower_bounds.catalogue import STATEMENTS, statement
from pebble.lower_bounds.graph.exhaustive import exhaustive
from pebble.lower_bounds.graph.graph_bound_table import dag_bounds
from pebble.lower_bounds.levels import boundary_bound
from pebble.lower_bounds.matmul_fft import fft_compulsory, matmul, matmul_compulsory
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.lower_bounds.table import bounds

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "pebble" / "lower_bounds"


CAUSAL, BACKWARD = {"mask": "causal"}, {"pass_name": "backward"}
PRINTED: list[tuple[dict[str, Any], int]] = [
    *(({}, M) for M in (40, 256)),
    *((BACKWARD, M) for M in (60, 256)),
    (CAUSAL, 2000),
    *(
        (options, 256)
        for options in (CAUSAL | BACKWARD, BACKWARD | {"sum_width": 2}, {"pass_name": "weights"})
    ),
    *((options, 256) for options in ({"softmax": "safe"}, {"sums": "free"})),
    ({"attention": "linear"}, 40),
    ({"attention": "linear"} | CAUSAL | BACKWARD, 40),
]


def printed() -> Iterator[Bound]:
    """Bounds of every kind of problem and DAG."""
    for options, M in PRINTED:
        problem = Problem.square(256, 8, **options)
        found = bounds(problem, M)
        yield from (*found.proved, *found.curves)
    yield from bounds(Problem(8, 8, 3, 2, shared_values=True), 20).proved
    yield from bounds(Problem(512, 10**6, 128, 128), 100_000).proved
    for pass_name in ("forward", "backward"):
        yield from communication_bounds(SharedProblem(4096, 4, 4, 2, 1, pass_name=pass_name), 10**5)[0]
    yield from bounds(Problem(8, 8, 3, 2, heads=2, shared_rope=1), 100).proved
    yield rescaled_by_block(Problem.square(256, 8, softmax="online"), 256, 64)
    yield boundary_bound(Problem.square(256, 8), 256)
    products = "E[i,j] += A[i,k]*B[k,j]; F[j,l] += C[j,m]*D[m,l]; G[i,l] += E[i,j]*F[j,l]"
    yield from nest_bounds(loop_nest(products, dict.fromkeys("ijklm", 40)), 16)
    yield from nest_bounds(loop_nest("a[t+1,i+1] = a[t,i] + a[t,i+1] + a[t,i+2]", {"t": 200, "i": 200}), 16)
    yield from nest_bounds(loop_nest("x[i] = x[i-1] + u; y[i] = y[i+1]*x[i]", {"i": 40}), 4)
    once = Rules(recomputation=False)
    for name, rules in (
        ("diamond:3,3", once),
        ("fft:8", Rules()),
        ("fft:16", Rules()),
        ("matmul:3,3,3", once),
        ("fma-matmul:3,3,3", once),
    ):
        yield from dag_bounds(load_dag(name), 4, rules)
    fft = load_dag("fft:16")
    edges = [(79 - int(p), 79 - v) for v in range(80) for p in fft.predecessors_of(v)]
    yield from dag_bounds(Dag.from_edges(edges), 4)
    yield exhaustive(load_dag("diamond:2,2"), 3, once)
    yield from (matmul(100, 100, 2, 104), matmul_compulsory(2, 2, 2, 4), fft_compulsory(8, 4))
    yield from d4(SharedProblem(32, 5, 4, mask="window:4"))
    yield d5_total(SharedProblem(1024, 4, 8, causal=True))
    yield documents_total(SharedProblem(64, 1, 1), [64, 16], 64 * 32)


ROWS = ("row", "rows", "shares", "head")
"""Facts of one value alone, for whoever checks it."""


@pytest.mark.slow
def test_every_bound_that_is_printed_carries_its_statement() -> None:
    seen = set()
    for bound in printed():
        stated = statement(bound.name)
        assert stated.name == bound.name
        facts = {name: fact for name, fact in bound.facts.items() if name not in ROWS}
        assert facts == stated.facts()
        assert all(facts.values()), bound.name
        assert bound.rules == stated.rules or bound.name in ("Hong-Kung", "exhaustive search", "forced loads")
        by_hand = (stated.status, bound.status) == ("machine-checked", "proved")
        assert bound.status == stated.status or by_hand or bound.name in ("by parts", "without rope")
        seen.add(bound.name)
    assert {one.name for one in STATEMENTS} - seen == set(), "no test prints these"


def modules() -> list[str]:
    return [
        found.name for found in pkgutil.walk_packages(pebble.lower_bounds.__path__, "pebble.lower_bounds.")
    ]


def test_every_statement_is_in_the_catalogue() -> None:
    found = {
        stated.name
        for module in modules()
        for value in vars(importlib.import_module(module)).values()
        if isinstance(stated := getattr(value, "statement", value), Statement)
    }
    assert found == {one.name for one in STATEMENTS}
    assert len(found) == len(STATEMENTS), "a name is given twice"


def test_bounds_are_made_from_statements_only() -> None:
    """A bound made by hand would have no statement."""
    made = re.compile(r"(?<![\w.])(?:Graph)?Bound\(")
    where = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if made.search(line) and not line.strip().startswith((">>>", "class "))
    }
    assert where == {"bound.py"}


@pytest.mark.parametrize("one", STATEMENTS, ids=lambda one: one.name)
def test_statements_are_complete(one: Statement) -> None:
    assert all((one.name, one.says, one.hypotheses, one.source, one.rules, one.authors))
    assert one.version >= 1
    assert statement(one.name.upper().replace(" ", "-").replace(",", "")) is one
    page = one.source.partition(",")[0]
    assert (ROOT / page).is_file() == (one.by is None or "docs/" in one.source)


def test_statements_that_are_machine_checked() -> None:
    found = {one.name for one in STATEMENTS if one.status == "machine-checked"}
    assert found == {
        *("compulsory", "T1", "T2", "T3", "T4", "D", "S", "B1", "B2", "B3", "D backward", "L"),
        *("D1-total", "D1-busiest", "MLA"),
        *("matmul", "matmul, short side", "matmul compulsory", "FFT", "FFT compulsory"),
    }
