"""Tables in limited width: what is folded, what is left out first, and that nothing changes without a limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.ascii_spelling import spelled
from pebble.common.table_layout import fold
from pebble.common.tables import Table

CELLS = [
    ["name", "tiles", "reads", "writes", "I/O"],
    ["a", "rows=449,pinned=2,first=13 (flash-2)", "1,000,000", "20", "1,000,020"],
    ["long one", "", "1", "2", "3"],
    ["unfit", "does not fit: needs 132 words", "", "", ""],
]
TABLE = Table(CELLS, left=2, drop=("writes", "reads"), notes=["a note that is as long as it is"])


def shown(width: int | None) -> list[str]:
    return TABLE.text(width).splitlines()


def test_without_a_limit_or_with_room_for_all_nothing_changes() -> None:
    assert TABLE.text() == str(TABLE) == TABLE.text(200)
    natural = max(map(len, shown(None)))
    assert TABLE.text(natural) == str(TABLE)
    assert TABLE.text(natural - 1) != str(TABLE)


def test_texts_are_folded_before_columns_are_left_out() -> None:
    assert shown(59) == [
        "name      tiles                    reads  writes        I/O",
        "───────────────────────────────────────────────────────────",
        "a         rows=449,pinned=2,   1,000,000      20  1,000,020",
        "          first=13 (flash-2)",
        "long one                               1       2          3",
        "unfit     does not fit: needs 132 words",
        *TABLE.notes,
    ]


@pytest.mark.parametrize("width", range(31, 80))
def test_lines_fit_and_no_number_is_cut(width: int) -> None:
    lines = [line for line in shown(width)[:-1] if not line.startswith("not shown")]
    assert max(map(len, lines)) <= width
    assert "1,000,020" in "".join(lines)
    letters = "".join("".join(lines).split())
    for column, least in ((2, 50), (3, 58)):
        assert (CELLS[0][column] in letters) == (width >= least)
    assert "doesnotfit:needs132words" in letters


@given(st.text("ab,= ", max_size=40), st.integers(1, 12))
def test_folding_keeps_all_but_space(text: str, width: int) -> None:
    lines = fold(text, width)
    assert all(len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_table_in_ascii_is_as_wide_as_it_is_printed() -> None:
    table = Table([["name", "M ≥ d²", "I/O ÷ bound"], ["a, or b, or c, or d", "no", "1.0"]], drop=["M ≥ d²"])
    assert "d²" in table.text(40).splitlines()[0]
    assert "M >= d^2" in table.text(42, spelled).splitlines()[0]
    assert table.text(41, spelled).splitlines()[-1].startswith("not shown in 41 columns: M >= d^2 (")
