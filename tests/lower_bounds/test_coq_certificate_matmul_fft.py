"""Bounds of matrix products and of the FFT as Coq files: what they say, and that Coq accepts no greater number."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.lower_bounds.graph.coq_family import coq_certificate_of_dag, coq_fft, coq_matmul
from pebble.lower_bounds.graph.family_bounds import family_bounds
from pebble.lower_bounds.matmul_fft import (
    fft,
    matmul,
    matmul_best_cut,
    matmul_cut,
    matmul_short,
    short_side_cut,
)
from tests.support.coq import compiled, needs_coq

_STATEMENT = re.compile(r"^Theorem (\w+) : (\w+) (.*) (\d+)\.$", re.MULTILINE)


def _stated(text: str) -> dict[str, int]:
    return {name: int(words) for name, _, _, words in _STATEMENT.findall(text)}


def test_the_numbers_are_those_of_the_bounds() -> None:
    rng = random.Random(4)
    for _ in range(30):
        m, n, k = (rng.randint(1, 2 ** rng.randint(1, 8)) for _ in range(3))
        M = rng.randint(1, 3000)
        text = coq_matmul(m, n, k, M)
        assert max(_stated(text).values()) == matmul(m, n, k, M).value
        assert {(costs, numbers) for _, costs, numbers, _ in _STATEMENT.findall(text)} == {
            ("matmul_costs", f"{m} {n} {k} {M}")
        }
        points = 2 ** rng.randint(1, 12)
        assert max(_stated(coq_fft(points, M)).values()) == fft(points, M).value


def test_a_dag_is_known_by_its_name() -> None:
    for name, M in (("fma-matmul:20,20,2", 30), ("fft:64", 8)):
        dag = load_dag(name)
        found = family_bounds(dag, M, Rules())[0]
        assert found.status == "machine-checked"
        assert max(_stated(coq_certificate_of_dag(dag, M)).values()) == found.value
    assert "forward_costs 2 2 1 1 false 5 " in coq_certificate_of_dag(load_dag("attention:N=2,d=1"), 5)
    for name in ("pyramid:3", "matmul:2,2,2"):
        with pytest.raises(BoundDoesNotApply, match="can be written for Coq"):
            coq_certificate_of_dag(load_dag(name), 5)
    with pytest.raises(InvalidInput):
        coq_certificate_of_dag(load_dag("fft:4"), 0)


def test_what_coq_tests_holds_for_random_problems() -> None:
    """The conditions of docs/proofs/MatmulCertificate.v and Certificate.v, in Python."""
    rng = random.Random(8)
    short = 0
    for _ in range(200):
        m, n, k = (rng.randint(1, 2 ** rng.randint(1, 10)) for _ in range(3))
        M, W = rng.randint(1, 5000), m * n * k
        cut = matmul_best_cut(m, n, k, M)
        T, h = M + cut.X, cut.cuts
        F = (W - 1) // h
        assert T**3 < 27 * (F + 1) ** 2
        assert matmul_cut(m, n, k, M).value + h * M <= M + 1 + h * T
        try:
            words, cut = matmul_short(m, n, k, M).value, short_side_cut(W, k, M)
        except BoundDoesNotApply:
            continue
        T, h, short = M + cut.X, cut.cuts, short + 1
        assert 27 * k**2 * ((W - 1) // h + 1) ** 2 > T**3 * M
        assert M * words + M * h * (M + 1) < M * (M + 1 + h * T) + h + (M - k * k) * (W // k) + M
    assert short >= 15


@pytest.mark.slow
def test_coq_accepts_them_and_refuses_tampered_ones(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    texts = [
        coq_matmul(1000, 2000, 3000, 1024),
        coq_matmul(100, 100, 2, 104),
        coq_matmul(2, 100, 100, 104),
        coq_matmul(100, 2, 100, 104),
        coq_matmul(1, 1, 1, 1),
        coq_matmul(10**6, 10**7, 8, 10**5),
        *(coq_fft(n, M) for n, M in ((2**20, 1024), (2, 1), (64, 7), (2**40, 10**6))),
    ]
    scope = "Local Open Scope N_scope.\n"
    modules = [f"Module M{i}.\n{text.partition(scope)[2]}End M{i}.\n" for i, text in enumerate(texts)]
    imports = "From Pebble Require Import Certificate MatmulCertificate FFTCertificate.\n"
    header = f"From Coq Require Import NArith.\n{imports}{scope}"
    assert compiled(header + "".join(modules), tmp_path) is None
    tampered = ""
    for number, name in ((1, "short_side"), (0, "matmul"), (1, "compulsory"), (6, "FFT"), (6, "compulsory")):
        words = _stated(texts[number])[name]
        greater = words + 1 + (name == "short_side")  # the theorem may give a word more than the bound
        found = re.search(rf"Theorem {name} (: .*) {words}\.\nProof\. (.*)\. Qed\.\n", texts[number])
        assert found
        tampered += f"Goal {found[1][2:]} {greater}.\nProof. Fail {found[2]}. Abort.\n"
    assert tampered.count("Fail") == 5
    assert compiled(header + tampered, tmp_path) is None
    assert "Unable to unify" in (compiled(header + tampered.replace("Fail ", ""), tmp_path) or "")
