"""``pebble show``."""

from __future__ import annotations

import sys
from typing import Any

import click

from pebble.cli.options import (
    json_option,
    memory_options,
    parse_tiles,
    print_json,
    problem_of,
    problem_options,
    tiles_option,
    words_of,
)

__all__ = ["command"]


@click.command("show")
@click.argument("schedule")
@problem_options
@memory_options(required=False)
@tiles_option
@json_option
def command(schedule: str, tiles: str | None, as_json: bool, **options: Any) -> None:
    """Show a schedule's pseudo-code and its I/O as formulas, symbolic and evaluated, array by array."""
    from pebble.lab.show import show

    M = words_of(options)
    listing = show(schedule, problem_of(options), M, parse_tiles(tiles))
    if as_json:
        print_json(listing.to_dict())
    else:
        click.echo(str(listing))
    if listing.fits is False:
        sys.exit(1)
