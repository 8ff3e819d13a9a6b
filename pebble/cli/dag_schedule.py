"""``pebble dag schedule``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.completion import dags
from pebble.cli.dag_options import check_output, finish, pebbling_output_options
from pebble.cli.options import Seconds, needed_memory_options, words_of
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("schedule")
@click.argument("dag", shell_complete=dags)
@needed_memory_options()
@click.option("--order", default="auto", show_default=True, help="How the order of computation is found.")
@click.option(
    "--eviction",
    default="belady",
    show_default=True,
    help="Which value leaves fast memory: belady, lru or fifo.",
)
@click.option(
    "--time", "time_budget", type=Seconds(min=0), help="Seconds for all of it; the best so far at their end."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random searches."
)
@pebbling_output_options
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

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Orders: auto (the best of all, and of the
    schedules of a family that has some), given, depth-first, breadth-first, greedy, lattice. With
    --time the search goes on for so long; Ctrl-C ends it with the best so far.
    """
    from pebble.common.clock import limited_to
    from pebble.lab.dag_schedules import schedule_named_dag

    check_output(output, as_json)
    M = words_of(options)
    with (
        limited_to(time_budget),
        progress_line("{} {:4.0%}  best so far {:,}".format, pause=0.1) as progress,
    ):
        found = schedule_named_dag(dag, M, order, eviction, seed, time_budget, progress, True, _note)
    finish(found, dag, output, as_json, str(found))


def _note(text: str) -> None:
    click.echo(f"pebble: {text}", err=True)
