"""``pebble plot gap``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import memory_options, names_of, problem_options, schedules_option
from pebble.cli.plot_options import lengths_of, memories_of, picture, problems_from
from pebble.cli.progress import progress_line

__all__ = ["command"]

COLUMNS, ROWS = 13, 9


@click.command("gap")
@problem_options(optional=["nq"], several_lengths=True)
@memory_options
@schedules_option("The least of these (repeat, or a,b); default best.")
@picture
def command(names: tuple[str, ...], **options: Any) -> Any:
    """Draw the optimality gap over (M/d², N/d) as a heat map.

    Each cell is the least I/O divided by the best proved bound. Give several sizes to -M and to -N: several
    (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25). Without them, M from d²/16 to 256·d² and N from 4·d
    to 1024·d.
    """
    from pebble.lab.plots import draw_gap, gaps, spaced
    from pebble.lab.plots.varying import memories_around

    # The head dimension may come from a model; the lengths in turn come from it.
    d = problems_from({**options, "mask": None}, (1,))[0].d
    problems = problems_from(options, lengths_of(options, spaced(4 * d, 1024 * d, ROWS)))
    Ms = memories_of(options, memories_around(d, COLUMNS))
    with progress_line() as progress:
        return gaps(problems, Ms, names_of(names) or ["best"], progress=progress), draw_gap
