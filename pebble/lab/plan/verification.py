"""The candidates of a search, each verified by the machine, or kept with a note that says why it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pebble.common.errors import NoClosedForm, PebbleError, TooManyOperations, Violation
from pebble.common.tables import tiles_text
from pebble.lab.plan.plan_table import Choice, Unverified
from pebble.lab.plan.roofline import flops, moved_bytes, roofline_of
from pebble.lab.plan.tile_search import FORMS, Candidate, Setting
from pebble.program.machine.counted import Run
from pebble.program.schedule import Schedule

if TYPE_CHECKING:
    from pebble.lab.hardware import Device

__all__ = ["Found", "Search"]

ATTEMPTS = 3
UNVERIFIABLE = (TooManyOperations, NoClosedForm, Violation)


@dataclass(frozen=True)
class Found:
    """What the search found for a schedule and a form of tiles.

    Attributes
    ----------
    schedule : Schedule
    form : str
    candidate : Candidate or None
        None if not even the search came to an end.
    run : Run or None
        The machine's run of it; None if it is not verified.
    note : str
        Why it is not verified.
    """

    schedule: Schedule
    form: str
    candidate: Candidate | None
    run: Run | None
    note: str = ""

    @property
    def order(self) -> tuple[float, ...]:
        """Sort key: as of candidates; what has no count comes last."""
        return (float("inf"),) if self.candidate is None else self.candidate.order

    def choice(self, setting: Setting, device: Device | None, bound: float) -> Choice | Unverified:
        """Return the choice, for all copies."""
        copies, one = setting.problem.copies, self.candidate
        if one is None:
            return Unverified(self.schedule.name, self.form, self.note)
        io, moved = one.io * copies, one.moved * copies
        if self.run is None:
            return Unverified(self.schedule.name, self.form, self.note, one.tiles, io, moved)
        work = flops(self.run) * copies
        return Choice(
            schedule=self.schedule.name,
            form=self.form,
            tiles=one.tiles,
            room=one.room,
            reads=one.reads * copies,
            writes=one.writes * copies,
            io=io,
            moved=moved,
            flops=work,
            ratio=io / bound,
            roofline=roofline_of(device, setting.dtype, moved, work),
        )


@dataclass(frozen=True)
class Search:
    """The search over schedules and forms of tiles.

    Parameters
    ----------
    schedules : list of Schedule
    progress : callable
        Called with a line before each piece of work.
    """

    schedules: list[Schedule]
    progress: Callable[[str], None]

    def verified(self, setting: Setting) -> list[Found]:
        """Return the best candidate of each schedule and form: those verified, the best first, then the others."""
        settled = (self._settled(one, setting) for one in self._searched(setting))
        found = [one for one in settled if one is not None]
        return sorted(found, key=lambda one: (one.run is None, *one.order))

    def cheapest(self, setting: Setting) -> list[Found]:
        """Return the cheapest candidate of all, or none."""
        for one in sorted(self._searched(setting), key=lambda one: one.order):
            settled = None if one.candidate is None else self._settled(one, setting)
            if settled is not None:
                return [settled]
        return []

    def _searched(self, setting: Setting) -> list[Found]:
        """Return what is found before anything is verified."""
        found = []
        for form, search in FORMS.items():
            for schedule in self.schedules:
                self.progress(f"searching tiles: {schedule.name}, {form}")
                try:
                    candidate = search(schedule, setting)
                except UNVERIFIABLE as error:
                    found.append(Found(schedule, form, None, None, str(error)))
                else:
                    if candidate is not None:
                        found.append(Found(schedule, form, candidate, None))
        return found

    def _settled(self, found: Found, setting: Setting) -> Found | None:
        """Return what was found, verified or with a note; None if the machine finds that it does not fit."""
        one = found.candidate
        if one is None:
            return found
        for _ in range(ATTEMPTS):
            self.progress(f"verifying {one.schedule.name} {tiles_text(one.tiles)}")
            try:
                checked = _checked(one, setting)
            except UNVERIFIABLE as error:
                return replace(found, candidate=one, note=str(error))
            need = checked.room.words
            if need <= setting.M:
                return replace(found, candidate=checked, run=setting.evaluations.run(one.schedule, one.tiles))
            # Under the mask it takes a word or two more: the tiles of so much less room.
            room = one.room.words - (need - setting.M)
            smaller = FORMS[found.form](found.schedule, replace(setting, M=room)) if room > 0 else None
            if smaller is None:
                return None
            one = smaller
        return replace(
            found, candidate=one, note=f"it needs more than M = {setting.M:,} words under the mask"
        )


def _checked(one: Candidate, setting: Setting) -> Candidate:
    """Return the candidate with the room and the words that the machine measures.

    Raises
    ------
    PebbleError
        If the machine counts other words than the closed form.
    """
    evaluations = setting.evaluations
    counted = evaluations.run(one.schedule, one.tiles)
    if (counted.total_reads, counted.total_writes) != (one.reads, one.writes):
        raise PebbleError(
            f"{one.schedule.name}: the closed form and the machine disagree; please report this"
        )
    return replace(
        one,
        room=evaluations.room(one.schedule, one.tiles, setting.constraints),
        moved=moved_bytes(counted, setting.dtype, setting.constraints.accumulate),
    )
