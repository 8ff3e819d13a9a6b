"""Coq files, checked against the proofs in docs/proofs/."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["PROOFS", "compiled", "needs_coq"]

PROOFS = Path(__file__).resolve().parents[2] / "docs" / "proofs"

_LIBRARIES = "From mathcomp Require Import all_ssreflect fingroup perm zify. Check CanFinMixin."


def needs_coq(folder: Path) -> None:
    """Skip the test where Coq with MathComp 1 is not installed; else compile the proofs, which costs a minute once."""
    if shutil.which("coqc") is None or shutil.which("make") is None:
        pytest.skip("coqc is not installed")
    if compiled(_LIBRARIES, folder) is not None:
        pytest.skip("Coq's libraries are not those that the proofs need: MathComp 1 with zify")
    subprocess.run(["make", "-s", "-j2", "-C", str(PROOFS)], check=True)


def compiled(text: str, folder: Path) -> str | None:
    """Have Coq check a file; return None if it is right, else what Coq says is wrong."""
    path = folder / "file.v"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["coqc", "-q", "-w", "none", "-Q", str(PROOFS), "Pebble", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    return None if done.returncode == 0 else done.stderr
