"""``pebble moves``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

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
from pebble.cli.printing import file_output
from pebble.cli.several_devices import (
    refuse_without_devices,
    several_devices_of,
    several_devices_options,
)

if TYPE_CHECKING:
    from pebble.computations.problem import Problem
    from pebble.lab.level_pebblings import LevelPebbling
    from pebble.lab.parallel.exchange_moves import ExchangeMoves
    from pebble.lab.pebblings import Pebbling

__all__ = ["command"]

_LARGE = 1 << 30


@click.command("moves")
@click.argument("schedule", shell_complete=schedules)
@problem_options()
@needed_memory_options("tiles", "levels", "P")
@levels_option
@tiles_option
@several_devices_options
@click.option("-o", "--output", required=True, help="File to write; - for standard output.")
@click.option("--force", is_flag=True, help="Write a file of more than 1 GiB without being asked.")
def command(schedule: str, tiles: str | None, output: str, force: bool, **options: Any) -> None:
    """Write a schedule as an elementary pebbling, one move a line, streamed.

    The file is written whole or not at all; check it with: pebble check FILE. Its size is said first, and more than
    1 GiB is written only if you agree, or with --force; to standard output any size is. With -P the schedule is one
    for several devices, and the file has every word of each.
    """
    pebbling, about = _asked(schedule, tiles, options)
    if output == "-":
        pebbling.write(file_output())
        return
    number = _write(pebbling, output, force)
    click.echo(f"{output}: {number:,} moves{about}", err=True)
    if not getattr(pebbling, "names_its_dag", True):
        click.echo(
            "note: a file does not name code to be run; to check it, save the mask as an array (numpy.save) and write "
            "mask=file:PATH.npy into the line '# dag'",
            err=True,
        )


def _asked(
    schedule: str, tiles: str | None, options: dict[str, Any]
) -> tuple[Pebbling | LevelPebbling | ExchangeMoves, str]:
    """Return the pebbling that is asked for, and what is said of it when it has been written."""
    devices = several_devices_of(options)
    if devices is not None:
        from pebble.lab.parallel.exchange_moves import exchange_moves

        written = exchange_moves(devices.problem, schedule, devices.shape)
        return written, f" of {devices.problem.P:,} devices"
    levels = levels_of(options)
    if levels is not None:
        from pebble.lab.level_pebblings import level_moves

        problem = problem_of(options)
        of_levels = level_moves(schedule, problem, levels.hierarchy, parse_tiles(tiles))
        counts = "; ".join(
            f"level {at}: {run.io:,} I/O, peak {run.peak:,} of {words:,} words"
            for at, (run, words) in enumerate(zip(of_levels.runs, of_levels.capacities, strict=True), start=1)
        )
        return of_levels, f"; {counts}{_copies(problem)}"
    from pebble.lab.pebblings import moves

    refuse_without_levels([schedule])
    refuse_without_devices(schedule)
    M, problem = optional_words_of(options), problem_of(options)
    one = moves(schedule, problem, M, parse_tiles(tiles))
    return one, f", {one.io:,} I/O, peak {one.peak:,} of {one.M:,} words{_copies(problem)}"


def _copies(problem: Problem) -> str:
    return f" (one of {problem.copies:,} equal copies)" if problem.copies > 1 else ""


def _write(pebbling: Pebbling | LevelPebbling | ExchangeMoves, output: str, force: bool) -> int:
    """Write a file and return the number of moves: first its size is said, and on a terminal how far it is."""
    from pebble.common.errors import InvalidInput
    from pebble.common.files import atomic_writer, check_target
    from pebble.common.units import bytes_text

    check_target(output)
    if not hasattr(pebbling, "size"):
        return pebbling.write(output)
    moves, size = pebbling.size()
    said, terminal = f"{output}: about {moves:,} moves, {bytes_text(size)}", sys.stderr.isatty()
    if size <= _LARGE or force:
        click.echo(said, err=True)
    elif terminal and sys.stdin.isatty():
        click.confirm(f"{said}. Write it?", abort=True, err=True)
    else:
        raise InvalidInput(
            f"{said}; a file of more than 1 GiB is written with --force only: take a smaller N, or -o - for a pipe"
        )
    if not terminal:
        return pebbling.write(output)
    with (
        atomic_writer(output) as stream,
        click.progressbar(length=size, file=sys.stderr, update_min_steps=1 << 20) as bar,
    ):
        watched: Any = _Watched(stream, bar.update)
        return pebbling.write(watched)


class _Watched:
    """A stream that says how many letters are written to it."""

    def __init__(self, stream: IO[str], progress: Callable[[int], None]) -> None:
        self._stream, self._progress = stream, progress

    def write(self, text: str) -> int:
        """Write a text."""
        self._progress(len(text))
        return self._stream.write(text)
