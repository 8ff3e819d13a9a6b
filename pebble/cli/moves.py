"""``pebble moves``."""

from __future__ import annotations

import sys
from typing import Any

import click

from pebble.cli.completion import schedules
from pebble.cli.options import (
    memory_options,
    optional_words_of,
    parse_tiles,
    problem_of,
    problem_options,
    tiles_option,
)
from pebble.cli.printing import file_output

__all__ = ["command"]


@click.command("moves")
@click.argument("schedule", shell_complete=schedules)
@problem_options()
@memory_options
@tiles_option
@click.option("-o", "--output", required=True, help="File to write; - for standard output.")
def command(schedule: str, tiles: str | None, output: str, **options: Any) -> None:
    """Write a schedule as an elementary pebbling, one move a line, streamed.

    The file is written whole or not at all; check it with: pebble check FILE.
    """
    from pebble.lab.pebblings import moves

    M = optional_words_of(options)
    problem = problem_of(options)
    pebbling = moves(schedule, problem, M, parse_tiles(tiles))
    if output == "-":
        pebbling.write(file_output())
        return
    if sys.stderr.isatty():
        total = pebbling.io + pebbling.computes
        with click.progressbar(length=total, label="moves", file=sys.stderr) as bar:
            number = pebbling.write(output, progress=bar.update)
    else:
        number = pebbling.write(output)
    copies = f" (one of {problem.copies:,} equal copies)" if problem.copies > 1 else ""
    click.echo(
        f"{output}: {number:,} moves, {pebbling.io:,} I/O, peak {pebbling.peak:,} of {pebbling.M:,} words{copies}",
        err=True,
    )
    if not pebbling.names_its_dag:
        click.echo(
            "note: a file does not name code to be run; to check it, save the mask as an array (numpy.save) and write "
            "mask=file:PATH.npy into the line '# dag'",
            err=True,
        )
