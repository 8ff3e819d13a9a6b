"""``pebble count``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from pebble.lab.count import Report
    from pebble.lab.training import TrainingReport

__all__ = ["command"]


@click.command("count")
@problem_options
@memory_options(required=True)
@click.option(
    "--schedule",
    "names",
    multiple=True,
    metavar="NAME",
    help="Which schedules (repeat, or a,b); default all.",
)
@click.argument("more_names", nargs=-1, metavar="[NAME]...")
@tiles_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print the schedules as CSV.")
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
    """
    from pebble.common.errors import InvalidInput
    from pebble.lab.count import count

    if as_json and as_csv:
        raise InvalidInput("choose one of --json and --csv")
    if more_names and not names:
        raise InvalidInput(f"unexpected {' '.join(more_names)}; name schedules after --schedule")
    M = words_of(options)
    assert M is not None
    wanted = [name.strip() for text in (*names, *more_names) for name in text.split(",") if name.strip()]
    problem, chosen = problem_of(options), list(dict.fromkeys(wanted)) or None
    report: Report | TrainingReport
    if problem.pass_name == "both":
        from pebble.lab.training import count_training

        report = count_training(problem, M, chosen, parse_tiles(tiles))
    else:
        slow = problem.mask is not None and sys.stderr.isatty()
        report = count(problem, M, chosen, parse_tiles(tiles), progress=_show_progress if slow else None)
        if slow:
            click.echo("\r\033[K", nl=False, err=True)
    if as_json:
        print_json(report.to_dict())
    elif as_csv:
        click.echo(report.to_csv(), nl=False)
    else:
        click.echo(str(report))
    if not any(row.fits for row in report.rows):
        click.echo(f"pebble: {report.why_nothing_fits()}", err=True)
        sys.exit(1)


def _show_progress(name: str) -> None:
    click.echo(f"\r\033[Kcounting {name} …", nl=False, err=True)
