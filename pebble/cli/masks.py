"""``pebble masks``."""

from __future__ import annotations

import click

from pebble.cli.printing import json_option, print_list

__all__ = ["command"]


@click.command("masks")
@json_option
def command(as_json: bool) -> None:
    """List the kinds of masks: which keys a query attends to, how it is written, where it comes from.

    Give one to --mask. Numbers are counts of keys or queries; a file holds an array of booleans (numpy.save).
    """
    from pebble.common.tables import Table
    from pebble.computations.masks import mask_kinds

    kinds = mask_kinds()
    usage = [
        "",
        "As written, with what may be left out in brackets:",
        "",
        *(f"  {kind.usage}" for kind in kinds),
    ]
    cells = [[kind.example, kind.summary, kind.source] for kind in kinds]
    table = Table([["example", "a query attends to", "source"], *cells], left=3, notes=usage)
    print_list("masks", [kind.to_dict() for kind in kinds], table, as_json)
