"""The table of counted schedules: a row each, and the bounds beside them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import Table, TableResult, csv_text, tiles_text, words
from pebble.common.units import bytes_text, seconds_text
from pebble.common.whole_numbers import singular
from pebble.computations.problem import Problem
from pebble.computations.problem_form import all_form_options
from pebble.lab.count_row import COUNT_COLUMNS, WORK_COLUMNS, Price, Row
from pebble.lower_bounds.table import BoundTable, sharing_notes

_SETTING_COLUMNS = (
    *("pass", "Nq", "Nk", "d", "dv", "stats", "heads", "batch", "mask", "pairs", "M"),
    *("schedule", "chosen", "bound_name", "bound_value", "note", "query_heads", "kv_heads"),
    *("softmax", "attention", "gate", "chunk", "shared_values", "shared_rope", "sums", "sum_width"),
)


@dataclass(frozen=True, repr=False)
class CountTable(TableResult):
    """Counted schedules, one row each; the base of what counting one pass and counting both return.

    With ``work``, FLOP and the footprint in slow memory are printed.
    """

    KEYS = (
        "problem softmax=problem.softmax attention M regime=first.regime_name "
        "dividing_point=first.dividing_point sparse_dividing_point=first.sparse_dividing_point least_M no_pebbling "
        "schedules=rows"
    )

    problem: Problem
    M: int
    rows: tuple[Row, ...]
    price: Price | None = field(default=None, kw_only=True)
    work: bool = field(default=False, kw_only=True)

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return super().content() | plain(
            self, "dtype=price.dtype device=price.device.key" if self.price else ""
        )

    def priced(self, price: Price) -> Self:
        """Return the same with bytes, and their least time."""
        return replace(self, price=price, rows=tuple(map(price.row, self.rows)))

    @property
    @abstractmethod
    def bounds_by_pass(self) -> dict[str, BoundTable]:
        """The bounds of each pass that was counted."""

    @property
    def first(self) -> BoundTable:
        """The bounds of the first of them."""
        return next(iter(self.bounds_by_pass.values()))

    @property
    def attention(self) -> str | bool | int | None:
        """``softmax`` or ``linear``, or ``own`` where a text gives the computation."""
        return all_form_options(self.problem)["attention"]

    @property
    def least_M(self) -> int:
        """The least M with which a pebbling exists of every pass."""
        return max(table.least_M for table in self.bounds_by_pass.values())

    @property
    def no_pebbling(self) -> str | None:
        """Why no pebbling exists with M words; None if one does."""
        return next(filter(None, (table.no_pebbling for table in self.bounds_by_pass.values())), None)

    @property
    def best_bound(self) -> tuple[str, int | float]:
        """Name and value of what ``ratio`` divides by: the best proved bound, of both passes the sum."""
        best = [table.best for table in self.bounds_by_pass.values()]
        return " + ".join(bound.name for bound in best), sum(bound.value for bound in best)

    @property
    def proved_bounds(self) -> dict[str, int | float]:
        """The proved bounds by name; of both passes, the sum of the best of each."""
        tables = self.bounds_by_pass
        if len(tables) > 1:
            return {" + ".join(tables): self.best_bound[1]}
        return {bound.name: bound.value for table in tables.values() for bound in table.proved}

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise InvalidInput(f"no row {name!r}; there are {', '.join(row.name for row in self.rows)}")

    def notes(self) -> list[str]:
        """Return what is to be said of schedules: why one is not counted, why one has other tiles."""
        return [f"{row.name}: {row.note}" for row in self.rows if row.note]

    def words_text(self, value: int | float) -> str:
        """Return a number of words, and their bytes where a data type is known."""
        return f"{words(value)} words" if self.price is None else self.price.text(value)

    def why_nothing_fits(self) -> str:
        """Return what would be needed, where no schedule fits, or why none is counted."""
        if notes := self.notes():
            return f"no schedule is counted: {'; '.join(notes)}"
        least = min(self.rows, key=lambda row: row.least_M)
        both = "both passes in " if len(self.bounds_by_pass) > 1 else ""
        if len(self.rows) == 1:
            sizes = f" with {tiles_text(least.tiles)}" if least.tiles else ""
            return (
                f"{least.name}{sizes} needs {words(least.least_M)} words of fast memory; M is {words(self.M)}"
            )
        return (
            f"no schedule fits {both}M = {words(self.M)} words; {least.name} needs the fewest, "
            f"{words(least.least_M)}"
        )

    @abstractmethod
    def table(self) -> Table:
        """Return the table of the schedules."""

    def table_with(self, own: Mapping[str, Any], ratio: str, left: int) -> Table:
        """Return the table of the schedules, with columns of its own after the name."""
        columns = {"schedule": "name", **own, "reads": "reads", "writes": "writes", "I/O": "io"}
        if self.price is not None:
            columns["bytes"] = lambda row: None if row.bytes is None else bytes_text(row.bytes)
        if any(row.seconds for row in self.rows):
            columns["time"] = lambda row: row.seconds and seconds_text(row.seconds)
        columns |= {"FLOP": "flops", "footprint": "footprint"} if self.work else {}
        columns |= {"peak": "peak", ratio: "ratio:.3f"}
        notes = [*self.notes(), *(self.price.notes(self.rows) if self.price else ())]
        drop = ("writes", "reads", "peak", *(name for name in own if name != "tiles"))
        return Table.of(self.rows, columns, left=left, right=None, notes=notes, drop=drop)

    @abstractmethod
    def bound_parts(self) -> list[str | Table | TableResult]:
        """Return the bounds, and what is to be said of them."""

    def alone(self) -> list[str]:
        """Return what is to be said of the problem: whether there is no pebbling, what heads that share mean."""
        notes = [f"note: {self.no_pebbling}"] if self.no_pebbling else []
        return [*notes, *sharing_notes(self.problem)]

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the problem, the schedules, the bounds."""
        return [self.heading(), self.table(), *self.bound_parts()]

    def heading(self) -> str:
        """Return the lines above the table: what was counted, and in which regime it is."""
        return f"{self.problem.describe()}; {singular(f'M = {self.words_text(self.M)}')}\n{self.first.regime}"

    def to_csv(self) -> str:
        """Return the rows as CSV with a header line: what was counted, then what it was counted on."""
        return csv_text((*COUNT_COLUMNS, *_SETTING_COLUMNS, *WORK_COLUMNS), self.records())

    def records(self) -> list[dict[str, Any]]:
        """Return each row as plain data, with the problem, M and the best proved bound beside it."""
        bound_name, bound_value = self.best_bound
        setting = {
            **self.problem.to_dict(),
            "query_heads": self.problem.query_heads,
            "kv_heads": self.problem.kv_heads,
            **all_form_options(self.problem),
            "M": self.M,
            "bound_name": bound_name,
            "bound_value": bound_value,
        }
        return [
            {
                **vars(row),
                **setting,
                "schedule": row.name,
                "chosen": row.chosen or None,
                "note": row.note or None,
            }
            for row in self.rows
        ]


