"""The command ``pebble``: its commands are imported only when they are called."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from pebble.cli.groups import LazyGroup

__all__ = ["group", "main"]

_COMMANDS = {
    "counting": "count show bounds",
    "plan": "plan",
    "regimes": "regimes",
    "parallel": "parallel",
    "sweep": "sweep",
    "groups": "plot dag",
    "kernel": "kernel",
    "pebblings": "moves check certify",
    "compiling": "compile cache",
    "play": "play explore",
    "listing": "schedules masks devices models cite",
}


@click.group(
    cls=LazyGroup,
    listed=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="pebble-io", prog_name="pebble")
def group() -> None:
    """Play the red-blue pebble game on attention: exact I/O counts, verified schedules, proved lower bounds.

    \b
    pebble count -N 1024 -d 64 -M 192KiB --dtype float16
    pebble show flash-2 -N 1024 -d 64 -M 98304
    """  # noqa: D301


def main() -> None:
    """Run the command line; errors end in one line on stderr and exit status 1 or 2, never in a traceback."""
    from pebble.common.ascii_spelling import spell_on
    from pebble.common.errors import InvalidInput, PebbleError

    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        spell_on(stream)
    try:
        group.main(prog_name="pebble", standalone_mode=True)
    except PebbleError as error:
        click.echo(f"pebble: {error}", err=True)
        sys.exit(2 if isinstance(error, InvalidInput) else 1)
    except BrokenPipeError:
        _give_up_output()
    except OSError as error:
        click.echo(f"pebble: cannot write to standard output: {error.strerror}", err=True)
        _give_up_output()


def _give_up_output() -> NoReturn:
    """End without a second complaint when the interpreter closes standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(1)
