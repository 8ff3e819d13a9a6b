"""``pebble schedules``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pebble.cli.printing import json_option, print_list

if TYPE_CHECKING:
    from pebble.program.schedule import Schedule

__all__ = ["command"]


@click.command("schedules")
@json_option
def command(as_json: bool) -> None:
    """List the registered schedules, what they do and where they come from."""
    from pebble.common.tables import Table
    from pebble.program.schedule import registered
    from pebble.program.schedule.registry import level_schedule_names

    entries = [
        {
            "name": schedule.name,
            "summary": schedule.summary,
            "source": schedule.source,
            "passes": list(schedule.passes),
            "forms": list(schedule.forms),
            "tiles": list(schedule.tile_names),
            "presets": list(schedule.presets),
        }
        for schedule in registered()
    ]
    cells = [[one.name, _served(one), one.summary, one.source] for one in registered()]
    notes = [f"for several memory levels, with --levels: {', '.join(level_schedule_names())}"]
    table = Table([["schedule", "passes", "what it does", "source"], *cells], left=4, notes=notes)
    print_list("schedules", entries, table, as_json)


def _served(schedule: Schedule) -> str:
    """Return the passes that a schedule serves, and of which computations if not of plain softmax alone."""
    passes = ", ".join(schedule.passes)
    return passes if schedule.forms == ("plain",) else f"{passes} ({', '.join(schedule.forms)})"
