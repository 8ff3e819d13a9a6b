"""``pebble parallel``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from pebble.cli.options import Whole, names_of
from pebble.cli.parallel_options import link_options, links_of, shared_problem_of, shared_problem_options
from pebble.cli.printing import json_option, print_result
from pebble.cli.progress import progress_line
from pebble.common.errors import InvalidInput

__all__ = ["command"]


@click.command("parallel")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-N", "N", type=Whole(), required=True, help="Tokens.")
@click.option("-P", "P", type=Whole(), required=True, help="Devices.")
@shared_problem_options
@click.option(
    "--shape",
    help="usp: heads x ring (2x3); grid, grid-ring: rows x columns (3x4); heads-grid: heads x rows x columns "
    "(2x2x2). By default the one with which the busiest device receives least.",
)
@click.option(
    "--pass-on",
    type=click.Choice(["needed", "all"]),
    default="needed",
    help="Whether a tile in a ring stops where no device further on needs it (default), or goes all the way round.",
)
@click.option(
    "--memory", type=Whole(), help="Words that a device may hold, for the bound D2 (default: least needed)."
)
@click.option(
    "--decode",
    type=Whole(),
    metavar="QUERIES",
    help="So many queries, all on device 0, attend to N keys on all devices.",
)
@link_options
@click.option(
    "--best",
    is_flag=True,
    help="Under a mask try all layouts, unless --layout is given; sort, and say which schedule is best.",
)
@json_option
def command(names: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Compare ways to compute attention on several devices: what they move, and what must be moved.

    Every count is verified by a referee that plays the exchange of tiles on all devices; words of the busiest
    device, in total, rounds, balance of the work, memory, and the ratio to the proved bounds. With --link and
    --device (or --flops), wire time over arithmetic time: at most 1 where it can be hidden.

    \b
    pebble parallel -N 131072 --model llama3-8b -P 64 --mask causal --layout zigzag --device h100 --link 50GB/s
    pebble parallel ring grid -N 4096 -d 64 -P 16
    """  # noqa: D301
    from pebble.lab.parallel import parallel

    with progress_line("counting {} …".format) as progress:
        found = parallel(
            replace(
                shared_problem_of(options, options["N"], options["P"]), queries_decoded=options["decode"]
            ),
            names_of(names) or None,
            _shape(options["shape"]),
            pass_on=options["pass_on"],
            links=links_of(options),
            memory=options["memory"],
            best=options["best"],
            layouts=None if options["layout"] is None else [options["layout"]],
            progress=progress,
        )
    print_result(found, as_json)


def _shape(text: str | None) -> tuple[int, ...] | None:
    """Read ``2x3``."""
    if text is None:
        return None
    parts = text.lower().replace("×", "x").split("x")
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise InvalidInput(f"cannot read the shape {text!r}; examples: 2x3, 2x2x2")
    return tuple(map(int, parts))
