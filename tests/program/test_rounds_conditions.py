"""Each condition under which rounds are not executed, by itself: in programs one often holds where another does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pebble.program.machine.configuration import Configuration
from pebble.program.machine.loops import LastRoundFails
from pebble.program.machine.recorder import Item, Recorder
from pebble.program.machine.rounds import Rounds, _Round, _same_items, _same_kinds, fullest, latest
from pebble.program.machine.stretches import FEWEST_PERIODS
from tests.program.names import loop

ONE = [Item("tiles", 2, 5), Item("alone", 7, 1, fixed=True)]
TWO = [Item("tiles", 2, 7), Item("alone", 9, 1, fixed=True)]
FIVE = [Item("tiles", 2, 13), Item("alone", 15, 1, fixed=True)]
"""Items of successive rounds, and of the third after them."""


def test_rounds_are_of_one_kind_if_their_items_are() -> None:
    first, second = TWO
    assert _same_kinds(ONE, TWO)
    assert not _same_kinds(ONE, TWO[:1])
    assert not _same_kinds(ONE, [first._replace(key="other"), second])
    assert not _same_kinds(ONE, [first, second._replace(times=2)])


def test_the_last_round_has_the_items_that_the_first_ones_foretell() -> None:
    first, second = FIVE
    assert _same_items(ONE, TWO, FIVE, 3)
    for wrong in (
        first._replace(key="other"),
        first._replace(first=3),
        first._replace(times=12),
        first._replace(first=1, times=14),
    ):
        assert not _same_items(ONE, TWO, [wrong, second], 3)
    assert not _same_items(ONE, TWO, [first, second._replace(first=16)], 3)
    assert not _same_items(ONE, TWO, [first, second._replace(times=2)], 3)
    assert not _same_items(ONE, TWO, FIVE[:1], 3)


def state(place: int, shape: str = "") -> Configuration:
    """A configuration with one cell that ends somewhere."""
    return Configuration(shape, {"i": [place]}, {})


STATES = [state(3), state(5), state(7)]
"""Before the two rounds executed, between them, and behind them."""


class Asked:
    """An order of places, or a region, that says yes up to some round, and remembers what it was asked."""

    def __init__(self, most: int = 100) -> None:
        self.most, self.stayed, self.held = most, list[Any](), list[Any]()

    def stays(self, number: int, now: Configuration, last: int, then: Configuration) -> bool:
        self.stayed.append((number, now, last, then))
        return last <= self.most

    def holds(self, now: Configuration) -> bool:
        self.held.append(now)
        return now.cuts["i"][0] <= 3 + 2 * (self.most + 1)


def rounds_of(
    number: int = 20, order: Asked | None = None, region: Asked | None = None, least_left: int = 1
) -> Any:
    """Rounds of a stretch of so many."""
    rounds: Any = Rounds.__new__(Rounds)
    rounds.number, rounds.least_left, rounds.periodic = number, least_left, False
    rounds.order, rounds.configurations = order or Asked(), region or Asked()
    rounds.node = loop("i", 1)
    return rounds


def did(items: list[Item], counts: int = 0, held: int = 0, room: int = 0) -> _Round:
    return _Round(items, [counts], [held], [room, room])


DONE = [did(ONE), did(TWO)]


def last_of(rounds: Any, states: list[Configuration] = STATES, done: list[_Round] = DONE) -> int | None:
    """The last round to be executed when rounds 0 and 1 have been."""
    found: int | None = rounds._last(1, states, done)
    return found


def test_the_last_round_is_near_the_end() -> None:
    assert last_of(rounds_of()) == 19
    assert last_of(rounds_of(least_left=8)) == 12
    assert last_of(rounds_of(4)) == 3
    assert last_of(rounds_of(3)) is None


@pytest.mark.parametrize("rounds", [1, 2, 3, 7, 8, 100])
def test_the_fullest_round_is_the_first_of_the_greatest(rounds: int) -> None:
    for twice_the_middle in range(2 * rounds + 3):
        words = {number: number * (twice_the_middle - number) for number in range(1, rounds + 1)}
        assert fullest(rounds, words.__getitem__) == max(words, key=words.__getitem__)


@pytest.mark.parametrize("least", [2, 90, 100])
def test_the_latest_number_is_found_however_near_the_end(least: int) -> None:
    for most in range(least, 101):
        for holds in range(least - 1, most + 1):
            found = latest(least, most, lambda number, holds=holds: number <= holds)  # type: ignore[misc]
            assert found == (holds if holds >= least else None)
    assert latest(least, least - 1, lambda number: True) is None


def test_places_and_items_must_go_on_alike() -> None:
    assert last_of(rounds_of(), [state(3), state(5), state(8)]) is None
    assert last_of(rounds_of(), [state(3), state(5), state(7, "other")]) is None
    assert last_of(rounds_of(), [state(3, "other"), state(5), state(7)]) is None
    assert last_of(rounds_of(), done=[did(ONE), did(TWO[:1])]) is None


def test_the_order_of_places_is_compared_from_the_first_of_two_rounds_to_the_last() -> None:
    order = Asked(most=16)
    assert last_of(rounds_of(order=order)) == 16
    assert order.stayed == [(0, state(3), last, state(3 + 2 * last)) for last in (19, 3, 17, 13, 15, 16)]
    assert last_of(rounds_of(order=Asked(most=2))) is None


def test_cells_are_inside_the_region_after_the_last_round() -> None:
    region = Asked(most=17)
    assert last_of(rounds_of(region=region)) == 17
    assert region.held == [state(3 + 2 * (last + 1)) for last in (19, 3, 17, 18)]


@pytest.mark.parametrize(
    ("times", "fewest", "last"),
    [(20, 1, 19), (19, 1, 18), (17, 1, 16), (20, 3, 17), (20, 4, 16), (20, 9, 11), (20, 19, None)],
)
def test_no_item_has_too_few_tiles_by_the_last_round(times: int, fewest: int, last: int | None) -> None:
    """There is one less in every round."""
    done = [did([Item("tiles", 2, number, fewest=fewest)]) for number in (times, times - 1)]
    assert last_of(rounds_of(), done=done) == last


@pytest.mark.parametrize(
    "change",
    [
        lambda final: replace(final, counts=[21]),
        lambda final: replace(final, held=[1]),
        lambda final: replace(final, items=ONE),
        None,
    ],
    ids=["counts", "words held", "items", "state"],
)
def test_a_last_round_that_is_not_as_foretold_is_found_out(change: Callable[[_Round], _Round] | None) -> None:
    """Rounds 2 and 3 are not executed, round 4 is."""
    rounds, machine = rounds_of(6), SimpleNamespace(counts={"load": {"Q": 0}}, held={"Q": 0}, occupied=0)
    final, after = did(FIVE, 23), state(13)
    written = list[Configuration]()
    rounds.machine, rounds._note_peak = machine, lambda *_: None
    rounds.configurations = SimpleNamespace(write=written.append)
    rounds._round, rounds._after = (lambda *_: final), (lambda *_: after)

    def skip() -> None:
        rounds._skip(1, 4, STATES, [did(ONE, 11), did(TWO, 14)], None, None)

    skip()
    assert machine.counts["load"]["Q"] == 17 + 20
    assert written == [state(11)]
    final, after = (change(final), after) if change else (final, state(14))
    with pytest.raises(LastRoundFails) as failure:
        skip()
    assert failure.value.left == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda two: replace(two, counts=[12]),
        lambda two: replace(two, held=[1]),
        lambda two: replace(two, room=[5, 4]),
        lambda two: replace(two, items=TWO),
    ],
    ids=["counts", "words held", "room", "items"],
)
def test_there_may_be_more_rounds_in_one_round_than_in_another_only_if_all_do_the_same(
    change: Callable[[_Round], _Round],
) -> None:
    rounds, one = rounds_of(), did(ONE, 11, 0, 4)
    item = rounds._item(1, 15, [one, one])
    assert (item.first, item.times, item.fixed, item.fewest) == (1, 14, False, FEWEST_PERIODS)
    other = change(one)
    if other.items == one.items:
        assert rounds._item(1, 15, [other, other]).key != item.key
    item = rounds._item(1, 15, [one, other])
    assert (item.first, item.times, item.fixed) == (1, 15, True)


def test_items_that_follow_on_one_another_are_one() -> None:
    recorder = Recorder()
    recorder.add(Item("nobody asks", 0, 1))
    with recorder.separately() as outside:
        recorder.add(Item("tiles", 0, 2))
        recorder.add(Item("tiles", 2, 3))
        recorder.add(Item("tiles", 6, 1))
        recorder.add(Item("others", 7, 1))
        with recorder.silent():
            recorder.add(Item("others", 8, 1))
        with recorder.separately() as inside:
            recorder.add(Item("others", 8, 2))
    assert outside == [Item("tiles", 0, 5), Item("tiles", 6, 1), Item("others", 7, 1), *inside]
    assert inside == [Item("others", 8, 2)]
    assert recorder.items is None
