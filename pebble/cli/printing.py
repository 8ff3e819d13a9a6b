"""What commands print: a result or a list, as text or as one JSON document."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, NoReturn, Protocol

import click

from pebble.cli.signature import option
from pebble.common.ascii_spelling import can_encode, spelled
from pebble.common.whole_numbers import singular

if TYPE_CHECKING:
    from pebble.common.tables import Table

JSON = option("Print JSON.", "--json")
OUTPUT = option("Output file; - for standard output.", "-o", "--output", required=True)
COQ = option(
    "Write the machine-checked bounds to a Coq file; check it with coqc -Q docs/proofs Pebble FILE.",
    metavar="FILE",
    advanced=True,
    type=click.Path(dir_okay=False),
)


def write_coq(path: str, text: str) -> None:
    """Write the file of ``--coq``, whole or not at all."""
    from pebble.common.files import atomic_writer

    with atomic_writer(path) as stream:
        stream.write(text)


def print_json(document: Any) -> None:
    """Print exactly one JSON document; what the output cannot encode is escaped, so that the data stay the same."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    if not can_encode(text, sys.stdout):
        text = json.dumps(document, indent=2, allow_nan=False)
    click.echo(text)


def file_output() -> IO[str]:
    """Return standard output for the content of a file: in UTF-8, whatever the terminal shows."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    return sys.stdout


class _HasDict(Protocol):
    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""


def print_result(found: _HasDict, as_json: bool, failed: str = "") -> None:
    """Print a result as text, or as JSON; exit with 1 if it is not what was asked for, saying why."""
    if as_json:
        print_json(found.to_dict())
    else:
        print_text(found)
    if failed:
        fail(failed)


def fail(why: str) -> NoReturn:
    """Say on standard error why, and exit with 1."""
    click.echo(singular(f"pebble: {why}"), err=True)
    sys.exit(1)


def print_text(text: object) -> None:
    """Print a result, a table or a text; tables are made to fit the width of the output."""
    from pebble.common.tables import Table, TableResult

    if isinstance(text, Table | TableResult):
        shown = text.text(output_width())
        text = shown if can_encode(shown, sys.stdout) else text.text(output_width(), spelled)
    click.echo(str(text))


def output_width() -> int:
    """Return how many letters a line of standard output has: of a terminal its width, of a log COLUMNS, or 120."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) else 120


def print_list(name: str, entries: Sequence[Any], text: Table | str, as_json: bool) -> None:
    """Print a list as text, or as JSON under a name."""
    if as_json:
        print_json({"schema_version": 1, name: list(entries)})
    else:
        print_text(text)
