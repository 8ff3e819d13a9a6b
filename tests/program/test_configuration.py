"""The state between two rounds: all of it is told, what moves as places and the rest as it is."""

from __future__ import annotations

import pytest

from pebble.program.counting.state import FAST, SLOW
from pebble.program.machine.configuration import Configuration, Configurations, region_of
from pebble.program.machine.field_state import UNKNOWN, FieldState
from pebble.program.machine.stretches import Stretch
from tests.program.named_cases import table
from tests.program.named_cases_of_signatures import W, X, plain, r, small
from tests.program.names import load, loop, make_mask

REGION = {"i": (2, 10), "j": (0, 3)}


def configurations(moved: tuple[str, ...] = ("r",)) -> tuple[FieldState, Configurations]:
    state = FieldState(small("xxx " * 12, X, W, r))
    return state, Configurations(state, ["W", "X", "r"], set(moved), REGION)


def test_what_is_no_place_is_told_as_it_is() -> None:
    state, of = configurations()
    shapes = [of.read().shape]
    for name, box in (("X", ((0, 12),)), ("X", ((5, 12),)), ("W", ((0, 3), (1, 2))), ("W", ((1, 3), (0, 2)))):
        state.fields[name].view(box)[FAST] += 1
        shapes.append(of.read().shape)
    state.fields["X"].view(((5, 12),))[SLOW] = 0
    shapes.append(of.read().shape)
    assert len(set(shapes)) == 6
    state.fields["X"].view(((0, 2),))[FAST] = 7  # outside of the region
    assert of.read().shape == shapes[-1]


@pytest.mark.parametrize("moved", [("r",), ()])
def test_how_far_chains_have_got_is_told_as_places(moved: tuple[str, ...]) -> None:
    state, of = configurations(moved)
    before = of.read()
    state.fields["r"].view(((4, 12),))[FAST] = 2
    now = of.read()
    assert now.cuts == {"i": [4], "j": []}
    assert now.progress == {"i": [], "j": [0, 2, 0, 0] if moved else [0, 2]}
    state.fields["r"].view(((4, 12),))[FAST] = 1
    assert (of.read().shape, before.moves(now)) == (now.shape, None)
    state.fields["r"].view(((4, 12),))[SLOW] = 1
    assert (of.read().shape == now.shape) == bool(moved)


def test_cells_and_chains_are_put_where_they_will_be() -> None:
    state, of = configurations()
    state.fields["r"].view(((4, 6),))[FAST] = 1
    state.fields["X"].view(((0, 5),))[FAST] = 1
    one = of.read()
    two = Configuration(one.shape, {"i": [6, 5, 7], "j": []}, {"i": [], "j": [0, 2, 0, 0, 0, 0]})
    assert (one.cuts["i"], one.progress["j"]) == ([5, 4, 6], [0, 1, 0, 0, 0, 0])
    assert one.moves(two) == [("i", 1)] * 3 + [("j", place) for place in (0, 1, 0, 0, 0, 0)]
    of.write(one.moved(two, 2))
    # The region's ends become ends of cells, too.
    assert state.fields["X"].cuts == [[0, 2, 7, 10, 12]]
    assert state.fields["r"].cuts == [[0, 2, 6, 8, 10, 12]]
    assert of.read().progress["j"] == [0, 3, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("cut", "inside"), [(3, True), (9, True), (2, False), (1, False), (10, False), (11, False)]
)
def test_cells_end_inside_the_region(cut: int, inside: bool) -> None:
    _, of = configurations()
    assert of.holds(Configuration((), {"i": [5, cut], "j": [1, 2]}, {})) is inside


def test_cells_of_an_axis_without_a_mask_are_told() -> None:
    family = plain(X, W, i=4, j=3, k=4).under(table(["xxx"] * 4))
    shapes = []
    for cut in (1, 2):
        state = FieldState(family)
        state.fields["W"].view(((0, 3), (0, cut)))[FAST] = 1
        shapes.append(Configurations(state, ["W"], set(), {"i": (0, 4), "j": (0, 3)}).read().shape)
    assert shapes[0] != shapes[1]


def test_the_region_is_that_of_the_tiles_and_their_partners_and_a_round_more() -> None:
    """Ten tiles of two rows, 40 to 59, have keys 36 to 61; a round is six rows, and tiles of keys are three long."""
    mask = make_mask("window:left=4,right=2", 100, 100)
    assert mask is not None
    where = mask, loop("i", 2, load("Q")), (0, 100), Stretch(20, 30, 3), (10, 90)
    assert region_of(*where, 3) == {"i": (34, 66), "j": (27, 71)}
    assert region_of(*where, None) == {"i": (34, 66), "j": (10, 90)}


def test_what_slow_memory_holds_behind_is_unknown_if_it_was_before() -> None:
    """Else the next round would leave one more cell behind, and be unlike this one."""
    state, of = configurations()
    rows, slow = loop("i", 2, load("X")), state.fields["r"]
    for at in (2, 3, 4):
        slow.view(((at, at + 1),))[SLOW] = at - 1
    of.forget({"i": (2, 5)}, rows)
    assert slow.covering(((2, 5),))[1][SLOW].tolist() == [UNKNOWN]
    slow.view(((5, 6),))[SLOW] = 1
    of.forget({"i": (2, 6)}, rows)
    assert slow.covering(((2, 6),))[1][SLOW].tolist() == [UNKNOWN]
