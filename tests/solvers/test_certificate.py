"""Certificates: what is written is valid, what is corrupted is not, and a second checker agrees."""

from __future__ import annotations

import copy
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pebble.cli.pebblings import certify as certify_command
from pebble.cli.pebblings import check as check_command
from pebble.common.errors import BoundDoesNotApply, IllegalMove, IncompletePebbling, InvalidInput
from pebble.computations.load import load_dag
from pebble.game.moves import Moves
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lab.pebblings import check
from pebble.solvers.certificate import certify
from pebble.solvers.certificate_check import CertificateCheck, check_certificate
from tests.solvers.small_certificates import EXAMPLE, ONCE, Document, made, second_opinion, verdict


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("name", "M", "rules", "bound"),
    [
        ("fft:4", 4, Rules(), "compulsory"),
        ("fft:64", 8, Rules(), "FFT"),
        ("diamond:8,8", 3, ONCE, "convex min-cut"),
        ("matmul:4,4,4", 5, Rules(sliding=True), "matmul, products apart"),
        ("attention:N=3,d=2", 6, ONCE, "T2"),
        ("hypercube:8", 9, ONCE, "spectral, above compulsory"),
        ("diamond:3,3", 3, ONCE, "Hong-Kung"),
        ("attention:N=1,d=1", 6, Rules(), "compulsory"),
        ("tree:4", 3, Rules(), "forced loads"),
        ("pyramid:3", 4, Rules(), "exhaustive search"),
        ("pyramid:3", 4, Rules(sliding=True), "exhaustive search"),
        ("diamond:3,3", 3, ONCE, "exhaustive search"),
        ("fft:2", 3, Rules(recomputation=False, sliding=True), "exhaustive search"),
    ],
)
def test_valid_certificates_are_confirmed_by_both(name: str, M: int, rules: Rules, bound: str) -> None:
    certificate = certify(load_dag(name), M, rules, order="given", bound=bound)
    stream = io.StringIO()
    certificate.write(stream)
    document = json.loads(stream.getvalue())
    assert document == json.loads(json.dumps(certificate.to_dict()))
    found = check_certificate(stream.getvalue())
    assert found.complete, found
    assert found.gap == certificate.gap == document["gap"] >= 0
    said = second_opinion(document)
    assert said == f"{certificate.status.io} I/O and the bound {certificate.lower} ({bound}) confirmed"


def test_the_best_bound_is_chosen() -> None:
    assert certify(load_dag("diamond:8,8"), 3, ONCE, order="given").bound.name == "forced loads"
    optimal = certify(load_dag("attention:N=1,d=1"), 6, order="given")
    assert optimal.gap == 0
    assert "optimal" in str(optimal)
    tiny = certify(load_dag("pyramid:3"), 4, order="given")
    assert (tiny.bound.name, tiny.lower) == ("forced loads", 7)


def _set(*path: str | int, to: Any) -> Callable[[Document], None]:
    def corrupt(document: Document) -> None:
        place: Any = document
        for key in path[:-1]:
            place = place[key]
        assert place[path[-1]] != to
        place[path[-1]] = to

    return corrupt


def _drop(key: str, index: int) -> Callable[[Document], None]:
    def corrupt(document: Document) -> None:
        place = document["dag"] if key in document["dag"] else document
        del place[key][index]

    return corrupt


def _swap_two_moves(document: Document) -> None:
    moves = document["pebbling"]
    at = next(i for i, move in enumerate(moves) if move.startswith("compute"))
    moves[at - 1], moves[at] = moves[at], moves[at - 1]


def _raise_bound(document: Document) -> None:
    document["bound"]["value"] += 1
    document["gap"] -= 1


def _claim_less_io(document: Document) -> None:
    document["reads"] -= 1
    document["io"] -= 1
    document["gap"] -= 1


def _compute_again(document: Document) -> None:
    at = next(i for i, move in enumerate(document["pebbling"]) if move.startswith("compute"))
    document["pebbling"].insert(at, document["pebbling"][at])


def _double_edge(document: Document) -> None:
    document["dag"]["edges"].append(document["dag"]["edges"][0])


CORRUPTIONS: dict[str, Callable[[Document], None]] = {
    "a move of another vertex": _set("pebbling", 0, to="load x[1,0]"),
    "a move of no vertex": _set("pebbling", 0, to="load nothing"),
    "no move": _set("pebbling", 0, to="lend x[0,0]"),
    "a slide": _set("pebbling", 2, to="slide x[1,0] from x[0,0]"),
    "a word too many": _set("pebbling", 0, to="load x[0,0] x[0,1]"),
    "first move gone": _drop("pebbling", 0),
    "two moves swapped": _swap_two_moves,
    "computed twice": _compute_again,
    "lower M": _set("M", to=3),
    "another hash": _set("dag", "hash", to="0" * 64),
    "an edge gone": _drop("edges", 0),
    "an edge twice": _double_edge,
    "an edge elsewhere": _set("dag", "edges", 0, to=[3, 4]),
    "an output gone": _drop("outputs", 0),
    "an output more": _set("dag", "outputs", to=[8, 9, 10, 11, 7]),
    "a bound raised": _raise_bound,
    "a bound raised alone": _set("bound", "value", to=9),
    "a smaller gap": _set("gap", to=0),
    "less I/O": _claim_less_io,
    "other reads": _set("reads", to=5),
}


