"""Printed numbers as a Coq file: what it says, and that Coq accepts it and refuses one that was tampered with."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.load import load_dag
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.varying_work import safe_softmax
from pebble.lower_bounds.certified import coq_rows
from pebble.lower_bounds.coq_certificate import coq_certificate
from pebble.lower_bounds.graph.coq_family import coq_certificate_of_dag
from pebble.lower_bounds.graph.graph_bound_table import dag_bounds
from pebble.lower_bounds.proved import proved_bounds
from pebble.lower_bounds.table import bounds
from tests.support.coq import PROOFS, compiled, needs_coq

_FILES = (
    "Certificate BackwardCertificate SoftmaxCertificate LinearCertificate LargeCacheCertificate CopiesCertificate "
    "RowMinimum BackwardRow AnyOrderCertificate"
)
_STATEMENT = re.compile(r"^Theorem (\w+) : (\w+) (.*) (\d+)\.$", re.MULTILINE)


@pytest.fixture(autouse=True)
def _no_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the trees of boxes of T3, T4 and B3 to test_coq_certificate_rows.py: they take seconds to find."""
    monkeypatch.setattr(coq_rows, "box_tree", lambda row: "E")


_LINEAR = [
    Problem(3000, 4000, 12, 20, attention="linear"),
    Problem.square(4000, 16, attention="linear", mask="causal"),
    Problem.square(4000, 16, attention="linear", mask="causal", gate=True),
]


_COPIES = [
    Problem.square(60, 4, heads=3),
    Problem.square(60, 4, heads=3, mask="causal"),
    Problem.square(200, 1, stats=True, batch=3, softmax="safe"),
    Problem.square(60, 4, stats=True, heads=3, softmax="online", mask="causal"),
    Problem.square(60, 4, heads=3, pass_name="backward"),
    Problem.square(60, 4, heads=3, pass_name="backward", mask="causal"),
]


def _random_problem(rng: random.Random) -> tuple[Problem, int]:
    """Return a random pass, often masked, and random words of fast memory; some numbers are large."""
    size = rng.choice([6, 60, 600])
    Nq, Nk = rng.randint(1, size), rng.randint(1, size)
    mask = rng.choice([None, None, "causal", f"window:{rng.randint(1, size)}"])
    d, dv = (rng.randint(1, 2 ** rng.randint(1, 7)) for _ in range(2))
    pass_name = rng.choice(["forward", "backward"])
    stats = pass_name == "forward" and rng.random() < 0.5
    softmax = rng.choice(["plain", "safe", "online"])
    problem = Problem(
        Nq, Nk if mask is None else Nq, d, dv, stats, pass_name=pass_name, mask=mask, softmax=softmax
    )
    return problem, 2 ** rng.randint(1, 16) + rng.randint(0, 3)


def test_the_numbers_are_those_that_are_printed() -> None:
    problem = Problem.square(4096, 64)
    stated = {name: int(words) for name, _, _, words in _STATEMENT.findall(coq_certificate(problem, 400))}
    printed = {bound.name: bound.value for bound in bounds(problem, 400).proved}
    assert stated == {name: printed[name] for name in ("T1", "T2", "T3", "T4", "D", "compulsory")}
    assert "attention forward, N = 4,096" in coq_certificate(problem, 400)
    assert "left out" not in coq_certificate(problem, 400)


def test_the_numbers_of_the_backward_pass_are_those_that_are_printed() -> None:
    problem = Problem.square(4096, 64, pass_name="backward")
    text = coq_certificate(problem, 400)
    stated = {name: int(words) for name, _, _, words in _STATEMENT.findall(text)}
    printed = {bound.name: bound.value for bound in bounds(problem, 400).proved}
    assert stated == {name: printed[name] for name in ("B1", "B2", "B3", "compulsory")} | {
        "D_backward": printed["D backward"]
    }
    assert "left out: B4. *)" in text


@pytest.mark.parametrize("problem", _LINEAR, ids=lambda problem: problem.form)
def test_linear_attention_is_stated_for_one_head(problem: Problem) -> None:
    [(name, costs, numbers, words)] = _STATEMENT.findall(coq_certificate(problem, 50))
    printed = {bound.name: bound.value for bound in bounds(problem, 50).proved}
    assert (name, costs, int(words)) == ("L", f"{problem.form}_costs", printed["L"])
    assert numbers.split()[0] == str(problem.Nq)
    if problem.form != "linear":
        heads = Problem.square(4000, 16, attention="linear", mask="causal", heads=2, kv_heads=1)
        with pytest.raises(BoundDoesNotApply, match="one query head"):
            coq_certificate(heads, 50)


