"""``pebble dag info``."""

from __future__ import annotations

import click

from pebble.cli.completion import dags
from pebble.cli.dag_options import dag_of
from pebble.cli.printing import json_option, print_list, print_result
from pebble.cli.progress import long_work

__all__ = ["command"]


@click.command("info")
@click.argument("dag", required=False, shell_complete=dags)
@click.option("--format", "format", help="The file's format, if its ending does not say it.")
@click.option("--keep-isolated", is_flag=True, help="Accept vertices without any edge.")
@click.option("--list", "listing", is_flag=True, help="List the computations that have a name.")
@json_option
def command(dag: str | None, format: str | None, keep_isolated: bool, listing: bool, as_json: bool) -> None:
    """Say what a DAG is: its size, inputs, outputs, depth, least M, compulsory I/O, hash.

    DAG is a file, - for standard input, or a name with parameters such as matmul:8,8,8 (see --list).
    """
    from pebble.common.errors import InvalidInput

    if listing:
        if dag is not None:
            raise InvalidInput("choose one: a DAG, or --list")
        _list(as_json)
        return
    if dag is None:
        raise InvalidInput(
            "name a DAG: a file, or a name with parameters such as fft:64 (list them with --list)"
        )
    from pebble.graph.statistics import dag_info

    with long_work():
        found = dag_of(dag, format, keep_isolated)
        info = dag_info(found, found.description or dag)
    print_result(info, as_json)


def _list(as_json: bool) -> None:
    from pebble.common.tables import Table
    from pebble.computations.named_dags import NAMED_DAGS

    keys = ("name", "usage", "example", "summary", "literature")
    named = [{key: getattr(entry, key) for key in keys} for entry in NAMED_DAGS.values()]
    cells = [[entry.example, entry.summary, entry.literature] for entry in NAMED_DAGS.values()]
    table = Table([["example", "what it is", "in the literature"], *cells], left=3)
    print_list("dags", named, table, as_json)
