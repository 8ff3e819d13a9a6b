"""Files of rows: CSV, JSON lines and Parquet; written whole or not at all, and read back."""

from __future__ import annotations

import csv
import importlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import IO, Any

from pebble.common.errors import InvalidInput, PebbleError
from pebble.common.files import atomic_writer
from pebble.common.tables import tiles_text, write_csv
from pebble.lab.sweep.point import COLUMNS, Record

__all__ = ["ROW_FORMATS", "read_rows", "row_format", "write_rows"]

ROW_FORMATS = ("csv", "jsonl", "parquet")
_ROW_GROUP = 1 << 16
Rows = Callable[[], Iterable[Record]]


def row_format(path: Path, name: str | None = None) -> str:
    """Return the format of a file, as named or by its suffix; refuse one that cannot be written here.

    >>> row_format(Path("sweep.csv")), row_format(Path("sweep.txt"), "jsonl")
    ('csv', 'jsonl')
    """
    chosen = path.suffix[1:].lower() if name is None else name
    if chosen not in ROW_FORMATS:
        raise InvalidInput(
            f"{path} does not tell the format: end the name in .csv, .jsonl or .parquet, or give the "
            "format (--format)"
            if name is None
            else f"unknown format {name!r}; known: {', '.join(ROW_FORMATS)}"
        )
    if chosen == "parquet":
        _pyarrow()
    return chosen


def write_rows(path: Path, name: str, rows: Rows) -> None:
    """Write a file of rows; on the disk, whole, when this returns.

    Parameters
    ----------
    rows : callable
        Gives the rows; called more than once by some formats, so that the rows need not be in memory together.
    """
    try:
        with atomic_writer(path, "wb" if name == "parquet" else "w") as stream:
            _WRITERS[name](stream, rows)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise PebbleError(f"cannot write {path}: {error.strerror or error}") from error


def read_rows(path: Path, name: str | None = None) -> Iterator[Record]:
    """Yield the rows of a file that a sweep wrote, with the same values whichever the format."""
    return _READERS[row_format(path, name)](path)


# CSV: an empty field where there is no value, true and false, tiles as rows=64,cols=32


def _write_csv(stream: IO[str], rows: Rows) -> None:
    write_csv(stream, tuple(COLUMNS), rows())


def _read_csv(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            record = {name: _from_text(kind, row.get(name, "")) for name, kind in COLUMNS.items()}
            if record["fits"] and record["pass"] != "both":
                record["tiles"] = record["tiles"] or {}  # a schedule without tiles
            yield record


def _from_text(kind: str, text: str) -> Any:
    if kind == "tiles":
        pairs = (part.partition("=") for part in text.split(",") if part)
        return {name: int(size) for name, _, size in pairs} or None
    if text == "":
        return None
    readers: dict[str, Callable[[str], Any]] = {"integer": int, "number": float, "truth": "true".__eq__}
    return readers.get(kind, str)(text)


# JSON lines: one object a line


def _write_jsonl(stream: IO[str], rows: Rows) -> None:
    for row in rows():
        stream.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _read_jsonl(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


# Parquet: tiles as text; 64 bits for whole numbers, decimals or text in a column that needs more


def _pyarrow() -> Any:
    try:
        importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidInput(
            "Parquet needs pyarrow: pip install 'pebble-io[parquet]' (or '.[parquet]'), or choose csv"
        ) from None
    return importlib.import_module("pyarrow")


def _write_parquet(stream: IO[bytes], rows: Rows) -> None:
    arrow = _pyarrow()
    schema = arrow.schema([(name, kind) for name, kind in _arrow_types(arrow, rows).items()])
    with arrow.parquet.ParquetWriter(stream, schema) as writer:
        left = iter(rows())
        while group := list(islice(left, _ROW_GROUP)):
            columns = [_column(arrow, group, field) for field in schema]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema))


def _arrow_types(arrow: Any, rows: Rows) -> dict[str, Any]:
    greatest = dict.fromkeys((name for name, kind in COLUMNS.items() if kind == "integer"), 0)
    for row in rows():
        for name, value in greatest.items():
            if (row[name] or 0) > value:
                greatest[name] = row[name]
    others = {
        "number": arrow.float64(),
        "truth": arrow.bool_(),
        "text": arrow.string(),
        "tiles": arrow.string(),
    }
    return {
        name: _whole_type(arrow, greatest[name]) if kind == "integer" else others[kind]
        for name, kind in COLUMNS.items()
    }


def _whole_type(arrow: Any, greatest: int) -> Any:
    if greatest < 2**63:
        return arrow.int64()
    return arrow.decimal256(76) if greatest < 10**76 else arrow.string()


def _column(arrow: Any, group: list[Record], field: Any) -> Any:
    values = [row[field.name] for row in group]
    if COLUMNS[field.name] == "tiles":
        values = [None if tiles is None else tiles_text(tiles) for tiles in values]
    elif arrow.types.is_string(field.type):
        values = [None if value is None else str(value) for value in values]
    elif arrow.types.is_decimal(field.type):
        values = [None if value is None else Decimal(value) for value in values]
    return arrow.array(values, field.type)


def _read_parquet(path: Path) -> Iterator[Record]:
    _pyarrow()
    parquet = importlib.import_module("pyarrow.parquet")
    for batch in parquet.ParquetFile(path).iter_batches():
        for row in batch.to_pylist():
            yield {name: _from_arrow(kind, row.get(name)) for name, kind in COLUMNS.items()}


def _from_arrow(kind: str, value: Any) -> Any:
    if kind == "tiles":
        return None if value is None else _from_text(kind, value) or {}
    return int(value) if kind == "integer" and value is not None else value


_WRITERS: dict[str, Callable[[IO[Any], Rows], None]] = {
    "csv": _write_csv,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}
_READERS = {"csv": _read_csv, "jsonl": _read_jsonl, "parquet": _read_parquet}
