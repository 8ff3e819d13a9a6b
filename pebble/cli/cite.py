"""``pebble cite``."""

from __future__ import annotations

import click

from pebble.cli.printing import json_option, print_result

__all__ = ["command"]


@click.command("cite")
@click.argument("name", nargs=-1)
@json_option
def command(name: tuple[str, ...], as_json: bool) -> None:
    """Say how to cite bounds, or the program: a sentence for each, and BibTeX entries.

    NAME is what tables call the bound (T1, Saha-Ye, by parts), or pebble for the program. Without it, all names.
    """
    from pebble.lab.citing import cite

    print_result(cite(" ".join(name) or None), as_json)
