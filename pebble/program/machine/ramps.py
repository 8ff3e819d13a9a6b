"""Lines of which each has one partner more than the one before, or one less, accounted for at once.

All that they do is linear in the number of partners where it follows from four other lines (:mod:`.interpolation`), so
their counts are sums of arithmetic progressions; docs/induction.md proves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pebble.program.machine.effects import Effect
from pebble.program.machine.loops import ShortcutOverflow

if TYPE_CHECKING:
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.interpolation import Interpolation
    from pebble.program.machine.tile_runs import TileRun
    from pebble.program.nodes import Loop

__all__ = ["Ramp", "account_ramp", "follows", "has_few_left", "ramp_of"]

_FEW = 8
"""Lines of a run that may be looked at one by one, where the others follow from them."""

_FEW_OF_ANOTHER_KIND = 3


class Ramp(NamedTuple):
    """What the first and the last of some successive lines do, at least two; up to which line all looks alike."""

    first: Effect
    last: Effect
    times: int
    level_to: int


def has_few_left(run: TileRun, lines: Interpolation | None, sights: Iterator[int | None]) -> bool:
    """Whether all but a few lines of a run are alike, or follow from those that have been executed.

    ``sights`` yields what the first of them sees, if that is asked for.
    """
    if not run.step or run.times <= _FEW:
        return True
    if lines is None:
        return False
    # The first few lines and the last ones may be of another kind than all between, as those of one partner or two.
    early, middle = (run.signature_of(run.first + at) for at in (_FEW_OF_ANOTHER_KIND, run.times // 2))
    ends = lines.ends(middle, next(sights)) if lines.are_in_a_row(early, middle) else None
    if ends is None:
        return False
    low, high = sorted(_pairs(run, index) for index in (run.first, run.first + run.times - 1))
    return min(high, ends[1]) - max(low, ends[0]) > run.times - _FEW


def _pairs(run: TileRun, index: int) -> int:
    """Return how many partners a line of a run has."""
    return int(run.signature[2]) + (index - run.first) * run.step


def follows(run: TileRun, index: int, lines: Interpolation, sight: int | None) -> bool:
    """Whether what a line of a run does follows from others, as far as numbers of partners go."""
    ends = lines.ends(run.signature_of(index), sight)
    return ends is not None and ends[0] <= _pairs(run, index) <= ends[1]


def ramp_of(run: TileRun, index: int, lines: Interpolation, sight: int | None, level_to: int) -> Ramp | None:
    """Return what the lines of a run do from one on that :func:`follows`; None if that does not follow for two."""
    ends, pairs = lines.ends(run.signature_of(index), sight), _pairs(run, index)
    assert ends is not None
    times = min(level_to - index, run.first + run.times - index, abs(ends[run.step > 0] - pairs) + 1)
    if times < 2:
        return None
    found = lines.ramp(run.signature_of(index), sight, run.signature_of(index + times - 1))
    return None if found is None else Ramp(*found, times, level_to)


def account_ramp(machine: Machine, ramp: Ramp, node: Loop, index: int) -> None:
    """Count what lines move and the room they take; ``index`` is the number of the first of them."""
    first, last, times = ramp.first, ramp.last, ramp.times
    steps = times - 1
    more = (last.growth - first.growth) // steps
    wider = (last.room - first.room) // steps

    def sums(one: int, step: int, number: int) -> int:
        return number * one + step * (number * (number - 1) // 2)

    def top(number: int) -> int:
        return machine.occupied + sums(first.growth, more, number) + first.room + number * wider

    # A quadratic function is greatest at an end, or next to where it turns.
    turn = (first.growth + wider) // -more if more < 0 else 0
    tops = [(top(number), -number) for number in (0, turn, turn + 1, steps) if 0 <= number <= steps]
    most, fullest = max(tops)[0], -max(tops)[1]
    if machine.M is not None and most > machine.M:
        raise ShortcutOverflow(
            f"loop over {node.label}: by iteration {index + fullest} it holds {most} words, "
            f"and fast memory has {machine.M}"
        )
    held, held_last = dict(first.held), dict(last.held)
    names = {**held, **held_last}
    grown = {name: (held_last.get(name, 0) - held.get(name, 0)) // steps for name in names}
    if most > machine.peak:
        machine.peak = most
        machine.peak_words = {
            name: machine.held.get(name, 0)
            + sums(held.get(name, 0), grown.get(name, 0), fullest)
            + first.room_words.get(name, 0)
            + fullest * ((last.room_words.get(name, 0) - first.room_words.get(name, 0)) // steps)
            for name in {**machine.held, **first.room_words, **last.room_words}
        }
    counts = {(action, name): count for action, name, count in first.counts}
    counts_last = {(action, name): count for action, name, count in last.counts}
    for action, name in {**counts, **counts_last}:
        both = counts.get((action, name), 0) + counts_last.get((action, name), 0)
        machine.counts[action][name] += both * times // 2
    for name in names:
        machine.held[name] += sums(held.get(name, 0), grown[name], times)
    machine.occupied += sums(first.growth, more, times)
