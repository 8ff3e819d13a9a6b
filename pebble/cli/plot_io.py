"""``pebble plot io``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import memory_options, problem_options
from pebble.cli.plot_options import (
    finish,
    lengths_of,
    memories_of,
    names_of,
    output_options,
    prepare,
    problems_from,
    progress_shown,
    schedules_option,
    with_lengths,
)

__all__ = ["command"]

POINTS = 25


@click.command("io")
@problem_options
@memory_options(required=False)
@click.option("--against", type=click.Choice(["M", "N"]), help="What varies: the one with several sizes.")
@schedules_option
@output_options
def _command(
    against: str | None, names: tuple[str, ...], output: str | None, as_json: bool, **options: Any
) -> None:
    """Draw I/O against fast memory, or against the length.

    Every schedule and every proved bound; the area below the best bound is shaded. Give several sizes to -M or to
    -N: one, several (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25). Without -M, 25 sizes from d²/16 to
    256·d²; with --against N and one -N, 25 lengths up to it.
    """
    from pebble.lab.plots import draw_io, io_curves, spaced

    prepare(output, as_json)
    lengths = lengths_of(options)
    if against == "N" and len(lengths) == 1:
        lengths = spaced(min(64, lengths[0]), lengths[0], POINTS)
    problems = problems_from(options, lengths)
    d = problems[0].d
    default = None if len(lengths) > 1 else spaced(max(16, d * d // 16), max(16, 256 * d * d), POINTS)
    Ms = memories_of(options, default)
    if len(lengths) > 1 and (len(Ms) > 1 or against == "M"):
        raise click.UsageError("vary -M or -N, not both; for both there is: pebble plot gap.")
    with progress_shown() as progress:
        data = io_curves(problems, Ms, names_of(names), progress=progress)
    finish(data, draw_io, output, as_json)


command = with_lengths(_command, required=True)
