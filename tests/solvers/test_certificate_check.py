"""What a certificate says of its bound and its DAG is verified or refused, by the package and the second checker."""

from __future__ import annotations

import copy
import random
from contextlib import suppress

import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.classic_dags import fft
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.catalogue import STATEMENTS
from pebble.lower_bounds.graph.butterfly import butterfly_labels
from pebble.lower_bounds.graph.family_bounds import family_bounds
from pebble.solvers.certificate import certify
from tests.solvers.small_certificates import ONCE, SCRIPT, made, second_opinion, verdict


@pytest.mark.many(1)
@pytest.mark.parametrize(
    ("name", "M", "bound"),
    [
        ("fft:64", 8, "FFT"),
        ("diamond:8,8", 3, "convex min-cut"),
        ("diamond:3,3", 3, "Hong-Kung"),
        ("diamond:3,3", 3, "exhaustive search"),
    ],
)
def test_what_is_said_of_a_bound_is_compared(name: str, M: int, bound: str) -> None:
    document = made(name, M, ONCE, bound)
    assert verdict(document).complete
    for key in ("rules", "source"):
        for value in (None, "", document["bound"][key] + ".", 1):
            changed = copy.deepcopy(document)
            changed["bound"][key] = value
            assert f"the {key} of the bound '{bound}' is " in str(verdict(changed))
    for key, value in document["bound"]["inputs"].items():
        changed = copy.deepcopy(document)
        changed["bound"]["inputs"][key] = -1 if isinstance(value, int) else "fft:32"
        assert not verdict(changed).complete
    changed = copy.deepcopy(document)
    changed["bound"]["inputs"]["luck"] = 7
    assert "the input 'luck' of the bound" in str(verdict(changed))
    changed = copy.deepcopy(document)
    changed["bound"]["value"], changed["gap"] = -5, document["io"] + 5
    assert "-5 is negative" in str(verdict(changed))
    assert second_opinion(changed) == ""


@pytest.mark.many(1)
@pytest.mark.parametrize("blank", list("\v\f\r\x1c\x1f\x85\u00a0\u2028"))
def test_both_checkers_refuse_white_space_other_than_blanks(blank: str) -> None:
    document = made()
    for before, after in ((" ", blank), ("", blank), (" ", "\t")):
        changed = copy.deepcopy(document)
        move = changed["pebbling"][3]
        changed["pebbling"][3] = move.replace(before, after) if before else move + after
        assert (second_opinion(changed) != "") == verdict(changed).complete == (after == "\t")


def test_both_checkers_repeat_an_exhaustive_search() -> None:
    """One I/O above the optimum, or another number of states, and the certificate is refused."""
    document = certify(load_dag("pyramid:3"), 4, Rules(sliding=True), order="given").to_dict()
    bound = document["bound"]
    assert (document["io"], bound["value"], bound["inputs"]["below"]) == (7, 5, 5)
    assert verdict(document).complete
    assert "(exhaustive search) confirmed" in second_opinion(document)
    for value, inputs in (
        (6, {"below": 6}),
        (6, bound["inputs"]),
        (5, bound["inputs"] | {"states": bound["inputs"]["states"] + 1}),
        (5, {"below": 4}),
        (5, {}),
    ):
        changed = copy.deepcopy(document)
        changed["bound"] |= {"value": value, "inputs": inputs}
        changed["gap"] = document["io"] - value
        assert not verdict(changed).complete
        assert second_opinion(changed) == ""
    changed = copy.deepcopy(document)
    changed["bound"] |= {"value": 4, "inputs": {"below": 4}}
    changed["gap"] = document["io"] - 4
    assert verdict(changed).complete, "less may be claimed"
    assert "(exhaustive search) confirmed" in second_opinion(changed)


NAMED = [
    *("fft:2", "fft:8", "fft:32", "matmul:1,1,1", "matmul:2,3,1", "matmul:3,2,2", "matmul:2,2,5"),
    *("fma-matmul:2,3,4", "attention:N=1,d=1", "attention:Nq=2,Nk=3,d=2,dv=4"),
    *("attention:N=3,d=2,stats=1", "attention:Nq=3,Nk=1,d=1", "backward:N=1,d=1", "backward:N=3,d=2,dv=1"),
    "backward:Nq=2,Nk=4,d=3,dv=2",
]


@pytest.mark.parametrize("name", NAMED)
def test_the_second_checker_builds_named_dags_again(name: str) -> None:
    dag = load_dag(name)
    edges = [(p, v) for v in range(dag.n_vertices) for p in sorted(dag.predecessors_of(v).tolist())]
    outputs = dag.outputs.tolist()
    check_name = SCRIPT["check_name"]
    check_name(name, dag.n_vertices, edges, outputs)
    for wrong in (
        (name, dag.n_vertices + 1, edges, outputs),
        (name, dag.n_vertices, edges[:-1], outputs),
        (name, dag.n_vertices, [*edges[:-1], (edges[-1][0] ^ 1, edges[-1][1])], outputs),
        (name, dag.n_vertices, edges, [*outputs, outputs[0] - 1]),
        *((other, dag.n_vertices, edges, outputs) for other in NAMED if other != name),
    ):
        with pytest.raises(ValueError, match="the DAG is not"):
            check_name(*wrong)


