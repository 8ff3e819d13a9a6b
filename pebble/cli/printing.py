"""What commands print: a result or a list, as text or as one JSON document."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

if TYPE_CHECKING:
    from pebble.common.tables import Table

__all__ = ["F", "json_option", "print_json", "print_list", "print_result", "print_text"]

F = TypeVar("F", bound=Callable[..., Any])


def json_option(function: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def print_json(document: Any) -> None:
    """Print exactly one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


class _HasDict(Protocol):
    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""


def print_result(found: _HasDict, as_json: bool) -> None:
    """Print a result as text, or as JSON."""
    if as_json:
        print_json(found.to_dict())
    else:
        print_text(found)


def print_text(text: object) -> None:
    """Print a result, a table or a text; on a terminal, tables are made to fit it."""
    from pebble.common.tables import Table, TableResult

    click.echo(text.text(terminal_width()) if isinstance(text, Table | TableResult) else str(text))


def terminal_width() -> int | None:
    """Return how many letters a line of standard output has; None if it is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_list(name: str, entries: Sequence[Any], text: Table | str, as_json: bool) -> None:
    """Print a list as text, or as JSON under a name."""
    if as_json:
        print_json({"schema_version": 1, name: list(entries)})
    else:
        print_text(text)
