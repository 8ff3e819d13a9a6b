"""``pebble check``."""

from __future__ import annotations

import sys
from typing import Any

import click

from pebble.cli.options import json_option, print_json

__all__ = ["command"]


@click.command("check")
@click.argument("file")
@json_option
def command(file: str, as_json: bool) -> None:
    """Play a pebbling file move by move, or verify a certificate (- for standard input).

    Says what it costs if it is legal and complete; otherwise which line, which move, which rule, and what would
    help, with exit status 1. A certificate, as pebble certify writes it, is verified from nothing.
    """
    from pebble.common.errors import InvalidInput
    from pebble.lab.pebblings import check

    try:
        result = check(sys.stdin.buffer if file == "-" else file)
    except InvalidInput as error:
        if as_json:
            print_json({"schema_version": 1, "legal": False, "complete": False, "error": str(error)})
        click.echo(f"pebble: {error}", err=True)
        sys.exit(1)
    if as_json:
        print_json(_document(result))
    else:
        click.echo(str(result))
    sys.exit(0 if result.complete else 1)


def _document(result: Any) -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema_version": 1,
        "dag": {"name": result.header.dag_name, **result.header.parameters},
        "M": result.M,
        "legal": result.legal,
        "complete": result.complete,
    }
    for name in ("moves", "reads", "writes", "io", "computes", "deletes", "redundant", "peak"):
        document[name] = getattr(result, name)
    document["missing"] = result.missing[:20]
    if hasattr(result, "faults"):
        document["certificate"] = {
            "valid": result.complete,
            "faults": list(result.faults),
            "bound": {"name": result.bound_name, "value": result.lower},
            "gap": result.gap,
        }
    if result.refusal is not None:
        refusal = result.refusal
        document["fault"] = {
            "line": result.line,
            "move_number": refusal.move_number,
            "move": refusal.move,
            "rule": refusal.rule,
            "reason": refusal.reason,
            "remedy": refusal.remedy,
        }
    return document
