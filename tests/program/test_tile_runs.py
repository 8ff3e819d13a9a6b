"""Runs of lines that look alike: which lines they are, and what tells them apart."""

from __future__ import annotations

from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.named_cases import attention
from tests.program.names import Family, Node, delete, first, load, loop, phase, program, when


def agree(text: Node, family: Family) -> bool:
    """Whether running every iteration says what the shortcuts say."""
    every = program(phase("", text))
    slow, quick = (judge(runner, every, family, None) for runner in (PLAIN, SHORTCUTS["induction"]))
    assert slow.found is not None, slow.rule
    return not quick.differs(slow)


def test_lines_with_a_line_without_pairs_between() -> None:
    """Two rows that look alike are no run if the one between has no pair here."""
    text = loop("j", 1, loop("i", 1, load("Q")), stop=1)
    assert agree(text, attention(5, 2, mask=["xx", ".x", "xx", ".x", "xx"]))


def test_two_loops_of_which_one_asks_where_pairs_lie() -> None:
    """Rows 1 and 2 have as many keys, none begun, all of which end; but the second loop splits their tile."""
    move_values = when(first("i"), load("V"), delete("V"))
    columns = loop("j", 2, load("K"), delete("K"), label="split")
    text = loop("j", 6, loop("i", 1, move_values), loop("i", 1, move_values, columns))
    assert agree(text, attention(4, 6, mask=[".....x", "xx....", "...xx.", "..x..x"]))


def test_rows_without_pairs_in_tiles() -> None:
    """Of rows with nothing but words of their own, those that have pairs are moved: each tile has others."""
    rows = ["x.x", "...", ".x.", "x..", "...", "...", "xxx", "xxx", "...", "x.."]
    for tile in (2, 3):
        assert agree(loop("i", tile, load("Q"), delete("Q")), attention(10, 3, 3, mask=rows))


def test_a_shorter_last_tile_of_rows_that_all_see_the_same() -> None:
    assert agree(loop("j", 4, loop("i", 3, load("Q"), delete("Q"))), attention(10, 10, mask="prefix:10"))
