"""Showing a schedule: its pseudo-code, and its I/O as formulas, array by array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pebble.closed_form import ClosedForm, closed_form
from pebble.problem import Problem
from pebble.program import Program
from pebble.schedule import Schedule, Tiles, get, resolve_tiles
from pebble.tables import html_table, table, tiles_text, words

__all__ = ["Listing", "show"]


@dataclass(frozen=True)
class Listing:
    """What :func:`show` returns; prints like the algorithm box of a paper.

    Attributes
    ----------
    schedule : Schedule
    problem : Problem
    tiles : dict of str to int
    program : Program
    form : ClosedForm
        I/O of one copy (head, batch element), by array.
    peak : int
        Words of fast memory it needs, measured by the machine.
    M : int or None
        Words of fast memory there are, where given.
    """

    schedule: Schedule
    problem: Problem
    tiles: dict[str, int]
    program: Program
    form: ClosedForm
    peak: int
    M: int | None = None

    @property
    def fits(self) -> bool | None:
        """Whether it fits M words; None if no M was given."""
        return None if self.M is None else self.peak <= self.M

    def __repr__(self) -> str:
        return f"<Listing {self.schedule.name} {tiles_text(self.tiles)} on {self.problem!r}>"

    def cells(self) -> list[list[str]]:
        """Return the table of formulas as text, the header first."""
        rows = [["array", "reads", "", "writes", ""]]
        for name in dict.fromkeys([*self.form.reads, *self.form.writes]):
            row = [name]
            for side in (self.form.reads, self.form.writes):
                row += [str(side[name]), words(int(side[name]))] if name in side else ["", ""]
            rows.append(row)
        reads, writes = int(self.form.total_reads), int(self.form.total_writes)
        rows.append(["all", "", words(reads), "", words(writes)])
        return rows

    def __str__(self) -> str:
        tiles = f" with {tiles_text(self.tiles)}" if self.tiles else ""
        return "\n\n".join(
            [
                f"{self.schedule.name}{tiles}: {self.schedule.summary} ({self.schedule.source})",
                str(self.program),
                table(self.cells(), left=2, right=(2, 4)),
                f"I/O = {self.form.io} = {words(int(self.form.io))} words; "
                f"peak {words(self.peak)} words of fast memory"
                + (f", which does not fit M = {words(self.M)}" if self.fits is False else ""),
            ]
        )

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self.program))}</pre>" + html_table(self.cells())

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with a schema version."""
        sides = {"reads": self.form.reads, "writes": self.form.writes}
        return {
            "schema_version": 1,
            "schedule": self.schedule.name,
            "source": self.schedule.source,
            "problem": self.problem.to_dict(),
            "tiles": dict(self.tiles),
            "pseudo_code": str(self.program),
            "by_array": {
                side: {name: {"formula": str(f), "value": int(f)} for name, f in formulas.items()}
                for side, formulas in sides.items()
            },
            "io": {"formula": str(self.form.io), "value": int(self.form.io)},
            "peak": self.peak,
            "M": self.M,
            "fits": self.fits,
        }


def show(
    schedule: str | Schedule, problem: Problem, M: int | None = None, tiles: Tiles | str | None = None
) -> Listing:
    """Show a schedule's program and the closed form of its I/O.

    Parameters
    ----------
    schedule : str or Schedule
    problem : Problem
    M : int, optional
        Words of fast memory the schedule chooses its tiles for; not needed where ``tiles`` gives sizes.
    tiles : mapping or str, optional
        Tile sizes, or the name of a preset.

    Raises
    ------
    InvalidInput
        If neither M nor tile sizes are given, or a name is unknown.
    CacheTooSmall
        If no tiles fit M words.

    Examples
    --------
    >>> print(show("flash-2", Problem.square(1000, 64), tiles={"rows": 92}).form.io)
    2·N·d·⌈N/92⌉ + 2·N·d
    """
    made = get(schedule, problem.pass_name) if isinstance(schedule, str) else schedule
    sizes = resolve_tiles(made, problem, M, tiles)
    program = made.program(problem, sizes)
    form = closed_form(program, made.family(problem))
    return Listing(made, problem, dict(sizes), program, form, made.measure(problem, sizes).peak, M)
