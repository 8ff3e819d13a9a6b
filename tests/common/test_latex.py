"""Text as LaTeX: everything that LaTeX reads in a special way is escaped."""

from __future__ import annotations

from pathlib import Path

import pytest

from pebble.common.latex import latex_text
from tests.support.text_tables import rows_of


@pytest.mark.parametrize(("text", "expected"), rows_of(Path(__file__).with_name("latex.txt")))
def test_texts(text: str, expected: str) -> None:
    assert latex_text(text) == expected


def test_nothing_special_is_left() -> None:
    """Every ASCII sign comes out as itself, or as a command."""
    for sign in map(chr, range(32, 127)):
        found = latex_text(sign)
        assert found == sign if sign not in '\\{}$&%#_^~<>|"' else found.startswith("\\")
