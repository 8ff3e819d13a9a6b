"""The rows of T3 whose constant Coq has checked are those of the table."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from pebble.lower_bounds.certified.t3 import t3_rows
from tests.support.coq import PROOFS, compiled, needs_coq

_ROW = PROOFS / "T3Row.v"
_NAMES = ("mu", "tau", "gamma", "delta", "beta", "W")


def test_the_row_is_one_of_the_table() -> None:
    found = re.search(r"Lemma bounded : t3_bounded (.*)\.", _ROW.read_text(encoding="utf-8"))
    assert found is not None
    scale, *parameters = map(int, found[1].split())
    row = next(row for row in t3_rows() if row.mu == Fraction("0.05"))
    assert scale == 10**9
    assert parameters == [row.scaled[name] for name in _NAMES]


@pytest.mark.slow
def test_a_smaller_constant_is_refused(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    text = _ROW.read_text(encoding="utf-8").replace("12691800", "12691000")
    wrong = compiled(text, tmp_path)
    assert wrong is not None
    assert "Unable to unify" in wrong
