"""``pebble explore``."""

from __future__ import annotations

import click

from pebble.cli.printing import file_output
from pebble.cli.signature import command, option


@command
def explore(
    output: str = option(
        "HTML file to write; - for standard output.",
        "-o",
        "--output",
        default="explore.html",
        show_default=True,
    ),
) -> None:
    """Write a page with sliders that shows how many words attention must move.

    The page is one HTML file that needs neither a network nor a server: open it in any browser, even on a
    phone. Choose N, d, M, the mask and the pass; it shows the I/O of the schedules against M, the greatest
    proved bound, the loops with their tile sizes, and the words moved by array. The address of the page keeps
    the chosen point, so a link shows the same. The numbers are those of pebble count.
    """
    from pebble.lab.explorer import explore as explorer

    page = explorer()
    if output == "-":
        file_output().write(page.html)
        return
    size = page.write(output)
    click.echo(f"{output}: {page.summary()}; {size:,} bytes", err=True)
