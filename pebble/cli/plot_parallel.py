"""``pebble plot parallel``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import names_of
from pebble.cli.parallel_options import link_options, links_of, shared_problem_of, shared_problem_options
from pebble.cli.plot_options import picture
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("parallel")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-N", "N", required=True, help="Tokens: one, several (64Ki,128Ki), or FIRST:LAST:COUNT.")
@click.option("-P", "P", default="4,8,16,32,64,128", help="Devices (default 4,8,16,32,64,128).")
@shared_problem_options
@link_options
@picture
def command(names: tuple[str, ...], N: str, P: str, **options: Any) -> Any:
    """Draw the words that the busiest device receives against the number of devices, a line a schedule.

    With --link and --device (or --flops), draw which schedule is fastest over N and P instead, with its wire time
    over its arithmetic time.
    """
    from pebble.lab.plots.parallel_curves import (
        draw_parallel,
        draw_winners,
        parallel_curves,
        parallel_winners,
    )
    from pebble.lab.size_lists import problem_sizes

    lengths, devices = problem_sizes(N, "N"), problem_sizes(P, "P")
    links, chosen = links_of(options), names_of(names) or None
    with progress_line() as progress:
        if links is not None:
            problem = shared_problem_of(options, lengths[-1], min(devices))
            found = parallel_winners(problem, lengths, devices, links, chosen, progress=progress)
            return found, draw_winners
        if len(lengths) > 1:
            raise click.UsageError("Several -N need times: give --link, and --device or --flops.")
        problems = [shared_problem_of(options, lengths[0], count) for count in devices]
        return parallel_curves(problems, chosen, progress=progress), draw_parallel
