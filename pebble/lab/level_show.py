"""A schedule for several memory levels as people read it: its pseudo-code, and formulas for every boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pebble.common.plain import plain
from pebble.common.tables import Table, TableResult, tiles_text, words
from pebble.computations.problem import Problem
from pebble.lab.level_pebblings import LevelPebbling, level_pebbling
from pebble.program.closed_forms.count import ClosedForm, closed_form
from pebble.program.hierarchy import Hierarchy
from pebble.program.projection import project
from pebble.program.schedule.level_schedule import LevelSchedule, fits
from pebble.program.schedule.tiled_programs import Tiles


@dataclass(frozen=True, repr=False)
class LevelListing(TableResult):
    """What :func:`show_levels` returns; prints like the algorithm box of a paper.

    Attributes
    ----------
    shown : LevelPebbling
        The schedule, its tiles and its program.
    forms : tuple of ClosedForm
        I/O of one copy (head, batch element) at each boundary, the innermost first.
    """

    shown: LevelPebbling
    forms: tuple[ClosedForm, ...]

    @property
    def fits(self) -> bool:
        """Whether it fits every level."""
        return fits(self.shown.needed, self.shown.hierarchy)

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the schedule, its pseudo-code, the formulas of each boundary."""
        found = self.shown
        made, sizes = found.schedule, found.hierarchy.capacities
        head = f"{made.name} with {tiles_text(found.tiles)}: {made.summary} ({made.source})"
        rows = [["boundary", "I/O", "words", "peak", "of"]]
        levels = zip(found.hierarchy.boundaries, self.forms, found.needed, sizes, strict=True)
        for name, form, peak, size in levels:
            rows.append([name, str(form.io), words(int(form.io)), words(peak), words(size)])
        notes = [] if self.fits else ["this does not fit"]
        return [head, str(found.program), Table(rows, right=(2, 3, 4), notes=notes)]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        found = self.shown
        counted = enumerate(zip(found.hierarchy.capacities, self.forms, found.needed, strict=True), start=1)
        return {
            **plain(
                found, "schedule=schedule.name source=schedule.source problem hierarchy=hierarchy.kind tiles"
            ),
            "pseudo_code": str(found.program),
            "boundaries": [
                {"level": level, "capacity": size, "by_array": plain(form, "reads writes")}
                | {"io": form.io.to_dict(), "peak": peak}
                for level, (size, form, peak) in counted
            ],
            "fits": self.fits,
        }


def show_levels(
    schedule: str | LevelSchedule, problem: Problem, hierarchy: Hierarchy, tiles: Tiles | str | None = None
) -> LevelListing:
    """Show the program of a schedule for several memory levels and the closed form of its I/O at every boundary.

    Parameters
    ----------
    tiles : mapping, optional
        Tile sizes; chosen for all boundaries at once if not given.

    Raises
    ------
    CacheTooSmall
        If no tiles fit.

    Examples
    --------
    >>> from pebble import Problem
    >>> from pebble.program import Hierarchy
    >>> shown = show_levels("nested-flash-2", Problem.square(1000, 64), Hierarchy((9000, 40_000)))
    >>> print(shown.forms[1].io)
    2·N·d·⌈N/167⌉ + 2·N·d
    """
    found = level_pebbling(schedule, problem, hierarchy, tiles)
    levels = range(1, hierarchy.levels + 1)
    forms = (closed_form(project(found.program, level), found.family, legal=True) for level in levels)
    return LevelListing(found, tuple(forms))
