"""``pebble dag bounds``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pebble.cli.options import json_option, memory_options, print_json, words_of

if TYPE_CHECKING:
    from pebble.lower_bounds.graph import DagBounds

__all__ = ["command"]


@click.command("bounds")
@click.argument("dag")
@memory_options(required=True)
@click.option("--format", "format", help="The file's format, if its ending does not say it.")
@click.option("--no-recomputation", is_flag=True, help="No vertex may be computed twice: more bounds hold.")
@click.option("--sliding", is_flag=True, help="A computed value may take the word of a predecessor.")
@click.option(
    "--eigenvalues", type=click.IntRange(min=1), default=10, show_default=True, help="Spectral bounds."
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    help="Vertices the min-cut looks at (default all up to 2000, else 64).",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of that sample.")
@json_option
def command(
    dag: str,
    format: str | None,
    no_recomputation: bool,
    sliding: bool,
    eigenvalues: int,
    sample: int | None,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """List lower bounds on the I/O of a DAG, and which do not apply and why.

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Every bound holds for the given rules; most
    need --no-recomputation. The greatest is a bound, their sum is none.
    """
    from pebble.computations.load import load_dag
    from pebble.game.rules import Rules
    from pebble.lower_bounds.graph import dag_bounds

    M = words_of(options)
    assert M is not None
    rules = Rules(recomputation=not no_recomputation, sliding=sliding)
    loaded = load_dag(dag, format)
    found = dag_bounds(loaded, M, rules, eigenvalues, sample, seed)
    least = loaded.least_M(sliding=rules.sliding)
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "dag": dag,
                "M": M,
                "rules": {"recomputation": rules.recomputation, "sliding": rules.sliding},
                "least_M": least,
                "bounds": [bound.to_dict() for bound in found],
                "refused": [{"name": name, "reason": reason} for name, reason in found.refused.items()],
            }
        )
        return
    click.echo(f"{loaded!r}; M = {M:,} words; {rules}\n\n{_table(found)}")
    for name, reason in found.refused.items():
        click.echo(f"\nnot used: {name}: {reason}", nl=False)
    if found.refused:
        click.echo()
    if least > M:
        click.echo(f"\nno pebbling exists with {M:,} words; the least M is {least:,}")


def _table(found: DagBounds) -> str:
    from pebble.common.tables import table, words

    rows = [[b.name, words(b.value), b.rules, b.note] for b in found]
    return table([["bound", "words", "rules it needs", "how"], *rows], left=1, right=(1,))
