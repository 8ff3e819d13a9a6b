"""A training step: the forward pass with its row sums kept, then the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.tables import Table, TableResult
from pebble.computations.problem import Problem
from pebble.lab.count import count
from pebble.lab.count_row import Price, Row
from pebble.lab.count_table import CountTable, Report
from pebble.lower_bounds.table import BoundTable, sharing_notes
from pebble.program.schedule import Schedule, Tiles, available, offered
from pebble.program.schedule.registry import is_built_in


@dataclass(frozen=True, repr=False)
class TrainingReport(CountTable):
    """What :func:`count_training` returns: the two passes, and their sums by schedule name.

    A row is both passes of a schedule together: the sum of their I/O, the larger peak and least M.
    """

    forward: Report
    backward: Report

    @property
    def bounds_by_pass(self) -> dict[str, BoundTable]:
        """The bounds of each pass."""
        return {"forward": self.forward.bounds, "backward": self.backward.bounds}

    def priced(self, price: Price) -> TrainingReport:
        """Return the same with bytes, and their least time, in all that takes part."""
        forward, backward = self.forward.priced(price), self.backward.priced(price)
        bound, pairs = self.best_bound[1], zip(forward.rows, backward.rows, strict=True)
        rows = tuple(_sum(one, other, bound) for one, other in pairs)
        return replace(self, price=price, rows=rows, forward=forward, backward=backward)

    def table(self) -> Table:
        """Return the table of the schedules."""
        own = {
            "forward I/O": lambda row: row.unfit or self.forward[row.name].io,
            "backward I/O": lambda row: self.backward[row.name].io if row.fits else None,
        }
        return self.table_with(own, "I/O ÷ bounds", left=1)

    def bound_parts(self) -> list[str | Table | TableResult]:
        """Return the bounds of each pass."""
        return [
            *(replace(each.table(), heading=f"{name} bounds") for name, each in self.bounds_by_pass.items()),
            *(f"note: {name}: {t.no_pebbling}" for name, t in self.bounds_by_pass.items() if t.no_pebbling),
            *sharing_notes(self.problem),
        ]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        content = super().content()
        for row, one, other in zip(content["schedules"], self.forward.rows, self.backward.rows, strict=True):
            row["parts"] = {"forward": one.to_dict(), "backward": other.to_dict()}
        tables = self.bounds_by_pass.items()
        return {**content, "bounds": [{**bound, "pass": name} for name, t in tables for bound in t.to_list()]}


def count_training(
    problem: Problem,
    M: int,
    schedules: Iterable[str | Schedule] | None = None,
    tiles: Tiles | str | None = None,
) -> TrainingReport:
    """Count a training step: forward with row sums kept, then backward, which reads O and the row sums again.

    Schedules are names, by default all that serve both passes; tiles are the name of a preset.
    """
    if tiles is not None and not isinstance(tiles, str):
        raise InvalidInput("the two passes have different tiles: to give tile sizes, count them separately")
    forward = replace(problem, pass_name="forward", stats=True)
    backward = replace(problem, pass_name="backward", stats=False)
    if schedules is None:
        names = offered_names(problem)
    else:
        names = [item if isinstance(item, str) else item.name for item in schedules]
    passes = [count(one, M, names, tiles) for one in (forward, backward)]
    bound = sum(report.bounds.best.value for report in passes)
    rows = (_sum(one, other, bound) for one, other in zip(*(report.rows for report in passes), strict=True))
    return TrainingReport(problem, M, tuple(rows), *passes)


_USUAL = ("standard", "flash-2", "small-cache", "best")
_SHORT = 4


def offered_names(problem: Problem) -> list[str]:
    """Return the names of the schedules that are counted if none are named."""
    if problem.pass_name != "both":
        return [schedule.name for schedule in offered(problem)]
    served = available("backward")
    forward = replace(problem, pass_name="forward", stats=True)
    return [schedule.name for schedule in offered(forward) if schedule.name in served]


def usual_names(problem: Problem, M: int) -> list[str]:
    """Return the schedules that a reader wants to see first.

    All, if there are at most four. Otherwise the standard algorithm, FlashAttention-2, the small-cache algorithm
    where M < d², the best, and those of other projects.

    >>> usual_names(Problem.square(64, 8), 400), usual_names(Problem.square(64, 8), 40)
    (['standard', 'flash-2', 'best'], ['standard', 'flash-2', 'small-cache', 'best'])
    """
    names = offered_names(problem)
    if len(names) <= _SHORT:
        return names
    shown = [name for name in names if name in _USUAL or not is_built_in(name)]
    return [name for name in shown if name != "small-cache" or problem.d**2 > M]


def _sum(one: Row, other: Row, bound: int | float) -> Row:
    """Return the row of both passes together."""
    least = max(one.least_M, other.least_M)
    notes = [f"{name}: {row.note}" for name, row in (("forward", one), ("backward", other)) if row.note]
    if one.fits is None or other.fits is None:
        return Row(one.name, None, least, note="; ".join(notes))
    if not (one.fits and other.fits):
        return Row(one.name, False, least)
    reads, writes, io = (_added(name, one, other) for name in ("reads", "writes", "io"))
    nothing = {"reads": 0, "writes": 0}
    by_array = {
        name: {
            side: one.by_array.get(name, nothing)[side] + other.by_array.get(name, nothing)[side]
            for side in nothing
        }
        for name in dict.fromkeys([*one.by_array, *other.by_array])
    }
    own = {
        "flops": _added("flops", one, other),
        "footprint": max(one.footprint or 0, other.footprint or 0),
        "computes": {
            name: one.computes.get(name, 0) + other.computes.get(name, 0)
            for name in dict.fromkeys([*one.computes, *other.computes])
        },
    }
    peak = max(one.peak or 0, other.peak or 0)
    ratio, note = io / bound, "; ".join(notes)
    price = {
        "bytes": _added("bytes", one, other),
        "seconds": _added("seconds", one, other),
        "boundary": one.boundary if one.boundary == other.boundary else None,
    }
    return Row(
        one.name, True, least, None, reads, writes, io, peak, ratio, by_array, note=note, **own, **price
    )


def _added(name: str, one: Row, other: Row) -> Any:
    """Return the sum of an attribute of both; None where one has none."""
    first, second = getattr(one, name), getattr(other, name)
    return None if first is None or second is None else first + second


def count_any_pass(
    problem: Problem,
    M: int,
    schedules: Iterable[str | Schedule] | None = None,
    tiles: Tiles | str | None = None,
) -> CountTable:
    """Count a problem whatever its pass; parameters as for :func:`pebble.count`."""
    counting: Callable[..., CountTable] = count_training if problem.pass_name == "both" else count
    return counting(problem, M, schedules, tiles)
