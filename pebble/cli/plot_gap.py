"""``pebble plot gap``."""

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
    with_lengths,
)

__all__ = ["command"]

COLUMNS, ROWS = 13, 9


@click.command("gap")
@problem_options
@memory_options(required=False)
@click.option(
    "--schedule",
    "names",
    multiple=True,
    metavar="NAME",
    help="The least of these (repeat, or a,b); default best.",
)
@output_options
def _command(names: tuple[str, ...], output: str | None, as_json: bool, **options: Any) -> None:
    """Draw the optimality gap over (M/d², N/d) as a heat map.

    Each cell is the least I/O divided by the best proved bound. Give several sizes to -M and to -N: several
    (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25). Without them, M from d²/16 to 256·d² and N from 4·d
    to 1024·d.
    """
    from pebble.lab.plots import draw_gap, gaps, spaced

    prepare(output, as_json)
    # The head dimension may come from a model; the lengths in turn come from it.
    d = problems_from({**options, "mask": None}, (1,))[0].d
    lengths = lengths_of(options, f"{4 * d}:{1024 * d}:{ROWS}")
    problems = problems_from(options, lengths)
    Ms = memories_of(options, spaced(max(16, d * d // 16), max(16, 256 * d * d), COLUMNS))
    with progress_shown() as progress:
        data = gaps(problems, Ms, names_of(names) or ["best"], progress=progress)
    finish(data, draw_gap, output, as_json)


command = with_lengths(_command, required=False)
