"""``pebble check``."""

from __future__ import annotations

import sys

import click

from pebble.cli.printing import json_option, print_json
from pebble.cli.progress import long_work

__all__ = ["command"]


@click.command("check")
@click.argument("file")
@json_option
def command(file: str, as_json: bool) -> None:
    """Play a pebbling file move by move, of one device or several, or verify a certificate (- for standard input).

    Says what it costs if it is legal and complete; otherwise which line, which move, which rule, and what would
    help, with exit status 1. A certificate, as pebble certify writes it, is verified from nothing.
    """
    from pebble.common.errors import InvalidInput
    from pebble.lab.pebblings import check, check_document

    try:
        with long_work():
            result = check(sys.stdin.buffer if file == "-" else file)
    except InvalidInput as error:
        if as_json:
            print_json({"schema_version": 1, "legal": False, "complete": False, "error": str(error)})
        click.echo(f"pebble: {error}", err=True)
        sys.exit(1)
    if as_json:
        print_json(check_document(result))
    else:
        click.echo(str(result))
    sys.exit(0 if result.complete else 1)
