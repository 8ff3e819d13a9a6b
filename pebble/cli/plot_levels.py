"""``pebble plot levels``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.level_options import bandwidth_option, levels_of, levels_option
from pebble.cli.options import memory_options, names_of, problem_of, problem_options, schedules_option
from pebble.cli.plot_options import picture
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("levels")
@problem_options()
@memory_options
@levels_option
@bandwidth_option
@schedules_option()
@picture
def command(names: tuple[str, ...], **options: Any) -> Any:
    """Draw the words that move at every boundary between memory levels.

    For each boundary reads, writes and I/O of the schedules, and the greatest proved bound there; with a device the
    time that its bytes take, where the vendor says how fast it is.

    pebble plot levels -N 4096 -d 64 --levels regs,smem --device a100 --dtype bf16 -o levels.svg
    """
    from pebble.lab.plots import draw_levels, level_points

    found = levels_of(options)
    if found is None:
        raise click.UsageError("Missing option '--levels'.")
    with progress_line("counting {} …".format) as progress:
        points = level_points(
            problem_of(options),
            found.hierarchy,
            names_of(names) or None,
            bandwidths=found.bandwidths,
            bytes_per_word=found.bytes_per_word,
            progress=progress,
        )
    return points, draw_levels
