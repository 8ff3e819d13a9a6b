"""Schedules as C: the compiled program moves and computes what the machine counts, and what numpy computes."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from pebble import PebbleError, Problem
from pebble.lab.c_memory import ExplicitMemory
from pebble.lab.c_program import c_program
from pebble.lab.compiled import compiled, run_compiled
from tests.support.commands import Pebble, document_of

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.mark.many(4)
@pytest.mark.parametrize(
    ("schedule", "M", "given"),
    [
        ("naive", 40, {}),
        ("standard", 60, {"mask": "window:5"}),
        ("flash-2", 90, {"softmax": "online"}),
        ("flash-2", 60, {"softmax": "safe", "mask": "causal"}),
        ("flash-2-pinned", 60, {"mask": "document:7,9,4"}),
        ("flash-2-causal", 60, {"mask": "causal"}),
        ("small-cache", 20, {}),
        ("best", 50, {"mask": "strided:4"}),
        ("flash-2", 100, {"pass_name": "backward"}),
        ("split", 100, {"pass_name": "backward", "mask": "causal"}),
        ("naive", 40, {"attention": "linear", "mask": "causal", "gate": True}),
        ("chunked", 60, {"attention": "linear", "mask": "causal", "chunk": 6}),
        ("chunked", 60, {"attention": "linear", "mask": "causal", "chunk": 6, "gate": True}),
        (
            "naive",
            40,
            {
                "computation": "Q[i,k]\nK[j,k]\nV[j,e]\nS[i,j] += Q[i,k]*K[j,k]\n"
                "P[i,j] = 1/(1 + exp(-S[i,j]))\nO[i,e] += P[i,j]*V[j,e]"
            },
        ),
    ],
)
def test_a_compiled_schedule_moves_and_computes_what_is_counted(
    schedule: str, M: int, given: dict[str, Any]
) -> None:
    made, text = compiled(schedule, Problem(20, 20, 3, 2, **given), M)
    done = run_compiled(made, text)
    assert done.counts == done.expected
    assert 0 < done.error < 1e-5
    assert done.agrees
    assert done.expected["loads"] + done.expected["stores"] == made.io


def test_a_word_less_is_too_little() -> None:
    made, _ = compiled("flash-2", Problem.square(12, 3), 40)
    text = c_program(made.program, made.family, ExplicitMemory(made.family, made.run.peak - 1), "")
    with pytest.raises(PebbleError, match="fast memory is full"):
        run_compiled(made, text)


def test_a_word_that_was_deleted_is_missed() -> None:
    made, text = compiled("flash-2", Problem.square(12, 3), 40)
    with pytest.raises(PebbleError, match="not in fast memory"):
        run_compiled(made, text.replace("/* compute P replacing S */", "delete(&at_Q[0], 1);"))


def test_what_moves_too_much_does_not_agree() -> None:
    made, text = compiled("flash-2", Problem.square(12, 3), 40)
    again = "        load(&slow_Q[i * 3 + k], &at_Q[i * 3 + k], 1);\n"
    assert again in text
    done = run_compiled(made, text.replace(again, f"      {{\n{again}{again}      }}\n"))
    assert not done.agrees
    assert done.counts["loads"] > done.expected["loads"]


def test_the_command_writes_runs_and_judges(pebble: Pebble, tmp_path: Any) -> None:
    target = tmp_path / "kernel.c"
    done = pebble(
        "compile", "flash-2", "-N", "12", "-d", "3", "-M", "40", "-o", str(target), "--run", "--json"
    )
    assert target.read_text().startswith("/* flash-2, rows=")
    assert document_of(done)["agrees"]
    assert document_of(done)["counts"] == document_of(done)["expected"]


def test_outputs_that_are_not_finite_are_an_error() -> None:
    text = (
        "Q[i,k]\nK[j,k]\nV[j,e]\nS[i,j] += Q[i,k]*K[j,k]\nP[i,j] = log(0*S[i,j] - 1)\nO[i,e] += P[i,j]*V[j,e]"
    )
    made = compiled("flash-2", Problem(4, 4, 2, 2, computation=text), 40)
    with pytest.raises(PebbleError, match="not a finite number"):
        run_compiled(*made)
