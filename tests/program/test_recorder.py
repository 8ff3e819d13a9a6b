"""What loops write down for a round outside: two rounds that write the same have done the same."""

from __future__ import annotations

import pytest

from pebble.program.counting.rules import Machine
from pebble.program.machine.field_state import FieldState
from pebble.program.machine.memo import RememberedLoops
from pebble.program.machine.recorder import Item, Recorder
from pebble.program.machine.rounds import Rounds
from tests.program.named_cases import table
from tests.program.named_cases_of_signatures import W, X, Y, plain, small
from tests.program.names import Family, Loop, Nodes, Program, compute, delete, load, loop, phase
from tests.program.test_rounds import SCORES, attention

ROWS = loop("i", 1, load("X"), delete("X"))
BOX = "xx " * 4
STAIRS = "x.. xx. xx. xxx"


def written(family: Family, *nodes: Nodes) -> list[Item]:
    """What all loops of a program write down."""
    program, loops = Program((phase("", *nodes),)), RememberedLoops(family, 1000)
    machine = Machine(program, family, None, FieldState(family), loops)
    with loops.recorder.separately() as items:
        machine.execute()
    return items


def of(node: Loop, items: list[Item]) -> list[Item]:
    """What one loop wrote down, but for the numbers of tiles."""
    return [item for item in items if isinstance(item.key, tuple) and id(node) in item.key]


def test_a_tile_that_stands_for_no_other_is_written_by_itself() -> None:
    rows = loop("i", 2, loop("j", 2, load("Y"), delete("Y")), load("X"), delete("X"))
    items = written(small("xx " * 5, X, Y), rows)
    assert of(rows, items) == [Item(("alone", id(rows)), index, 1, fixed=True) for index in range(3)]


def spans(items: list[Item]) -> list[tuple[int, int]]:
    """Numbers of the first tile, and of tiles."""
    return [(item.first, item.times) for item in items]


def test_tiles_that_do_the_same_are_one_item() -> None:
    items = of(ROWS, written(small(STAIRS, X, Y), loop("j", 3, ROWS)))
    assert spans(items) == [(0, 1), (1, 2), (3, 1)]
    assert not any(item.fixed for item in items)


def test_what_nobody_asks_of_the_mask_does_not_tell_tiles_apart() -> None:
    """No key has begun before the first row, and all before the others, but X has no chain over rows."""
    assert spans(of(ROWS, written(small(BOX, X, Y), loop("j", 2, ROWS)))) == [(0, 4)]


def test_items_tell_loops_from_one_another() -> None:
    other = loop("i", 1, load("X"), delete("X"), load("X"), delete("X"))
    items = written(small(STAIRS, X, Y), loop("j", 3, ROWS, other))
    assert len({item.key for item in (*of(ROWS, items), *of(other, items))}) == 6


def test_items_tell_masks_and_states_from_one_another() -> None:
    """The first and the last row differ from the others by the mask, the first two from the last two by the state."""
    items = of(ROWS, written(small(STAIRS, X, Y), load("X", i=(2, 4)), loop("j", 3, ROWS)))
    assert spans(items) == [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_a_tile_that_sees_what_equals_nothing_else_is_written_by_itself() -> None:
    """Of the two keys only one is there."""
    rows = loop("i", 1, loop("j", 1, load("Y"), label="key"))
    items = of(rows, written(small(BOX, X, Y), load("Y", j=(0, 1)), loop("j", 2, rows)))
    assert items[0] == Item(("alone", id(rows)), 0, 1, fixed=True)
    assert spans(items[1:]) == [(1, 3)]


def test_tiles_of_an_axis_without_a_mask_are_told_apart_by_what_they_see() -> None:
    parts = loop("k", 1, load("X"))
    family = plain(X, Y, W, i=4, j=2, k=5).under(table(BOX.split()))
    items = of(parts, written(family, loop("i", 2, loop("j", 2, load("Y"), delete("Y")), parts)))
    assert spans(items) == [(0, 1), (1, 4), (0, 1), (1, 4)]
    assert items[0].key == items[2].key


def test_the_tiles_of_a_round_are_written_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = list[list[Item]]()
    monkeypatch.setattr(Rounds, "_last", lambda _self, _number, _states, done: rounds.append(done[-1].items))
    rows = loop("i", 2, load("Q"), SCORES, delete("Q"))
    written(attention("causal"), rows)
    at = 3  # the first round has the first full tile behind the first row
    assert of(rows, rounds[1]) == [Item((kind, id(rows)), at, 1, fixed=True) for kind in ("tile", "alone")]


def test_tiles_of_an_axis_without_a_mask_tell_what_loops_inside_them_do() -> None:
    keys = loop("j", 1, load("Y"), delete("Y"))
    family = plain(X, Y, W, i=4, j=2, k=5).under(table(BOX.split()))
    items = written(family, loop("i", 2, loop("k", 1, keys)))
    assert spans(of(keys, items)) == [(0, 2)] * 2


SUMS = loop("j", 1, load("K"), compute("S"), compute("P", "S"), compute("l"), delete("P", "K"))
SUMS_OF_TILES = loop("i", 20, load("Q"), SUMS, delete("Q", "l"))


def kinds(node: Loop, items: list[Item]) -> list[tuple[object, int, int, bool]]:
    """What one loop wrote down; of lines with ever more partners, or fewer, how these numbers go on."""
    found = list[tuple[object, int, int, bool]]()
    for key, first, times, fixed, _ in items:
        if isinstance(key, tuple) and isinstance(key[0], tuple) and key[0][0] == id(node):
            found.append((key[1:], first, times, fixed))
        elif isinstance(key, tuple) and id(node) in key:
            found.append(("run" if key[0] == id(node) else key[0], first, times, fixed))
    return found


def test_lines_executed_one_by_one_at_either_end_of_rounds_are_written_so() -> None:
    """In the first tile of rows a key has one row fewer than the key before."""
    items = written(attention("causal", 1, 60), SUMS_OF_TILES)
    one_by_one = [(kind, index, 1, True) for index in (1, 2, *range(15, 19)) for kind in ("tile", "alone")]
    expected = [("run", 0, 1, False), *one_by_one[:4], ("rounds", 1, 14, True), *one_by_one[4:]]
    assert kinds(SUMS, items)[:14] == expected


def test_lines_with_ever_fewer_partners_are_one_item_if_they_follow_from_others() -> None:
    """From key to key a row fewer; in the second tile of rows one of them ends with the key, and one has begun."""
    items = kinds(SUMS, written(attention("causal", 1, 60), SUMS_OF_TILES))
    assert items[15:19] == [
        ("run", 0, 1, False),
        ("run", 1, 19, False),
        ((-1, -1, 0), 20, 19, True),
        ("run", 39, 1, False),
    ]


def test_what_is_written_separately_is_kept_outside_too_and_silence_is_kept() -> None:
    recorder = Recorder()
    recorder.add(Item("nobody asks", 0, 1))
    with recorder.separately() as outer:
        recorder.add(Item("one", 0, 1))
        with recorder.separately() as inner:
            recorder.add(Item("one", 1, 2))
            with recorder.silent():
                recorder.add(Item("silent", 0, 1))
            recorder.add(Item("one", 5, 1))
        recorder.add(Item("two", 0, 1))
    assert [tuple(item)[:3] for item in inner] == [("one", 1, 2), ("one", 5, 1)]
    assert [tuple(item)[:3] for item in outer] == [
        ("one", 0, 1),
        *(tuple(item)[:3] for item in inner),
        ("two", 0, 1),
    ]
    assert recorder.items is None
