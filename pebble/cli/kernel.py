"""``pebble kernel``."""

from __future__ import annotations

import sys

from pebble.cli.completion import kernels
from pebble.cli.dag import PebblingOptions
from pebble.cli.options import MemoryOptions, seconds_option
from pebble.cli.printing import print_list, print_result
from pebble.cli.progress import long_work
from pebble.cli.signature import Amount, argument, command, group, option
from pebble.common.errors import InvalidInput


@command
def kernel(
    text: str | None = argument(required=False, shell_complete=kernels),
    extents: tuple[str, ...] = option(
        "Extents of the indices.", "-N", "--extents", type=Amount(), multiple=True, metavar="i=1024,j=1Ki"
    ),
    memory: MemoryOptions = group(MemoryOptions),
    outputs: str | None = option("Arrays that are outputs although they are also read.", metavar="L,P"),
    time_budget: float | None = seconds_option(
        "Time limit in seconds; print the best found by then.", "--time"
    ),
    listing: bool = option("List the named kernels.", "--list"),
    target: PebblingOptions = group(PebblingOptions),
) -> None:
    """Bound the I/O of a loop nest from below, and find a schedule for it: loop order, fusion, tiles.

    TEXT is a list of assignments (C[i,j] += A[i,k]*B[k,j]; E[i,l] += C[i,j]*D[j,l] for l < i), an einsum (ik,kj->ij),
    or a named kernel (gemm; see --list). An index i runs from 0 to its extent minus one.

    pebble kernel "C[i,j] += A[i,k]*B[k,j]" -N i=64,j=64,k=64 -M 300
    """
    from pebble.computations.nests.header import read_extents

    if listing:
        if text is not None:
            raise InvalidInput("give a computation or --list, not both")
        _list(target.as_json)
        return
    if text is None:
        raise InvalidInput(
            "give a computation: assignments such as 'C[i,j] += A[i,k]*B[k,j]', an einsum such as "
            "ik,kj->ij, or the name of a kernel (--list shows all)"
        )
    from pebble.lab.kernel import kernel

    asked = read_extents(",".join(extents)) if extents else {}
    M = memory.words()
    with long_work():
        found = kernel(text, asked, M, outputs.split(",") if outputs else (), time_budget)
    if found.schedule is not None:
        target.write(found)
    if target.as_json or target.output != "-":
        print_result(found, target.as_json)
    if not found.fits or (target.output is not None and found.schedule is None):
        sys.exit(1)


def _list(as_json: bool) -> None:
    from pebble.common.plain import plain
    from pebble.common.tables import Table
    from pebble.computations.nests.header import extents_text
    from pebble.computations.nests.polybench import KERNELS

    entries = [
        plain(one, "name description") | {"statements": one.text.split("; ")} | plain(one, "extents outputs")
        for one in KERNELS.values()
    ]
    columns = {
        "kernel": "name",
        "what it is": "description",
        "usual extents": lambda one: extents_text(one.extents),
    }
    table = Table.of(KERNELS.values(), columns, drop=("usual extents",))
    print_list("kernels", entries, table, as_json)
