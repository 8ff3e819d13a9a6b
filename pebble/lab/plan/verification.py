"""What the search finds for each schedule, verified by the machine, or kept with a note that says why it is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pebble.common.clock import tell
from pebble.common.errors import CacheTooSmall, NoClosedForm, PebbleError, TooManyOperations, Violation
from pebble.common.tables import tiles_text
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.plan_table import Choice
from pebble.lab.plan.roofline import Traffic, moved_bytes
from pebble.lab.plan.setting import Setting
from pebble.lab.work import flops
from pebble.program.closed_forms.count import words_by_array
from pebble.program.schedule import Schedule, Tiles

FORMS = {"native tiles": None, "whole tiles": ("rows", "cols")}
"""The sizes that are searched: a schedule's own, or those of whole tiles of queries and keys, where it loads such."""

UNVERIFIABLE = (TooManyOperations, NoClosedForm, Violation)
_NEAR = 1.01
"""How many times as much a schedule may move that is still searched: the search may miss the best tiles by a little."""


@dataclass(frozen=True)
class Search:
    """The search for tiles of each schedule, in each form."""

    schedules: list[Schedule]

    def verified(self, setting: Setting) -> list[Choice]:
        """Return the best of each schedule and form: those verified, the best first, then the others."""
        found = [self._verified(one, setting) for one in self._searched(setting)]
        return sorted(found, key=lambda one: (bool(one.note), *one.order))

    def best(self, setting: Setting) -> Choice | None:
        """Return the cheapest that is verified; if none is, the cheapest with a note, or None."""
        first = None
        for one in sorted(self._searched(setting), key=lambda one: one.order):
            settled = self._verified(one, setting)
            if not settled.note:
                return settled
            first = first or settled
        return first

    def cheapest(self, setting: Setting) -> Choice | None:
        """Return the cheapest of all, verified or with a note, or None."""
        known = (one for one in self._searched(setting) if one.tiles is not None)
        best = min(known, key=lambda one: one.order, default=None)
        return None if best is None else self._verified(best, setting)

    def worthwhile(self, setting: Setting, than: Choice) -> Search:
        """Return the search among schedules that may move less than what is found: that do, if nothing is asked."""
        least: dict[str, float] = {}
        for one in self._searched(replace(setting, constraints=Constraints())):
            moved = 0 if one.tiles is None else one.moved
            least[one.schedule] = min(least.get(one.schedule, moved), moved)
        few = [one for one in self.schedules if least.get(one.name, 0) <= _NEAR * than.moved]
        return replace(self, schedules=few)

    def too_small(self, setting: Setting) -> Iterator[tuple[int, str]]:
        """Yield how many words would be enough for each schedule that does not fit, and its name."""
        for schedule, _, names in self._forms():
            try:
                setting.best_tiles(schedule, names)
            except CacheTooSmall as error:
                if error.least_M is not None:
                    yield error.least_M, schedule.name
            except UNVERIFIABLE:
                continue

    def _forms(self) -> Iterator[tuple[Schedule, str, tuple[str, ...] | None]]:
        for form, names in FORMS.items():
            for schedule in self.schedules:
                if names is None or "literal" in schedule.presets:
                    yield schedule, form, names

    def _searched(self, setting: Setting) -> Iterator[Choice]:
        """Yield what is found, before anything is verified."""
        for schedule, form, names in self._forms():
            tell(f"searching tiles: {schedule.name}, {form}")
            try:
                yield _told(schedule, form, setting.best_tiles(schedule, names), setting)
            except CacheTooSmall:
                continue
            except UNVERIFIABLE as error:
                yield Choice(schedule, form, setting, note=str(error))

    def _verified(self, found: Choice, setting: Setting) -> Choice:
        """Return what was found, verified or with a note."""
        if found.tiles is None:
            return found
        tell(f"verifying {found.schedule} {tiles_text(found.tiles)}")
        checked = _checked(found, setting)
        if checked.room is not None and checked.room.words > setting.M:
            return replace(found, note=f"it needs more than M = {setting.M:,} words")
        return checked


def given(schedule: Schedule, tiles: Tiles, setting: Setting) -> Choice:
    """Return a schedule with given tiles, whether or not they fit or keep the constraints, verified or with a note."""
    try:
        return _checked(_told(schedule, "given tiles", tiles, setting), setting)
    except UNVERIFIABLE as error:
        return Choice(schedule, "given tiles", setting, note=str(error))


def _told(schedule: Schedule, form: str, tiles: Tiles, setting: Setting) -> Choice:
    """Return a schedule with tiles and what they move: by closed form, or where there is none by a run.

    Raises
    ------
    TooManyOperations
        If there is no closed form and the run takes too long.
    """
    family = schedule.family(setting.problem)
    try:
        reads, writes = words_by_array(schedule.program(setting.problem, tiles), family)
    except NoClosedForm:
        counted = setting.run(schedule, tiles)
        reads, writes = counted.reads, counted.writes
    moved = moved_bytes(Traffic(family, reads, writes), setting.dtype, setting.constraints.accumulate)
    copies = setting.problem.copies
    loads, stores = (copies * sum(one.values()) for one in (reads, writes))
    return Choice(schedule, form, setting, dict(tiles), loads, stores, moved * copies)


def _checked(found: Choice, setting: Setting) -> Choice:
    """Return what was found with the room that the machine measures, or a note."""
    assert found.tiles is not None
    try:
        counted = setting.run(found.made, found.tiles)
        room = setting.room(found.made, found.tiles)
    except UNVERIFIABLE as error:
        return replace(found, note=str(error))
    copies = setting.problem.copies
    if (counted.total_reads * copies, counted.total_writes * copies) != (found.reads, found.writes):
        raise PebbleError(f"{found.schedule}: the closed form and the machine disagree; please report this")
    return replace(found, room=room, flops=flops(counted) * copies)
