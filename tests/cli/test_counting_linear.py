"""``pebble count --attention linear``, and the other commands that take it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import Pebble, document_of

LINEAR = ["--attention", "linear"]
CAUSAL = [*LINEAR, "--mask", "causal"]


@pytest.mark.parametrize("options", [LINEAR, CAUSAL, [*CAUSAL, "--gate"], [*CAUSAL, "--chunk", "2"]])
def test_files_of_moves(pebble: Pebble, options: list[str], tmp_path: Path) -> None:
    file = str(tmp_path / "a.pebbling")
    assert pebble("moves", "best", "-N", "5", "-d", "2", "-M", "60", *options, "-o", file).code == 0
    assert pebble("check", file).out.startswith("legal, complete")


def test_a_computation_from_a_file(pebble: Pebble, tmp_path: Path) -> None:
    text = tmp_path / "bias.txt"
    text.write_text(
        "Q[i,k]\nK[j,k]\nV[j,e]\nB[i,j]  # bias\nS[i,j] += Q[i,k]*K[j,k]\nP[i,j] = exp(scale*S[i,j] + B[i,j])\n"
        "l[i] += P[i,j]\nU[i,e] += P[i,j]*V[j,e]\nO[i,e] = U[i,e]/l[i]\n"
    )
    options = ["--computation", str(text), "-N", "8", "-d", "2", "-M", "60", "--mask", "causal"]
    document = document_of(pebble("count", *options, "--json"))
    assert document["attention"] == "own"
    rows = {row["name"]: row for row in document["schedules"]}
    assert rows["flash-2"]["by_array"]["B"] == {"reads": 36, "writes": 0}
    pebble("moves", "flash-2", *options, "-o", str(tmp_path / "moves.txt"))
    assert "legal, complete" in pebble("check", str(tmp_path / "moves.txt")).out
    pebble("count", *options, "--model", "llama-3-8b").refused(2, "cannot be combined with --model")


def test_a_computation_is_read_once_and_must_be_text(pebble: Pebble, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text(
        "Q[i,k]\nK[j,k]\nV[j,e]\nS[i,j] += Q[i,k]*K[j,k]\nP[i,j] = S[i,j]**2\nO[i,e] += P[i,j]*V[j,e]\n",
        "utf-8",
    )
    several = ["-N", "8:16:2", "-d", "2", "-M", "60", "--schedule", "flash-2", "--json"]
    document = document_of(pebble("plot", "io", "--computation", str(own), *several))
    assert len(document["schedules"]["flash-2"]) == 2
    own.write_bytes(b"Q[i,k]\xff")
    pebble("count", "--computation", str(own), "-N", "8", "-d", "2", "-M", "60").refused(2, "not UTF-8 text")
