"""Printed numbers as a Coq file: what it says, and that Coq accepts it and refuses one that was tampered with."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.t1 import t1_cut, t1_events
from pebble.lower_bounds.attention.t2 import t2_cut, t2_events, t2_peak
from pebble.lower_bounds.coq_certificate import coq_certificate
from pebble.lower_bounds.proved import proved_bounds
from pebble.lower_bounds.table import bounds
from tests.support.coq import PROOFS, compiled, needs_coq

_STATEMENT = re.compile(r"^Theorem (\w+) : (\w+) (.*) (\d+)\.$", re.MULTILINE)


def _random_problem(rng: random.Random) -> tuple[Problem, int]:
    """Return a random forward pass, often masked, and random words of fast memory; some numbers are large."""
    size = rng.choice([6, 60, 600])
    Nq, Nk = rng.randint(1, size), rng.randint(1, size)
    mask = rng.choice([None, None, "causal", f"window:{rng.randint(1, size)}"])
    d, dv = (rng.randint(1, 2 ** rng.randint(1, 7)) for _ in range(2))
    problem = Problem(Nq, Nk if mask is None else Nq, d, dv, rng.random() < 0.5, mask=mask)
    return problem, 2 ** rng.randint(1, 16) + rng.randint(0, 3)


def test_the_numbers_are_those_that_are_printed() -> None:
    problem = Problem.square(4096, 64)
    stated = {name: int(words) for name, _, _, words in _STATEMENT.findall(coq_certificate(problem, 400))}
    printed = {bound.name: bound.value for bound in bounds(problem, 400).proved}
    assert stated == {name: printed[name] for name in ("T1", "T2", "compulsory")}
    assert "attention forward, N = 4,096" in coq_certificate(problem, 400)
    assert "left out: T4, T3, D. *)" in coq_certificate(problem, 400)


def test_under_a_mask_the_statement_has_its_counts() -> None:
    problem = Problem(30, 30, 5, 7, stats=True, mask="causal")
    found = _STATEMENT.findall(coq_certificate(problem, 100))
    assert {(costs, numbers) for _, costs, numbers, _ in found} == {
        ("masked_forward_costs", "465 30 30 5 7 true 100")
    }


def test_what_is_not_machine_checked_has_no_certificate() -> None:
    for problem in (Problem.square(8, 2, pass_name="backward"), Problem.square(8, 2, softmax="safe")):
        assert all(bound.status != "machine-checked" for bound in proved_bounds(problem, 30))
        with pytest.raises(BoundDoesNotApply, match="can be written for Coq"):
            coq_certificate(problem, 30)
    heads = bounds(Problem.square(64, 4, heads=2), 30)
    assert "machine-checked" not in {bound.status for bound in heads.proved}
    assert "one of the 2 copies" in coq_certificate(heads.problem, 30)


def test_a_mask_cannot_end_the_comment() -> None:
    text = coq_certificate(Problem.square(8, 2, mask="causal"), 30)
    assert text.count("(*") == text.count("*)") == 1


def test_what_coq_tests_holds_for_random_problems() -> None:
    """The conditions of docs/proofs/Certificate.v, in Python."""
    rng = random.Random(20)
    for _ in range(200):
        problem, M = _random_problem(rng)
        d = problem.d
        cut = t1_cut(problem, M)
        assert cut.cuts * t1_events(M + cut.X, d) < problem.pairs * problem.dv
        cut = t2_cut(problem, M)
        T = M + cut.X
        F = t2_events(T, d)
        assert cut.cuts * F < problem.pairs * (d + problem.dv)
        if 27 * d * d > 4 * T:
            p, q = t2_peak(T, d)
            assert 8 * p <= 5 * T * q
            assert 8 * p**2 + 27 * d**2 * T * q**2 <= 81 * d**2 * p * q
            assert math.isqrt(p**2 * (T * q - p) // (2 * q**3)) == F
        else:
            assert 108 * d * d * (F + 1) ** 2 > T**4


def test_every_proof_is_compiled_and_assumes_nothing() -> None:
    names = {path.stem for path in PROOFS.glob("*.v")}
    makefile = (PROOFS / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"^PROOFS := ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)
    assert listed
    assert set(listed[1].replace("\\\n", " ").split()) == names
    for path in PROOFS.glob("*.v"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(Admitted|admit|Axiom|Conjecture|Parameter|Abort)\b", text), path


@pytest.mark.slow
def test_coq_accepts_certificates_and_refuses_tampered_ones(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    rng = random.Random(3)
    problems = [_random_problem(rng) for _ in range(25)] + [
        (Problem.square(4096, 64), 25_000),
        (Problem.square(2**40, 128), 10**6),
    ]
    texts = [coq_certificate(problem, M) for problem, M in problems]
    assert any("masked" in text and "t2_masked" in text for text in texts)
    assert compiled(_together(texts), tmp_path) is None
    text = texts[-2]
    for right, wrong in (
        ("11020013", "11020014"),
        ("h := 441", "h := 442"),
        ("T := 49932", "T := 49933"),
        ("1048576", "1048577"),
    ):
        assert right in text
        refused = compiled(text.replace(right, wrong), tmp_path)
        assert refused is not None
        assert "Unable to unify" in refused


def _together(texts: list[str]) -> str:
    """Return one file of several certificates, each in a module of its own."""
    header, modules = "", []
    for number, text in enumerate(texts):
        header, _, theorems = text.partition("Local Open Scope N_scope.\n")
        modules.append(f"Module M{number}.\n{theorems}End M{number}.\n")
    return f"{header}Local Open Scope N_scope.\n" + "".join(modules)
