"""``pebble certify``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.completion import dags
from pebble.cli.dag_options import rules_of, rules_options
from pebble.cli.options import Seconds, needed_memory_options, optional_words_of
from pebble.cli.printing import file_output
from pebble.cli.progress import long_work

__all__ = ["command"]


@click.command("certify")
@click.argument("dag", shell_complete=dags)
@needed_memory_options("pebbling")
@click.option("--pebbling", help="A pebbling file of this DAG; M and the rules are taken from it.")
@click.option("--schedule", "order", help="An automatic schedule instead: auto, greedy, … (default auto).")
@rules_options(
    "No vertex may be computed twice: greater bounds hold.",
    "A computed value may take the word of a predecessor.",
)
@click.option(
    "--bound", help="The name of the bound (compulsory, exhaustive search, …); by default the greatest."
)
@click.option(
    "--time",
    "time_budget",
    type=Seconds(min=0),
    help="Seconds for each search; the best so far at their end.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random searches."
)
@click.option("--format", "format", help="The DAG file's format, if its ending does not say it.")
@click.option("-o", "--output", required=True, help="File to write; - for standard output.")
def command(
    dag: str,
    pebbling: str | None,
    order: str | None,
    bound: str | None,
    time_budget: float | None,
    seed: int,
    format: str | None,
    output: str,
    **options: Any,
) -> None:
    """Write a certificate: a DAG, a pebbling of it and a lower bound, verifiable from the file alone.

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Verify it with: pebble check FILE.
    """
    from pebble.common.clock import limited_to
    from pebble.common.errors import InvalidInput
    from pebble.computations.load import load_dag
    from pebble.lab.pebblings import certify_file
    from pebble.solvers.certificate import certify

    M, rules = optional_words_of(options), rules_of(options)
    if pebbling is not None and order is not None:
        raise InvalidInput("choose one of --pebbling and --schedule")
    with long_work(), limited_to(time_budget):
        loaded = load_dag(dag, format)
        if pebbling is not None:
            found = certify_file(loaded, pebbling, M, rules, bound)
        else:
            assert M is not None
            found = certify(loaded, M, rules, None, order or "auto", bound, seed, time_budget)
    found.write(file_output() if output == "-" else output)
    click.echo(f"{'' if output == '-' else f'{output}: '}{found}", err=True)
