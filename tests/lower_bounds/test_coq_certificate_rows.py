"""Rows of T3, T4 and B3 for Coq: what Coq computes of printed numbers, and of the trees that prove the constants."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from pebble.computations.problem import Problem
from pebble.lower_bounds.certified import coq_rows as box_trees
from pebble.lower_bounds.certified import coq_rows as coq_rows_module
from pebble.lower_bounds.certified.backward_rows import B3Row, b3
from pebble.lower_bounds.certified.coq_rows import box_test, box_tree, coq_row, coq_rows
from pebble.lower_bounds.certified.forward_rows import T3Row, T4Row, t3, t4
from pebble.lower_bounds.certified.parameters import SCALE, best_row
from pebble.lower_bounds.coq_certificate import coq_certificate
from tests.support.coq import compiled, needs_coq


@pytest.mark.slow
def test_a_tree_of_a_row() -> None:
    row = T3Row.load()[-1]
    tree = box_tree(row)
    assert re.fullmatch(r"[XULE0-9() ]+", tree)
    assert 50 < tree.count("L") < 200
    text = coq_row(row)
    numbers = "1000000000 4750000000 9555387000 10000000 71950000 25140000 6190900000"
    assert f"Lemma T3_row : t3_holds (Row {numbers})." in text
    assert f"(@t3_proved {box_test(row).bits} T3_tree.boxes)" in text


@pytest.mark.slow
def test_no_tree_proves_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box_trees, "_MOST_BOXES", 300)
    row = T3Row.load()[-1]
    with pytest.raises(ValueError, match="undecided"):
        box_tree(T3Row(row.mu, row.tau, row.gamma, row.W * Fraction("0.9"), row.delta, row.beta))


def test_the_row_is_that_of_the_printed_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coq_rows_module, "box_tree", lambda row: "E")
    problem = Problem(3000, 4000, 60, 50, heads=3)
    text = coq_certificate(problem, 2000)
    for name, bound, kind in (("T3", t3, T3Row), ("T4", t4, T4Row)):
        found = best_row(kind, problem.single, 2000)
        assert found is not None
        assert f"(Row 1000000000 {found[-1].scaled['mu']} " in text
        words = bound(problem, 2000).value
        assert f"Theorem {name} : forward_costs 3000 4000 60 50 false 2000 {words}." in text
        assert f"(plain_of 60 50 false) 3000 4000 2000 {3 * int(words)}." in text


def test_a_row_of_the_backward_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coq_rows_module, "box_tree", lambda row: "E")
    problem = Problem.square(4096, 64, pass_name="backward", mask="causal")
    bound = b3(problem, 12_000)
    text = coq_certificate(problem, 12_000)
    row = "1000000000 6892080000 50000000 79030000 133220000 1000000000 922040000 922680000 3332040000 false"
    assert f"Lemma B3_row : b3_holds (B3Row {row})." in text
    assert f"Theorem B3 : masked_backward_costs 8390656 4096 4096 64 64 12000 {bound.value}." in text
    cuts = int(bound.note.split()[-2]) - 1
    assert f"apply (b3_masked_backward B3_row) with (h := {cuts});" in text
    assert "17874500 true)." in coq_row(B3Row.load()[8])  # W bounds the greater function: any dv


def test_all_rows_and_those_of_a_mu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coq_rows_module, "box_tree", lambda row: "E")
    text = "".join(coq_rows())
    assert text.count("Lemma T") == len(T3Row.load()) + len(T4Row.load())
    assert text.count("Lemma B3_row") == len(B3Row.load())
    text = "".join(coq_rows([Fraction("0.05")]))
    assert "Module T3_10." in text
    assert text.count("End T3_") == text.count("End T4_") == 2  # the row's and its tree's


@pytest.mark.slow
def test_coq_accepts_rows_under_masks_and_of_heads(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    problem = Problem.square(300, 64, heads=2, mask="causal", softmax="safe", stats=True)
    text = coq_certificate(problem, 400)
    for name in ("T3", "T4", "T3_of_all", "T4_of_all"):
        assert f"Theorem {name} : " in text
    assert compiled(text, tmp_path) is None


def _of_heads() -> tuple[Problem, int]:
    """Heads that share rotary words, one of which T4 bounds best."""
    return Problem(2048, 2048, 72, 64, heads=2, shared_rope=8), 4096


def test_a_row_for_heads_that_share_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coq_rows_module, "box_tree", lambda row: "E")
    text = coq_certificate(*_of_heads())
    assert text.count("Lemma T4_row") == 1
    assert "apply (t4_masked T4_row); vm_compute; reflexivity]" in text


@pytest.mark.slow
def test_coq_accepts_a_row_for_heads_that_share_words(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    assert compiled(coq_certificate(*_of_heads()), tmp_path) is None


@pytest.mark.slow
def test_coq_refuses_a_greater_number(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    problem = Problem.square(2**14, 64)
    text = coq_certificate(problem, 4000)
    for lemma, bound in (("t3", t3(problem, 4000)), ("t4", t4(problem, 4000))):
        assert f"Theorem {bound.name} : forward_costs 16384 16384 64 64 false 4000 {bound.value}." in text
        text += (
            f"Goal forward_costs 16384 16384 64 64 false 4000 {int(bound.value) + 4}.\n"
            f"Proof. apply ({lemma}_forward {bound.name}_row); vm_compute. assert_fails reflexivity. Abort.\n"
        )
    assert compiled(text, tmp_path) is None


@pytest.mark.slow
def test_coq_refuses_a_smaller_constant(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    text = next(coq_rows())
    for row in (T3Row.load()[-2], T4Row.load()[2]):
        text += coq_row(row)
        name, smaller = row.statement.name, row.scaled["W"] * 1999 // 2000
        numbers = [row.scaled[name] for name in ("mu", "tau", "gamma", "delta", "beta")]
        parameters = " ".join(map(str, [box_test(row).bits, SCALE, *numbers, smaller]))
        text += (
            f"Module {name}_smaller.\nImport Coq.ZArith.BinInt.\n"
            f"Goal {name}Certificate.certificate {parameters} {name}_tree.boxes = false.\n"
            f"Proof. vm_compute; reflexivity. Qed.\nEnd {name}_smaller.\n"
        )
    assert compiled(text, tmp_path) is None


@pytest.mark.slow
def test_coq_accepts_a_row_of_the_backward_pass_and_refuses_more(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    problem = Problem.square(2**12, 64, pass_name="backward")
    found = best_row(B3Row, problem, 560)
    assert found is not None
    words, segments, row = found
    text = coq_certificate(problem, 560)
    assert f"Theorem B3 : backward_costs 4096 4096 64 64 560 {words}." in text
    text += (
        f"Goal backward_costs 4096 4096 64 64 560 {words + 3}.\n"
        f"Proof. apply (b3_backward B3_row) with (h := {segments - 1}); vm_compute. assert_fails reflexivity. Abort.\n"
    )
    names = ("tau", "gamma", "S", "dP", "dV", "dK", "dQ")
    numbers = [
        box_test(row).bits,
        SCALE,
        *(row.scaled[name] for name in names),
        row.scaled["W"] * 1999 // 2000,
    ]
    parameters = " ".join(map(str, numbers))
    text += (
        "Import Coq.ZArith.BinInt.\n"
        f"Goal B3Certificate.certificate {parameters} true B3_tree.boxes = false.\n"
        "Proof. vm_compute; reflexivity. Qed.\n"
    )
    assert compiled(text, tmp_path) is None
