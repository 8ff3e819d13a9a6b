"""``pebble plot crossover``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import Whole, memory_options
from pebble.cli.plot_options import memories_of, picture
from pebble.cli.progress import progress_line

__all__ = ["command"]

POINTS = 9


@click.command("crossover")
@click.option("-d", "d", type=Whole(), required=True, help="Head dimension.")
@click.option("--mask", type=click.Choice(["causal"]), help="Of both kinds of attention (default none).")
@memory_options
@picture
def command(d: int, mask: str | None, **options: Any) -> Any:
    """Draw from which length on linear attention moves fewer words than softmax, against M.

    One line for the best schedule with softmax, one for any schedule, by the best proved bound. Give several sizes to
    -M: several (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25). Without it, M from d²/16 to 256·d².
    """
    from pebble.lab.plots.crossover_picture import crossover_curves, draw_crossover
    from pebble.lab.plots.varying import memories_around

    Ms = memories_of(options, memories_around(d, POINTS))
    with progress_line() as progress:
        return crossover_curves(d, Ms, mask, progress=progress), draw_crossover
