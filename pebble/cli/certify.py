"""``pebble certify``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.options import memory_options, words_of

if TYPE_CHECKING:
    from pebble.game.rules import Rules
    from pebble.graph.dag import Dag
    from pebble.solvers.certificate import Certificate

__all__ = ["command"]


@click.command("certify")
@click.argument("dag")
@memory_options(required=False)
@click.option("--pebbling", help="A pebbling file of this DAG; M and the rules are taken from it.")
@click.option("--schedule", "order", help="An automatic schedule instead: auto, greedy, … (default auto).")
@click.option(
    "--no-recomputation", is_flag=True, help="No vertex may be computed twice: greater bounds hold."
)
@click.option("--sliding", is_flag=True, help="A computed value may take the word of a predecessor.")
@click.option("--bound", help="The name of the bound; by default the greatest that is proved.")
@click.option("--time", "time_budget", type=click.FloatRange(min=0), help="Seconds that a search may take.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random searches."
)
@click.option("--format", "format", help="The DAG file's format, if its ending does not say it.")
@click.option("-o", "--output", required=True, help="File to write; - for standard output.")
def command(
    dag: str,
    pebbling: str | None,
    order: str | None,
    no_recomputation: bool,
    sliding: bool,
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
    from pebble.common.errors import InvalidInput
    from pebble.computations.load import load_dag
    from pebble.game.rules import Rules
    from pebble.solvers.certificate import certify

    M = words_of(options)
    rules = Rules(recomputation=not no_recomputation, sliding=sliding)
    loaded = load_dag(dag, format)
    if pebbling is not None:
        if order is not None:
            raise InvalidInput("choose one of --pebbling and --schedule")
        found = _of_file(loaded, pebbling, M, rules, bound)
    elif M is None:
        raise InvalidInput("say how many words fast memory has, with -M (or give a --pebbling)")
    else:
        found = certify(loaded, M, rules, None, order or "auto", bound, seed, time_budget)
    found.write(sys.stdout if output == "-" else output)
    click.echo(f"{'' if output == '-' else f'{output}: '}{found}", err=True)


def _of_file(dag: Dag, path: str, M: int | None, rules: Rules, bound: str | None) -> Certificate:
    from pebble.common.errors import InvalidInput
    from pebble.game.files.reader import PebblingReader
    from pebble.game.rules import Rules
    from pebble.solvers.certificate import certify

    try:
        with open(path, "rb") as stream:
            reader = PebblingReader(stream)
            header = reader.header
            if M not in (None, header.M):
                raise InvalidInput(f"the pebbling is for M = {header.M:,}, not {M:,}")
            if rules not in (Rules(), header.rules):
                raise InvalidInput(f"the pebbling is played with other rules: {header.rules}")
            return certify(dag, header.M, header.rules, reader.moves(dag), bound=bound)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from error
