"""``pebble plot occupancy``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.completion import schedules
from pebble.cli.options import (
    needed_memory_options,
    optional_words_of,
    parse_tiles,
    problem_of,
    problem_options,
    tiles_option,
)
from pebble.cli.plot_options import picture
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("occupancy")
@click.argument("schedule", shell_complete=schedules)
@problem_options()
@needed_memory_options("tiles")
@tiles_option
@click.option(
    "--by",
    "resolution",
    type=click.Choice(["moves", "steps"]),
    help="Follow every move, or every operation of the program (default: moves for short runs).",
)
@picture
def command(schedule: str, tiles: str | None, resolution: str | None, **options: Any) -> Any:
    """Draw what fast memory holds during one run, and the words moved so far.

    pebble plot occupancy flash-2 -N 64 -d 8 -M 200 -o run.svg
    """
    from pebble.lab.plots import draw_occupancy, occupancy_of

    M = optional_words_of(options)
    problem, sizes = problem_of(options), parse_tiles(tiles)
    with progress_line("following {} …".format) as progress:
        if progress is not None:
            progress(schedule)
        return occupancy_of(schedule, problem, M, sizes, resolution=resolution), draw_occupancy
