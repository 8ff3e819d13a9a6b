"""A kernel beside the best of its kind and the best of all, forward and backward, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pebble.common.plain import PlainRow
from pebble.common.tables import Table, TableResult, tiles_text, words
from pebble.common.units import bytes_text
from pebble.common.whole_numbers import singular
from pebble.computations.problem import Problem
from pebble.lab.plan.plan_table import PLANNED, Choice, Cost, Planned
from pebble.lab.plan.roofline import inner_notes
from pebble.lower_bounds.bound import Bound

_HEAD = ["pass", "", "schedule", "tiles", "peak", "room", "I/O", "bytes", "I/O ÷ bound", "mine ÷ this"]
_COST_HEAD = ["costs I/O", "costs bytes"]
_DROP = ("costs bytes", "bytes", "peak", "costs I/O", "room")
"""What a narrow terminal leaves out, the least important first."""


@dataclass(frozen=True)
class KernelPass(PlainRow):
    """One pass of a kernel, and what could be had instead.

    Attributes
    ----------
    mine : Choice
        The kernel with its tiles, whether or not they fit.
    chosen : str
        Where its schedule and its tiles come from: ``"as given"``, or of a backward pass ``"same name, same tiles"``.
    summary : str
        What its schedule does, in a line.
    broken : tuple of str
        Constraints that its tiles do not keep, in words.
    same : Choice or None
        The same schedule with the best tiles that keep the constraints and fit; None if there are none.
    best : Choice or None
        The best schedule and tiles that keep the constraints and fit; None if there are none.
    note : str
        Why nothing fits; empty if something does.
    costs : tuple of Cost
        What each constraint costs the best.
    tried : tuple of str, or None
        Names of the schedules of which it is the best, if some were asked for.
    """

    KEYS = """pass=problem.pass_name problem bound=bound.brief mine chosen summary missing broken same best tried note
        costs"""

    mine: Choice
    chosen: str
    summary: str
    broken: tuple[str, ...]
    same: Choice | None
    best: Choice | None
    note: str
    costs: tuple[Cost, ...]
    tried: tuple[str, ...] | None = None

    @property
    def problem(self) -> Problem:
        """The problem of the pass."""
        return self.mine.setting.problem

    @property
    def bound(self) -> Bound:
        """The greatest proved bound, for all copies."""
        return self.mine.setting.bound

    @property
    def missing(self) -> int | None:
        """Words that the kernel needs beyond M; 0 if it fits, None if it is not verified."""
        return None if self.mine.room is None else max(self.mine.room.words - self.mine.setting.M, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON: no ratio of what does not fit."""
        data = super().to_dict()
        return data | {"mine": data["mine"] | {"ratio": None}} if self.missing else data

    def rows(self) -> list[list[str]]:
        """Return the rows as text, without the pass."""
        mine = "mine" if self.chosen == "as given" else f"mine ({self.chosen})"
        if self.missing:
            mine += singular(f", {words(self.missing)} words too large")
        rows = [self._row(mine, self.mine)]
        if self.same is not None and self.same != self.mine:
            rows.append(self._row(f"best tiles of {self.same.schedule}", self.same))
        if self.best is not None:
            rows.append(self._row(f"best of {', '.join(self.tried or ('all',))}", self.best))
        rows += [self._cost_row(cost) for cost in self.costs]
        bound = [f"bound ({self.bound.name}, {self.bound.status})", *[""] * 4, words(self.bound.value), ""]
        return [*rows, [*bound, *self._ratios(self.bound.value), "", ""]]

    def _row(self, text: str, one: Choice) -> list[str]:
        text = f"{text}, not verified" if one.note else text
        room = [words(one.room.peak), words(one.room.words)] if one.room else ["", ""]
        row = [text, one.schedule, _tiles(one), *room]
        if one.tiles is None:
            return [*row, *[""] * 6]
        ratios = ["", ""] if self.missing and one is self.mine else self._ratios(one.io)
        return [*row, words(one.io), bytes_text(one.moved), *ratios, "", ""]

    def _cost_row(self, cost: Cost) -> list[str]:
        text = "without all of these" if cost.constraint == "all" else f"without {cost.constraint}"
        text = f"{text}, not verified" if cost.note else text
        more = [f"{100 * cost.io_more:+.1f} %", f"{100 * cost.moved_more:+.1f} %"]
        moved = [words(cost.io), bytes_text(cost.moved), *self._ratios(cost.io)]
        return [text, cost.schedule, _tiles(cost), "", "", *moved, *more]

    def _ratios(self, io: float) -> list[str]:
        """Return words over the bound, and the kernel's words over these, if it fits."""
        mine = None if self.missing or self.mine.tiles is None else self.mine.io
        return [f"{io / self.bound.value:.3f}", "" if mine is None else f"{mine / io:.3f}"]

    def notes(self) -> list[str]:
        """Return what is to be said of the pass below the table."""
        pass_name = self.problem.pass_name
        notes = [f"{pass_name}: mine is {self.mine.schedule}, {self.chosen}: {self.summary}"]
        if self.missing:
            lacks = singular(
                f"it needs {words(self.missing)} words more than M = {words(self.mine.setting.M)}"
            )
            notes.append(f"{pass_name}: mine does not fit: {lacks}")
        if self.broken:
            notes.append(f"{pass_name}: mine does not keep: {', '.join(self.broken)}")
        notes += [
            f"{pass_name}: {text}, not verified: {one.note}"
            for text, one in (("mine", self.mine), ("best tiles", self.same), ("best of all", self.best))
            if one is not None and one.note
        ]
        notes += [
            f"{pass_name}: without {cost.constraint}, not verified: {cost.note}"
            for cost in self.costs
            if cost.note
        ]
        return notes + ([f"{pass_name}: {self.note}"] if self.note else [])


@dataclass(frozen=True, repr=False)
class KernelPlan(Planned):
    """A kernel's passes beside what could be had instead.

    ``left_out`` are the passes for which there is no schedule of this name.
    """

    KEYS = f"kernel {PLANNED} passes left_out"

    kernel: str
    passes: tuple[KernelPass, ...]
    left_out: tuple[str, ...] = ()

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: what was asked, and the table."""
        shape = self.passes[0].problem.describe().partition(", ")[2]
        passes = " and ".join(one.problem.pass_name for one in self.passes)
        return ["\n".join([f"attention {passes}, {shape}", *self.asked()]), self._table()]

    def _table(self) -> Table:
        columns = len(_HEAD) + len(_COST_HEAD) * any(one.costs for one in self.passes)
        rows = [_HEAD + _COST_HEAD]
        for one in self.passes:
            rows += [
                [one.problem.pass_name if not number else "", *row] for number, row in enumerate(one.rows())
            ]
        notes = [note for one in self.passes for note in one.notes()]
        shown = {
            f"{part.problem.pass_name}: {text}": one.roofline
            for part in self.passes
            for text, one in (("mine", part.mine), ("best tiles", part.same), ("best of all", part.best))
            if one is not None and one.roofline
        }
        notes += inner_notes(self.setting.device, self.setting.level, shown)
        notes += [
            f"{name}: left out, because {self.kernel} has no schedule for this pass" for name in self.left_out
        ]
        return Table([row[:columns] for row in rows], left=4, notes=notes, drop=_DROP)


def _tiles(one: Choice | Cost) -> str:
    """Return the tiles, and whether they are whole ones that the plan found."""
    return tiles_text(one.tiles or {}) + (" (whole tiles)" if one.form == "whole tiles" else "")
