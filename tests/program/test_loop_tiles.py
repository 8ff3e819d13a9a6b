"""Loops over parts of an axis, under conditions, with loops over the other axis inside or around: tile by tile."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.generator import shown
from tests.program.named_cases import attention
from tests.program.names import (
    Condition,
    Family,
    Node,
    Nodes,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    not_last,
    phase,
    program,
    store,
    when,
)
from tests.program.random_families import under
from tests.program.random_masks import random_mask, table_of

OF = {"i": ("Q",), "j": ("K", "V")}
"""Arrays along each axis."""


def conditional(rnd: Random, axes: str) -> Node:
    """Words that are moved only at the first or last tile, or at others, of a loop around."""
    array = rnd.choice([name for axis in axes for name in OF[axis]])
    condition = rnd.choice([first, last, not_first, not_last])(rnd.choice(axes))
    return when(condition, load(array), delete(array))


def random_loops(rnd: Random, lengths: dict[str, int]) -> Node:
    """Loops over both axes, each perhaps over a part of its axis, or split in tiles; perhaps over words."""
    outer = rnd.choice("ij")
    inner = "j" if outer == "i" else "i"

    def around(axis: str, *nodes: Node) -> Node:
        start, stop = 0, None
        if rnd.random() < 0.4:
            start, stop = rnd.randint(0, 3), rnd.choice([None, lengths[axis] - rnd.randint(0, 3)])
        return loop(axis, rnd.choice([1, 1, 2, 3, 6]), *nodes, start=start, stop=stop)

    def moves() -> tuple[Node, ...]:
        nodes = tuple(conditional(rnd, "ij") for _ in range(rnd.randint(1, 2)))
        if rnd.random() < 0.3:
            nodes = (loop("k", 2, load("Q"), delete("Q")), *nodes)
        split = rnd.random() < 0.4
        return (loop(rnd.choice("ij"), rnd.choice([1, 2]), *nodes, label="split"),) if split else nodes

    inside = [around(inner, *moves()), *(conditional(rnd, outer) for _ in range(rnd.randint(0, 1)))]
    if rnd.random() < 0.3:
        inside.append(around(inner, *moves()))
    return around(outer, *inside)


def agree(text: Nodes, family: Family) -> bool:
    """Whether running every iteration says what the shortcuts say."""
    every = program(phase("", text))
    slow, quick = (judge(runner, every, family, None) for runner in (PLAIN, SHORTCUTS["induction"]))
    assert slow.found is not None, slow.rule
    return not quick.differs(slow)


@pytest.mark.parametrize("block", range(2))
def test_conditions_on_loops_over_parts(block: int) -> None:
    for seed in range(80 * block, 80 * block + 80):
        rnd = Random(seed)
        lengths = {axis: rnd.randint(6, 20) for axis in "ij"}
        mask = random_mask(rnd, lengths["i"], lengths["j"])
        family = under(attention(lengths["i"], lengths["j"], 9), mask)
        text = random_loops(rnd, lengths)
        assert agree(text, family), f"{shown(table_of(mask).tolist())}\n{text}"


@pytest.mark.parametrize("which", [first, last])
def test_conditions_that_change_again_and_again(which: Callable[[str], Condition]) -> None:
    """Rows that see the same of a tile, but not of what lies before it in the loop's part, or behind."""
    rows = ["xxxxxx"] + ["x.xx.x"] * 2 + ["xxxxxx"] * 3 + ["x.xx.x"] * 6
    moved = loop("i", 1, when(which("j"), load("Q"), delete("Q")))
    assert agree(loop("j", 1, moved, start=1, stop=5), attention(12, 6, mask=rows))


@pytest.mark.parametrize(("tile", "split"), [(6, 2), (4, 3)])
@pytest.mark.parametrize("mask", ["window:2", "window:left=0,right=2"])
def test_lines_of_as_many_pairs_that_lie_elsewhere_in_a_split_tile(mask: str, tile: int, split: int) -> None:
    columns = loop("j", split, load("K"), delete("K"), label="split")
    assert agree(loop("j", tile, loop("i", 1, columns)), attention(24, 24, mask=mask))


@pytest.mark.parametrize("mask", ["causal", "window:9"])
def test_one_loop_inside_two_over_parts(mask: str) -> None:
    """A tile of keys is the last one of the first part, and then the first of the second; or the second is no part."""
    moved = loop("i", 1, when(first("j"), load("Q"), delete("Q")))
    assert agree((loop("j", 2, moved, stop=6), loop("j", 2, moved, start=4)), attention(12, 12, mask=mask))
    assert agree((loop("j", 2, moved, start=4), loop("j", 2, moved)), attention(12, 12, mask=mask))


@pytest.mark.parametrize("mask", ["strided:4", "fixed:6,2"])
@pytest.mark.parametrize("tile", [4, 5])
def test_loops_of_two_tiles_see_the_same_blocks(mask: str, tile: int) -> None:
    moves = load("Q"), delete("Q")
    text = loop("j", tile, loop("i", 1, *moves), loop("i", 2, *moves), loop("i", 1, when(last("j"), *moves)))
    assert agree(text, attention(40, 40, mask=mask))


def test_rows_of_a_shorter_last_tile_are_cut_anew() -> None:
    """Stretches of the rows of a whole tile would go beyond the end of the last one."""
    rows = loop("i", 1, load("Q"), loop("j", 1, load("K"), delete("K")), delete("Q"), label="row")
    assert agree(loop("i", 16, rows), attention(40, 40, mask="window:9"))


def test_rows_that_have_begun_count_where_their_sums_are_moved() -> None:
    """Each key of a tile has as many partners, but ever more rows have begun."""
    sums = (when(not_first("j"), load("l")), load("K"), compute("S"), compute("P", "S"), compute("l"))
    text = loop("i", 12, load("Q"), loop("j", 1, sums, store("l"), delete("l", "P", "K")), delete("Q"))
    assert agree(text, attention(36, 36, mask="window:5"))
