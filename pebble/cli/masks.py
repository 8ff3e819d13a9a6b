"""``pebble masks``."""

from __future__ import annotations

import click

from pebble.cli.options import json_option, print_json

__all__ = ["command"]


@click.command("masks")
@json_option
def command(as_json: bool) -> None:
    """List the kinds of masks: which keys a query attends to, how it is written, where it comes from.

    Give one to --mask. Numbers are counts of keys or queries; a file holds an array of booleans (numpy.save).
    """
    from pebble.computations.masks import mask_kinds

    kinds = mask_kinds()
    if as_json:
        print_json({"schema_version": 1, "masks": [kind.to_dict() for kind in kinds]})
        return
    from pebble.common.tables import table

    cells = [[kind.example, kind.summary, kind.source] for kind in kinds]
    click.echo(table([["example", "a query attends to", "source"], *cells], left=3))
    click.echo("\nAs written, with what may be left out in brackets:\n")
    click.echo("\n".join(f"  {kind.usage}" for kind in kinds))