@dataclass(frozen=True, repr=False)
class Report(CountTable):
    """What :func:`pebble.count` returns: rows by schedule, bounds, and the regime.

    Prints as a table, shows as one in a notebook, and gives JSON-ready data with :meth:`to_dict`.

    Attributes
    ----------
    problem : Problem
    M : int
        Words of fast memory.
    rows : tuple of Row
        One for each schedule.
    bounds : BoundTable
    """

    KEYS = f"{CountTable.KEYS} bounds=bounds.all"

    bounds: BoundTable

    @property
    def bounds_by_pass(self) -> dict[str, BoundTable]:
        """The bounds, by the name of the pass."""
        return {self.problem.pass_name: self.bounds}

    def why_nothing_fits(self) -> str:
        """Return what would be needed, where no schedule fits."""
        text, why = super().why_nothing_fits(), self.bounds.no_pebbling
        return text if why is None or self.notes() else f"{text}; {why}"

    def table(self) -> Table:
        """Return the table of the schedules."""

        def tiles(row: Row) -> str:
            return row.unfit or tiles_text(row.tiles or {}) + (f" ({row.chosen})" if row.chosen else "")

        return self.table_with({"tiles": tiles}, "I/O ÷ bound", left=2)

    def bound_parts(self) -> list[str | Table | TableResult]:
        """Return the bounds."""
        return [self.bounds]


@dataclass(frozen=True, repr=False)
class Summary(TableResult):
    """What a reader wants first of counted schedules: their table, and the greatest proved bound in one line.

    The rows are in order of time, then of I/O, unless their order was asked for.

    Attributes
    ----------
    all_bounds : bool
        Print all bounds instead.
    some : bool
        Whether there are more schedules.
    as_asked : bool
        Leave the rows in their order.
    """

    counted: CountTable
    all_bounds: bool = False
    some: bool = False
    as_asked: bool = False

    def table(self) -> Table:
        """Return the table of the schedules, the cheapest first."""
        rows, table = self.counted.rows, self.counted.table()
        order = list(range(len(rows)))
        if not self.as_asked:
            order.sort(
                key=lambda at: (
                    rows[at].io is None,
                    rows[at].seconds is None,
                    rows[at].seconds or 0,
                    rows[at].io,
                )
            )
        cells = [table.cells[0], *(table.cells[at + 1] for at in order)]
        return replace(table, cells=cells)

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed."""
        counted = self.counted
        rest = ["--all (all schedules)"] * self.some + ["--bounds (all bounds)"] * (not self.all_bounds)
        more = [f"more with {' and '.join(rest)}"] if rest else []
        table = self.table()
        if self.all_bounds:
            return [counted.heading(), table, *counted.bound_parts(), *more]
        bounds = [one.best for one in counted.bounds_by_pass.values()]
        name, value = counted.best_bound
        status = ", ".join(dict.fromkeys(bound.status for bound in bounds))
        proved = singular(f"no schedule moves fewer than {counted.words_text(value)}: bound {name}, {status}")
        notes = [*table.notes, proved, *more]
        return [counted.heading(), replace(table, notes=notes), *counted.alone()]