def test_maxima_of_safe_softmax_are_words_besides() -> None:
    plain, safe = (Problem(30, 40, 5, 7, stats=True, softmax=softmax) for softmax in ("plain", "safe"))
    numbers = {name: int(words) for name, _, _, words in _STATEMENT.findall(coq_certificate(plain, 50))}
    text = coq_certificate(safe, 50)
    found = _STATEMENT.findall(text)
    assert {costs for _, costs, *_ in found} == {"safe_costs"}
    assert {name: int(words) - 30 for name, _, _, words in found} == numbers
    assert all(f"(plain := {words})" in text for words in numbers.values())


def test_what_safe_softmax_costs_beyond_the_plain_one() -> None:
    for mask, costs in ((None, "safe_costs 300 300"), ("causal", "masked_safe_costs 45150 300 300")):
        problem = Problem.square(300, 2, stats=True, softmax="safe", mask=mask)
        text = coq_certificate(problem, 200)
        name, *statement, words = _STATEMENT.findall(text)[0]
        assert (name, " ".join(statement)) == ("S", f"{costs} 2 2 true 200")
        assert int(words) == safe_softmax(problem, 200).value
        assert f"apply s_{'masked' if mask else 'forward'} with (h :=" in text


def test_under_a_mask_the_statement_has_its_counts() -> None:
    problem = Problem(30, 30, 5, 7, stats=True, mask="causal")
    found = _STATEMENT.findall(coq_certificate(problem, 100))
    assert {(name, costs, numbers) for name, costs, numbers, _ in found} == {
        *(
            (name, "masked_forward_costs", "465 30 30 5 7 true 100")
            for name in ("T1", "T2", "T3", "compulsory")
        ),
        ("D", "rectangle_forward_costs", "17 14 30 30 5 7 true 100"),
    }
    problem = Problem(30, 30, 5, 7, pass_name="backward", mask="causal")
    found = _STATEMENT.findall(coq_certificate(problem, 100))
    assert {(name, costs, numbers) for name, costs, numbers, _ in found} == {
        *((name, "masked_backward_costs", "465 30 30 5 7 100") for name in ("B1", "compulsory")),
        ("D_backward", "rectangle_backward_costs", "17 14 30 30 5 7 100"),
    }


def test_what_is_not_machine_checked_has_no_certificate() -> None:
    chunked = Problem.square(8, 2, attention="linear", mask="causal", chunk=2)
    for problem in (Problem.square(8, 2, pass_name="weights"), chunked):
        assert all(bound.status != "machine-checked" for bound in proved_bounds(problem, 30))
        with pytest.raises(BoundDoesNotApply, match="can be written for Coq"):
            coq_certificate(problem, 30)


_MASKS = (None, "causal", "window:9", "document:20,30,50", "blocks:size=10,density=0.4", "strided:7")
_PROBLEMS = [
    *(Problem.square(100, 4, mask=mask, softmax=softmax, stats=softmax != "plain", heads=heads)
      for mask in _MASKS for softmax, heads in (("plain", 1), ("safe", 3), ("online", 1))),
    *(Problem(100, 100, 4, 7, pass_name="backward", mask=mask) for mask in _MASKS),
    *(Problem(100, 100, 8, 6, shared_values=True, mask=mask) for mask in _MASKS),
    *(Problem(100, 100, 8, 6, heads=3, shared_rope=2, mask=mask) for mask in _MASKS),
    *(Problem.square(100, 4, attention="linear", mask=mask, gate=gate, heads=4, kv_heads=kv_heads)
      for mask, gate in ((None, False), ("causal", False), ("causal", True)) for kv_heads in (2, 4)),
    Problem.square(100, 4, attention="linear", mask="causal", chunk=4),
    Problem.square(100, 4, heads=4, kv_heads=2),
    Problem.square(100, 4, pass_name="weights"),
    *(Problem.square(100, 4, sums="free", mask=mask, heads=heads) for mask in _MASKS[:2] for heads in (1, 3)),
    *(Problem(100, 100, 4, 7, pass_name="backward", mask=mask, sums=sums)
      for mask in _MASKS[:2] for sums in ("free", "accumulate")),
]  # fmt: skip


