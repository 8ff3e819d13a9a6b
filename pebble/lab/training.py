"""A training step: the forward pass with its row sums kept, then the backward pass, counted part by part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.tables import csv_text, html_table, table, words
from pebble.computations.problem import Problem
from pebble.lab.count import SCHEMA_VERSION, Report, Row, count
from pebble.program.schedule import Schedule, Tiles, available, offered

__all__ = ["TrainingReport", "count_training"]


@dataclass(frozen=True)
class TrainingReport:
    """What :func:`count_training` returns: the two passes, and their sums by schedule name.

    Attributes
    ----------
    problem : Problem
        With ``pass_name`` "both".
    forward, backward : Report
    rows : tuple of Row
        Sums: I/O of both parts, the larger peak and least M.
    """

    problem: Problem
    M: int
    forward: Report
    backward: Report

    @property
    def rows(self) -> tuple[Row, ...]:
        """Both parts of each schedule together."""
        bound = self.forward.bounds.best.value + self.backward.bounds.best.value
        pairs = zip(self.forward.rows, self.backward.rows, strict=True)
        return tuple(_sum(one, other, bound) for one, other in pairs)

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise InvalidInput(f"no row {name!r}; there are {', '.join(row.name for row in self.rows)}")

    def __repr__(self) -> str:
        return f"<TrainingReport {self.problem!r} M={self.M}: {len(self.rows)} schedules>"

    def why_nothing_fits(self) -> str:
        """Return what would be needed, where no schedule fits."""
        least = min(self.rows, key=lambda row: row.least_M)
        return (
            f"no schedule fits both passes in M = {words(self.M)}; {least.name} needs the least, "
            f"{words(least.least_M)} words"
        )

    def cells(self) -> list[list[str]]:
        """Return the table as text, the header first."""
        cells = [
            ["schedule", "forward I/O", "backward I/O", "reads", "writes", "I/O", "peak", "I/O ÷ bounds"]
        ]
        for one, other, row in zip(self.forward.rows, self.backward.rows, self.rows, strict=True):
            if not row.fits:
                cells.append([row.name, f"does not fit: needs {words(row.least_M)} words", *[""] * 6])
                continue
            counts = (one.io, other.io, row.reads, row.writes, row.io, row.peak)
            ratio = f"{row.ratio:.3f}" if row.ratio is not None else ""
            cells.append([row.name, *(words(value) for value in counts), ratio])
        return cells

    def __str__(self) -> str:
        return "\n\n".join(
            [
                f"{self.problem.describe()}; M = {words(self.M)} words\n{self.forward.bounds.regime}",
                table(self.cells()),
                f"forward bounds\n{self.forward.bounds}",
                f"backward bounds\n{self.backward.bounds}",
            ]
        )

    def _repr_html_(self) -> str:
        return html_table(self.cells())

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON."""
        schedules = []
        for one, other, row in zip(self.forward.rows, self.backward.rows, self.rows, strict=True):
            parts = {"forward": one.to_dict(), "backward": other.to_dict()}
            schedules.append({**row.to_dict(), "tiles": None, "parts": parts})
        return {
            "schema_version": SCHEMA_VERSION,
            "problem": self.problem.to_dict(),
            "M": self.M,
            "regime": self.forward.bounds.regime_name,
            **self.forward.bounds.dividing_points(),
            "schedules": schedules,
            "bounds": [
                {**bound, "pass": name}
                for name, report in (("forward", self.forward), ("backward", self.backward))
                for bound in report.bounds.to_list()
            ],
        }

    def to_csv(self) -> str:
        """Return the sums as CSV with a header line."""
        return csv_text(self.rows)


def count_training(
    problem: Problem,
    M: int,
    schedules: Iterable[str | Schedule] | None = None,
    tiles: Tiles | str | None = None,
) -> TrainingReport:
    """Count a training step: forward with row sums kept, then backward, which reads O and the row sums again.

    Parameters
    ----------
    problem : Problem
        With ``pass_name`` "both".
    M : int
        Words of fast memory.
    schedules : iterable of str, optional
        Names; by default all that serve both passes.
    tiles : str, optional
        Name of a preset for both passes.

    Raises
    ------
    InvalidInput
        For unknown names, or tile sizes, which the two passes cannot share.
    """
    if tiles is not None and not isinstance(tiles, str):
        raise InvalidInput("the two passes take different tiles: count them one by one to give tile sizes")
    forward = replace(problem, pass_name="forward", stats=True)
    backward = replace(problem, pass_name="backward", stats=False)
    if schedules is None:
        served = available("backward")
        names = [schedule.name for schedule in offered(forward) if schedule.name in served]
    else:
        names = [item if isinstance(item, str) else item.name for item in schedules]
    return TrainingReport(problem, M, count(forward, M, names, tiles), count(backward, M, names, tiles))


def _sum(one: Row, other: Row, bound: int | float) -> Row:
    least = max(one.least_M, other.least_M)
    if not (one.fits and other.fits):
        return Row(one.name, False, None, None, None, None, None, least, None)
    assert one.reads is not None
    assert other.reads is not None
    assert one.writes is not None
    assert other.writes is not None
    assert one.peak is not None
    assert other.peak is not None
    reads, writes = one.reads + other.reads, one.writes + other.writes
    arrays = dict.fromkeys([*one.by_array, *other.by_array])
    nothing = {"reads": 0, "writes": 0}
    by_array = {
        name: {
            side: one.by_array.get(name, nothing)[side] + other.by_array.get(name, nothing)[side]
            for side in ("reads", "writes")
        }
        for name in arrays
    }
    return Row(
        name=one.name,
        fits=True,
        tiles=None,
        reads=reads,
        writes=writes,
        io=reads + writes,
        peak=max(one.peak, other.peak),
        least_M=least,
        ratio=(reads + writes) / bound,
        by_array=by_array,
    )
