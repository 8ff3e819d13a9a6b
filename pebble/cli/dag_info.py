"""``pebble dag info``."""

from __future__ import annotations

import sys

import click

from pebble.cli.options import json_option, print_json

__all__ = ["command"]


@click.command("info")
@click.argument("dag", required=False)
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
    from pebble.computations.load import load_dag
    from pebble.graph.formats import dag_from_bytes
    from pebble.graph.statistics import dag_info

    if dag == "-":
        if format is None:
            raise InvalidInput("standard input has no ending; name its --format")
        found = dag_from_bytes(sys.stdin.buffer.read(), format, "standard input", keep_isolated)
    else:
        found = load_dag(dag, format, keep_isolated=keep_isolated)
    info = dag_info(found, found.description or dag)
    if as_json:
        print_json(info.to_dict())
    else:
        click.echo(str(info))


def _list(as_json: bool) -> None:
    from pebble.common.tables import table
    from pebble.computations.named_dags import NAMED_DAGS

    if as_json:
        keys = ("name", "usage", "example", "summary", "literature")
        rows = [{key: getattr(entry, key) for key in keys} for entry in NAMED_DAGS.values()]
        print_json({"schema_version": 1, "dags": rows})
        return
    cells = [[entry.example, entry.summary, entry.literature] for entry in NAMED_DAGS.values()]
    click.echo(table([["example", "what it is", "in the literature"], *cells], left=3))
