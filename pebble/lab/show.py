"""A schedule as people read it: its pseudo-code, and its I/O as formulas, array by array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

from pebble.common.errors import NoClosedForm
from pebble.common.plain import plain
from pebble.common.tables import Table, TableResult, tiles_text, words
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lab.asked_schedules import asked_schedule
from pebble.lab.level_pebblings import LevelPebbling, level_pebbling
from pebble.program import Program
from pebble.program.closed_forms.count import ClosedForm, closed_form
from pebble.program.closed_forms.formula import constant
from pebble.program.counting.counted import Run
from pebble.program.hierarchy import Hierarchy
from pebble.program.nodes import Action, Loop, Node, Operation, When, pseudo_code_html
from pebble.program.projection import project
from pebble.program.schedule import Schedule, Tiles, resolve_tiles
from pebble.program.schedule.level_schedule import LevelSchedule, fits


@dataclass(frozen=True, repr=False)
class Listing(TableResult):
    """What :func:`show` returns; prints like the algorithm box of a paper.

    Attributes
    ----------
    form : ClosedForm
        I/O of one copy (head, batch element), by array.
    peak : int
        Words of fast memory it needs, measured by the machine.
    M : int or None
        Words of fast memory there are, where given.
    note : str
        Why there are no formulas but only what the machine counted; empty if there are formulas.
    """

    schedule: Schedule
    problem: Problem
    tiles: dict[str, int]
    program: Program
    form: ClosedForm
    peak: int
    M: int | None = None
    note: str = ""

    @property
    def pseudo_code(self) -> str:
        """The program; a load that only begins a partial sum is left out, and a store that adds it is called so."""
        added = self.schedule.family(self.problem).accumulated
        return str(_with_additions(self.program) if added else self.program)

    @property
    def fits(self) -> bool | None:
        """Whether it fits M words; None if no M was given."""
        return None if self.M is None else self.peak <= self.M

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the schedule, its pseudo-code, the formulas, their names, the sum."""
        tiles = f" with {tiles_text(self.tiles)}" if self.tiles else ""
        return [
            f"{self.schedule.name}{tiles}: {self.schedule.summary} ({self.schedule.source})",
            self.pseudo_code,
            self._formulas(),
            *self._remarks(),
            f"I/O = {self.form.io} = {words(int(self.form.io))} words; "
            f"peak {words(self.peak)} words of fast memory"
            + (f", which does not fit M = {words(self.M)}" if self.fits is False else ""),
        ]

    def _formulas(self) -> Table:
        rows = [["array", "reads", "", "writes", ""]]
        for name in dict.fromkeys([*self.form.reads, *self.form.writes]):
            row = [name]
            for side in (self.form.reads, self.form.writes):
                row += [str(side[name]), words(int(side[name]))] if name in side else ["", ""]
            rows.append(row)
        reads, writes = int(self.form.total_reads), int(self.form.total_writes)
        rows.append(["all", "", words(reads), "", words(writes)])
        return Table(rows, right=(2, 4))

    def legend(self) -> list[list[str]]:
        """Return the names in the formulas that a mask gives a value: name, value and meaning of each."""
        formulas = [*self.form.reads.values(), *self.form.writes.values()]
        values = {name: value for formula in formulas for name, value in formula.values}
        return [[name, words(values[name]), meaning] for name, meaning in self.form.legend.items()]

    def _remarks(self) -> list[str]:
        rows = self.legend()
        widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
        lines = [f"{name.ljust(widths[0])} = {value.rjust(widths[1])}  {text}" for name, value, text in rows]
        return [part for part in ("\n".join(lines), self.note) if part]

    def _repr_html_(self) -> str:
        from html import escape

        remarks = (f"<pre>{escape(text)}</pre>" for text in self._remarks())
        return pseudo_code_html(self.program) + super()._repr_html_() + "".join(remarks)

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return {
            **plain(self, "schedule=schedule.name source=schedule.source problem tiles"),
            "pseudo_code": self.pseudo_code,
            "by_array": plain(self.form, "reads writes"),
            "legend": {
                name: {"meaning": meaning, "value": int(value.replace(",", ""))}
                for name, value, meaning in self.legend()
            },
            **plain(self, "note io=form.io peak M fits"),
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
    CacheTooSmall
        If no tiles fit M words.

    Examples
    --------
    >>> print(show("flash-2", Problem.square(1000, 64), tiles={"rows": 92}).form.io)
    2·N·d·⌈N/92⌉ + 2·N·d
    """
    M = None if M is None else fast_memory_words(M)
    made = asked_schedule(schedule, problem)
    sizes = resolve_tiles(made, problem, M, tiles)
    program = made.program(problem, sizes)
    counted = made.measure(problem, sizes)
    form, note = _form(program, made, problem, counted)
    return Listing(made, problem, dict(sizes), program, form, counted.peak, M, note)


def _form(program: Program, made: Schedule, problem: Problem, counted: Run) -> tuple[ClosedForm, str]:
    """Return the closed form, or what the machine counted and why there is no form."""
    try:
        return closed_form(program, made.family(problem)), ""
    except NoClosedForm as reason:
        reads, writes = (
            {name: constant(words) for name, words in counts.items() if words}
            for counts in (counted.reads, counted.writes)
        )
        return ClosedForm(reads, writes), f"numbers counted by the machine, no formulas: {reason}"


def _with_additions(text: Program) -> Program:
    """Return a program as it is shown where partial sums are added in slow memory."""
    parts = (replace(part, program=_with_additions(part.program)) for part in text.parts)
    phases = (replace(one, body=tuple(_additions(one.body, set()))) for one in text.phases)
    return Program(tuple(phases), tuple(parts))


def _additions(nodes: Iterable[Node], resumed: set[str]) -> Iterator[Node]:
    """Yield nodes without what is resumed; stores beside that are additions, but not in a last tile, which loads."""
    for node in nodes:
        if not isinstance(node, Operation):
            ends = isinstance(node, When) and (node.condition.which, node.condition.negated) == (
                "last",
                False,
            )
            inner = set(_resumed(node.body)) if isinstance(node, Loop) else set() if ends else resumed
            if body := tuple(_additions(node.body, inner)):
                yield replace(node, body=body)
        elif node.action == "store" and node.array in resumed:
            yield replace(node, action=cast(Action, "accumulate"))
        elif not node.resumes:
            yield node


def _resumed(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield the arrays that nodes resume, but not in loops inside."""
    for node in nodes:
        if isinstance(node, When):
            yield from _resumed(node.body)
        elif isinstance(node, Operation) and node.resumes:
            yield node.array


@dataclass(frozen=True, repr=False)
class LevelListing(TableResult):
    """What :func:`show_levels` returns; prints like the algorithm box of a paper.

    The formulas are the I/O of one copy at each boundary, the innermost first.
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

    The tiles, if they are not given, are chosen for all boundaries at once.

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
