"""``pebble dag schedule``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from pebble.cli.options import json_option, memory_options, print_json, words_of

__all__ = ["command"]


@click.command("schedule")
@click.argument("dag")
@memory_options(required=True)
@click.option("--order", default="auto", show_default=True, help="How the order of computation is found.")
@click.option("--eviction", default="belady", show_default=True, help="belady, lru or fifo.")
@click.option("--time", "time_budget", type=click.FloatRange(min=0), help="Seconds that a search may take.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random searches."
)
@json_option
@click.option("-o", "--output", help="Write the pebbling, one move a line; - for standard output.")
def command(
    dag: str,
    order: str,
    eviction: str,
    time_budget: float | None,
    seed: int,
    as_json: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Schedule any DAG: a compute order and an eviction rule, confirmed move by move.

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Orders: auto (the best of several), given,
    depth-first, breadth-first, greedy, blocks, local-search.
    """
    from pebble.common.errors import InvalidInput
    from pebble.computations.load import load_dag
    from pebble.solvers.heuristic import schedule_dag

    if as_json and output == "-":
        raise InvalidInput("choose one of --json and -o -: both would write to standard output")
    M = words_of(options)
    assert M is not None
    with _progress() as progress:
        found = schedule_dag(load_dag(dag), M, order, eviction, seed, time_budget, progress)
    if output is not None:
        found.write(sys.stdout if output == "-" else output, dag)
    if as_json:
        print_json({"schema_version": 1, "dag": dag} | found.to_dict())
    elif output != "-":
        click.echo(str(found))


@contextmanager
def _progress() -> Iterator[Callable[[str, float, int], None] | None]:
    """Show a search's progress on a terminal, on one line of standard error that is wiped at the end."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(what: str, part: float, io: int) -> None:
        click.echo(f"\r\x1b[K{what} {part:4.0%}  best so far {io:,}", nl=False, err=True)

    try:
        yield show
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)
