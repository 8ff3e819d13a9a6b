"""Runs of lines that look alike: which lines they are, and what tells them apart."""

from __future__ import annotations

import numpy as np

from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.named_cases import attention
from tests.program.names import (
    BandMask,
    Family,
    Node,
    Problem,
    compute,
    delete,
    family_of,
    first,
    load,
    loop,
    phase,
    program,
    when,
)
from tests.program.random_families import with_outputs

ROWS, KEYS = (load("Q"), delete("Q")), (load("K"), delete("K"))


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


def test_a_tile_with_a_row_that_has_no_pairs_at_all() -> None:
    """The first key has one row in the second tile and one in the third, where the other row has no key."""
    rows = ["xx", "xx", "x.", ".x", "x.", "..", "xx", "xx"]
    assert agree(loop("i", 2, loop("j", 1, ROWS)), attention(8, 2, mask=rows))


def test_a_tile_that_lies_in_two_patterns_stands_for_no_other() -> None:
    scores = load("Q", "K"), compute("S"), delete("S", "Q", "K")
    assert agree(loop("j", 2, loop("i", 2, scores)), attention(8, 2, mask=["xx", "x.", "x.", *["xx"] * 5]))


def test_a_condition_on_a_loop_over_part_of_the_keys_tells_rows_apart() -> None:
    """A row with a pair before the tile of keys may have one with the first key only, where no loop goes."""
    text = loop("j", 2, loop("i", 1, when(first("j"), ROWS)), start=1)
    assert agree(text, attention(12, 12, mask="window:3"))


def test_tiles_of_keys_with_which_rows_begin() -> None:
    """The third tile of keys has the pairs that the fourth has, and sees the same sums of rows that have not begun."""
    sums = load("K"), compute("S"), compute("P", "S"), compute("l"), delete("P", "K")
    text = loop("i", 8, load("Q"), loop("j", 2, sums), delete("l", "Q"))
    assert agree(text, attention(8, 8, mask="document:4,4"))


def test_a_tile_of_rows_of_a_band_that_have_no_pairs_is_left_out() -> None:
    starts, stops = [0, 0, 2, 2, 2, 2, 4, 4], [2, 2, 2, 2, 4, 4, 6, 6]
    mask = BandMask("band", 6, np.array(starts), np.array(stops))
    mask.empty_rows = "zero"
    family = with_outputs(family_of(Problem(8, 6, 1, 1, mask=mask)), ())
    assert agree(loop("j", 6, loop("i", 2, KEYS)), family)


def test_the_first_tile_of_rows_may_have_one_row_with_pairs() -> None:
    assert agree(loop("j", 3, loop("i", 2, ROWS)), attention(12, 12, mask="causal"))