@pytest.mark.many(6)
@pytest.mark.parametrize("problem", _PROBLEMS, ids=str)
def test_a_bound_is_machine_checked_where_the_file_states_it_and_only_there(problem: Problem) -> None:
    for M in (3, 30, 100, 400, 1000, 5000):
        found = {
            (bound.name.replace(" ", "_"), bound.value // problem.copies)
            for bound in bounds(problem, M).proved
            if bound.status == "machine-checked"
        }
        stated: set[tuple[str, int]] = set()
        with suppress(BoundDoesNotApply):
            theorems = _STATEMENT.findall(coq_certificate(problem, M))
            stated = {(name, int(words)) for name, *_, words in theorems if not name.endswith("_of_all")}
        assert found == stated, M


@pytest.mark.parametrize(
    "name", ["fma-matmul:4,5,6", "fft:8", "attention:3,2", "backward:3,2", "matmul:2,2,2", "pyramid:3"]
)
def test_a_bound_of_a_dag_is_machine_checked_where_the_file_states_it_and_only_there(name: str) -> None:
    dag = load_dag(name)
    found = {int(bound.value) for bound in dag_bounds(dag, 6) if bound.status == "machine-checked"}
    stated: set[int] = set()
    with suppress(BoundDoesNotApply):
        stated = {int(words) for *_, words in _STATEMENT.findall(coq_certificate_of_dag(dag, 6))}
    assert found == stated


@pytest.mark.parametrize("problem", [replace(problem, batch=3) for problem in _LINEAR] + _COPIES, ids=str)
def test_copies_are_stated_of_one_and_of_all(problem: Problem) -> None:
    text = coq_certificate(problem, 50)
    assert "of one of the 3 copies, and then of all" in text
    found = {name: int(words) for name, _, _, words in _STATEMENT.findall(text)}
    printed = {bound.name.replace(" ", "_"): bound for bound in bounds(problem, 50).proved}
    one = [name for name in found if not name.endswith("_of_all")]
    assert len(found) == 2 * len(one) > 0
    for name in one:
        assert found[f"{name}_of_all"] == printed[name].value == 3 * found[name]
        assert printed[name].status == "machine-checked"
    alone = {name: words for name, _, _, words in _STATEMENT.findall(coq_certificate(problem.single, 50))}
    assert alone == {name: str(found[name]) for name in one}


def test_a_mask_cannot_end_the_comment() -> None:
    text = coq_certificate(Problem.square(8, 2, mask="causal"), 30)
    assert text.count("(*") == text.count("*)") == 1


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
    problems = [_random_problem(rng) for _ in range(50)] + [
        *((linear, M) for linear in _LINEAR for M in (50, 1000)),
        *(
            (Problem(30, 30, 5, 7, stats=True, mask="causal", softmax=softmax), 100)
            for softmax in ("safe", "online")
        ),
        *((replace(linear, batch=3), 50) for linear in _LINEAR),
        *((problem, 50) for problem in _COPIES),
        *((Problem.square(300, 2, stats=True, softmax="safe", mask=mask), 200) for mask in (None, "causal")),
        *(
            (Problem.square(400, 4, pass_name=pass_name, mask=mask, sums=sums), 50)
            for pass_name, sums in (("forward", "free"), ("backward", "accumulate"))
            for mask in (None, "causal")
        ),
        (Problem(30, 30, 5, 7, pass_name="backward", mask="causal"), 100),
        (Problem.square(4096, 64, pass_name="backward"), 400),
        (Problem.square(2**40, 128, pass_name="backward"), 10**6),
        (Problem.square(4096, 64), 25_000),
        (Problem.square(2**40, 128), 10**6),
    ]
    texts = [coq_certificate(problem, M) for problem, M in problems]
    for form in ("linear", "recurrent", "gated"):
        assert any(f"apply l_{form}" in text for text in texts)
    for kind in ("all_pairs", "masked", "rectangle", "linear", "recurrent", "gated"):
        assert any(f"apply copies_{kind}" in text for text in texts)
    for lemma in ("t1", "t2", "b1", "b2", "compulsory", "safe", "online"):
        assert any(f"apply {lemma}_masked" in text for text in texts)
    for lemma in (
        "d_rectangle with",
        "d_forward",
        "s_forward",
        "s_masked",
        "safe_rectangle",
        "online_rectangle",
        "d_backward",
        "d_rectangle_backward",
        "t1_any_order_forward",
        "t1_masked_any_order_forward",
        "b1_any_order_backward",
        "b1_masked_any_order_backward",
    ):
        assert any(f"apply {lemma}" in text for text in texts), lemma
    assert compiled(_together(texts), tmp_path) is None
    forward, backward = texts[-2], texts[-4]
    linear = coq_certificate(_LINEAR[2], 1000)
    words = _STATEMENT.findall(linear)[0][3]
    stated = {
        name: int(number) for text in (forward, backward) for name, _, _, number in _STATEMENT.findall(text)
    }
    safe = coq_certificate(Problem.square(300, 2, stats=True, softmax="safe"), 200)
    [(s_words, s_cut)] = re.findall(r"Theorem S : .* (\d+)\.\n.*(h := \d+)", safe)
    large, back = stated["D"], stated["D_backward"]
    cases = [
        (linear, words, str(int(words) + 1)),
        (safe, f" 200 {s_words}.", f" 200 {int(s_words) + 1}."),
        (safe, s_cut, f"h := {int(s_cut[5:]) + 1}"),
        (forward, "11020013", "11020014"),
        (forward, "h := 441", "h := 442"),
        (forward, "T := 49932", "T := 49933"),
        (forward, "1048576", "1048577"),
        (forward, f"false 25000 {large}.", f"false 25000 {large + 1}."),
        (forward, "(tau := 64)", "(tau := 65)"),
        (backward, "408151494", "408151495"),
        (backward, "297938629", "297938630"),
        (backward, "(h := 401534) (T := 1142)", "(h := 401535) (T := 1142)"),
        (backward, "(p := 2132555", "(p := 2032555"),
        (backward, "2101248", "2101249"),
        (backward, f" 400 {back}.", f" 400 {back + 1}."),
        (backward, "(tau := 128)", "(tau := 129)"),
    ]
    tampered = [_changed(text, right, wrong) for text, right, wrong in cases]
    header = _together([])
    copies = coq_certificate(_COPIES[0], 50)
    [(words, one)] = re.findall(r"Theorem T1_of_all : .* (\d+)\.\n.*one := (\d+)", copies)
    for right, wrong in ((words, int(words) + 1), (f"(one := {one})", f"(one := {int(one) + 1})")):
        refused = copies.replace(f" {right}", f" {wrong}")
        assert refused != copies
        assert compiled(refused, tmp_path) is not None
    computed = [(goal, proof.removesuffix("reflexivity")) for goal, proof in tampered]
    text = "".join(
        f"Goal {goal}.\nProof. {proof} assert_fails reflexivity. Abort.\n" for goal, proof in computed
    )
    assert compiled(header + text, tmp_path) is None
    goal, proof = tampered[0]
    assert "Unable to unify" in (compiled(f"{header}Goal {goal}.\nProof. {proof}. Qed.\n", tmp_path) or "")


def _changed(text: str, right: str, wrong: str) -> tuple[str, str]:
    """Return the statement and the proof of the one theorem that is another one with something wrong in it."""
    assert right in text
    theorem = re.compile(r"Theorem \w+ : (.*)\.\nProof\. (.*)\. Qed\.\n")
    before, after = (theorem.findall(one) for one in (text, text.replace(right, wrong)))
    [(goal, proof)] = [new for old, new in zip(before, after, strict=True) if old != new]
    return goal, proof


def _together(texts: list[str]) -> str:
    """Return one file of several certificates, each in a module of its own, without proofs of the constants of rows."""
    scope = "Local Open Scope N_scope.\n"
    texts = [re.sub(r"Proof\. apply \(@(?:t[34]|b3)_proved .*", "Admitted.", text) for text in texts]
    modules = [
        f"Module M{number}.\n{text.partition(scope)[2]}End M{number}.\n" for number, text in enumerate(texts)
    ]
    return f"From Coq Require Import NArith.\nFrom Pebble Require Import {_FILES}.\n{scope}" + "".join(
        modules
    )
