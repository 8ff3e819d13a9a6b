"""``pebble dag convert``."""

from __future__ import annotations

import click

from pebble.cli.completion import dags
from pebble.cli.dag_options import dag_of
from pebble.cli.printing import file_output

__all__ = ["command"]


@click.command("convert")
@click.argument("dag", shell_complete=dags)
@click.argument("output")
@click.option("--format", "format", help="The format of DAG, if its ending does not say it.")
@click.option("--to", "to", help="The format of OUTPUT, if its ending does not say it.")
@click.option("--keep-isolated", is_flag=True, help="Accept vertices without any edge.")
def command(dag: str, output: str, format: str | None, to: str | None, keep_isolated: bool) -> None:
    """Write a DAG in another format.

    DAG is a file, - for standard input, or a name with parameters such as matmul:8,8,8; OUTPUT a file, or - for
    standard output. Formats: edgelist (.txt), dot, graphml, json, mtx, hdag, lhdag; read are also named, csv, adjlist
    and multiline-adjlist.
    """
    from pebble.common.errors import InvalidInput
    from pebble.graph.formats import text_of, write_dag

    for name, what, given in ((dag, "input", format), (output, "output", to)):
        if name == "-" and given is None:
            option = "--format" if what == "input" else "--to"
            raise InvalidInput(f"standard {what} has no ending; name its format with {option}")
    found = dag_of(dag, format, keep_isolated)
    if output == "-":
        assert to is not None
        file_output().write(text_of(found, to))
        return
    write_dag(found, output, to)
    click.echo(f"{output}: {found.n_vertices:,} vertices, {found.n_edges:,} edges", err=True)
