"""A computation given as a loop nest: its lower bounds, and a schedule found for it, side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import IO

from pebble.common.clock import limited_to, tell
from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.common.tables import Table, TableResult, words
from pebble.common.units import fast_memory_words
from pebble.common.whole_numbers import singular
from pebble.computations.nests.header import NEST_NAME, nest_parameters
from pebble.computations.nests.named_kernel import read_kernel
from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.nest_family import as_family
from pebble.computations.nests.points import TooManyPoints, count_points
from pebble.computations.nests.statement import LoopNest
from pebble.game.files.header import Header
from pebble.game.files.writer import write_pebbling
from pebble.game.rules import Rules
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.solvers.nests.nest_schedule import schedule_nest
from pebble.solvers.nests.staged_schedule import NestSchedule

_SMALL = 5


@dataclass(frozen=True, repr=False)
class KernelReport(TableResult):
    """What :func:`kernel` returns.

    Attributes
    ----------
    nest : LoopNest
    M : int
        Words of fast memory.
    bounds : tuple of Bound
        The greatest first.
    schedule : NestSchedule or None
        The best schedule found, verified; None if there is none.
    note : str
        Why there is no schedule; empty if there is one.
    fits : bool
        Whether M is large enough for any schedule.
    """

    KEYS = (
        "statements=texts extents=nest.extents outputs=nest.outputs M bounds=of_the_game "
        "bounds_without_recomputation=of_computing_once schedule ratio note"
    )
    ROWS = "bounds"

    nest: LoopNest
    M: int
    bounds: tuple[Bound, ...]
    schedule: NestSchedule | None
    note: str = ""
    fits: bool = True

    @property
    def texts(self) -> list[str]:
        """The statements."""
        return [str(statement) for statement in self.nest.statements]

    @property
    def of_the_game(self) -> list[Bound]:
        """The bounds that hold under the ordinary rules of the game."""
        return [one for one in self.bounds if one.holds_under(Rules())]

    @property
    def of_computing_once(self) -> list[Bound]:
        """The other bounds: no vertex may be computed twice."""
        return [one for one in self.bounds if not one.holds_under(Rules())]

    @property
    def best(self) -> Bound:
        """The greatest bound that is proved for the ordinary rules of the game."""
        return max((one for one in self.of_the_game if one.proved), key=lambda one: one.value)

    @property
    def ratio(self) -> float | None:
        """The schedule's I/O divided by the greatest bound; None without a schedule."""
        return None if self.schedule is None else self.schedule.io / self.best.value

    def write(self, target: str | os.PathLike[str] | IO[str]) -> int:
        """Write the schedule as a pebbling file and return the number of moves."""
        if self.schedule is None:
            raise InvalidInput("there is no schedule to write")
        header = Header(NEST_NAME, nest_parameters(self.nest), self.M)
        vertices = as_family(self.nest) or nest_dag(self.nest).dag
        return write_pebbling(target, header, vertices, self.schedule.moves())

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the statements, the bounds, the schedule, how far apart they are."""
        extents = ", ".join(f"{name} = {words(extent)}" for name, extent in self.nest.extents.items())
        statements = "\n".join(self.texts)
        return [
            f"{statements}\n{f'{extents}; ' if extents else ''}{singular(f'M = {words(self.M)} words')}",
            self.table(),
            *self._found(),
        ]

    def table(self) -> Table:
        """Return the table of bounds."""
        columns = {
            "bound": "name",
            "status": "status",
            "words": "value",
            "rules": "rules",
            "source": "source",
        }
        return Table.of(self.bounds, columns, drop=("source", "rules", "status"))

    def _found(self) -> list[str]:
        if self.schedule is None:
            return [self.note]
        found = self.schedule
        return [
            found.program,
            singular(
                f"I/O = {words(found.io)} words ({words(found.reads)} reads, {words(found.writes)} writes), peak "
                f"{words(found.peak)}; {self.ratio:.3f} times the greatest bound"
            ),
        ]


def kernel(
    computation: str | LoopNest,
    extents: Mapping[str, int] | None = None,
    M: int = 0,
    outputs: Iterable[str] = (),
    time_budget: float | None = None,
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
    time_budget : float, optional
        Seconds for all of it, at the end of which there is the best so far: no more than half of them for the bounds.
        Without it the work is fixed.

    Examples
    --------
    >>> report = kernel("C[i,j] += A[i,k]*B[k,j]", {"i": 3, "j": 3, "k": 3}, M=32)
    >>> report.schedule.peak <= 32, report.best.value <= report.schedule.io
    (True, True)
    """
    M = fast_memory_words(M)
    if isinstance(computation, LoopNest):
        if extents or outputs:
            raise InvalidInput("a loop nest already has its extents and outputs: leave them out")
        nest = computation
    else:
        nest = read_kernel(computation, extents or {}, outputs)
    schedule, note, fits = None, "", True
    with limited_to(time_budget):
        with limited_to(None if time_budget is None else time_budget / 2):
            bounds = tuple(nest_bounds(nest, M))
        try:
            _check(nest)
            schedule = schedule_nest(nest, M, tell)
        except CacheTooSmall as error:
            note, fits = str(error), False
        except TooManyPoints as error:
            note = f"no schedule: {error}"
    return KernelReport(nest, M, bounds, schedule, note, fits)


def _check(nest: LoopNest) -> None:
    """Refuse what is no computation.

    A circle of equations is found on the points with small indices: what depends on itself there does so among all.
    """
    if as_family(nest) is not None:
        return
    small = LoopNest(
        nest.statements, {name: min(extent, _SMALL) for name, extent in nest.extents.items()}, nest.outputs
    )
    if any(count_points(statement, small.extents) for statement in small.statements):
        nest_dag(small)
