"""Rounds that are all executed, each compared with what the first ones foretell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pebble.program.machine import rounds
from pebble.program.machine.configuration import Configuration
from pebble.program.machine.loops import LastRoundFails
from pebble.program.machine.recorder import Recorder
from pebble.program.machine.rounds import Rounds

__all__ = ["Foretold", "all_rounds_executed"]


@dataclass
class Foretold:
    """How many rounds were foretold, and what was said of those that did something else."""

    rounds: int = 0
    wrong: list[str] = field(default_factory=list)


@contextmanager
def all_rounds_executed() -> Iterator[Foretold]:
    """Take no shortcut where rounds repeat: execute the rounds between as well, and note which are not as foretold.

    So the conditions of the shortcut are tested alone. In earnest a round that is wrong shows only if the last one is
    wrong too, or a count at the end.
    """
    found, skip = Foretold(), Rounds._skip

    def executed(
        self: Rounds,
        number: int,
        last: int,
        states: list[Configuration],
        done: list[rounds._Round],
        tiles: Callable[[int, int], None],
        recorder: Recorder,
    ) -> None:
        (_, before, now), (one, two) = states, done
        for later in range(number + 1, last + 1):
            times = later - number
            if later < last:
                with recorder.silent():
                    this = self._round(later, tiles, recorder)
            else:
                this = self._round(later, tiles, recorder)
            expected = {
                "counts": (this.counts, rounds._later(one.counts, two.counts, times)),
                "held": (this.held, rounds._later(one.held, two.held, times)),
                "state": (self._after(later), before.moved(now, times + 1)),
            }
            found.rounds += 1
            found.wrong += [
                f"loop over {self.node.label}, round {later} of {number} to {last}: {what} {a}, foretold {b}"
                for what, (a, b) in expected.items()
                if a != b
            ]
            if later == last and not rounds._same_items(one.items, two.items, this.items, times):
                raise LastRoundFails(self.node, self.number - last)

    Rounds._skip = executed  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Rounds._skip = skip  # type: ignore[method-assign]
