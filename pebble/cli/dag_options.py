"""What the commands of ``pebble dag`` share: reading the DAG and the rules, writing the pebbling."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.printing import F, file_output, json_option, print_json

if TYPE_CHECKING:
    from pebble.game.rules import Rules
    from pebble.graph.dag import Dag

__all__ = ["check_output", "dag_of", "finish", "pebbling_output_options", "rules_of", "rules_options"]


def dag_of(text: str, format: str | None, keep_isolated: bool) -> Dag:
    """Return the DAG that a command names: a file, a name with parameters, or - for standard input."""
    from pebble.common.errors import InvalidInput
    from pebble.computations.load import load_dag
    from pebble.graph.formats import dag_from_bytes

    if text != "-":
        return load_dag(text, format, keep_isolated=keep_isolated)
    if format is None:
        raise InvalidInput("standard input has no ending; name its --format")
    return dag_from_bytes(sys.stdin.buffer.read(), format, "standard input", keep_isolated)


def rules_options(once: str, sliding: str) -> Callable[[F], F]:
    """Add ``--no-recomputation`` and ``--sliding`` with what they mean for the command."""

    def decorate(function: F) -> F:
        function = click.option("--sliding", is_flag=True, help=sliding)(function)
        return click.option("--no-recomputation", is_flag=True, help=once)(function)

    return decorate


def rules_of(options: dict[str, Any]) -> Rules:
    """Take the rules out of a command's options."""
    from pebble.game.rules import Rules

    return Rules(recomputation=not options.pop("no_recomputation"), sliding=options.pop("sliding"))


def pebbling_output_options(function: F) -> F:
    """Add ``--json``, and ``-o`` for the pebbling."""
    output = click.option(
        "-o", "--output", help="Write the pebbling, one move a line; - for standard output."
    )
    return json_option(output(function))


def check_output(output: str | None, as_json: bool) -> None:
    """Refuse to write two things to standard output, before the work."""
    from pebble.common.errors import InvalidInput

    if as_json and output == "-":
        raise InvalidInput("choose one of --json and -o -: both would write to standard output")


def finish(found: Any, dag: str, output: str | None, as_json: bool, text: str) -> None:
    """Write the pebbling that was found, and print what it costs; exit with 130 if the search was interrupted."""
    from pebble.computations.nests.named_kernel import header_name

    if output is not None:
        found.write(file_output() if output == "-" else output, header_name(dag))
    if as_json:
        print_json({"schema_version": 1, "dag": dag} | found.to_dict())
    elif output != "-":
        click.echo(text)
    if found.interrupted:
        kept = "" if output in (None, "-") else f"; it is in {output}"
        click.echo(f"pebble: interrupted; this is the best found so far{kept}", err=True)
        sys.exit(130)