ODD_NAMES = """
    fft:8,8 fft:n=8 fft:08 fft:6 fft:1 fft: fft matmul:2,2 matmul:m=2,n=2,k=2 attention:N=2 attention:d=1,N=2
    attention:Nq=2,Nk=2,d=1 attention:N=2,d=1,dv=1 attention:N=2,d=1,stats=0 backward:N=2,d=1,stats=1 tree:2
    diamond:3,3 weights:N=2,d=1
"""


@pytest.mark.parametrize("name", ["", *ODD_NAMES.split()])
def test_a_name_is_written_in_one_way(name: str) -> None:
    """Other names are never in a certificate: no bound needs them."""
    document = made()
    document["dag"]["name"] = name
    assert not verdict(document).complete
    assert second_opinion(document) == ""


@pytest.mark.many(1)
@pytest.mark.parametrize("rules", [Rules(), ONCE, Rules(sliding=True)], ids=str)
def test_the_second_checker_computes_bounds_of_families_again(rules: Rules) -> None:
    """What the package proves it proves too, and hardly more; under other rules, or for another DAG, nothing."""
    seen, refused = set(), set()
    for name in ("fft:8", "fft:512", "matmul:4,4,4", "fma-matmul:9,8,7", "fma-matmul:30,20,2", *NAMED[-7:]):
        for M in (3, 4, 7, 16, 33, 100, 1000):
            with suppress(BoundDoesNotApply):
                for bound in family_bounds(load_dag(name), M, rules):
                    if bound.name not in SCRIPT["FAMILY_BOUNDS"]:
                        refused.add(bound.name)
                        continue
                    seen.add(bound.name)
                    claim = {key: getattr(bound, key) for key in ("name", "rules", "source", "value")}
                    claim |= {"inputs": dict(bound.inputs)}
                    held = {"recomputation": rules.recomputation, "sliding": rules.sliding}
                    agreed = SCRIPT["check_family_bound"]
                    agreed(claim, name, M, held)
                    above = claim | {"value": max(bound.least_io + 1, bound.least_io * 21 // 20)}
                    wrong = [(above, name, held), (claim, "attention:N=7,d=7", held), (claim, None, held)]
                    if "sliding allowed" not in bound.rules:
                        wrong.append((claim, name, held | {"sliding": True}))
                    for changed, other, allowed in wrong:
                        with pytest.raises(ValueError, match=r"proved|called|another|holds"):
                            agreed(changed, other, M, allowed)
    assert {"FFT", "T1", "D", "matmul", "matmul, products apart"} <= seen
    assert refused <= {"T2", "T3", "T4", "B1", "B2", "B3", "B4", "D backward", "matmul, short side"}


def test_the_second_checker_computes_a_bound_or_says_that_it_cannot() -> None:
    computed = {"compulsory", "exhaustive search", "butterfly", *SCRIPT["FAMILY_BOUNDS"]}
    names = {one.name for one in STATEMENTS}
    assert computed <= names
    document = made()
    for name in names:
        document["bound"]["name"] = name
        with pytest.raises((ValueError, KeyError, TypeError)) as caught:
            SCRIPT["check_bound"](document, {}, set())
        assert isinstance(caught.value, SCRIPT["CannotVerify"]) == (name not in computed), name


def _renamed(edges: list[tuple[int, int]], n: int, outputs: list[int]) -> Dag:
    place = [(v * 7 + 3) % n for v in range(n)]
    return Dag.from_edges([(place[p], place[v]) for p, v in edges], outputs=[place[v] for v in outputs])


@pytest.mark.many(1)
@pytest.mark.parametrize("n", [2, 4, 8, 16])
def test_a_butterfly_of_any_names_is_found_by_both(n: int) -> None:
    dag = fft(n)
    edges = [(int(p), v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v)]
    outputs = dag.outputs.tolist()
    renamed = _renamed(edges, dag.n_vertices, outputs)
    certificate = certify(renamed, 3, order="given", bound="butterfly").to_dict()
    assert "(butterfly) confirmed" in second_opinion(certificate)
    certificate["bound"]["value"] += 100
    certificate["gap"] -= 100
    assert second_opinion(certificate) == ""
    draw = random.Random(n)
    points = SCRIPT["butterfly_points"]
    for _ in range(40):
        changed = _exchanged(edges, draw)
        other = _renamed(changed, dag.n_vertices, outputs)
        before = {str(v): {str(p) for p in other.predecessors_of(v)} for v in range(dag.n_vertices)}
        try:
            found = points(before, {str(v) for v in other.outputs}) == n
        except ValueError:
            found = False
        assert found == (butterfly_labels(other) is not None)


def _exchanged(edges: list[tuple[int, int]], draw: random.Random) -> list[tuple[int, int]]:
    """Return the edges with the heads of two exchanged: on the same levels as often as not."""
    found, at = list(edges), draw.randrange(len(edges))
    other = (at ^ 2) % len(edges) if draw.random() < 0.7 else draw.randrange(len(edges))
    (p, v), (q, w) = found[at], found[other]
    if q < v and p < w and not {(q, v), (p, w)} & set(found):
        found[at], found[other] = (q, v), (p, w)
    return found


def test_the_second_checker_confirms_all_or_nothing() -> None:
    assert second_opinion(made()) == "14 I/O and the bound 8 (compulsory) confirmed"
    document = certify(load_dag("fft:64"), 8, order="given", bound="FFT").to_dict()
    assert second_opinion(document).endswith("(FFT) confirmed")
    document["dag"]["name"] = None
    assert not verdict(document).complete
    assert second_opinion(document) == "", "the bound needs the name"
