"""Text as LaTeX: everything that LaTeX reads in a special way is escaped."""

from __future__ import annotations

import pytest

from pebble.common.latex import latex_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a & b", r"a \& b"),
        ("100 %", r"100 \%"),
        ("Z_QK", r"Z\_QK"),
        ("{x}", r"\{x\}"),
        ("a\\b", r"a\textbackslash{}b"),
        ("#1 $ ~ ^", r"\#1 \$ \textasciitilde{} \textasciicircum{}"),
        ("M/d² ≥ 1", r"M/d\ensuremath{^{2}} \ensuremath{\geq} 1"),
        ("one\n two", "one two"),
        ("Kabić, Noël", r"Kabi\'{c}, No\"{e}l"),
        ("–…“q”", r"--\ldots{}``q''"),
        ("漢", "漢"),
    ],
)
def test_texts(text: str, expected: str) -> None:
    assert latex_text(text) == expected


def test_nothing_special_is_left() -> None:
    """Every ASCII sign comes out as itself, or as a command."""
    for sign in map(chr, range(32, 127)):
        found = latex_text(sign)
        assert found == sign if sign not in '\\{}$&%#_^~<>|"' else found.startswith("\\")
