"""``pebble dag schedule``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.completion import dags
from pebble.cli.dag_options import check_output, finish, pebbling_output_options
from pebble.cli.options import memory_options, words_of
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("schedule")
@click.argument("dag", shell_complete=dags)
@memory_options
@click.option("--order", default="auto", show_default=True, help="How the order of computation is found.")
@click.option("--eviction", default="belady", show_default=True, help="belady, lru or fifo.")
@click.option("--time", "time_budget", type=click.FloatRange(min=0), help="Seconds that a search may take.")
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

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Orders: auto (the best of several), given,
    depth-first, breadth-first, greedy, blocks, local-search.
    """
    from pebble.computations.load import load_dag
    from pebble.solvers.heuristic import schedule_dag

    check_output(output, as_json)
    M = words_of(options)
    with progress_line("{} {:4.0%}  best so far {:,}".format) as progress:
        found = schedule_dag(load_dag(dag), M, order, eviction, seed, time_budget, progress)
    finish(found, dag, output, as_json, str(found))
