"""The order of places: every place that makes a difference is on the list, and every change of their order is seen."""

from __future__ import annotations

import pytest

from pebble.computations.masks.block_lines import BlockLines
from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.mask import RegularPart
from pebble.program.counting.rules import Machine
from pebble.program.machine.configuration import Configuration
from pebble.program.machine.field_state import FieldState
from pebble.program.machine.memo import RememberedLoops
from pebble.program.machine.order import Order
from pebble.program.machine.stretches import Stretch, TileGrid
from pebble.program.visits import Visit
from tests.program.names import Family, Loop, Program, load, loop, phase
from tests.program.test_rounds import attention

Around = tuple[Loop, tuple[int, int], int]
"""A loop, what it runs over, and the number of its current tile."""


def order_of(
    family: Family,
    node: Loop,
    whole: tuple[int, int],
    stretch: Stretch,
    *grids: TileGrid,
    around: tuple[Around, ...] = (),
    part: RegularPart | None = None,
) -> Order:
    """The order of the places of a loop, inside others."""
    loops = RememberedLoops(family, 1000)
    machine = Machine(Program((phase("", node),)), family, None, FieldState(family), loops)
    for at in (*around, (node, whole, 0)):
        machine.enter(*at)
    if not around:
        machine.leave(node, None)
    assert family.mask is not None
    part = part or max(family.mask.steady_parts(node.axis), key=lambda part: part.stop - part.start)
    return Order(machine, node, whole, stretch._replace(part=part), list(grids))


def state(i: str = "", j: str = "", chains_i: str = "", chains_j: str = "") -> Configuration:
    """A configuration of cells that end at some places, and of chains that have got to some."""
    cuts, chains = ({"i": a, "j": b} for a, b in ((i, j), (chains_i, chains_j)))
    return Configuration(
        (), *({axis: [*map(int, text.split())] for axis, text in of.items()} for of in (cuts, chains))
    )


def places(order: Order, number: int, now: Configuration) -> dict[str, str]:
    """The places of a round, each once."""
    found = order._places(number, now)
    return {axis: " ".join(str(place) for place in sorted({*of.tolist()})) for axis, of in found.items()}


ROW = loop("i", 2, load("Q"))
WINDOW = attention("window:left=4,right=2")
"""Row x has the keys from x - 4 to x + 2."""


def test_places_of_a_loop_outside_of_others() -> None:
    order = order_of(WINDOW, ROW, (6, 36), Stretch(3, 13, 3), TileGrid(7, 31, 3))
    assert order.lengths == {"i": 6, "j": 6}
    # The ends of three tiles from row 12 on, and of rows 6 to 36; of each the keys of the row behind and before it.
    assert places(order, 0, state()) == {
        "i": "0 6 12 14 16 18 36 40",
        "j": "0 2 7 8 10 12 14 16 18 20 31 32 38 40",
    }
    # A round on all of them have moved but what is fixed; cells and chains are added, chains over rows with their keys.
    assert places(order, 1, state("21", "3 23", "25", "11 27")) == {
        "i": "0 6 18 20 21 22 24 25 36 40",
        "j": "0 2 3 7 8 11 14 16 18 20 21 22 23 24 26 27 31 32 38 40",
    }


def test_places_inside_a_tile_of_rows_and_one_of_keys() -> None:
    around = (loop("i", 25, label="rows"), (3, 37), 0), (loop("j", 10), (5, 35), 1)
    order = order_of(WINDOW, ROW, (3, 28), Stretch(4, 9, 1), around=around)
    assert places(order, 0, state()) == {
        "i": "0 3 11 13 28 37 40",
        # 5 35 and 15 25: the loop over keys and its tile; 0 5, 24 30 and 33 39: the keys at rows 3, 28 and 37.
        "j": "0 5 7 9 13 15 24 25 30 33 35 39 40",
    }


def test_places_outside_a_tile_of_keys_far_from_the_diagonal() -> None:
    """All that is said of keys outside the tile 24 to 31 is that they are outside, one place before it or behind it."""
    around = ((loop("j", 8), (0, 80), 3),)
    part = RegularPart(40, 80, (False,), 4, repeats=True)
    order = order_of(PATTERN, loop("i", 4), (0, 80), Stretch(15, 18, 1), around=around, part=part)
    assert order.lengths == {"i": 4, "j": 0}
    assert places(order, 0, state()) == {"i": "0 60 64 80", "j": "0 23 24 32 33 80"}


def test_places_where_rows_without_keys_end() -> None:
    """Rows 20 and above have keys, row x those from x - 22 to x - 20."""
    order = order_of(attention("window:left=2,right=0", 1, 40, 20), ROW, (24, 36), Stretch(0, 6, 1))
    assert places(order, 0, state()) == {"i": "0 20 24 26 36 40", "j": "0 2 4 6 14 16 20"}


def test_places_of_the_first_and_the_last_rows() -> None:
    order = order_of(WINDOW, ROW, (0, 40), Stretch(3, 13, 1))
    assert places(order, 0, state()) == {"i": "0 6 8 40", "j": "0 2 4 8 10 40"}


STRETCH = Stretch(3, 13, 3)
CAUSAL, PATTERN = attention("causal", N=60), attention("strided:4", N=80)


