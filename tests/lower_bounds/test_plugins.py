"""A third party's bound is shown beside our own and held to the contract; a wrong one is named and hides nothing."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import pebble
from pebble.common.errors import BoundDoesNotApply, ContractBroken
from pebble.computations.problem import Problem
from pebble.lab.count import count
from pebble.lower_bounds.table import bounds
from pebble.testing import check_bound

PROJECT = Path(__file__).resolve().parents[1] / "plugin"
PROBLEM = Problem.square(64, 8)


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], None]:
    """Install a project of one module, as pip would leave it, with one entry point."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(module: str, source: str, value: str) -> None:
        (tmp_path / f"{module}.py").write_text(source, encoding="utf-8")
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[pebble.bounds]\n{module} = {module}:{value}\n")
        monkeypatch.syspath_prepend(str(tmp_path / f"no-such-folder-{module}"))  # another path is read anew

    return install


def _source(words: str, name: str = "mine", more: str = "") -> str:
    return (
        "import pebble\n"
        f"def words(problem, M):\n    {words}\n"
        f"BOUND = pebble.Statement({name!r}, 'I/O ≥ words', 'attention', 'a page', words=words{more})\n"
    )


def test_the_example_is_shown_and_keeps_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(PROJECT / "src", tmp_path, dirs_exist_ok=True)
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entries = project["entry-points"]["pebble.bounds"]
    info = tmp_path / "pebble_example-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pebble-example\nVersion: 1.0\n")
    lines = ["[pebble.bounds]", *(f"{key} = {value}" for key, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    (found,) = (bound for bound in bounds(PROBLEM, 100).proved if bound.name == "example-outputs")
    assert (found.value, found.status) == (64 * 8, "proved")
    assert found.facts["authors"] == "the plug-in example-outputs"
    both = bounds(Problem.square(64, 8, heads=3), 100)
    assert {bound.name: bound.value for bound in both.proved}["example-outputs"] == 3 * 64 * 8
    assert "example-outputs" in str(count(PROBLEM, 100, ["flash-2"]))
    assert "example-outputs" not in str(bounds(Problem.square(64, 8, mask="causal"), 100))
    from pebble_example import OUTPUTS  # type: ignore[import-not-found]

    kept = check_bound(OUTPUTS, [Problem(1, 1, 1, 1), Problem(4, 3, 2, 2), PROBLEM_BACKWARD])
    assert kept.applied == 8
    assert kept.refused == 4
    assert kept.optima > 0


PROBLEM_BACKWARD = Problem(2, 2, 1, 1, pass_name="backward")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import no_such_module\n", ["cannot be loaded", "no_such_module"]),
        ("BOUND = 3\n", ["it is a int, not a pebble.Statement"]),
        (_source("return 1 / 0"), ["ZeroDivisionError", "division by zero"]),
        (_source("return 2.5"), ["whole number of words, not 2.5"]),
        (_source("return -1"), ["whole number of words, not -1"]),
        (_source("return 1", "T1"), ["another bound is called 'T1'"]),
        (_source("return 1", more=", status='machine-checked'"), ["not 'machine-checked'"]),
        ("import pebble\nBOUND = pebble.Statement('mine', '', '', '')\n", ["no function"]),
    ],
)
def test_a_broken_one_is_named_and_hides_nothing(
    register: Callable[[str, str, str], None], source: str, words: list[str], request: pytest.FixtureRequest
) -> None:
    before = bounds(PROBLEM, 100)
    module = f"broken_{abs(hash(request.node.name))}"
    register(module, source, "BOUND")
    found = bounds(PROBLEM, 100)
    assert (found.proved, found.curves) == (before.proved, before.curves)
    (failure,) = found.failures
    assert module in failure
    assert all(word in failure for word in words), failure
    assert f"error: {failure}" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["errors"] == [failure]
    assert count(PROBLEM, 100, ["flash-2"]).best_bound == (before.best.name, before.best.value)


def test_one_above_a_verified_count_is_an_error(register: Callable[[str, str, str], None]) -> None:
    right = count(PROBLEM, 100, ["flash-2", "standard"])
    register("too_much", _source("return 10**9"), "BOUND")
    assert bounds(PROBLEM, 100).best.name == "mine"  # nothing is known against it yet
    found = count(PROBLEM, 100, ["flash-2", "standard"])
    assert found.best_bound == right.best_bound
    assert [row.ratio for row in found.rows] == [row.ratio for row in right.rows]
    (failure,) = found.bounds.failures
    assert "too_much:BOUND" in failure
    assert "flash-2 moves" in failure or "standard moves" in failure
    assert failure in str(found)


def _statement(words: Callable[[Problem, int], int]) -> pebble.Statement:
    return pebble.Statement("mine", "I/O ≥ words", "attention", "a page", words=words)


def _refuse(problem: Problem, M: int) -> int:
    raise BoundDoesNotApply("never")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (lambda problem, M: 5 if problem.Nq == 1 else 10**6, "but the optimum moves|moves"),
        (lambda problem, M: M, "only . with less fast memory"),
        (lambda problem, M: 1 // 0, "ZeroDivisionError"),
        (lambda problem, M: 2.5, "whole number"),
        (_refuse, "applies to none"),
    ],
)
def test_the_contract_is_broken(words: Callable[[Problem, int], int], message: str) -> None:
    with pytest.raises(ContractBroken, match=message):
        check_bound(_statement(words), [Problem(1, 1, 1, 1), Problem(2, 1, 1, 1)])


@pytest.mark.slow
def test_our_best_bound_keeps_the_contract() -> None:
    def best(problem: Problem, M: int) -> int:
        return int(bounds(problem, M).best.value)

    assert check_bound(_statement(best)).refused == 0
