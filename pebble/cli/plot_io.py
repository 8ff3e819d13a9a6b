"""``pebble plot io``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import memory_options, names_of, problem_options, schedules_option
from pebble.cli.plot_options import lengths_of, memories_of, picture, problems_from
from pebble.cli.progress import progress_line

__all__ = ["command"]

POINTS = 25


@click.command("io")
@problem_options(several_lengths=True)
@memory_options
@click.option("--against", type=click.Choice(["M", "N"]), help="What varies: the one with several sizes.")
@schedules_option()
@picture
def command(against: str | None, names: tuple[str, ...], **options: Any) -> Any:
    """Draw I/O against fast memory, or against the length.

    Every schedule and every proved bound; the area below the best bound is shaded. Give several sizes to -M or to
    -N: one, several (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25). Without -M, 25 sizes from d²/16 to
    256·d²; with --against N and one -N, 25 lengths up to it.
    """
    from pebble.lab.plots import draw_io, io_curves, spaced
    from pebble.lab.plots.varying import memories_around

    lengths = lengths_of(options)
    if against == "N" and len(lengths) == 1:
        lengths = spaced(min(64, lengths[0]), lengths[0], POINTS)
    problems = problems_from(options, lengths)
    Ms = memories_of(options, None if len(lengths) > 1 else memories_around(problems[0].d, POINTS))
    if len(lengths) > 1 and (len(Ms) > 1 or against == "M"):
        raise click.UsageError("vary -M or -N, not both; for both there is: pebble plot gap.")
    with progress_line() as progress:
        return io_curves(problems, Ms, names_of(names) or None, progress=progress), draw_io
