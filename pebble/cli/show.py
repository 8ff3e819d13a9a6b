"""``pebble show``."""

from __future__ import annotations

import sys
from typing import Any

import click

from pebble.cli.completion import schedules
from pebble.cli.level_options import levels_of, levels_option, refuse_without_levels
from pebble.cli.options import (
    needed_memory_options,
    optional_words_of,
    parse_tiles,
    problem_of,
    problem_options,
    tiles_option,
)
from pebble.cli.printing import json_option, print_result

__all__ = ["command"]


@click.command("show")
@click.argument("schedule", shell_complete=schedules)
@problem_options()
@needed_memory_options("tiles", "levels")
@levels_option
@tiles_option
@json_option
def command(schedule: str, tiles: str | None, as_json: bool, **options: Any) -> None:
    """Show a schedule's pseudo-code and its I/O as formulas, symbolic and evaluated, array by array.

    With --levels, the formulas are those of every boundary between several memory levels.
    """
    from pebble.lab.show import show

    levels = levels_of(options)
    if levels is not None:
        from pebble.lab.level_show import show_levels

        shown = show_levels(schedule, problem_of(options), levels.hierarchy, parse_tiles(tiles))
        print_result(shown, as_json)
        if not shown.fits:
            sys.exit(1)
        return
    refuse_without_levels([schedule])
    M = optional_words_of(options)
    listing = show(schedule, problem_of(options), M, parse_tiles(tiles))
    print_result(listing, as_json)
    if listing.fits is False:
        sys.exit(1)
