"""``pebble plot occupancy``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import (
    memory_options,
    parse_tiles,
    problem_of,
    problem_options,
    tiles_option,
    words_of,
)
from pebble.cli.plot_options import finish, output_options, prepare

__all__ = ["command"]


@click.command("occupancy")
@click.argument("schedule")
@problem_options
@memory_options(required=False)
@tiles_option
@click.option(
    "--by",
    "resolution",
    type=click.Choice(["moves", "steps"]),
    help="Follow every move, or every operation of the program (default: moves for short runs).",
)
@output_options
def command(
    schedule: str,
    tiles: str | None,
    resolution: str | None,
    output: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw what fast memory holds during one run, and the words moved so far.

    pebble plot occupancy flash-2 -N 64 -d 8 -M 200 -o run.svg
    """
    from pebble.lab.plots import draw_occupancy, occupancy_of

    prepare(output, as_json)
    M = words_of(options)
    problem = problem_of(options)
    data = occupancy_of(schedule, problem, M, parse_tiles(tiles), resolution=resolution)
    finish(data, draw_occupancy, output, as_json)
