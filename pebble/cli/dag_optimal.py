"""``pebble dag optimal``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.completion import dags
from pebble.cli.dag_options import check_output, finish, pebbling_output_options, rules_of, rules_options
from pebble.cli.options import Seconds, needed_memory_options, words_of
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("optimal")
@click.argument("dag", shell_complete=dags)
@needed_memory_options()
@rules_options("Every vertex is computed once.", "A vertex may be computed into the word of a predecessor.")
@click.option("--time-limit", type=Seconds(min=0, min_open=True), help="Seconds after which to stop.")
@pebbling_output_options
def command(dag: str, time_limit: float | None, as_json: bool, output: str | None, **options: Any) -> None:
    """Find the proved minimum I/O of a small DAG, and a pebbling that reaches it.

    DAG is a file or a name with parameters (fft:8, pyramid:4). At most 64 vertices. If time runs out,
    or at Ctrl-C, the best pebbling and the best proved lower bound so far are given, and said not to be the optimum.
    """
    from pebble.common.clock import limited_to
    from pebble.computations.load import load_dag
    from pebble.solvers.optimum import optimal

    check_output(output, as_json)
    M, rules = words_of(options), rules_of(options)
    with (
        limited_to(time_limit),
        progress_line("at least {:,} I/O  {:,} states".format, pause=0.2) as progress,
    ):
        best = optimal(load_dag(dag), M, rules, time_limit, progress, stoppable=True)
    symmetries = f" up to {best.symmetries:,} symmetries" if best.symmetries > 1 else ""
    finish(best, dag, output, as_json, f"{best}{symmetries}, {best.seconds:.1f} s")
