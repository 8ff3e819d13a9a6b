"""``pebble plot arrays``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import memory_options, problem_of, problem_options, words_of
from pebble.cli.plot_options import finish, names_of, output_options, prepare, schedules_option

__all__ = ["command"]


@click.command("arrays")
@problem_options
@memory_options(required=True)
@schedules_option
@output_options
def command(names: tuple[str, ...], output: str | None, as_json: bool, **options: Any) -> None:
    """Draw I/O by array: for each schedule a bar of words read and a bar of words written.

    Without --schedule, those that move more than eight times what the least does are only named.
    """
    from pebble.lab.plots import array_bars, draw_arrays

    prepare(output, as_json)
    M = words_of(options)
    assert M is not None
    finish(array_bars(problem_of(options), M, names_of(names)), draw_arrays, output, as_json)
