"""``pebble plot arrays``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import (
    names_of,
    needed_memory_options,
    problem_of,
    problem_options,
    schedules_option,
    words_of,
)
from pebble.cli.plot_options import picture
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("arrays")
@problem_options()
@needed_memory_options()
@schedules_option()
@picture
def command(names: tuple[str, ...], **options: Any) -> Any:
    """Draw I/O by array: for each schedule a bar of words read and a bar of words written.

    Without --schedule, those that move more than eight times what the least does are only named.
    """
    from pebble.lab.plots import array_bars, draw_arrays

    M, problem = words_of(options), problem_of(options)
    with progress_line("counting {} …".format) as progress:
        return array_bars(problem, M, names_of(names) or None, progress=progress), draw_arrays
