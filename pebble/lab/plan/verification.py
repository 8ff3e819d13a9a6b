"""The candidates of a search, each verified by the machine, or kept with a note that says why it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from pebble.common.errors import NoClosedForm, PebbleError, TooManyOperations, Violation
from pebble.common.tables import tiles_text
from pebble.lab.plan.candidates import Candidate, Setting, candidate_of
from pebble.lab.plan.memory_need import wide_arrays, width_ratio
from pebble.lab.plan.plan_table import Choice, Unverified
from pebble.lab.plan.roofline import Roofline, crossing_of, flops, roofline_of
from pebble.lab.plan.tile_search import FORMS, refined
from pebble.program.counting.counted import Run
from pebble.program.schedule import Schedule, Tiles

if TYPE_CHECKING:
    from pebble.lab.hardware import Device

__all__ = ["Found", "Search", "given"]

ATTEMPTS = 3
NEARLY = 2
"""Where only the best is asked for, tiles are refined for what moves up to so many times its bytes."""
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
        The machine's run of it, with wide accumulators where room is not told in parts; None if it is not verified.
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

    def choice(
        self, setting: Setting, device: Device | None, level: str | None, bound: float
    ) -> Choice | Unverified:
        """Return the choice, for all copies."""
        copies, one = setting.problem.copies, self.candidate
        if one is None:
            return Unverified(self.schedule.name, self.form, self.note)
        io, moved = one.io * copies, one.moved * copies
        if self.run is None:
            return Unverified(self.schedule.name, self.form, self.note, one.tiles, io, moved)
        work = flops(self.run) * copies
        roofline = Roofline()
        if device is not None:
            crossing = crossing_of(device, level, setting.dtype, one.room.words, io / bound)
            roofline = roofline_of(device, setting.dtype, moved, work, crossing)
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
            roofline=roofline,
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
        settled = (self._settled(one, setting) for one in self._searched(setting, nearly=inf))
        found = [one for one in settled if one is not None]
        return sorted(found, key=lambda one: (one.run is None, *one.order))

    def best(self, setting: Setting) -> Found | None:
        """Return the cheapest candidate that is verified; if none is, the cheapest with a note, or None."""
        found = None
        for one in sorted(self._searched(setting), key=lambda one: one.order):
            settled = self._settled(one, setting)
            if settled is not None and settled.run is not None:
                return settled
            found = found or settled
        return found

    def cheapest(self, setting: Setting) -> Found | None:
        """Return the cheapest candidate of all, verified or with a note, or None."""
        for one in sorted(self._searched(setting), key=lambda one: one.order):
            settled = None if one.candidate is None else self._settled(one, setting, parts=False)
            if settled is not None:
                return settled
        return None

    def _searched(self, setting: Setting, nearly: float = NEARLY) -> list[Found]:
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
        return self._refined(found, setting, nearly)

    def _refined(self, found: list[Found], setting: Setting, nearly: float) -> list[Found]:
        """Look for better tiles under the mask where these are not far from the best."""
        moved = [one.candidate.moved for one in found if one.candidate is not None]
        near = []
        for one in found:
            if one.candidate is not None and one.candidate.moved <= nearly * min(moved):
                self.progress(f"refining tiles: {one.schedule.name}, {one.form}")
                near.append(replace(one, candidate=_improved(refined, one.candidate, setting)))
            else:
                near.append(one)
        return near

    def _settled(self, found: Found, setting: Setting, *, parts: bool = True) -> Found | None:
        """Return what was found, verified or with a note; None if the machine finds that it does not fit.

        Without ``parts``, what wide accumulators add is not told apart: one run instead of two.
        """
        one = found.candidate
        if one is None:
            return found
        for _ in range(ATTEMPTS):
            self.progress(f"verifying {one.schedule.name} {tiles_text(one.tiles)}")
            try:
                checked, measured = _checked(one, setting, parts=parts)
            except UNVERIFIABLE as error:
                return replace(found, candidate=one, note=str(error))
            need = checked.room.words
            if need <= setting.M:
                return replace(found, candidate=checked, run=measured)
            # Under the mask it takes a word or two more: the tiles of so much less room.
            room = one.room.words - (need - setting.M)
            rest = replace(setting, M=room)
            try:
                smaller = FORMS[found.form](found.schedule, rest) if room > 0 else None
            except UNVERIFIABLE as error:
                return replace(found, candidate=one, note=str(error))
            if smaller is None:
                return None
            one = _improved(refined, smaller, rest)
        return replace(
            found, candidate=one, note=f"it needs more than M = {setting.M:,} words under the mask"
        )


def given(schedule: Schedule, tiles: Tiles, setting: Setting) -> Found:
    """Return a schedule with given tiles, whether or not they fit or keep the constraints, verified or with a note."""
    candidate = None
    try:
        candidate = candidate_of(schedule, "given tiles", tiles, setting)
        checked, measured = _checked(candidate, setting, parts=True)
    except UNVERIFIABLE as error:
        return Found(schedule, "given tiles", candidate, None, str(error))
    return Found(schedule, "given tiles", checked, measured)


def _improved(
    improve: Callable[[Candidate, Setting], Candidate], one: Candidate, setting: Setting
) -> Candidate:
    """Return a better candidate, or the same where others cannot be counted."""
    try:
        return improve(one, setting)
    except UNVERIFIABLE:
        return one


def _checked(one: Candidate, setting: Setting, *, parts: bool) -> tuple[Candidate, Run]:
    """Return the candidate with the room that the machine measures, and the run.

    Raises
    ------
    PebbleError
        If the machine counts other words than the closed form.
    """
    evaluations, accumulate = setting.evaluations, setting.constraints.accumulate
    width = 1 if parts else width_ratio(setting.dtype, accumulate)
    counted = evaluations.run(one.schedule, one.tiles, width=width)
    traffic = evaluations.traffic(one.schedule, one.tiles)
    wide = wide_arrays(traffic.family) if width > 1 else frozenset()
    for mine, other in ((counted.reads, traffic.reads), (counted.writes, traffic.writes)):
        for name, words in mine.items():
            if words != other.get(name, 0) * (width if name in wide else 1):
                raise PebbleError(
                    f"{one.schedule.name}: the closed form and the machine disagree; please report this"
                )
    return replace(
        one, room=evaluations.room(one.schedule, one.tiles, setting.constraints, parts=parts)
    ), counted
