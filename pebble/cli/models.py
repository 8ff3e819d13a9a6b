"""``pebble models``."""

from __future__ import annotations

import click

from pebble.cli.completion import models
from pebble.cli.printing import json_option, print_list

__all__ = ["command"]


@click.command("models")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=models)
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List models and the shapes of their attention heads; with NAME, only those, with sources and notes.

    Query heads that share keys and values are one problem of group·N queries, and there are as many problems as
    heads of keys and values.
    """
    from pebble.lab.hardware import model, models
    from pebble.lab.hardware.listings import model_table

    chosen = [model(name) for name in names] or list(models().values())
    table = model_table(chosen, sources=bool(names))
    print_list("models", [one.to_dict() for one in chosen], table, as_json)
