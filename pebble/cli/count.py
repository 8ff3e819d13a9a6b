"""``pebble count``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import schedules
from pebble.cli.level_options import bandwidth_option, levels_of, levels_option, refuse_without_levels
from pebble.cli.options import (
    names_of,
    needed_memory_options,
    parse_tiles,
    problem_of,
    problem_options,
    schedules_option,
    tiles_option,
    words_of,
)
from pebble.cli.printing import json_option, print_result
from pebble.cli.progress import progress_line

if TYPE_CHECKING:
    from pebble.lab.count_table import CountTable
    from pebble.lab.level_table import LevelReport

__all__ = ["command"]


@click.command("count")
@problem_options()
@needed_memory_options("levels")
@levels_option
@bandwidth_option
@schedules_option()
@click.argument("more_names", nargs=-1, metavar="[NAME]...", shell_complete=schedules)
@tiles_option
@json_option
@click.option(
    "--csv",
    "as_csv",
    is_flag=True,
    help="Print CSV: a line for each schedule, with the problem, M and the bound.",
)
def command(
    names: tuple[str, ...],
    more_names: tuple[str, ...],
    tiles: str | None,
    as_json: bool,
    as_csv: bool,
    **options: Any,
) -> None:
    """Count the I/O of schedules and compare it with the proved bounds.

    Every count has been verified by a machine run that enforces M words of fast memory. Schedules may be named
    after the options: pebble count -N 1024 -d 64 -M 96Ki --schedule flash-1 flash-2.

    With --levels, what moves at every boundary between several memory levels is counted.
    """
    from pebble.common.errors import InvalidInput

    if as_json and as_csv:
        raise InvalidInput("choose one of --json and --csv")
    if more_names and not names:
        raise InvalidInput(f"unexpected {' '.join(more_names)}; name schedules after --schedule")
    chosen = names_of([*names, *more_names]) or None
    with progress_line("counting {} …".format) as progress:
        counted = _counted(chosen, parse_tiles(tiles), progress, options)
    if as_csv:
        click.echo(counted.to_csv(), nl=False)
    else:
        print_result(counted, as_json)
    if not any(row.fits for row in counted.rows):
        click.echo(f"pebble: {counted.why_nothing_fits()}", err=True)
        sys.exit(1)


def _counted(
    names: list[str] | None,
    tiles: dict[str, int] | str | None,
    progress: Callable[[str], None] | None,
    options: dict[str, Any],
) -> CountTable | LevelReport:
    """Count with one fast memory, or with several levels."""
    levels = levels_of(options)
    if levels is None:
        if options.pop("bandwidth") is not None:
            raise click.UsageError("--bandwidth goes with --levels: without them no time is printed.")
        from pebble.lab.training import count_any_pass

        refuse_without_levels(names or ())

        M, problem = words_of(options), problem_of(options)
        return count_any_pass(problem, M, names, tiles, progress=progress)
    from pebble.lab.level_counts import count_levels

    return count_levels(
        problem_of(options),
        levels.hierarchy,
        names,
        tiles,
        bandwidths=levels.bandwidths,
        bytes_per_word=levels.bytes_per_word,
        progress=progress,
    )
