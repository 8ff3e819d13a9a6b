"""What comparing schedules for several devices returns: a row a schedule, the bounds, and what does not apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import Table, TableResult, words
from pebble.common.units import bytes_text
from pebble.lab.parallel.links import Links, Wire
from pebble.lower_bounds.bound import Bound

if TYPE_CHECKING:
    from pebble.program.parallel import ExchangeTraffic, MemoryRun, SharedProblem

_INNER = "inner_io=inner.io inner_reads=inner.reads inner_writes=inner.writes inner_peak=inner.peak"


@dataclass(frozen=True)
class ParallelRow:
    """One schedule on P devices.

    Attributes
    ----------
    name, shape, layout : str
        ``shape`` is as ``--shape`` takes it; empty if the schedule has none.
    received : tuple of int
        Words that each device receives.
    rounds : int
    traffic : ExchangeTraffic or None
        What the referee has counted; None where there are too many devices for it, and ``received`` and ``rounds`` are
        the closed form's.
    balance : float or None
        Pairs of the busiest device over the mean.
    bound_total, bound_busiest : int or None
        What runs move at least whose work is shared as here, in total and to some device.
    wire : Wire or None
    inner : MemoryRun or None
        What each device moves between its memory and its fast memory, with an inner schedule.
    word : int or None
        Bytes of a word.
    """

    name: str
    shape: str
    layout: str
    received: tuple[int, ...]
    rounds: int
    traffic: ExchangeTraffic | None
    balance: float | None = None
    bound_total: int | None = None
    bound_busiest: int | None = None
    wire: Wire | None = None
    inner: MemoryRun | None = None
    word: int | None = None

    @property
    def bytes(self) -> int | None:
        """Bytes that the busiest device receives; None where no data type is known."""
        return self.word and self.word * self.received_max

    @property
    def total_bytes(self) -> int | None:
        """Bytes received by all devices; None where no data type is known."""
        return self.word and self.word * self.total

    @property
    def total(self) -> int:
        """Words received by all devices."""
        return sum(self.received)

    @property
    def ratio_total(self) -> float | None:
        """Total words over their bound; None where the bound is nothing or does not apply."""
        return self.total / self.bound_total if self.bound_total else None

    @property
    def ratio_busiest(self) -> float | None:
        """Words of the busiest device over their bound; None where the bound is nothing or does not apply."""
        return max(self.received) / self.bound_busiest if self.bound_busiest else None

    @property
    def received_max(self) -> int:
        """Words that the busiest device receives."""
        return max(self.received)

    @property
    def shape_or_none(self) -> str | None:
        """The shape; None if the schedule has none."""
        return self.shape or None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what only the referee counts is None where it has not played."""

        def of(best: Callable[[tuple[int, ...]], int], counts: str) -> int | None:
            return best(getattr(self.traffic, counts)) if self.traffic else None

        return {
            **plain(self, "name shape=shape_or_none layout"),
            "verified": self.traffic is not None,
            "received_max": self.received_max,
            "received_min": min(self.received),
            "received": list(self.received) if len(self.received) <= 1024 else None,
            "sent_max": of(max, "sent"),
            **plain(self, "total rounds"),
            "messages_max": of(max, "messages"),
            **plain(self, "link_max=traffic.link_max h_sum=traffic.h_sum"),
            "memory_max": of(max, "memory"),
            "pairs_max": of(max, "pairs"),
            "pairs_min": of(min, "pairs"),
            **plain(
                self, "work_sum=traffic.work_sum balance bound_total bound_busiest ratio_total ratio_busiest"
            ),
            **(self.wire.to_dict() if self.wire else {}),
            **plain(self, _INNER if self.inner else ""),
            **plain(self, "bytes total_bytes" if self.word else ""),
        }


