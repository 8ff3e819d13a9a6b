"""What is read off the body of a loop, beside what runs of programs show of it."""

from __future__ import annotations

from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program.language import compute, delete, first, load, loop, not_first, program, when
from pebble.program.machine.bodies import Bodies, Body
from pebble.program.nodes import Loop
from tests.program.differences import against_plain_loops
from tests.program.named_cases import attention

FAMILY = family_of(Problem(6, 6, 1, 1, mask=make_mask("causal", 6, 6)))


def body_of(outer: Loop) -> Body:
    """What is known of a loop's body."""
    return Bodies(program(outer), FAMILY).of(outer)


def test_a_condition_on_a_loop_within_a_tile_of_its_axis_has_no_order() -> None:
    inner = loop("i", 1, when(first("row"), load("K")), label="row")
    assert not body_of(loop("i", 4, loop("j", 2, inner))).ordered
    assert body_of(loop("i", 4, loop("j", 2, when(not_first("i"), load("K"))))).ordered


def test_loops_of_one_label_are_one_loop_for_a_condition() -> None:
    cut = loop("j", 4, loop("i", 1, loop("j", 2, when(first("j"), load("K")))))
    assert body_of(cut).told
    assert body_of(cut).ordered
    part = loop("j", 4, loop("j", 2, loop("i", 1, when(first("j"), load("K")))), start=1)
    assert body_of(part).ordered
    assert not body_of(part).told


def test_a_loop_over_the_same_axis_keeps_lines_apart() -> None:
    assert body_of(loop("i", 1, loop("i", 1, compute("S"), label="row"))).in_place
    assert body_of(loop("i", 1, loop("j", 2, compute("S")))).in_place
    assert not body_of(loop("i", 1, loop("j", 1, compute("S")))).in_place


def test_a_condition_on_two_loops_is_one_on_a_split_tile_if_it_is_on_one_of_them() -> None:
    """Two rows may both have keys before the tile of two, but only one of them before that of six."""
    moved = [when(first("x"), load(name), delete(name)) for name in ("Q", "K")]
    rows = loop("i", 1, moved[0], loop("j", 1, moved[1], label="x"))
    text = program(loop("j", 6, loop("j", 2, rows, label="y"), label="x"))
    mask = ["..x.xxx.xxxx", "xx.xx.xxx.xx", "x.xxx.xx.xxx", "xxx.x.xxxxx.", ".xx.xx.xxxxx", "x.x.x.x.x.xx"]
    assert not against_plain_loops(text, attention(6, 12, mask=mask))


def test_how_far_loops_over_the_other_axis_reach() -> None:
    """As far as the longest of their tiles, if nothing else touches what is along that axis."""
    keys = [loop("j", tile, load("K"), delete("K"), label=f"tiles of {tile}") for tile in (2, 5, 3)]
    assert body_of(loop("i", 1, *keys)).reach == 5
    assert body_of(loop("i", 1, load("Q"), delete("Q"))).reach == 0
    assert body_of(loop("i", 1, load("V"), *keys)).reach is None


def test_of_a_masked_chain_that_is_only_computed_it_matters_what_has_begun_if_there_are_levels() -> None:
    rows = loop("j", 1, compute("l"))
    text = program(loop("i", 6, rows))
    assert [Bodies(text, FAMILY, levels).of(rows).counts_begun for levels in (1, 2)] == [False, True]
