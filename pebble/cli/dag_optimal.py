"""``pebble dag optimal``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.options import json_option, memory_options, print_json, words_of

if TYPE_CHECKING:
    from pebble.solvers.optimum import Optimum

__all__ = ["command"]

_REDRAW = 0.2


@click.command("optimal")
@click.argument("dag")
@memory_options(required=True)
@click.option("--no-recomputation", is_flag=True, help="Every vertex is computed once.")
@click.option("--sliding", is_flag=True, help="A vertex may be computed into the word of a predecessor.")
@click.option(
    "--time-limit", type=click.FloatRange(min=0, min_open=True), help="Seconds after which to stop."
)
@json_option
@click.option("-o", "--output", help="Write the pebbling, one move a line; - for standard output.")
def command(
    dag: str,
    no_recomputation: bool,
    sliding: bool,
    time_limit: float | None,
    as_json: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Find the proved minimum I/O of a small DAG, and a pebbling that reaches it.

    DAG is a file or a name with parameters (fft:8, pyramid:4). At most 64 vertices. If time runs out, the best
    pebbling and the best proved lower bound so far are given, and said not to be the optimum.
    """
    from pebble.common.errors import InvalidInput
    from pebble.computations.load import load_dag
    from pebble.game.rules import Rules
    from pebble.solvers.optimum import optimal

    if as_json and output == "-":
        raise InvalidInput("choose one of --json and -o -: both would write to standard output")
    M = words_of(options)
    assert M is not None
    rules = Rules(recomputation=not no_recomputation, sliding=sliding)
    with _progress() as progress:
        best = optimal(load_dag(dag), M, rules, time_limit, progress)
    if output is not None:
        best.write(sys.stdout if output == "-" else output, dag)
    if as_json:
        print_json({"schema_version": 1, "dag": dag} | best.to_dict())
    elif output != "-":
        click.echo(_text(best))


def _text(best: Optimum) -> str:
    symmetries = f" up to {best.symmetries:,} symmetries" if best.symmetries > 1 else ""
    return f"{best}{symmetries}, {best.seconds:.1f} s"


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Show the bound proved so far on a terminal, on one line of standard error that is wiped at the end."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = 0.0

    def show(lower: int, states: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown > _REDRAW:
            shown = now
            click.echo(f"\r\x1b[Kat least {lower:,} I/O  {states:,} states", nl=False, err=True)

    try:
        yield show
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)