@pytest.mark.many(1)
@pytest.mark.parametrize("what", CORRUPTIONS)
def test_corrupted_certificates_are_refused_by_both(what: str) -> None:
    document = made(rules=ONCE)
    assert verdict(document).complete
    assert second_opinion(document)
    CORRUPTIONS[what](document)
    try:
        found = verdict(document)
    except InvalidInput:
        pass
    else:
        assert not found.complete
        assert found.faults
        assert str(found).startswith("not valid: ")
    assert second_opinion(document) == ""


@pytest.mark.slow
def test_every_dropped_or_repeated_move_gets_the_same_verdict_from_both() -> None:
    document = made("matmul:2,2,1", 3)
    moves = document["pebbling"]
    refused = 0
    for at in range(len(moves)):
        for changed in (moves[:at] + moves[at + 1 :], [*moves[: at + 1], *moves[at:]]):
            other = copy.deepcopy(document) | {"pebbling": changed}
            ours = verdict(other).complete
            assert ours == bool(second_opinion(other)), (at, changed)
            refused += not ours
    assert refused > len(moves)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("bound", "name", to="best"), "no bound is called 'best'"),
        (_set("bound", to={"name": "convex min-cut", "value": 1, "inputs": {"vertex": 3}}), "computed twice"),
        (_set("bound", to={"name": "Hong-Kung", "value": 1, "inputs": {"X": "3"}}), "whole number"),
        (
            _set("bound", to={"name": "T1", "value": 1, "inputs": {"family": "fft:4"}}),
            "no bound of the family fft",
        ),
        (_set("dag", "name", to="fft:8"), "not the one called fft:8"),
    ],
)
def test_bounds_that_cannot_be_computed_again(change: Callable[[Document], None], message: str) -> None:
    document = made()
    change(document)
    found = verdict(document)
    assert not found.complete
    assert any(message in fault for fault in found.faults), found.faults


def test_a_bound_of_other_rules_is_refused() -> None:
    stream = io.StringIO()
    certify(load_dag("diamond:5,5"), 3, ONCE, order="given", bound="convex min-cut").write(stream)
    document = json.loads(stream.getvalue())
    assert document["bound"]["name"] == "convex min-cut"
    document["rules"]["recomputation"] = True
    assert not verdict(document).complete


def test_a_family_of_another_size_is_refused() -> None:
    stream = io.StringIO()
    certify(load_dag("fft:64"), 8, order="given", bound="FFT").write(stream)
    document = json.loads(stream.getvalue())
    document["dag"]["name"] = None
    assert "given by name" in str(verdict(document))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"format": "pebble-certificate", "version": 2}',
        '{"format": 1, "format": 2}',
        "{" * 9999,
    ],
)
def test_what_is_no_certificate(text: str) -> None:
    with pytest.raises(InvalidInput, match="certificate"):
        check_certificate(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [("M",), ("dag",), ("gap",), ("rules",), ("bound", "inputs"), ("dag", "edges")]
)
@pytest.mark.parametrize("value", [None, True, "4", 2.5])
def test_fields_of_the_wrong_kind(path: tuple[str, ...], value: object) -> None:
    document = made()
    _set(*path, to=value)(document)
    with pytest.raises(InvalidInput, match="not a certificate"):
        verdict(document)


def test_pebblings_that_are_given() -> None:
    dag = Dag.from_edges([("a", "s"), ("b", "s")])
    good = Moves([0, 0, 2, 1], [0, 2, 1, 1])
    assert certify(dag, 3, moves=good).pebbling == ("load a", "load b", "compute s", "store s")
    with pytest.raises(IncompletePebbling):
        certify(dag, 3, moves=good.part(0, 3))
    with pytest.raises(IllegalMove):
        certify(dag, 2, moves=good)
    with pytest.raises(InvalidInput, match="these do: compulsory"):
        certify(dag, 3, moves=good, bound="better")
    with pytest.raises(BoundDoesNotApply):
        certify(dag, 3, moves=good, bound="spectral, above compulsory")


def test_slides_are_replayed_by_both() -> None:
    dag = Dag.from_edges([("a", "s"), ("b", "s")])
    certificate = certify(dag, 2, Rules(sliding=True), Moves([0, 0, 4, 1], [0, 2, 1, 1], [-1, -1, 0, -1]))
    document = certificate.to_dict()
    assert document["pebbling"][2] == "slide s from a"
    assert verdict(document).complete
    assert "confirmed" in second_opinion(document)
    document["rules"]["sliding"] = False
    assert not verdict(document).complete
    assert second_opinion(document) == ""


def test_commands(tmp_path: Path) -> None:
    target = tmp_path / "c.json"
    run = CliRunner().invoke
    done = run(certify_command, ["fft:4", "-M", "4", "--schedule", "given", "-o", str(target)])
    assert done.exit_code == 0, done.output
    assert isinstance(check(target), CertificateCheck)
    found = run(check_command, [str(target)])
    assert found.exit_code == 0
    assert found.output.startswith("valid certificate: ")
    piped = run(check_command, ["-", "--json"], input=target.read_bytes())
    assert json.loads(piped.output)["certificate"]["valid"] is True
    target.write_text(target.read_text(encoding="utf-8").replace('"M": 4', '"M": 3'), encoding="utf-8")
    bad = run(check_command, [str(target), "--json"])
    assert bad.exit_code == 1
    assert json.loads(bad.output)["certificate"]["faults"]
    script = [sys.executable, str(EXAMPLE), str(target)]
    assert subprocess.run(script, capture_output=True, check=False).returncode == 1


def test_the_second_checker_imports_nothing_of_ours_and_is_short() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert "import pebble" not in text
    assert "from pebble" not in text
    assert len(text.splitlines()) < 1050
    body = text[text.index("def check(") : text.index("def check_table(")]
    assert len(body.splitlines()) <= 65
