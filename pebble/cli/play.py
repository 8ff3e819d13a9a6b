"""``pebble play``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import schedules
from pebble.cli.dag_options import dag_of
from pebble.cli.options import (
    Seconds,
    given,
    memory_options,
    optional_words_of,
    parse_tiles,
    problem_of,
    problem_options,
    require,
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
    from pebble.lab.player import Page

__all__ = ["command"]

_FIRST_PAGE = "play.html"


@click.command("play")
@click.argument("what", required=False, metavar="[SCHEDULE|DAG]", shell_complete=schedules)
@problem_options(optional=["nq", "d"])
@memory_options
@tiles_option
@click.option("--dag", help="The DAG, also one that has the name of a schedule.")
@click.option("--format", "format", help="The DAG file's format, if its ending does not say it.")
@several_devices_options
@click.option("--no-classics", is_flag=True, help="Leave out the classic DAGs to play on; writes faster.")
@click.option(
    "--time-limit",
    type=Seconds(min=0, min_open=True),
    help="Seconds for the exact optimum of each DAG and M; by default a fixed amount of work.",
)
@click.option(
    "-o",
    "--output",
    help=f"HTML file to write; - for standard output. Only the first page has a default: {_FIRST_PAGE}.",
)
def command(
    what: str | None,
    dag: str | None,
    format: str | None,
    tiles: str | None,
    no_classics: bool,
    time_limit: float | None,
    output: str | None,
    **options: Any,
) -> None:
    """Write a page on which a small pebbling is stepped through, and which can be played.

    One HTML file that needs neither network nor server: open it in any browser, also on a phone. Without arguments
    it shows a pyramid, and a chooser leads on to attention; with a SCHEDULE and sizes, the schedule move by move
    beside its program; with a DAG, a pebbling of it, an optimal one where that is found. A DAG is a file, - for
    standard input, or a name with parameters (pyramid:4, fft:8). On each, and on the classic DAGs, the reader can
    make the moves and compare the I/O with the exact optimum. The address of the page says which game is shown and
    how far it has got, so that a link to it shows the same. At most 2,000 vertices and 20,000 moves.

    \b
    pebble play
    pebble play flash-2 -N 4 -d 2 -M 16 -o game.html
    pebble play pyramid:4 -M 5 -o game.html
    pebble play ring -P 4 -N 8 -d 2 -o ring.html
    """  # noqa: D301
    if time_limit is not None and not math.isfinite(time_limit):
        raise click.UsageError("--time-limit takes a number of seconds, such as 5.")
    from pebble.lab.player import first_page

    first = what is None and dag is None and not given([*options, "tiles", "format"])
    if not first:
        require(_needed(what, dag, options))
    devices = several_devices_of(options)
    extent: dict[str, Any] = {"classics": not no_classics, "time_limit": time_limit}
    if first:
        page, output = first_page(**extent), output or _FIRST_PAGE
    elif devices is not None:
        page = _of_devices(what, devices)
    else:
        page = _asked(what, dag, format, tiles, options, extent)
    assert output is not None
    if output == "-":
        file_output().write(page.html)
        return
    size = page.write(output)
    click.echo(f"{output}: {page.summary()}; {size:,} bytes", err=True)


def _needed(what: str | None, dag: str | None, options: dict[str, Any]) -> list[list[str]]:
    """Return what must be given, as :func:`require` takes it."""
    several = options["P"] is not None
    if not several:
        if (what is None) == (dag is None):
            raise click.UsageError(
                "Give a SCHEDULE with -N and -d, or a DAG (without either: the first page)."
            )
        refuse_without_devices(what)
    if several or _of_schedule(what, options):
        memory = [] if several else [["memory", "device", "tiles"]]
        return [["nq"], ["d", "model"], *memory, ["output"]]
    return [["memory", "device"], ["output"]]


def _of_devices(what: str | None, devices: SeveralDevices) -> Page:
    """Return the page of a schedule for several devices."""
    from pebble.lab.player.devices_page import play_devices

    if what is None:
        raise click.UsageError("-P shows a schedule for several devices: give its name.")
    return play_devices(devices.problem, what, devices.shape)


def _asked(
    what: str | None,
    dag: str | None,
    format: str | None,
    tiles: str | None,
    options: dict[str, Any],
    extent: dict[str, Any],
) -> Page:
    """Return the page of a schedule, or of a DAG."""
    from pebble.lab.player import play, play_dag

    M = optional_words_of(options)
    if what is not None and _of_schedule(what, options):
        if format is not None:
            raise click.UsageError("--format goes with a DAG, not with a SCHEDULE.")
        return play(what, problem_of(options), M, parse_tiles(tiles), **extent)
    if _sized(options):
        raise click.UsageError(
            "A DAG is a whole computation: -N, -d, --pass, --tiles and the like go with a SCHEDULE."
        )
    named = what if dag is None else dag
    assert named is not None
    assert M is not None
    if named == "-":
        return play_dag(dag_of(named, format, keep_isolated=False), M, **extent)
    return play_dag(named, M, format=format, **extent)


_MEMORY = ("memory", "device", "level", "dtype")


def _sized(options: dict[str, Any]) -> bool:
    """Whether an option is given that only a schedule takes."""
    return given([*(name for name in options if name not in _MEMORY), "tiles"])


def _of_schedule(what: str | None, options: dict[str, Any]) -> bool:
    """Whether a text means a schedule, and not a DAG."""
    return what is not None and (_is_schedule(what) or (_sized(options) and not _is_dag(what)))


def _is_schedule(name: str) -> bool:
    from pebble.program.schedule import registered

    return any(schedule.name == name for schedule in registered())


def _is_dag(text: str) -> bool:
    """Whether a text can only mean a DAG, beside sizes that go with a schedule."""
    return text == "-" or ":" in text or Path(text).exists()
