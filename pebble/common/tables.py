"""Results as text, HTML, CSV and plain data, and numbers as people write them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, ClassVar

from pebble.common.plain import attribute_at, plain, tiles_text
from pebble.common.table_export import (
    data_frame,
    latex_comment,
    latex_tabular,
    markdown_table,
    markdown_text,
)
from pebble.common.table_layout import laid_out

__all__ = [
    "SCHEMA_VERSION",
    "JsonResult",
    "Table",
    "TableResult",
    "csv_text",
    "tiles_text",
    "words",
    "write_csv",
]

SCHEMA_VERSION = 1
"""Version of the JSON documents; see ``docs/command-line.md``."""


def words(value: int | float | None) -> str:
    """Return a number of words with separators, an empty text for None.

    >>> words(98304), words(1234567.8)
    ('98,304', '1,234,568')
    """
    return "" if value is None else f"{value:,.0f}" if isinstance(value, float) else f"{value:,}"


def _value(row: Any, how: str | Callable[[Any], Any]) -> tuple[Any, str]:
    """Return what a column has of a row, and how it is printed."""
    path, _, form = ("", "", "") if callable(how) else how.partition(":")
    value = how(row) if callable(how) else attribute_at(row, path)
    if value is None or isinstance(value, str):
        return value, value or ""
    return value, format(value, form) if form else words(value)


@dataclass(frozen=True)
class Table:
    """Cells in aligned columns, with a rule under the header.

    A cell with nothing after it may run on into the columns to its right.

    Parameters
    ----------
    cells : list of list of str
        Row by row, the header first.
    left : int
        The first ``left`` columns are aligned to the left, the others to the right.
    right : tuple of int, optional
        If given, only these columns are aligned to the right.
    notes : sequence of str
        Lines below the table; they are printed only.
    drop : sequence of str
        Columns that a narrow terminal leaves out, by their names, the least important first.
    heading : str
        A line above the table.

    Examples
    --------
    >>> print(Table([["name", "I/O"], ["a", "10"]]))
    name  I/O
    ─────────
    a      10
    """

    cells: list[list[str]]
    left: int = 1
    right: tuple[int, ...] | None = None
    notes: Sequence[str] = ()
    drop: Sequence[str] = ()
    heading: str = ""

    @classmethod
    def of(cls, rows: Iterable[Any], columns: Mapping[str, Any], **named: Any) -> Table:
        """Make a table of rows by its columns; those without any text are aligned to the right.

        Parameters
        ----------
        columns : mapping of str to str or callable
            By its name, what a column has of each row: a text, a number, or None for an empty cell.
            ``"best.ratio:.3f"`` is an attribute of an attribute, printed in this form.
        **named
            The other parameters of a table.

        Examples
        --------
        >>> print(Table.of([1, 20000], {"number": "real", "half": lambda one: f"{one}/2", "as much": "real:.2f"}))
        number  half      as much
        ─────────────────────────
             1  1/2          1.00
        20,000  20000/2  20000.00
        """
        values = [[_value(row, how) for how in columns.values()] for row in rows]
        at = range(len(columns))
        right = tuple(i for i in at if not any(isinstance(row[i][0], str) for row in values))
        return cls([[*columns], *([text for _, text in row] for row in values)], **{"right": right} | named)

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int | None = None, spell: Callable[[str], str] = str) -> str:
        """Return the table as text, in lines of at most ``width`` letters if that can be.

        Then long texts are folded, columns are left out, and a line below says which. ``spell`` says how a cell is
        written where the table is printed, which may take more letters.
        """
        cells = [[spell(cell) for cell in row] for row in self.cells]
        (head, *rows), left_out = laid_out(cells, self._to_right(), [*map(spell, self.drop)], width)
        above = [self.heading] if self.heading else []
        below = (
            [f"not shown in {width} columns: {', '.join(left_out)} (COLUMNS=250 shows all)"]
            if left_out
            else []
        )
        body = [line for row in rows for line in row]
        return "\n".join([*above, *head, "─" * max(map(len, head)), *body, *below, *self.notes])

    def _to_right(self) -> set[int]:
        """Return which columns are aligned to the right."""
        columns = set(range(len(self.cells[0])))
        return columns - set(range(self.left)) if self.right is None else set(self.right)

    def to_markdown(self) -> str:
        """Return the table in Markdown, its notes below it."""
        notes = [markdown_text(note) for note in self.notes if note]
        above = [markdown_text(self.heading)] if self.heading else []
        return "\n\n".join([*above, markdown_table(self.cells, self._to_right()), *notes])

    def to_latex(self) -> str:
        """Return the table as a ``tabular`` of LaTeX, its notes as comments below it; no package is needed."""
        notes = [latex_comment(note) for note in self.notes if note]
        above = [latex_comment(self.heading)] if self.heading else []
        return "\n".join([*above, latex_tabular(self.cells, self._to_right()), *notes])

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as they are printed, by the names of the columns."""
        head, *rows = self.cells
        return [dict(zip(head, row, strict=True)) for row in rows]

    def to_frame(self) -> Any:
        """Return :meth:`records` as a data frame of pandas; PebbleError if pandas is not installed."""
        return data_frame(self.records())

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.cells[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.cells[1:]
        )
        caption = f"<caption>{escape(self.heading)}</caption>" if self.heading else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class JsonResult:
    """A result that can be had as plain data: ``KEYS`` names what is in it, as :func:`plain` takes it."""

    KEYS: ClassVar[str]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return plain(self, self.KEYS)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON."""
        return {"schema_version": SCHEMA_VERSION, **self.content()}


class TableResult(JsonResult, ABC):
    """A result that prints as texts and tables, and shows its tables in a notebook.

    A subclass says what is printed with :meth:`parts`; ``ROWS`` is the attribute with its rows, if these have
    ``to_dict``.
    """

    ROWS: ClassVar[str] = ""

    @abstractmethod
    def parts(self) -> Sequence[str | Table | TableResult]:
        """Return the texts and tables that are printed, an empty line between them."""

    def __repr__(self) -> str:
        first = self.parts()[0]
        name = type(self).__name__
        return f"<{name}: {first.partition(chr(10))[0]}>" if isinstance(first, str) else super().__repr__()

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int | None = None, spell: Callable[[str], str] = str) -> str:
        """Return what is printed, the tables in lines of at most ``width`` letters; see :meth:`Table.text`."""
        return "\n\n".join(
            part if isinstance(part, str) else part.text(width, spell) for part in self.parts()
        )

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the main table as plain data: numbers as numbers, None where there is nothing."""
        if self.ROWS:
            return [row.to_dict() for row in getattr(self, self.ROWS)]
        return next(part.records() for part in self.parts() if not isinstance(part, str))

    def to_frame(self) -> Any:
        """Return :meth:`records` as a data frame of pandas; PebbleError if pandas is not installed."""
        return data_frame(self.records())

    def to_markdown(self) -> str:
        """Return what is printed, its tables in Markdown."""
        texts = (
            markdown_text(part) if isinstance(part, str) else part.to_markdown() for part in self.parts()
        )
        return "\n\n".join(texts)

    def to_latex(self) -> str:
        """Return what is printed, its tables as ``tabular`` of LaTeX and its texts as comments."""
        texts = (latex_comment(part) if isinstance(part, str) else part.to_latex() for part in self.parts())
        return "\n\n".join(texts)

    def _repr_html_(self) -> str:
        return "".join(part._repr_html_() for part in self.parts() if not isinstance(part, str))


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    r"""Return rows as CSV; see :func:`write_csv`.

    >>> csv_text(["name", "fits", "tiles"], [{"name": "a", "fits": True, "tiles": {"rows": 2}}])
    'name,fits,tiles\na,true,rows=2\n'
    """
    import io

    out = io.StringIO()
    write_csv(out, columns, rows)
    return out.getvalue()


def write_csv(stream: IO[str], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV: a header line, then one line a row.

    Parameters
    ----------
    columns : sequence of str
        Which values of each row, in this order.
    rows : iterable of mapping
        None is written as an empty field, a truth value as ``true`` or ``false``, tile sizes as
        ``rows=64,cols=32``.
    """
    import csv

    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_field(row[name]) for name in columns] for row in rows)


def _csv_field(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return tiles_text(value) if isinstance(value, Mapping) else value
