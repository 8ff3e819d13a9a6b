"""Keys of two parts as a Coq file: what it says, and that Coq accepts it and refuses one that was tampered with."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from pebble.computations.problem import Problem
from pebble.lower_bounds.coq_certificate import coq_certificate
from pebble.lower_bounds.table import bounds
from tests.support.coq import compiled, needs_coq

_THEOREM = re.compile(r"^Theorem (\w+) : (.*) (\d+)\.$", re.MULTILINE)
_DECODING = Problem(128, 8192, 576, 512, shared_values=True)

_ROPE = Problem(300, 300, 20, 12, True, heads=3, batch=2, mask="causal", shared_rope=4)


def _random_problem(rng: random.Random) -> tuple[Problem, int]:
    """Return random latent attention, often masked or of several copies, and random words of fast memory."""
    size, d = rng.choice([6, 60, 600]), rng.randint(2, 2 ** rng.randint(2, 9))
    Nq, Nk = rng.randint(1, size), rng.randint(1, size)
    mask = rng.choice([None, None, "causal", f"window:{rng.randint(1, size)}"])
    problem = Problem(
        Nq,
        Nk if mask is None else Nq,
        d,
        rng.randint(1, d - 1),
        rng.random() < 0.5,
        batch=rng.choice([1, 1, 3]),
        mask=mask,
        shared_values=True,
    )
    return problem, 2 ** rng.randint(1, 16) + rng.randint(0, 3)


@pytest.mark.parametrize(
    ("problem", "M", "costs"),
    [
        (_DECODING, 10_000, "latent_costs 128 8192 576 512 false 10000"),
        (
            Problem(300, 300, 40, 32, True, mask="causal", batch=3, shared_values=True),
            1000,
            "masked_latent_costs 45150 300 300 40 32 true 1000",
        ),
    ],
)
def test_the_numbers_are_those_that_are_printed(problem: Problem, M: int, costs: str) -> None:
    found = {
        name: (statement, int(words))
        for name, statement, words in _THEOREM.findall(coq_certificate(problem, M))
    }
    checked = (bound for bound in bounds(problem, M).proved if bound.status == "machine-checked")
    printed = {bound.name: bound for bound in checked}
    assert set(printed) == {"MLA", "compulsory"} == {name for name in found if not name.endswith("_of_all")}
    for name, bound in printed.items():
        statement, words = found[name]
        assert (statement, words * problem.copies) == (costs, bound.value)
        if problem.copies > 1:
            assert found[f"{name}_of_all"][1] == bound.value


def test_heads_that_share_rotary_words_are_stated_together() -> None:
    problem = Problem(4096, 4096, 192, 128, heads=128, shared_rope=64)
    found = {
        name: (costs, int(words))
        for name, costs, words in _THEOREM.findall(coq_certificate(problem, 131_072))
    }
    printed = {bound.name.replace(" ", "_"): bound for bound in bounds(problem, 131_072).proved}
    assert set(found) == set(printed) == {"T1", "without_rope", "compulsory"}
    for name, (costs, words) in found.items():
        assert costs == "shared_rope_costs 128 16777216 4096 4096 192 128 64 false 131072"
        assert (words, "machine-checked") == (printed[name].value, printed[name].status)


def test_heads_bounded_by_something_else_are_left_out() -> None:
    text = coq_certificate(_ROPE, 500)
    assert {name for name, _, _ in _THEOREM.findall(text)} == {
        *("T1", "T1_of_all", "compulsory", "compulsory_of_all"),
    }
    assert "left out: without rope. *)" in text


@pytest.mark.slow
def test_coq_accepts_heads_that_share_rotary_words(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    assert compiled(coq_certificate(_ROPE, 500), tmp_path) is None
    text = coq_certificate(Problem(4096, 4096, 192, 128, True, heads=8, shared_rope=64), 131_072)
    assert compiled(text, tmp_path) is None
    words = {name: number for name, _, number in _THEOREM.findall(text)}
    [one] = re.findall(r"\(one := (\d+)\)", text)
    for right in (*(f" {words[name]}." for name in ("T1", "without_rope", "compulsory")), f"(one := {one})"):
        assert text.count(right) == 1
        wrong = re.sub(r"\d+", lambda number: str(int(number[0]) + 1), right)
        assert "Unable to unify" in (compiled(text.replace(right, wrong), tmp_path) or "")


@pytest.mark.slow
def test_coq_accepts_certificates_and_refuses_tampered_ones(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    rng = random.Random(13)
    some = [_random_problem(rng) for _ in range(20)]
    some += [(Problem(65536, 65536, 576, 512, shared_values=True), M) for M in (247_296, 4 * 10**6)]
    texts = [coq_certificate(problem, M) for problem, M in some]
    for lemma in (
        "mla_latent",
        "mla_masked_latent",
        "compulsory_masked_latent",
        "copies_all_pairs",
        "copies_masked",
    ):
        assert any(f"apply {lemma}" in text for text in texts), lemma
    scope = "Local Open Scope N_scope.\n"
    modules = [f"Module M{n}.\n{text.partition(scope)[2]}End M{n}.\n" for n, text in enumerate(texts)]
    header = coq_certificate(Problem(6, 6, 3, 2, batch=2, shared_values=True), 9).partition(scope)[0] + scope
    assert compiled(header + "".join(modules), tmp_path) is None
    text = coq_certificate(_DECODING, 10_000)
    words = {name: number for name, _, number in _THEOREM.findall(text)}
    [(h, p)] = re.findall(r"\(h := (\d+)\) .*\(p := (\d+)\)", text)
    for right, wrong in (
        (f" {words['MLA']}.", f" {int(words['MLA']) + 1}."),
        (f" {words['compulsory']}.", f" {int(words['compulsory']) + 1}."),
        (f"(h := {h})", f"(h := {int(h) + 1})"),
        (f"(p := {p})", f"(p := {int(p) - 1})"),
    ):
        assert text.count(right) == 1
        assert "Unable to unify" in (compiled(text.replace(right, wrong), tmp_path) or "")
