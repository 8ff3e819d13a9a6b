"""``pebble plot roofline``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.completion import devices
from pebble.cli.level_options import bandwidth_option, device_with
from pebble.cli.options import names_of, problem_of, problem_options, schedules_option
from pebble.cli.plot_options import picture
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("roofline")
@problem_options()
@click.option(
    "--device",
    required=True,
    shell_complete=devices,
    help="Which device; its fast memory is M (see: pebble devices).",
)
@click.option("--level", help="What fast memory is: smem, smem+regs or l2.")
@click.option("--dtype", default="bfloat16", show_default=True, help="What a word is.")
@bandwidth_option
@schedules_option()
@picture
def command(
    device: str,
    level: str | None,
    dtype: str,
    bandwidth: str | None,
    names: tuple[str, ...],
    **options: Any,
) -> Any:
    """Draw the arithmetic intensity of schedules against the roofline of a device.

    pebble plot roofline -N 4096 -d 128 --device a100 -o roofline.svg
    """
    from pebble.lab.plots import draw_roofline, roofline_points

    one = device_with(device, bandwidth, (device_with(device, None, ()).boundary(level).level,))
    asked, problem = names_of(names) or None, problem_of(options)
    with progress_line("counting {} …".format) as progress:
        return roofline_points(problem, one, dtype, level, asked, progress=progress), draw_roofline
