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

_ROW_GROUP = 1 << 16
Rows = Callable[[], Iterable[Record]]


def row_format(path: Path, name: str | None = None) -> str:
    """Return the format of a file, as named or by its suffix; refuse one that cannot be written here.

    >>> row_format(Path("sweep.csv")), row_format(Path("sweep.txt"), "jsonl")
    ('csv', 'jsonl')
    """
    chosen = path.suffix[1:].lower() if name is None else name
    if chosen not in _FORMATS:
        raise InvalidInput(
            f"{path} does not tell the format: end the name in .csv, .jsonl or .parquet, or give the "
            "format (--format)"
            if name is None
            else f"unknown format {name!r}; known: {', '.join(_FORMATS)}"
        )
    if chosen == "parquet":
        _pyarrow()
    return chosen


def write_rows(path: Path, name: str, rows: Rows) -> None:
    """Write a file of rows; on the disk, whole, when this returns.

    ``rows`` gives them, more than once for some formats, so that they need not be in memory together.
    """
    try:
        with atomic_writer(path, "wb" if name == "parquet" else "w") as stream:
            _FORMATS[name][0](stream, rows)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise PebbleError(f"cannot write {path}: {error.strerror or error}") from error


def read_rows(path: Path, name: str | None = None) -> Iterator[Record]:
    """Yield the rows of a file that a sweep wrote, with the same values whichever the format."""
    return _FORMATS[row_format(path, name)][1](path)


def _value(kind: str, text: Any) -> Any:
    """Return the value of a field, which a file has as text or, some of them, as it is."""
    if text is None or (text == "" and kind != "tiles"):
        return None
    if kind == "tiles":
        pairs = (part.partition("=") for part in text.split(",") if part)
        return {name: int(size) for name, _, size in pairs}
    readers: dict[str, Callable[[Any], Any]] = {"integer": int, "number": float}
    return readers.get(kind, str)(text) if kind != "truth" else text in ("true", True)


# CSV: an empty field where there is no value, true and false, tiles as rows=64,cols=32


def _read_csv(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            record = {name: _value(kind, row.get(name, "")) for name, kind in COLUMNS.items()}
            if not record["tiles"] and (not record["fits"] or record["pass"] == "both"):
                record["tiles"] = None  # not a schedule without tiles
            yield record


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
    greatest = dict.fromkeys(COLUMNS, 0)
    for row in rows():
        for name, kind in COLUMNS.items():
            if kind == "integer":
                greatest[name] = max(greatest[name], row[name] or 0)
    schema = arrow.schema([(name, _type(arrow, kind, greatest[name])) for name, kind in COLUMNS.items()])
    with arrow.parquet.ParquetWriter(stream, schema) as writer:
        left = iter(rows())
        while group := list(islice(left, _ROW_GROUP)):
            columns = [
                arrow.array([_cell(arrow, row[one.name], one.type) for row in group], one.type)
                for one in schema
            ]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema))


def _type(arrow: Any, kind: str, greatest: int) -> Any:
    if kind in ("number", "truth"):
        return arrow.float64() if kind == "number" else arrow.bool_()
    if kind != "integer" or greatest >= 10**76:
        return arrow.string()
    return arrow.int64() if greatest < 2**63 else arrow.decimal256(76)


def _cell(arrow: Any, value: Any, type: Any) -> Any:
    if value is None or not (arrow.types.is_string(type) or arrow.types.is_decimal(type)):
        return value
    if arrow.types.is_decimal(type):
        return Decimal(value)
    return tiles_text(value) if isinstance(value, dict) else str(value)


def _read_parquet(path: Path) -> Iterator[Record]:
    _pyarrow()
    parquet = importlib.import_module("pyarrow.parquet")
    for batch in parquet.ParquetFile(path).iter_batches():
        for row in batch.to_pylist():
            yield {name: _value(kind, row.get(name)) for name, kind in COLUMNS.items()}


_FORMATS: dict[str, tuple[Callable[[IO[Any], Rows], None], Callable[[Path], Iterator[Record]]]] = {
    "csv": (lambda stream, rows: write_csv(stream, tuple(COLUMNS), rows()), _read_csv),
    "jsonl": (_write_jsonl, _read_jsonl),
    "parquet": (_write_parquet, _read_parquet),
}
