"""The second checker against every bound that is printed: it confirms the number, and refuses one more."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pebble.computations.load import load_dag
from pebble.computations.masks.kinds import make_mask
from pebble.computations.nests.named_kernel import read_kernel
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lab.kernel import KernelReport, kernel
from pebble.lower_bounds.graph.forced_loads import _layers, _without_loads
from pebble.lower_bounds.graph.graph_bound_table import dag_bounds
from pebble.lower_bounds.graph.needed_part import needed_part
from pebble.lower_bounds.nests.exponents import Term
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.lower_bounds.table import bounds
from pebble.solvers.certificate import certify
from tests.solvers.small_certificates import EXAMPLE, ONCE, Document, checker

ROUNDED = ("W", "G2")
"""The package rounds a root in their events up to a whole number; the checker does not, and proves up to 2 % more."""

UNKNOWN = ("sums of products", "sums of products, once only")

KERNELS = (
    "2mm",
    "3mm",
    "correlation",
    "floyd-warshall",
    "gemm",
    "gramschmidt",
    "lu",
    "syr2k",
    "trisolv",
    "atax",
)


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
        (Problem.square(4096, 64, attention="linear"), 300),
        (Problem.square(4096, 64, attention="linear", mask="causal", gate=True), 300),
        (Problem.square(4096, 64, attention="linear", mask="causal", pass_name="backward"), 300),
        (Problem(48, 64, 8, 6, shared_values=True, mask="causal", stats=True), 100),
        (Problem(128, 512, 36, 32, shared_values=True), 2000),
        (Problem(64, 64, 8, 5, heads=3, shared_rope=4, batch=2), 100),
        (Problem(64, 64, 12, 8, heads=3, shared_rope=4, mask="causal", stats=True), 100),
    ],
    ids=str,
)
def test_every_bound_of_a_problem(problem: Problem, M: int) -> None:
    table = json.loads(json.dumps(bounds(problem, M).to_dict()))
    check = checker()["check_table"]
    proved = [bound for bound in table["bounds"] if bound["proved"]]
    assert len(proved) >= 2
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


def test_no_bound_of_plain_attention_is_taken_for_one_of_latent_attention() -> None:
    table: Any = json.loads(json.dumps(bounds(Problem.square(64, 8, mask="causal"), 100).to_dict()))
    table["problem"]["shared_values"] = True
    found = checker()["check_table"](table)
    assert len(found) > 5
    assert {text.split(",")[0] for text, status in found if status == 0} <= {"compulsory"}


@pytest.mark.parametrize(
    "change",
    [
        {"pass": "backward"},
        {"attention": "linear"},
        {"shared_values": False, "shared_rope": 4},
        {"dv": 7},
        {"stats": False},
        {"pairs": 2081},
    ],
)
def test_a_problem_with_one_word_changed_is_refused(change: dict[str, Any]) -> None:
    """Each change makes the claims of another attention, or of fewer words, out of those of latent attention."""
    problem = Problem(64, 64, 12, 8, shared_values=True, mask="causal", stats=True)
    table: Any = json.loads(json.dumps(bounds(problem, 100).to_dict()))
    check = checker()["check_table"]
    assert {status for _, status in check(table)} == {0}
    table["problem"] |= change
    with suppress(ValueError):  # all of it is refused
        assert {status for _, status in check(table)} != {0}


MASKS = """causal window:5 window:left=2,right=3 diagonal:5 dilated:3,2 dilated:2,7 fixed:4 fixed:5,2 strided:4 sink:1
butterfly:4 butterfly:3 longformer:window=4,global=1 video:window=2,global=1 streaming:2,3 window:2+sink:1
dilated:3,2+window:3&sink:1"""


@pytest.mark.parametrize("N", [5, 16, 24])
def test_the_pairs_of_masks(N: int) -> None:
    for text in MASKS.split():
        pairs = np.broadcast_to(checker()["pairs_of"](text, N, N), (N, N))
        mask = make_mask(text, N, N)
        assert mask is not None
        assert np.array_equal(pairs, mask.matrix((0, N), (0, N))), text
    for text in (
        "nm:2:4",
        "blocks:size=4,density=0.5",
        "selected:size=2,blocks=2",
        "paged:2,16",
        "file:m.npy",
    ):
        with pytest.raises(checker()["CannotVerify"]):
            checker()["pairs_of"](text, N, N)


def _nest_table(text: str, extents: dict[str, int], M: int) -> Any:
    """What ``pebble kernel --json`` prints, without a schedule."""
    nest = read_kernel(text, extents)
    report = KernelReport(nest, M, tuple(nest_bounds(nest, M)), None)
    return json.loads(json.dumps(report.to_dict()))


def _statuses(table: Any) -> list[int]:
    return [status for _, status in checker()["check_nest"](table)]


def _every(table: Any) -> list[Any]:
    return [*table["bounds"], *table["bounds_without_recomputation"]]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("scale", [1, 20])
def test_every_bound_of_a_kernel(name: str, scale: int) -> None:
    extents = {index: extent // scale for index, extent in read_kernel(name, {}).extents.items()}
    table = _nest_table(name, extents, 4096 if scale == 1 else 64)
    sums_read = (name, scale) == ("2mm", 1)
    assert set(_statuses(table)) == ({0, 2} if sums_read else {0})
    for bound in _every(table):
        bound["value"] += 1
    assert set(_statuses(table)) == ({1, 2} if sums_read else {1})


@pytest.mark.parametrize(
    ("name", "said"),
    [("jacobi-2d", "stencils"), ("symm", "sums in two statements"), ("adi", "turns")],
)
def test_an_argument_that_is_not_known_is_left_open(name: str, said: str) -> None:
    extents = {"t": 20, "i": 20, "j": 20, "k": 20}
    known = read_kernel(name, {}).extents
    table = _nest_table(name, {index: extents[index] for index in known}, 8)
    found = checker()["check_nest"](table)
    assert any(status == 2 and said in text for text, status in found), found
    assert {status for _, status in found} <= {0, 2}


def test_the_report_of_a_kernel_is_confirmed_and_one_word_of_it_is_not(tmp_path: Path) -> None:
    target = tmp_path / "kernel.json"
    report = kernel("C[i,j] += A[i,k]*A[j,k] for j <= i", {"i": 20, "j": 20, "k": 16}, M=24)
    text = json.dumps(report.to_dict())
    for changed, status in (
        (text, 0),
        (text.replace("j <= i", "j < i"), 1),
        (text.replace("+=", "=", 1), 2),
        (text.replace("A[j,k]", "B[j,k]"), 2),
        (text.replace('"k": 16', '"k": 15'), 1),
        (text.replace('"M": 24', '"M": 240'), 1),
        (text.replace('["i", "k"]', '["j", "k"]', 1), 1),
        (text.replace('["chain", "C"]', '["value", "C"]'), 2),
        (text.replace('"exchanged": ["i", "j"]', '"exchanged": []'), 1),
        (text.replace('"off diagonals"', '"all"'), 1),
        (text.replace('"1/2"', '"1/4"'), 1),
    ):
        assert status == 0 or changed != text
        target.write_text(changed, encoding="utf-8")
        ran = subprocess.run([sys.executable, str(EXAMPLE), str(target)], capture_output=True, check=False)
        assert ran.returncode == status, (changed, ran.stdout)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"once_only": True}, "other rules"),
        ({"X": 1}, "only"),
        ({"X": 10**6}, "one segment"),
        ({"other": 0}, "two statements"),
        ({"argument": "luck"}, "luck"),
    ],
)
def test_a_changed_share_is_refused(change: dict[str, Any], message: str) -> None:
    table = _nest_table("gemm", {"i": 30, "j": 30, "k": 30}, 64)
    (claim,) = (bound for bound in table["bounds"] if bound["name"] == "nest projections")
    claim["shares"][0] |= change
    (text,) = (text for text, status in checker()["check_nest"](table) if status)
    assert re.search(message, text), text


def test_words_count_once() -> None:
    table = _nest_table("3mm", dict.fromkeys("ijklm", 20), 64)
    (claim,) = (bound for bound in table["bounds"] if bound["name"] == "nest sum")
    claim["shares"].append(claim["shares"][0])
    assert _statuses(table).count(1) == 1


def test_a_fault_in_the_package_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms that allow a tenth fewer points make greater bounds, which the checker refuses."""
    right = Term.at
    monkeypatch.setattr(Term, "at", lambda term, T: right(term, T) * 9 // 10)
    for name in ("gemm", "lu", "syr2k"):
        assert 1 in _statuses(_nest_table(name, dict.fromkeys("ijk", 60), 64)), name
