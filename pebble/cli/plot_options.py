"""What the commands of ``pebble plot`` share: several sizes in one option, the file, the progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pebble.cli.options import json_option, print_json, problem_of

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = [
    "finish",
    "lengths_of",
    "memories_of",
    "names_of",
    "output_options",
    "prepare",
    "problems_from",
    "progress_shown",
    "schedules_option",
    "with_lengths",
]

F = TypeVar("F", bound=Callable[..., Any])

RANGE = "one, several (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25)"


def output_options(function: F) -> F:
    """Add ``-o`` and ``--json``."""
    function = json_option(function)
    return click.option("-o", "--output", help="File to write: .png, .svg or .pdf.")(function)


def schedules_option(function: F) -> F:
    """Add ``--schedule``."""
    return click.option(
        "--schedule",
        "names",
        multiple=True,
        metavar="NAME",
        help="Which schedules (repeat, or a,b); default all.",
    )(function)


def names_of(texts: tuple[str, ...]) -> list[str] | None:
    """Return the schedules named; None if none is."""
    wanted = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    return list(dict.fromkeys(wanted)) or None


def with_lengths(command: click.Command, required: bool) -> click.Command:
    """Let ``-N`` of a command take several lengths; they arrive as text, for :func:`lengths_of`."""
    several = click.Option(
        ["-N", "--nq", "nq"],
        required=required,
        metavar="N",
        help=f"Number of queries (and of keys): {RANGE}.",
    )
    command.params = [several if parameter.name == "nq" else parameter for parameter in command.params]
    return command


def lengths_of(options: dict[str, Any], default: str = "") -> tuple[int, ...]:
    """Take the lengths out of a command's options."""
    from pebble.lab.plots.ranges import sizes

    text: str | None = options.pop("nq")
    return sizes(default if text is None else text)


def problems_from(options: dict[str, Any], lengths: tuple[int, ...]) -> list[Problem]:
    """Make the problem of a command's options, one for each length."""
    if len(lengths) > 1 and options.get("kv") is not None:
        raise click.UsageError("--kv goes with one length -N, not with several.")
    return [problem_of({**options, "nq": length}) for length in lengths]


def memories_of(options: dict[str, Any], default: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Take the sizes of fast memory out of a command's options: several with -M, one with a device."""
    from pebble.cli.options import words_of
    from pebble.lab.plots.ranges import sizes

    text = options["memory"]
    several = text is not None and options["device"] is None and ("," in text or ":" in text)
    if several:
        found = sizes(text, options["dtype"])
        words_of({**options, "memory": None})
        return found
    one = words_of({name: options[name] for name in ("memory", "device", "level", "dtype")})
    if one is not None:
        return (one,)
    if default is None:
        raise click.UsageError("Missing option '-M' (or '--device').")
    return default


def prepare(output: str | None, as_json: bool) -> None:
    """Say what is wrong with the output before anything is counted."""
    if output is None:
        if not as_json:
            raise click.UsageError("Missing option '-o' (or '--json').")
        return
    from pebble.common.files import check_target
    from pebble.lab.plots.canvas import format_of, need_matplotlib

    format_of(output)
    check_target(output)
    need_matplotlib()


def finish(data: Any, draw: Callable[[Any], Any], output: str | None, as_json: bool) -> None:
    """Write the picture and print the numbers, as asked."""
    if output is not None:
        from pebble.lab.plots.canvas import save

        save(draw(data), output)
    if as_json:
        print_json(data.to_dict())


@contextmanager
def progress_shown() -> Iterator[Callable[[str], None] | None]:
    """Yield a function that shows a line on a terminal; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        yield _show
    finally:
        _show("")


def _show(line: str) -> None:
    click.echo(f"\r\x1b[K{line}", err=True, nl=False)