@dataclass(frozen=True)
class ParallelReport(TableResult):
    """What :func:`pebble.parallel` returns.

    Attributes
    ----------
    problem : SharedProblem
    pass_on : str
    rows : tuple of ParallelRow
    bounds : tuple of Bound
        With work shared equally.
    refused : mapping of str to str
        Bounds that do not apply, and why.
    not_applicable : mapping of str to str
        Schedules that do not apply, and why.
    links : Links or None
    best : ParallelRow or None
        The row that is fastest, or whose busiest device receives least, if the best was asked for.
    dtype : str or None
        What a word is.
    """

    problem: SharedProblem
    pass_on: str
    rows: tuple[ParallelRow, ...]
    bounds: tuple[Bound, ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    not_applicable: Mapping[str, str] = field(default_factory=dict)
    links: Links | None = None
    best: ParallelRow | None = None
    dtype: str | None = None

    def __getitem__(self, name: str) -> ParallelRow:
        for row in self.rows:
            if row.name == name:
                return row
        if name in self.not_applicable:
            raise InvalidInput(f"{name} does not apply: {self.not_applicable[name]}")
        raise InvalidInput(f"no row {name!r}; there are {', '.join(row.name for row in self.rows)}")

    def content(self) -> dict[str, Any]:
        """Return plain data."""
        problem = self.problem
        return {
            "pass": problem.pass_name,
            **problem.to_dict(),
            **plain(problem, "mask pairs queries_decoded layout"),
            "pass_on": self.pass_on,
            **plain(self, "dtype" if self.dtype else ""),
            **(self.links.to_dict() if self.links else {}),
            "schedules": [row.to_dict() for row in self.rows],
            "not_applicable": [{"name": name, "why": why} for name, why in self.not_applicable.items()],
            "bounds": [
                {**plain(bound, "name value status source note"), **bound.facts} for bound in self.bounds
            ],
            "bounds_refused": [{"name": name, "why": why} for name, why in self.refused.items()],
            "best": self.best and plain(self.best, "name shape=shape_or_none layout"),
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain data."""
        return [row.to_dict() for row in self.rows]

    def parts(self) -> list[str | Table]:
        """Return what is printed: the schedules, the bounds, and notes."""
        about = self.problem.describe()
        if self._layouts_differ():
            about = about.removesuffix(f", {self.problem.layout} layout")
        about += f"; words of {self.dtype}" if self.dtype else ""
        received = [row.received_max for row in self.rows]
        if self.links is not None:
            about += "; the fastest first, at the full rates of links and arithmetic"
        elif len(received) > 1 and received == sorted(received):
            about += "; the fewest words first"
        return [about, self._schedules(), *self._bounds(), *self._notes()]

    def _layouts_differ(self) -> bool:
        return len({row.layout for row in self.rows} | {self.problem.layout}) > 1

    def _schedules(self) -> Table:
        columns = self._columns(with_layout=self._layouts_differ())
        drop = ("total", "rounds", "memory", "work, max/mean", "from other nodes", "bytes")
        return Table.of(self.rows, columns, left=2 + ("layout" in columns), right=None, drop=drop)

    def _columns(self, with_layout: bool) -> dict[str, Any]:
        """Return the columns that say something, and what a row has in each."""

        def milliseconds(name: str) -> Callable[[ParallelRow], str]:
            return lambda row: f"{getattr(row.wire, name) * 1e3:,.4g}" if row.wire else ""

        columns: dict[str, Any] = {"schedule": "name", "shape": "shape"}
        columns |= {"layout": "layout"} if with_layout else {}
        columns["words received, busiest"] = "received_max"
        columns |= {"bytes": lambda row: bytes_text(row.bytes or 0)} if self.dtype else {}
        columns |= {"from other nodes": "wire.between_max"} if self.links and self.links.node > 1 else {}
        columns |= {"total": "total", "rounds": "rounds:d", "work, max/mean": "balance:,.2f"}
        columns["memory"] = lambda row: max(row.traffic.memory) if row.traffic else None
        if self.links and self.links.chunks > 1:
            columns |= {"chunks": "wire.chunks:d"}
        if self.links:
            columns |= {"exposed, ms": milliseconds("exposed_seconds"), "time, ms": milliseconds("seconds")}
        columns |= {"inner I/O": "inner.io"} if any(row.inner for row in self.rows) else {}
        return columns | {"÷ bound": "ratio_busiest:,.3f"}

    def _bounds(self) -> list[Table]:
        """Return the bounds that say something."""
        rows = [[b.name, words(b.value), b.note, b.source] for b in self.bounds if b.value > 0]
        head = ["bound", "words", "of what", "source"]
        return [Table([head, *rows], right=(1,), drop=("source",))] if rows else []

    def _notes(self) -> list[str]:
        notes = []
        if self.best is not None:
            shape = f" {self.best.shape}" if self.best.shape else ""
            notes.append(f"best: {self.best.name}{shape}, {self.best.layout} layout")
        notes += [
            f"{name} is left out: {why.replace(f'{name} needs', 'it needs')}"
            for name, why in self.not_applicable.items()
        ]
        whys: dict[str, list[str]] = {}
        for name, why in self.refused.items():
            whys.setdefault(why, []).append(name)
        for why, bounds in whys.items():
            notes.append(f"left out, {', '.join(bounds)}: {why.replace(f'{bounds[0]} needs', 'it needs')}")
        if any(row.traffic is None for row in self.rows):
            names = ", ".join(row.name for row in self.rows if row.traffic is None)
            notes.append(f"by closed form only, too large for the referee: {names}")
        return ["\n".join(notes)] if notes else []


@dataclass(frozen=True)
class ParallelSweep(TableResult):
    """Reports for several N and P.

    Attributes
    ----------
    reports : tuple of ParallelReport
        One for each N and P, in the order asked for.
    """

    reports: tuple[ParallelReport, ...]

    def content(self) -> dict[str, Any]:
        """Return plain data: the document of each N and P."""
        return {"points": [report.content() for report in self.reports]}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain data, each with its N and P."""
        return [
            {"N": report.problem.N, "P": report.problem.P, **row.to_dict()}
            for report in self.reports
            for row in report.rows
        ]

    def parts(self) -> list[str | Table]:
        """Return what is printed: all rows, and which schedules do not apply where."""
        columns = self.reports[0]._columns(with_layout=False)
        for name in ("from other nodes", "work, max/mean", "inner I/O"):
            columns.pop(name, None)
        pairs = [(report, row) for report in self.reports for row in report.rows]
        cells = Table.of([row for _, row in pairs], columns).cells
        sizes = [["N", "P"], *([words(report.problem.N), words(report.problem.P)] for report, _ in pairs)]
        right = (0, 1, *range(4, len(columns) + 2))
        rows = [[*size, *row] for size, row in zip(sizes, cells, strict=True)]
        table = Table(rows, right=right, drop=("rounds", "memory", "total"))
        notes = [
            f"{name} is left out at N = {report.problem.N:,}, P = {report.problem.P:,}: {why}"
            for report in self.reports
            for name, why in report.not_applicable.items()
        ]
        return [table, *(["\n".join(notes)] if notes else [])]
