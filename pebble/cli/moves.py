"""``pebble moves``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import schedules
from pebble.cli.level_options import Levels, levels_of, levels_option, refuse_without_levels
from pebble.cli.options import (
    memory_options,
    optional_words_of,
    parse_tiles,
    problem_of,
    problem_options,
    tiles_option,
)
from pebble.cli.printing import file_output
from pebble.cli.several_devices import (
    SeveralDevices,
    refuse_without_devices,
    several_devices_of,
    several_devices_options,
)

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = ["command"]


@click.command("moves")
@click.argument("schedule", shell_complete=schedules)
@problem_options()
@memory_options
@levels_option
@tiles_option
@several_devices_options
@click.option("-o", "--output", required=True, help="File to write; - for standard output.")
def command(schedule: str, tiles: str | None, output: str, **options: Any) -> None:
    """Write a schedule as an elementary pebbling, one move a line, streamed.

    The file is written whole or not at all; check it with: pebble check FILE. With -P the schedule is one for
    several devices, and the file has every word of each.
    """
    from pebble.lab.pebblings import moves

    devices = several_devices_of(options)
    if devices is not None:
        _write_devices(schedule, devices, output)
        return
    levels = levels_of(options)
    if levels is not None:
        _write_levels(schedule, problem_of(options), levels, tiles, output)
        return
    refuse_without_levels([schedule])
    refuse_without_devices(schedule)
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


def _write_devices(schedule: str, devices: SeveralDevices, output: str) -> None:
    """Write what several devices do."""
    from pebble.lab.parallel.exchange_moves import exchange_moves

    moves = exchange_moves(devices.problem, schedule, devices.shape)
    if output == "-":
        moves.write(file_output())
        return
    number = moves.write(output)
    click.echo(f"{output}: {number:,} moves of {devices.problem.P:,} devices", err=True)


def _write_levels(schedule: str, problem: Problem, levels: Levels, tiles: str | None, output: str) -> None:
    """Write a pebbling with several memory levels."""
    from pebble.lab.level_pebblings import level_moves

    pebbling = level_moves(schedule, problem, levels.hierarchy, parse_tiles(tiles))
    if output == "-":
        pebbling.write(file_output())
        return
    number = pebbling.write(output)
    counts = "; ".join(
        f"level {at}: {run.io:,} I/O, peak {run.peak:,} of {words:,} words"
        for at, (run, words) in enumerate(zip(pebbling.runs, pebbling.capacities, strict=True), start=1)
    )
    copies = f" (one of {problem.copies:,} equal copies)" if problem.copies > 1 else ""
    click.echo(f"{output}: {number:,} moves; {counts}{copies}", err=True)
