"""Iterations that wait are counted as often as they were, and the state of the last one is written."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pebble.program.machine.effects import Change, Effect
from pebble.program.machine.waiting import Waiting
from tests.program.names import load, loop


def effect_on(array: str, words: int) -> Effect:
    return Effect([("load", array, words)], [], 0, words, {array: words}, [Change(array, 0, None, False, 0)])


def test_effects_wait_until_one_changes_other_arrays() -> None:
    machine: Any = SimpleNamespace(
        counts={"load": {"X": 0, "Y": 0}},
        held={},
        occupied=0,
        peak=0,
        peak_words={},
        M=None,
    )
    written: list[tuple[str, int, int]] = []
    node: Any = loop("i", 1, load("Q"))
    waiting = Waiting(
        machine, node, lambda effect, last, times: written.append((effect.counts[0][1], last, times))
    )
    waiting.settle()
    one, two, other = effect_on("X", 3), effect_on("X", 5), effect_on("Y", 7)
    waiting.add(one, 4, 3)
    waiting.add(two, 1, 4)
    waiting.add(one, 2, 6)
    assert machine.counts["load"]["X"] == 0
    assert written == []
    # What changes another array would leave the state of the first unwritten.
    waiting.add(other, 1, 7)
    assert machine.counts["load"] == {"X": 6 * 3 + 5, "Y": 0}
    assert written == [("X", 6, 1)]
    waiting.settle()
    waiting.settle()
    assert machine.counts["load"] == {"X": 6 * 3 + 5, "Y": 7}
    assert written == [("X", 6, 1), ("Y", 7, 1)]
    assert machine.peak == 7
