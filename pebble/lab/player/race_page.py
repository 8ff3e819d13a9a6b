"""A page on which schedules race: the same problem, the same fast memory, one move of each at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.lab.player.documents import of_schedule, watched
from pebble.lab.player.page import Page
from pebble.lab.player.practice_boards import board_dict


@dataclass(frozen=True)
class RacePage(Page):
    """A page of several pebblings side by side; ``document`` has them as ``lanes``."""

    template: ClassVar[str] = "race.html"
    scripts: ClassVar[tuple[str, ...]] = (
        *("rules.js", "tape.js", "labels.js", "elements.js"),
        *("stepper.js", "board.js", "race.js"),
    )
    styles: ClassVar[tuple[str, ...]] = ("player.css", "board.css", "small.css", "race.css")

    def summary(self) -> str:
        """Return what there is to watch, in one line."""
        counts = [(one["name"], one["totals"]) for one in self.document["lanes"]]
        ended = ", ".join(f"{name} {totals['reads'] + totals['writes']:,}" for name, totals in counts)
        return f"{self.title}; I/O {ended}"


def race(schedules: Sequence[str], problem: Problem, M: int, time_limit: float | None = None) -> RacePage:
    """Make a page that steps through the pebblings of several schedules together.

    Parameters
    ----------
    schedules : sequence of str
        Two or more.
    problem : Problem
        One copy; heads and batch are ignored.
    M : int
    time_limit : float, optional
        Seconds for the exact optimum, by default a fixed amount of work.

    Examples
    --------
    >>> race(["naive", "flash-2"], Problem.square(2, 1), 8, time_limit=0.1).summary()
    'naive, flash-2: attention forward, N = 2, d = 1, M = 8; I/O naive 32, flash-2 12'
    """
    if len(set(schedules)) < max(2, len(schedules)):
        raise InvalidInput("a race needs two or more schedules, each once")
    shown = [of_schedule(name, problem, M) for name in schedules]
    first = shown[0].board
    for one in shown:
        if (one.board.name, one.board.parameters) != (first.name, first.parameters):
            raise InvalidInput(f"{one.name} and {shown[0].name} pebble different DAGs: no race")
    board = board_dict(first, [M], time_limit)
    lanes = [watched(one, 0, board) | {"program": None} for one in shown]
    title = f"{', '.join(schedules)}: {problem.single.describe()}, M = {M:,}"
    return RacePage(title, {"lanes": lanes, "board": board})
