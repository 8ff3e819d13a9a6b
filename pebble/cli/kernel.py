"""``pebble kernel``."""

from __future__ import annotations

import sys
from typing import Any

import click

from pebble.cli.completion import kernels
from pebble.cli.dag_options import check_output
from pebble.cli.options import Seconds, memory_options, words_of
from pebble.cli.printing import file_output, json_option, print_list, print_result
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("kernel")
@click.argument("text", required=False, shell_complete=kernels)
@click.option("-N", "--extents", multiple=True, metavar="i=1024,j=1Ki", help="Extents of the indices.")
@memory_options
@click.option("--outputs", metavar="L,P", help="Arrays that are outputs although they are read.")
@click.option(
    "--time",
    "time_budget",
    type=Seconds(min=0),
    help="Seconds for all of it; the best so far at their end.",
)
@click.option("--list", "listing", is_flag=True, help="List the kernels that have a name.")
@click.option("-o", "--output", help="Write the pebbling, one move a line; - for standard output.")
@json_option
def command(
    text: str | None,
    extents: tuple[str, ...],
    outputs: str | None,
    time_budget: float | None,
    listing: bool,
    output: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Bound the I/O of a loop nest from below, and find a schedule for it: loop order, fusion, tiles.

    TEXT is assignments (C[i,j] += A[i,k]*B[k,j]; E[i,l] += C[i,j]*D[j,l] for l < i), an einsum (ik,kj->ij), or a
    kernel of the list (gemm). An index i runs from 0 to its extent less one.
    """
    from pebble.common.errors import InvalidInput
    from pebble.computations.nests.header import read_extents

    if listing:
        if text is not None:
            raise InvalidInput("choose one: a computation, or --list")
        _list(as_json)
        return
    if text is None:
        raise InvalidInput(
            "write a computation: 'C[i,j] += A[i,k]*B[k,j]', ik,kj->ij, or a kernel (see --list)"
        )
    from pebble.lab.kernel import kernel

    check_output(output, as_json)
    asked = read_extents(",".join(extents)) if extents else {}
    M = words_of(options)
    with progress_line() as progress:
        found = kernel(text, asked, M, outputs.split(",") if outputs else (), progress, time_budget)
    if output is not None and found.schedule is not None:
        found.write(file_output() if output == "-" else output)
    if as_json or output != "-":
        print_result(found, as_json)
    if not found.fits or (output is not None and found.schedule is None):
        sys.exit(1)


def _list(as_json: bool) -> None:
    from pebble.common.tables import Table
    from pebble.computations.nests.header import extents_text
    from pebble.computations.nests.polybench import KERNELS

    entries = [
        {
            "name": one.name,
            "description": one.description,
            "statements": one.text.split("; "),
            "extents": dict(one.extents),
            "outputs": list(one.outputs),
        }
        for one in KERNELS.values()
    ]
    rows = [[one.name, one.description, extents_text(one.extents)] for one in KERNELS.values()]
    table = Table([["kernel", "what it is", "usual extents"], *rows], left=3, drop=("usual extents",))
    print_list("kernels", entries, table, as_json)
