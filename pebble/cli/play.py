"""``pebble play`` and ``pebble explore``: pages to play on, and to explore."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import schedules
from pebble.cli.dag import dag_of
from pebble.cli.device_options import SeveralDevices, SeveralDevicesOptions, refuse_without_devices
from pebble.cli.options import TILES, MemoryOptions, ProblemOptions, Seconds
from pebble.cli.printing import file_output
from pebble.cli.signature import Options, argument, command, given, group, option, require

if TYPE_CHECKING:
    from pebble.lab.player import Page
    from pebble.program.schedule import Tiles

_FIRST_PAGE = "play.html"
_OF_ANY_PAGE = ("what", "dag", "no_classics", "time_limit", "output")
_NOT_OF_A_RACE = ("tiles", "format", "dag")
_OF_A_DAG = ("format", "memory", "device", "level", "dtype")


class PageOptions(Options):
    """What is shown."""

    what: str | None = argument(required=False, metavar="[SCHEDULE|DAG]", shell_complete=schedules)
    rivals: tuple[str, ...] = argument(nargs=-1, metavar="[SCHEDULE]...", shell_complete=schedules)
    problem: ProblemOptions = group(ProblemOptions, nq={"required": False}, d={"cls": None, "unless": None})
    memory: MemoryOptions = group(MemoryOptions)
    tiles: Tiles | str | None = TILES
    dag: str | None = option("The DAG; needed if it has the name of a schedule.")
    format: str | None = option("Format of the DAG file, if the file name does not show it.")
    devices: SeveralDevicesOptions = group(SeveralDevicesOptions)

    def needed(self) -> list[list[str]]:
        """Return what must be given, as :func:`require` takes it."""
        several = self.devices.P is not None
        if not several:
            if (self.what is None) == (self.dag is None):
                raise click.UsageError(
                    "Give a SCHEDULE with -N and -d, or a DAG; with neither you get the start page."
                )
            refuse_without_devices(self.what)
        if several and self.rivals:
            raise click.UsageError("-P shows one schedule for several devices: give one name.")
        if self.rivals:
            return [["nq"], ["d", "model"], ["memory", "device"], ["output"]]
        if several or self._of_schedule():
            memory = [] if several else [["memory", "device", "tiles"]]
            return [["nq"], ["d", "model"], *memory, ["output"]]
        return [["memory", "device"], ["output"]]

    def of_devices(self, several: SeveralDevices) -> Page:
        """Return the page of a schedule for several devices."""
        from pebble.lab.player.devices_page import play_devices

        if self.what is None:
            raise click.UsageError("-P shows a schedule for several devices: give the schedule's name.")
        return play_devices(several.problem, self.what, several.shape)

    def of_one_device(self, **extent: Any) -> Page:
        """Return the page of a schedule, or of a DAG."""
        from pebble.lab.player import play, play_dag
        from pebble.lab.player.documents import race

        M = self.memory.optional_words()
        if self.what is not None and self.rivals:
            if given(_NOT_OF_A_RACE):
                raise click.UsageError(
                    "--tiles, --format and --dag cannot be combined with several SCHEDULEs."
                )
            assert M is not None
            return race([self.what, *self.rivals], self.problem.problem(), M, extent["time_limit"])
        if self.what is not None and self._of_schedule():
            if self.format is not None:
                raise click.UsageError("--format is for a DAG, not for a SCHEDULE.")
            return play(self.what, self.problem.problem(), M, self.tiles, **extent)
        if _given_beside(_OF_A_DAG):
            raise click.UsageError(
                "-N, -d, --pass, --tiles and the like need a SCHEDULE; a DAG is already a complete "
                "computation."
            )
        named = self.what if self.dag is None else self.dag
        assert named is not None
        assert M is not None
        if named == "-":
            return play_dag(dag_of(named, self.format, keep_isolated=False), M, **extent)
        return play_dag(named, M, format=self.format, **extent)

    def _of_schedule(self) -> bool:
        """Whether what is named is a schedule, and not a DAG."""
        from pebble.program.schedule import registered

        return self.what is not None and (
            any(schedule.name == self.what for schedule in registered())
            or (_given_beside(_OF_A_DAG) and not _is_dag(self.what))
        )


@command
def play(
    asked: PageOptions = group(PageOptions),
    no_classics: bool = option("Leave out the classic DAGs to play on; writes faster."),
    time_limit: float | None = option(
        "Seconds for the exact optimum of each DAG and M; by default a fixed amount of work.",
        type=Seconds(min=0, min_open=True),
    ),
    output: str | None = option(
        f"HTML file to write; - for standard output. Only the first page has a default: {_FIRST_PAGE}.",
        "-o",
        "--output",
    ),
) -> None:
    """Write a page for stepping through a small pebbling and for playing the game.

    The page is one HTML file that needs neither a network nor a server: open it in any browser, even on a
    phone. Without arguments it starts with a pyramid and lets you choose attention. With a SCHEDULE and
    sizes it shows the schedule move by move next to its program; with several SCHEDULEs it shows a race. With a
    DAG it shows a pebbling, an optimal one if that can be found. A DAG is a file, - for standard input, or a name
    with parameters (pyramid:4, fft:8). Except in a race you can also make the moves yourself, and play on the
    classic DAGs; the page compares your I/O with the exact optimum. Its address keeps the game and the position,
    so a link shows the same. At most 2,000 vertices and 20,000 moves.

    \b
    pebble play
    pebble play flash-2 -N 4 -d 2 -M 16 -o game.html
    pebble play naive standard flash-2 -N 2 -d 1 -M 8 -o race.html
    pebble play pyramid:4 -M 5 -o game.html
    pebble play ring -P 4 -N 8 -d 2 -o ring.html
    """  # noqa: D301
    if time_limit is not None and not math.isfinite(time_limit):
        raise click.UsageError("--time-limit must be a number of seconds, such as 5.")
    from pebble.lab.player import first_page

    first = asked.what is None and asked.dag is None and not _given_beside()
    if not first:
        require(asked.needed())
    several = asked.devices.read(asked.problem)
    extent: dict[str, Any] = {"classics": not no_classics, "time_limit": time_limit}
    if first:
        page, output = first_page(**extent), output or _FIRST_PAGE
    elif several is not None:
        page = asked.of_devices(several)
    else:
        page = asked.of_one_device(**extent)
    assert output is not None
    _write(page, output)


def _write(page: Page, output: str) -> None:
    """Write a page, and say what there is to see on it."""
    if output == "-":
        file_output().write(page.html)
        return
    size = page.write(output)
    click.echo(f"{output}: {page.summary()}; {size:,} bytes", err=True)


def _given_beside(names: tuple[str, ...] = ()) -> bool:
    """Whether an option is given that is neither of any page nor one of these."""
    return given(name for name in click.get_current_context().params if name not in (*_OF_ANY_PAGE, *names))


def _is_dag(text: str) -> bool:
    """Whether a text can only mean a DAG, beside sizes that go with a schedule."""
    return text == "-" or ":" in text or Path(text).exists()


@command
def explore(
    output: str = option(
        "HTML file to write; - for standard output.",
        "-o",
        "--output",
        default="explore.html",
        show_default=True,
    ),
) -> None:
    """Write a page with sliders that shows how many words attention must move.

    The page is one HTML file that needs neither a network nor a server: open it in any browser, even on a
    phone. Choose N, d, M, the mask and the pass; it shows the I/O of the schedules against M, the greatest
    proved bound, the loops with their tile sizes, and the words moved by array. The address of the page keeps
    the chosen point, so a link shows the same. The numbers are those of pebble count.
    """
    from pebble.lab.explorer import explore as explorer

    _write(explorer(), output)
