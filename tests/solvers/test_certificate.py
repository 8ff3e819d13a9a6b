"""Certificates: what is written is valid, every field is verified, and a second checker agrees."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
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
        ("tree:5", 4, Rules(), "forced loads"),
        ("pyramid:12", 8, Rules(sliding=True), "forced loads"),
        ("hypercube:8", 9, ONCE, "spectral, above compulsory"),
        ("diamond:3,3", 3, ONCE, "Hong-Kung"),
        ("pyramid:3", 4, Rules(sliding=True), "exhaustive search"),
        ("diamond:3,3", 3, ONCE, "exhaustive search"),
        ("fft:2", 3, Rules(recomputation=False, sliding=True), "exhaustive search"),
    ],
)
def test_valid_certificates_are_confirmed_by_both(name: str, M: int, rules: Rules, bound: str) -> None:
    certificate = certify(load_dag(name), M, rules, order="given", bound=bound)
    document = made(name, M, rules, bound)
    assert document == json.loads(json.dumps(certificate.to_dict()))
    found = verdict(document)
    assert found.complete, found
    assert found.gap == certificate.gap == document["gap"] >= 0
    right = f"{certificate.status.io} I/O and the bound {certificate.lower} ({bound}) confirmed"
    assert second_opinion(document) == right


def test_the_best_bound_is_chosen() -> None:
    forced = certify(load_dag("diamond:8,8"), 3, ONCE, order="given")
    assert (forced.bound.name, forced.lower) == ("forced loads", 44)
    optimal = certify(load_dag("attention:N=1,d=1"), 6, order="given")
    assert optimal.gap == 0
    assert "optimal" in str(optimal)
    tiny = certify(load_dag("pyramid:3"), 4, order="given")
    assert (tiny.bound.name, tiny.lower) == ("exhaustive search", 7), "forced loads give 7 too"


# -- every field is verified


def _places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document where a value stands; of long lists the first three."""
    yield path
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _places(value, (*path, key))
    elif isinstance(part, list):
        for index, value in enumerate(part[:3]):
            yield from _places(value, (*path, index))


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def _instead(value: Any) -> list[Any]:
    """Values that are wrong where another one stood."""
    odd: list[Any] = [None, [], {}, "", "other", "\ud800", -1, 1.5, 10**30]
    if isinstance(value, bool):
        odd += [int(value), str(value)]
    elif isinstance(value, int):
        odd += [value - 1, value + 1, float(value), str(value), bool(value), -value or -1]
    elif isinstance(value, str):
        odd += [value + ".", value.upper() if value.islower() else value.lower(), [value], value + "\u00a0"]
    elif isinstance(value, dict):
        odd += [value | {"remark": 1}, dict(list(value.items())[1:]), list(value.items())]
    elif isinstance(value, list):
        odd += [[*value, value[0]], value[1:], [*value, []], {"0": value}, value[0]]
    return odd


TRUE_ALL_THE_SAME = {("M",): (5, 10**30), ("bound", "inputs"): ({}, {"stores": 4})}
"""Another claim, and a true one: more memory; inputs that are not needed left out. A DAG may be without a name."""


@pytest.mark.parametrize("one_in", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_no_field_goes_unverified(one_in: int) -> None:
    """Change any value of a certificate into any other: both checkers refuse it, unless what it says is true."""
    document = made(rules=ONCE)
    document["dag"]["name"] = None
    every = [(path, value) for path in list(_places(document))[1:] for value in _instead(_at(document, path))]
    refused = 0
    for path, value in random.Random(1).sample(every, len(every) // one_in):
        changed = copy.deepcopy(document)
        _at(changed, path[:-1])[path[-1]] = value
        true = changed == document and repr(changed) == repr(document)
        true = true or value in TRUE_ALL_THE_SAME.get(path, ())
        try:
            found = verdict(changed)
        except InvalidInput:
            ours = False
        else:
            ours = found.complete
            assert ours or (found.faults and str(found).startswith("not valid: "))
        if value == 10**30 and path == ("M",):  # no pebbling file could hold so large an M
            assert not ours
            continue
        assert ours == true, (path, value)
        assert second_opinion(changed).endswith("confirmed") == true, (path, value)
        refused += not true
    assert refused > len(every) // one_in // 2


@pytest.mark.parametrize("rules", [Rules(), ONCE], ids=str)
def test_every_dropped_repeated_or_exchanged_move_gets_the_same_verdict_from_both(rules: Rules) -> None:
    document = made("matmul:2,2,1", 3, rules)
    moves = document["pebbling"]
    refused = 0
    for at in range(len(moves)):
        exchanged = [*moves[:at], *reversed(moves[at : at + 2]), *moves[at + 2 :]]
        for changed in (moves[:at] + moves[at + 1 :], [*moves[: at + 1], *moves[at:]], exchanged):
            other = copy.deepcopy(document) | {"pebbling": changed}
            ours = verdict(other).complete
            assert ours == bool(second_opinion(other)), (at, changed)
            refused += not ours
    assert refused > len(moves)


@pytest.mark.parametrize(
    ("part", "key", "value", "message"),
    [
        ("bound", "name", "best", "no bound is called 'best'"),
        (None, "bound", {"name": "convex min-cut", "value": 1, "inputs": {"vertex": 3}}, "computed twice"),
        (None, "bound", {"name": "Hong-Kung", "value": 1, "inputs": {"X": "3"}}, "whole number"),
        (None, "bound", {"name": "T1", "value": 1, "inputs": {"family": "fft:4"}}, "of the family fft"),
        ("dag", "name", "fft:8", "not the one called fft:8"),
    ],
)
def test_bounds_that_cannot_be_computed_again(part: str | None, key: str, value: Any, message: str) -> None:
    document = made()
    (document[part] if part else document)[key] = value
    found = verdict(document)
    assert not found.complete
    assert any(message in fault for fault in found.faults), found.faults


def test_a_bound_of_other_rules_is_refused() -> None:
    document = made("diamond:8,8", 3, ONCE, "convex min-cut")
    assert verdict(document).complete
    document["rules"]["recomputation"] = True
    assert not verdict(document).complete
    assert second_opinion(document) == ""
    document = made("pyramid:6", 5, bound="forced loads")
    document["rules"]["sliding"] = True
    assert not verdict(document).complete
    assert second_opinion(document) == ""


NOT_ONE = [
    "{",
    "[]",
    "{}",
    '{"format": "pebble-certificate", "version": 2}',
    '{"format": 1, "format": 2}',
    "{" * 9999,
]


@pytest.mark.parametrize("text", NOT_ONE, ids=range(len(NOT_ONE)))
def test_what_is_no_certificate(text: str) -> None:
    with pytest.raises(InvalidInput, match="certificate"):
        check_certificate(text)


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
    document: Document = certificate.to_dict()
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
    assert len(text.splitlines()) <= 1510
    body = text[text.index("def check(") : text.index("def check_table(")]
    assert len(body.splitlines()) <= 65
