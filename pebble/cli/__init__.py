"""The command ``pebble``: its commands are imported only when they are called."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from pebble.cli.lazy_group import LazyGroup

__all__ = ["group", "main"]

_COMMANDS = {
    "count": ("counting", "Count the I/O of schedules and compare it with the proved bounds."),
    "show": ("counting", "Show a schedule's pseudo-code and its I/O as formulas."),
    "bounds": ("counting", "List the lower bounds for a problem."),
    "cite": ("listing", "Print how to cite a bound or the program: a sentence and BibTeX."),
    "schedules": ("listing", "List the registered schedules and where they come from."),
    "masks": ("listing", "List the kinds of masks, how to write them and where they come from."),
    "moves": ("pebblings", "Write a schedule as an elementary pebbling, move by move."),
    "compile": (
        "compiling",
        "Write a schedule as a C file: a buffer of M words, loads and stores as copies.",
    ),
    "cache": ("compiling", "Run a schedule's loops on a cache that decides by itself what to keep."),
    "play": ("play", "Write a page for stepping through a small pebbling and for playing the game."),
    "explore": (
        "explore",
        "Write a page with sliders that shows how many words attention must move.",
    ),
    "sweep": (
        "sweep",
        "Count schedules over a grid of sizes and memories into a file, on any number of workers.",
    ),
    "plan": ("plan", "Choose a schedule and tiles under a kernel author's constraints."),
    "regimes": ("regimes", "Show which regime devices and head dimensions are in, and what that means."),
    "parallel": (
        "parallel",
        "Compare ways to compute attention on several devices: how many words they move, and how many "
        "must move.",
    ),
    "plot": ("groups", "Draw counts: I/O curves, optimality gap, occupancy, arrays, roofline."),
    "devices": ("listing", "List devices: fast memory, bandwidth, arithmetic, and the sources."),
    "models": ("listing", "List models and the shapes of their attention heads."),
    "dag": ("groups", "Work with any computation as a DAG: properties, formats, schedules, optima, bounds."),
    "kernel": (
        "kernel",
        "Bound the I/O of a loop nest from below, and find a schedule for it: loop order, fusion, tiles.",
    ),
    "check": ("pebblings", "Play a pebbling file move by move and print its cost, or where it fails."),
    "certify": (
        "pebblings",
        "Write a certificate: a DAG, a pebbling and a lower bound, verifiable from the file alone.",
    ),
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
