"""``pebble schedules``."""

from __future__ import annotations

import click

from pebble.cli.options import json_option, print_json

__all__ = ["command"]


@click.command("schedules")
@json_option
def command(as_json: bool) -> None:
    """List the registered schedules, what they do and where they come from."""
    from pebble.common.tables import table
    from pebble.program.schedule import registered

    found = registered()
    if as_json:
        rows = [
            {
                "name": s.name,
                "summary": s.summary,
                "source": s.source,
                "passes": list(s.passes),
                "tiles": list(s.tile_names),
                "presets": list(s.presets),
            }
            for s in found
        ]
        print_json({"schema_version": 1, "schedules": rows})
        return
    cells = [[s.name, ", ".join(s.passes), s.summary, s.source] for s in found]
    click.echo(table([["schedule", "passes", "what it does", "source"], *cells], left=4))
