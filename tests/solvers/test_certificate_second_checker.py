"""The second checker against every bound that is printed: it confirms the number, and refuses one more."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from pebble.computations.load import load_dag
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds.graph.graph_bound_table import dag_bounds
from pebble.lower_bounds.table import bounds
from pebble.solvers.certificate import certify
from tests.solvers.small_certificates import ONCE, Document, checker

ROUNDED = ("W", "G2")
"""The package rounds a root in their events up to a whole number; the checker does not, and proves up to 2 % more."""

UNKNOWN = ("sums of products", "sums of products, once only")


@pytest.mark.many(3)
@pytest.mark.parametrize("rules", [Rules(), ONCE], ids=str)
@pytest.mark.parametrize(
    ("name", "M"),
    [
        ("diamond:8,8", 3),
        ("hypercube:6", 7),
        ("tree:3", 3),
        ("pyramid:3", 4),
        ("fft:16", 4),
        ("matmul:4,4,4", 6),
        ("fma-matmul:4,4,4", 6),
        ("attention:N=6,d=2", 8),
        ("attention:Nq=9,Nk=5,d=2,dv=1,stats=1", 6),
        ("attention-safe:N=4,d=1,stats=1", 8),
        ("attention-online:Nq=2,Nk=4,d=2,stats=1", 8),
        ("backward:N=4,d=2", 8),
    ],
)
def test_every_bound_of_a_dag(name: str, M: int, rules: Rules) -> None:
    dag = load_dag(name)
    for bound in dag_bounds(dag, M, rules):
        document = json.loads(json.dumps(certify(dag, M, rules, order="given", bound=bound.name).to_dict()))
        found = _found(document)
        assert ("confirmed" if bound.name not in UNKNOWN else "cannot be verified") in found, (bound, found)
        raised = copy.deepcopy(document)
        raised["bound"]["value"] += 1
        raised["gap"] -= 1
        assert "confirmed" not in _found(raised), bound
        if bound.name not in ("compulsory", *UNKNOWN) and bound.value > _compulsory(document) > 0:
            assert "confirmed" not in _found(document | {"M": 50 * M}), bound


def _compulsory(document: Document) -> int:
    dag = document["dag"]
    computed = {head for _, head in dag["edges"]}
    return len(dag["vertices"]) - len(computed) + len(dag["outputs"])


def _found(document: Document) -> str:
    scope = checker()
    try:
        return str(scope["check"](document))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        return "cannot be verified" if isinstance(error, scope["CannotVerify"]) else str(error)


@pytest.mark.many(3)
@pytest.mark.parametrize(
    ("problem", "M"),
    [
        (Problem.square(64, 8), 100),
        (Problem.square(4096, 64), 2500),
        (Problem.square(4096, 64), 50_000),
        (Problem(300, 500, 16, 24, stats=True, heads=3), 200),
        (Problem.square(256, 8, softmax="safe", stats=True), 1000),
        (Problem.square(64, 8, mask="causal"), 100),
        (Problem.square(64, 8, mask="document:causal,16,16,32"), 100),
        (Problem.square(64, 8, mask="prefix:20"), 300),
        (Problem(64, 64, 8, 8, mask="window:8", pass_name="backward"), 40),
        (Problem(64, 64, 8, 4, mask="causal", pass_name="backward"), 100),
        (Problem(300, 200, 8, 16, pass_name="backward"), 150),
        (Problem(64, 64, 8, 8, pass_name="backward", sum_width=2), 100),
        (Problem(64, 64, 8, 8, pass_name="weights"), 100),
    ],
    ids=str,
)
def test_every_bound_of_a_problem(problem: Problem, M: int) -> None:
    table = json.loads(json.dumps(bounds(problem, M).to_dict()))
    check = checker()["check_table"]
    proved = [bound for bound in table["bounds"] if bound["proved"]]
    assert len(proved) >= 3
    assert {status for _, status in check(table)} == {0}, check(table)
    more = [1 + (bound["value"] // 50 if bound["name"] in ROUNDED else 0) for bound in proved]
    for bound, words in zip(proved, more, strict=True):
        bound["value"] += words
    assert {status for _, status in check(table)} == {1}, check(table)
    for bound, words in zip(proved, more, strict=True):
        bound["value"] -= words
    best = proved[0]["name"]
    assert best in ("compulsory", "by parts") or check(table | {"M": 3 * M})[0][1] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"W": "0.5"}, "a segment does work"),
        ({"tau": "40"}, "a segment does work"),
        ({"mu": "0.1"}, "too large for the row"),
        ({"gamma": "0"}, "no sound row"),
        ({"bound": "T4"}, "another bound"),
        ({"extra": "1"}, "no row of this bound"),
    ],
)
def test_a_wrong_row_is_refused(change: dict[str, str], message: str) -> None:
    table: Any = json.loads(json.dumps(bounds(Problem.square(64, 8), 100).to_dict()))
    (claim,) = (bound for bound in table["bounds"] if bound["name"] == "T3")
    claim["row"] |= change
    (text,) = (text for text, status in checker()["check_table"](table) if status == 1)
    assert message in text
