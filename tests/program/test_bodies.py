"""What is read off the body of a loop, beside what runs of programs show of it."""

from __future__ import annotations

from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program.language import compute, first, load, loop, not_first, program, when
from pebble.program.machine.bodies import Bodies, Body
from pebble.program.nodes import Loop

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