@pytest.mark.parametrize(
    ("now", "then", "same"),
    [
        (state(), state(), True),
        (state("22 50", "25 51", "14", "16"), state("40 50", "43 51", "32", "34"), True),
        (state("22"), state("39"), False),
        (state("22"), state("28"), False),
        (state(j="22"), state(j="41"), False),
        (state(chains_i="14"), state(chains_i="33"), False),
        (state(chains_j="14"), state(chains_j="33"), False),
        # Key 24 is passed by the tiles' keys, key 30 lies at the end of a tile's at last, key 12 at first.
        (state(j="24"), state(j="24"), False),
        (state(j="30"), state(j="30"), False),
        (state(j="12"), state(j="12"), False),
        (state("24"), state("24"), False),
        # A cell of keys passes another one, or leaves it, or comes up to it.
        (state(j="45 50"), state(j="63 50"), False),
        (state(j="37 55"), state(j="55 55"), False),
        (state(j="45 45"), state(j="63 45"), False),
        (state(j="50", chains_j="37"), state(j="50", chains_j="55"), False),
        (state("50", chains_i="20"), state("50", chains_i="38"), True),
        (state("26", chains_i="20"), state("26", chains_i="38"), False),
    ],
)
def test_order_of_places_three_rounds_on(now: Configuration, then: Configuration, same: bool) -> None:
    order = order_of(CAUSAL, ROW, (6, 60), STRETCH)
    assert order.stays(0, now, 3, then) is same
    assert order.stays(0, now, 2, then) is (same and now == then)


@pytest.mark.parametrize(
    ("moving", "fixed", "same"),
    [
        # Tiles of three keys begin at 1, 4, …, 43, 46, 49, 52; from round 0 to round 3 what moves moves by 18.
        (30, 53, True),
        (30, 50, True),
        (30, 49, False),  # the lines before them, 47 and 48, are in one tile, but not at first
        (29, 49, False),
        (28, 49, True),
        (30, 48, False),
        (28, 48, False),  # they are in one tile, but the lines before them are not
        (28, 46, False),
        (12, 11, False),  # in one tile at first
        (12, 9, True),
    ],
)
def test_order_of_tiles(moving: int, fixed: int, same: bool) -> None:
    order = order_of(CAUSAL, ROW, (6, 60), STRETCH, TileGrid(1, 55, 3))
    now, then = ([moving + times * 6, fixed] for times in (0, 3))
    assert order.stays(0, state(j="{} {}".format(*now)), 3, state(j="{} {}".format(*then))) is same


def test_what_moves_must_move_by_whole_tiles() -> None:
    """Two rounds on, by twelve keys, all places lie in tiles of four as before; one round on they do not."""
    order = order_of(CAUSAL, ROW, (6, 60), STRETCH, TileGrid(0, 60, 4))
    assert not order.stays(0, state(), 2, state())
    assert order_of(CAUSAL, ROW, (6, 60), STRETCH, TileGrid(0, 60, 3)).stays(0, state(), 2, state())


def of_part(order: Order, start: int, stop: int) -> Order:
    """The same order, but what is regular begins and ends elsewhere."""
    part = order.stretch.part
    assert part is not None
    order.stretch = order.stretch._replace(part=part._replace(start=start, stop=stop))
    return order


@pytest.mark.parametrize(("part", "same"), [((9, 29), True), ((10, 29), False), ((9, 28), False)])
def test_chains_that_move_are_inside_the_regular_part(part: tuple[int, int], same: bool) -> None:
    order = of_part(order_of(CAUSAL, ROW, (6, 60), STRETCH), *part)
    assert order.stays(0, state(chains_i="10"), 3, state(chains_i="28")) is same
    assert order.stays(0, state(chains_i="8"), 3, state(chains_i="8"))


@pytest.mark.parametrize(("axis", "near", "far"), [("j", 8, 59), ("i", 16, 59)])
def test_periods_between_what_moves_and_what_does_not(axis: str, near: int, far: int) -> None:
    """Blocks of four: rows 24 to 48 move, and what begins or ends with keys 16 to 48."""
    order = order_of(PATTERN, loop("i", 4), (0, 80), Stretch(6, 18, 1))
    for cut, same in ((near - 1, True), (near, False), (far, False), (far + 1, True)):
        now = state(**{axis: str(cut)})
        assert order.stays(0, now, 5, now) is same, cut


@pytest.mark.parametrize(("part", "same"), [((24, 48), True), ((25, 48), False), ((24, 47), False)])
def test_rows_that_move_are_inside_the_regular_part(part: tuple[int, int], same: bool) -> None:
    order = of_part(order_of(PATTERN, loop("i", 4), (0, 80), Stretch(6, 18, 1)), *part)
    assert order.stays(0, state(), 5, state()) is same


@pytest.mark.parametrize(("chain", "same"), [("78", True), ("30", False)])
def test_blocks_near_a_chain_that_stays_are_told(chain: str, same: bool) -> None:
    """Of row 78 key blocks 18 to 20 matter, which are near for the block at hand too; of row 30 others do."""
    mask = PATTERN.mask
    assert isinstance(mask, BlockToeplitzMask)
    order, lines = order_of(CAUSAL, ROW, (6, 60), STRETCH), BlockLines(mask, "i", 19, [0, 80], [0, 80])
    now, then = state(chains_i=f"{chain} 76"), state(chains_i=f"{chain} 77")
    assert order._are_told(lines, now, then) is same
    assert order._are_told(lines, state(chains_i="30"), state(chains_i="31"))
    assert not order._are_told(lines, now, state(j="30", chains_i=f"{chain} 77"))


def test_what_a_loop_around_with_the_same_label_runs_over_never_moves() -> None:
    machine = Machine(
        Program((phase("", ROW),)), WINDOW, None, FieldState(WINDOW), RememberedLoops(WINDOW, 1000)
    )
    machine.around["i"] = Visit("i", 0, 2, (5, 39), (5, 37))
    machine.enter(ROW, (5, 37), 0)
    part = (
        max(WINDOW.mask.steady_parts("i"), key=lambda part: part.stop - part.start) if WINDOW.mask else None
    )
    order = Order(machine, ROW, (5, 37), Stretch(3, 13, 3, part), [])
    assert {5, 37, 39} <= {*order.fixed["i"]}
