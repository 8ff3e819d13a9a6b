"""``pebble play``."""

from __future__ import annotations

import math
from collections.abc import Iterable
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


@click.command("play")
@click.argument("schedule", required=False, shell_complete=schedules)
@problem_options(required=False)
@memory_options
@tiles_option
@click.option("--dag", help="Instead of a schedule: a DAG, by name (pyramid:3, fft:4) or from a file.")
@click.option("--no-classics", is_flag=True, help="Leave out the classic DAGs to play on; writes faster.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds for the exact optimum of each DAG and M.",
)
@click.option("-o", "--output", required=True, help="HTML file to write; - for standard output.")
def command(
    schedule: str | None,
    dag: str | None,
    tiles: str | None,
    no_classics: bool,
    time_limit: float,
    output: str,
    **options: Any,
) -> None:
    """Write a page on which the pebbling of a small problem is stepped through, and which can be played.

    One HTML file that needs neither network nor server: open it in any browser. It shows SCHEDULE move by move
    beside its program; on the same computation, and on the classic DAGs, the reader can make the moves and
    compare the I/O with the exact optimum. At most 2,000 vertices and 20,000 moves.

    \b
    pebble play flash-2 -N 4 -d 2 -M 16 -o game.html
    pebble play --dag pyramid:3 -M 4 -o game.html
    """  # noqa: D301
    if not math.isfinite(time_limit):
        raise click.UsageError("--time-limit takes a number of seconds, such as 5.")
    from pebble.lab.player import play, play_dag

    M = optional_words_of(options)
    if (schedule is None) == (dag is None):
        raise click.UsageError("Give a SCHEDULE with -N and -d, or a DAG with --dag.")
    if schedule is not None:
        sizes = parse_tiles(tiles)
        page = play(schedule, problem_of(options), M, sizes, classics=not no_classics, time_limit=time_limit)
    else:
        _refuse_sizes([*options, "tiles"])
        if M is None:
            raise click.UsageError("Missing option '-M' (or '--device').")
        assert dag is not None
        page = play_dag(dag, M, classics=not no_classics, time_limit=time_limit)
    if output == "-":
        file_output().write(page.html)
        return
    size = page.write(output)
    click.echo(f"{output}: {page.summary()}; {size:,} bytes", err=True)


def _refuse_sizes(names: Iterable[str]) -> None:
    """Raise a usage error if options of a problem were given beside a DAG."""
    context = click.get_current_context()
    if any(context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE for name in names):
        raise click.UsageError(
            "--dag is a whole computation: -N, -d, --pass, --tiles and the like go with a SCHEDULE."
        )
