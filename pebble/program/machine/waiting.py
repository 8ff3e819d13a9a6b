"""Iterations that only count, put in the books together, and the last of them written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pebble.program.machine.effects import account

if TYPE_CHECKING:
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.effects import Effect
    from pebble.program.nodes import Loop

__all__ = ["Waiting"]


class Waiting:
    """Iterations that only count, and the last of them, whose state is still to be written.

    Parameters
    ----------
    machine : Machine
    node : Loop
        Whose iterations they are.
    write : callable
        Writes the state that iterations leave: their effect, the number of the first, and how many.
    """

    def __init__(self, machine: Machine, node: Loop, write: Callable[[Effect, int, int], None]) -> None:
        self.machine, self.node, self.write = machine, node, write
        self.times: dict[int, int] = {}
        self.effects: dict[int, Effect] = {}
        self.changed: set[tuple[str, int]] = set()
        self.last: tuple[Effect, int] | None = None

    def add(self, effect: Effect, times: int, last: int) -> None:
        """Let more iterations wait; ``last`` is the number of the last of them."""
        key = id(effect)
        if key not in self.effects:
            if effect.changed != self.changed:
                self.settle()
                self.changed = effect.changed
            self.effects[key] = effect
        self.times[key] = self.times.get(key, 0) + times
        self.last = effect, last

    def settle(self) -> None:
        """Count them and write the state they leave."""
        if self.last is None:
            return
        effect, index = self.last
        for key, times in self.times.items():
            account(self.machine, self.effects[key], self.node, index, times)
        self.write(effect, index, 1)
        self.times.clear()
        self.effects.clear()
        self.last = None
