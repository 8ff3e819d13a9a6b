"""``pebble dag bounds``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.completion import dags
from pebble.cli.coq_option import coq_option, write_coq
from pebble.cli.dag_options import rules_of, rules_options
from pebble.cli.options import needed_memory_options, words_of
from pebble.cli.printing import json_option, print_json, print_text
from pebble.cli.progress import long_work

__all__ = ["command"]


@click.command("bounds")
@click.argument("dag", shell_complete=dags)
@needed_memory_options()
@click.option("--format", "format", help="The file's format, if its ending does not say it.")
@rules_options(
    "No vertex may be computed twice: more bounds hold.",
    "A computed value may take the word of a predecessor.",
)
@click.option(
    "--eigenvalues", type=click.IntRange(min=1), default=10, show_default=True, help="Of the spectral bound."
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    help="Vertices the min-cut looks at (default all up to 2000, else 64).",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of that sample.")
@coq_option
@json_option
def command(
    dag: str,
    format: str | None,
    eigenvalues: int,
    sample: int | None,
    seed: int,
    coq: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """List lower bounds on the I/O of a DAG, and which do not apply and why.

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Every bound holds for the given rules; most
    need --no-recomputation. The greatest is a bound, their sum is none.
    """
    from pebble.computations.load import load_dag
    from pebble.lower_bounds.graph import dag_bounds
    from pebble.lower_bounds.graph.coq_family import coq_certificate_of_dag

    M, rules = words_of(options), rules_of(options)
    with long_work():
        loaded = load_dag(dag, format)
        found = dag_bounds(loaded, M, rules, eigenvalues, sample, seed)
    if coq is not None:
        write_coq(coq, coq_certificate_of_dag(loaded, M))
    least = loaded.least_M(sliding=rules.sliding)
    if as_json:
        game = {"recomputation": rules.recomputation, "sliding": rules.sliding}
        asked = {"schema_version": 1, "dag": dag, "M": M, "rules": game, "least_M": least}
        print_json(asked | found.to_dict())
        return
    click.echo(f"{loaded!r}; M = {M:,} words; {rules}\n")
    print_text(found)
    if least > M:
        click.echo(f"\nno pebbling exists with {M:,} words; the least M is {least:,}")
