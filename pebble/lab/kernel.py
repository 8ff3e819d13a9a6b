"""A computation given as a loop nest: its lower bounds, and a schedule found for it, side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import IO, Any, Protocol

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.common.tables import Table, TableResult, words
from pebble.common.units import fast_memory_words
from pebble.computations.nests.named_kernel import read_kernel
from pebble.computations.nests.statement import LoopNest
from pebble.game.rules import Rules
from pebble.lower_bounds.bound import Bound

__all__ = ["FoundSchedule", "KernelReport", "kernel"]


class FoundSchedule(Protocol):
    """What a report needs of a schedule."""

    @property
    def io(self) -> int:
        """Loads plus stores."""
        ...

    @property
    def reads(self) -> int:
        """Loads."""
        ...

    @property
    def writes(self) -> int:
        """Stores."""
        ...

    @property
    def peak(self) -> int:
        """The most words in fast memory at any time."""
        ...

    @property
    def program(self) -> str:
        """What is done, as text."""
        ...

    def write(self, target: str | os.PathLike[str] | IO[str]) -> int:
        """Write the pebbling file and return the number of moves."""
        ...


@dataclass(frozen=True)
class KernelReport(TableResult):
    """What :func:`kernel` returns.

    Attributes
    ----------
    nest : LoopNest
    M : int
        Words of fast memory.
    bounds : tuple of Bound
        The greatest first.
    schedule : FoundSchedule or None
        The best schedule found, verified; None if there is none.
    note : str
        Why there is no schedule; empty if there is one.
    fits : bool
        Whether M is large enough for any schedule.
    """

    nest: LoopNest
    M: int
    bounds: tuple[Bound, ...]
    schedule: FoundSchedule | None
    note: str = ""
    fits: bool = True

    @property
    def best(self) -> Bound:
        """The greatest bound that is proved for the ordinary rules of the game."""
        return max(
            (one for one in self.bounds if one.proved and one.holds_under(Rules())), key=lambda one: one.value
        )

    @property
    def ratio(self) -> float | None:
        """The schedule's I/O divided by the greatest bound; None without a schedule."""
        return None if self.schedule is None else self.schedule.io / self.best.value

    def __repr__(self) -> str:
        found = "no schedule" if self.schedule is None else f"{self.schedule.io} I/O"
        statements = "; ".join(map(str, self.nest.statements))
        return f"<KernelReport {statements} M={self.M}: {found}, bound {self.best.value}>"

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the statements, the bounds, the schedule, how far apart they are."""
        extents = ", ".join(f"{name} = {words(extent)}" for name, extent in self.nest.extents.items())
        statements = "\n".join(map(str, self.nest.statements))
        return [
            f"{statements}\n{f'{extents}; ' if extents else ''}M = {words(self.M)} words",
            self.table(),
            *self._found(),
        ]

    def table(self) -> Table:
        """Return the table of bounds."""
        rows = [[one.name, one.status, words(one.value), one.rules, one.source] for one in self.bounds]
        head = ["bound", "status", "words", "rules", "source"]
        return Table([head, *rows], right=(2,), drop=("source", "rules", "status"))

    def _found(self) -> list[str]:
        if self.schedule is None:
            return [self.note]
        found = self.schedule
        return [
            found.program,
            f"I/O = {words(found.io)} words ({words(found.reads)} reads, {words(found.writes)} writes), peak "
            f"{words(found.peak)}; {self.ratio:.3f} times the greatest bound",
        ]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        schedule = self.schedule
        return {
            "statements": [str(statement) for statement in self.nest.statements],
            "extents": dict(self.nest.extents),
            "outputs": list(self.nest.outputs),
            "M": self.M,
            "bounds": [
                {
                    "name": one.name,
                    "value": one.value,
                    "proved": one.proved,
                    "status": one.status,
                    "source": one.source,
                    "rules": one.rules,
                    "note": one.note,
                    **one.facts,
                }
                for one in self.bounds
            ],
            "schedule": None
            if schedule is None
            else {
                "io": schedule.io,
                "reads": schedule.reads,
                "writes": schedule.writes,
                "peak": schedule.peak,
                "program": schedule.program,
            },
            "ratio": self.ratio,
            "note": self.note,
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the bounds as plain data."""
        return list(self.content()["bounds"])


def kernel(
    computation: str | LoopNest,
    extents: Mapping[str, int] | None = None,
    M: int = 0,
    outputs: Iterable[str] = (),
    progress: Callable[..., object] | None = None,
) -> KernelReport:
    """Bound the I/O of a loop nest from below, and find a schedule.

    Parameters
    ----------
    computation : str or LoopNest
        Assignments, an einsum, or the name of a kernel; see :func:`pebble.loop_nest`.
    extents : mapping of str to int
        An index i runs over 0, …, extents[i] − 1. Of a kernel with a name only those that are not to be the usual ones.
    M : int
        Words of fast memory.
    outputs : iterable of str
        Arrays that are outputs although they are read.
    progress : callable, optional
        Called now and then by the search.

    Raises
    ------
    InvalidInput
        If the computation cannot be read, or M is not a positive whole number.

    Examples
    --------
    >>> report = kernel("C[i,j] += A[i,k]*B[k,j]", {"i": 3, "j": 3, "k": 3}, M=32)
    >>> report.schedule.peak <= 32, report.best.value <= report.schedule.io
    (True, True)
    """
    from pebble.lab.kernel_schedules import found_schedule

    M = fast_memory_words(M)
    if isinstance(computation, LoopNest):
        if extents or outputs:
            raise InvalidInput("a loop nest has its extents and outputs already")
        nest = computation
    else:
        nest = read_kernel(computation, extents or {}, outputs)
    bounds = (_compulsory(nest),)
    try:
        schedule, note = found_schedule(nest, M, progress)
    except CacheTooSmall as error:
        return KernelReport(nest, M, bounds, None, str(error), fits=False)
    return KernelReport(nest, M, bounds, schedule, note)


def _compulsory(nest: LoopNest) -> Bound:
    """Every input is read and every output written once."""
    from pebble.computations.nests.nest_dag import nest_dag
    from pebble.computations.nests.nest_family import as_family

    family = as_family(nest)
    if family is None:
        dag = nest_dag(nest).dag
        inputs, outputs = len(dag.inputs), len(dag.outputs)
    else:
        inputs = sum(family.words(array.name) for array in family.inputs)
        outputs = sum(family.words(array.name) for array in family.outputs)
    return Bound(
        "compulsory",
        inputs + outputs,
        "proved",
        "docs/bounds.md",
        note=f"{inputs:,} inputs and {outputs:,} outputs",
    )
