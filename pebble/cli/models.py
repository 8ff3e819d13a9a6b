"""``pebble models``."""

from __future__ import annotations

import click

from pebble.cli.options import json_option, print_json

__all__ = ["command"]


@click.command("models")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List models and the shapes of their attention heads; with NAME, only those, with sources and notes.

    Query heads that share keys and values are one problem of group·N queries, and there are as many problems as
    heads of keys and values.
    """
    from pebble.common.tables import table
    from pebble.lab.hardware import model, models

    chosen = [model(name) for name in names] or list(models().values())
    if as_json:
        print_json({"schema_version": 1, "models": [one.to_dict() for one in chosen]})
        return
    cells = [["model", "layers", "heads", "K/V heads", "group", "d", "dv"]]
    for one in chosen:
        sizes = (one.layers, one.heads, one.kv_heads, one.group, one.d, one.dv)
        cells.append([one.key, *map(str, sizes)])
    click.echo(table(cells))
    for one in chosen if names else ():
        click.echo(
            f"\n{one.key}: {one.source}"
            + (f"\nnote: {one.note}" if one.note else "")
            + (f"\nnot counted: {one.refusal}" if one.refusal else "")
        )
