"""The second checker against every bound that is printed: it confirms the number, and refuses one more."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pebble.computations.load import load_dag
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.forced_loads import _layers, _without_loads
from pebble.lower_bounds.graph.graph_bound_table import dag_bounds
from pebble.lower_bounds.graph.needed_part import needed_part
from pebble.lower_bounds.table import bounds
from pebble.solvers.certificate import certify
from tests.solvers.small_certificates import EXAMPLE, ONCE, Document, checker

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


def test_a_bound_that_is_not_known_has_an_exit_status_of_its_own(tmp_path: Path) -> None:
    target = tmp_path / "c.json"
    script = [sys.executable, str(EXAMPLE), str(target)]
    certify(load_dag("matmul:4,4,4"), 6, ONCE, order="given", bound=UNKNOWN[0]).write(target)
    ran = subprocess.run(script, capture_output=True, check=False, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"cannot be verified by this program: the bound {UNKNOWN[0]!r}\n"
    document = json.loads(target.read_text(encoding="utf-8"))
    target.write_text(json.dumps(document | {"gap": 0}), encoding="utf-8")
    assert subprocess.run(script, capture_output=True, check=False).returncode == 1, (
        "it is wrong all the same"
    )


def _changed(document: Document, **change: Any) -> str:
    """What is found after a change of what the bound says, or of its inputs."""
    other = copy.deepcopy(document)
    for key, value in change.items():
        (other["bound"] if key in other["bound"] else other["bound"]["inputs"])[key] = value
    other["gap"] = other["io"] - other["bound"]["value"]
    return _found(other)


@pytest.mark.parametrize(
    ("name", "M", "rules"),
    [
        ("pyramid:5", 4, Rules()),
        ("pyramid:12", 8, Rules(sliding=True)),
        ("diamond:8,8", 3, ONCE),
        ("fft:16", 4, Rules()),
        ("tree:5", 4, Rules()),
    ],
)
def test_each_set_of_forced_loads_is_verified(name: str, M: int, rules: Rules) -> None:
    certificate = certify(load_dag(name), M, rules, order="given", bound="forced loads")
    document = json.loads(json.dumps(certificate.to_dict()))
    trees, sets = (document["bound"]["inputs"][key] for key in ("trees", "sets"))
    value, outputs = document["bound"]["value"], document["dag"]["outputs"]
    assert value == _compulsory(document) + 2 * (trees + len(sets)) < document["io"]
    assert "confirmed" in _changed(document)
    assert "is proved" in _changed(document, value=value + 1)
    assert "trees force only" in _changed(document, trees=trees + 1)
    assert "cannot be verified" in _changed(document, inputs={"trees": trees})
    assert "not known" in _changed(document, inputs={"trees": trees, "sets": sets, "luck": 1})
    more = {"value": value + 2}
    assert "nothing is computed" in _changed(document, **more, sets=[*sets, [outputs[0], []]])
    assert "other vertices" in _changed(document, **more, sets=[*sets, [outputs[0], outputs]])
    assert "other vertices" in _changed(document, **more, sets=[*sets, [outputs[0], [0]]])
    for at, (v, some) in enumerate(sets[:3]):
        rest = sets[:at] + sets[at + 1 :]
        assert "overlap" in _changed(document, **more, sets=[*sets, [v, some]])
        assert "is proved" in _changed(document, sets=rest)
        assert "nothing is computed" in _changed(document, sets=[*rest, [some[0], some]])
        for x in some:
            found = _changed(document, sets=[*rest, [v, [y for y in some if y != x]]])
            assert "confirmed" not in found, (v, some, x)
        assert "confirmed" not in _changed(document, sets=[*rest, [some[-1], some[:-1]]])


@pytest.mark.parametrize("slide", [False, True])
def test_both_searches_for_forced_loads_agree_and_layers_force_them(slide: bool) -> None:
    forced = layers = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 24))
        rows = {v: rng.choice(np.arange(max(0, v - 6), v), 2 + (v > 9), replace=False) for v in range(3, n)}
        dag = Dag.from_edges([(int(p), v) for v, row in rows.items() for p in row])
        part = needed_part(dag)
        before = {str(v): {str(p) for p in part.predecessors[v]} for v in range(part.n)}
        needed = checker()["Needed"](before, {str(v) for v in np.flatnonzero(part.is_output)})
        inner = ~part.is_input & ~part.is_output
        for v, M in product(part.computed.tolist(), range(4 - slide, 7)):
            some = {v}
            for _ in range(rng.integers(1, 4)):
                some |= {p for x in some for p in part.predecessors[x] if inner[p] and rng.random() < 0.9}
            free = {p for p in range(part.n) if inner[p]}
            some = _layers(part, v, free, M, slide) or some - {v}
            some = set(list(some)[: int(rng.integers(8, 11))])
            claim = str(v), set(map(str, some)), M, slide
            found = bool(some) and needed.search_forces(*claim)
            assert not some or found != _without_loads(part, [*some], v, M, slide), (seed, M)
            by_layers = bool(some) and needed.layers_force(*claim)
            assert found or not by_layers, (seed, M)
            forced, layers = forced + found, layers + by_layers
    assert min(forced, layers) > 20, (forced, layers)


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
