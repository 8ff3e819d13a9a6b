"""``pebble devices``."""

from __future__ import annotations

import click

from pebble.cli.completion import devices
from pebble.cli.printing import json_option, print_list

__all__ = ["command"]


@click.command("devices")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=devices)
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List devices: fast memory by level, bandwidth and peak arithmetic; with NAME, every figure and its source.

    A dash means that no source was found.
    """
    from pebble.lab.hardware import device, devices
    from pebble.lab.hardware.listings import device_card, device_table

    chosen = [device(name) for name in names] or list(devices().values())
    text = "\n\n".join(map(device_card, chosen)) if names else device_table(chosen)
    print_list("devices", [one.to_dict() for one in chosen], text, as_json)
