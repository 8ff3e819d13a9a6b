"""``pebble plot roofline``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import problem_of, problem_options
from pebble.cli.plot_options import finish, names_of, output_options, prepare, schedules_option

__all__ = ["command"]


@click.command("roofline")
@problem_options
@click.option("--device", required=True, help="Which device; its fast memory is M (see: pebble devices).")
@click.option("--level", help="What fast memory is: smem, smem+regs or l2.")
@click.option("--dtype", default="bfloat16", show_default=True, help="What a word is.")
@schedules_option
@output_options
def command(
    device: str,
    level: str | None,
    dtype: str,
    names: tuple[str, ...],
    output: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw the arithmetic intensity of schedules against the roofline of a device.

    pebble plot roofline -N 4096 -d 128 --device h100 -o roofline.svg
    """
    from pebble.lab.plots import draw_roofline, roofline_points

    prepare(output, as_json)
    data = roofline_points(problem_of(options), device, dtype, level, names_of(names))
    finish(data, draw_roofline, output, as_json)
