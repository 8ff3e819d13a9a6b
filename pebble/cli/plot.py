"""``pebble plot``: commands that draw, one a picture."""

from __future__ import annotations

import click

from pebble.cli.lazy_group import LazyGroup

__all__ = ["command"]

_SUMMARIES = {
    "io": "I/O against fast memory or length: every schedule, the bounds, and where M = d².",
    "gap": "The optimality gap over (M/d², N/d): the best schedule against the best proved bound.",
    "crossover": "From which length on linear attention moves fewer words than softmax, against M.",
    "occupancy": "One run over time: what fast memory holds, and the words moved so far.",
    "arrays": "I/O by array: reads and writes of each schedule.",
    "levels": "What moves at every boundary between memory levels, and the bound there.",
    "parallel": "Words received against the number of devices, or the fastest schedule over N and P.",
    "roofline": "Arithmetic intensity of schedules against the roofline of a device.",
}


@click.group("plot", cls=LazyGroup, commands_at="pebble.cli.plot_{}", summaries=_SUMMARIES)
def command() -> None:
    """Draw pictures of verified counts: PNG, SVG or PDF, by the name of the file.

    \b
    pebble plot io -N 4096 -d 64 -M 256:1Mi:25 -o io.svg
    pebble plot gap -d 64 -o gap.png
    pebble plot arrays -N 4096 -d 64 -M 25000 --json
    """  # noqa: D301
