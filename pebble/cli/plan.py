"""``pebble plan``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.level_options import Levels, bandwidth_option, device_with, levels_of, levels_option
from pebble.cli.options import (
    names_of,
    needed_memory_options,
    parse_tiles,
    problem_of,
    problem_options,
    schedules_option,
)
from pebble.cli.printing import json_option, print_result
from pebble.cli.progress import progress_line

if TYPE_CHECKING:
    from pebble.lab.hardware import Device

__all__ = ["command"]


@click.command("plan")
@problem_options()
@needed_memory_options("levels")
@levels_option
@bandwidth_option
@click.option("--multiple-of", type=int, default=1, help="Tiles are multiples of this, such as 16.")
@click.option("--power-of-two", is_flag=True, help="Tiles are powers of two.")
@click.option(
    "--at-least", multiple=True, metavar="rows=N", help="Least rows (queries) or cols (keys) of a tile."
)
@click.option("--at-most", multiple=True, metavar="cols=N", help="Greatest rows or cols of a tile.")
@click.option("--double-buffer", is_flag=True, help="Room for the next of each streamed tile.")
@click.option("--accumulate", metavar="DTYPE", help="Data type of all that is computed, such as float32.")
@schedules_option("Which schedules (repeat, or a,b).")
@click.option("--no-costs", is_flag=True, help="Do not plan again without each constraint.")
@click.option(
    "--mine",
    metavar="NAME:TILES",
    help="Compare my kernel, forward and backward: flash-2:Br=128,Bc=64 (Br, BLOCK_M: rows; Bc, BLOCK_N: cols).",
)
@click.option(
    "--mine-backward",
    metavar="[NAME:]TILES",
    help="Schedule or tiles of its backward pass; by default the same name, or kind, and the same tiles.",
)
@json_option
def command(
    multiple_of: int,
    power_of_two: bool,
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    double_buffer: bool,
    accumulate: str | None,
    names: tuple[str, ...],
    no_costs: bool,
    mine: str | None,
    mine_backward: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Choose a schedule and tiles under a kernel author's constraints.

    Prints the best choice and the others, in words and bytes, their distance from the proved bound, the roofline
    time on a device, and what each constraint costs. The data type is bfloat16 if none is given.

    With --mine: what a kernel of mine moves and needs, beside its best tiles, the best schedule, and what each
    constraint costs; forward and backward, or the pass that --pass names.

    With --levels: tiles for all boundaries between memory levels at once, under the constraints on sizes.
    """
    from pebble.common.units import parse_words

    levels = levels_of(options)
    if levels is not None:
        if mine or mine_backward or double_buffer or accumulate:
            raise click.UsageError(
                "--levels goes with constraints on the sizes of tiles only: leave --mine, --double-buffer and "
                "--accumulate out."
            )
        sizes = {"at_least": _sizes(at_least), "at_most": _sizes(at_most)}
        constraints = {"multiple_of": multiple_of, "power_of_two": power_of_two, **sizes}
        _plan_levels(levels, constraints, names_of(names) or None, options, as_json)
        return
    memory, device, level, dtype = (options.pop(name) for name in ("memory", "device", "level", "dtype"))
    if memory is not None and device is not None:
        raise click.UsageError("-M and --device both say how large fast memory is: give one of them.")
    if mine is None and mine_backward is not None:
        raise click.UsageError("--mine-backward goes with --mine.")
    asked = {
        "M": None if memory is None else parse_words(memory, dtype),
        "device": _device_of(device, options.pop("bandwidth"), level),
        "level": level,
        "dtype": dtype or "bfloat16",
        "multiple_of": multiple_of,
        "power_of_two": power_of_two,
        "at_least": _sizes(at_least),
        "at_most": _sizes(at_most),
        "double_buffer": double_buffer,
        "accumulate": accumulate,
        "schedules": names_of(names) or None,
        "costs": not no_costs,
    }
    if mine is not None:
        _compare(mine, mine_backward, asked, options, as_json)
    else:
        _plan(asked, options, as_json)


def _device_of(name: str | None, bandwidth: str | None, level: str | None) -> Device | None:
    """Return the device, with the bandwidths that are given of the boundaries that a plan's words cross."""
    if name is None:
        if bandwidth is not None:
            raise click.UsageError("--bandwidth goes with --device.")
        return None
    plain = device_with(name, None, ())
    return device_with(
        name, bandwidth, dict.fromkeys(plain.boundary(level, room).level for room in (None, 0))
    )


def _plan(asked: dict[str, Any], options: dict[str, Any], as_json: bool) -> None:
    """Print the plan of one pass."""
    from pebble.lab.plan import plan

    with progress_line() as progress:
        found = plan(problem_of(options), **asked, progress=progress)
    print_result(found, as_json)
    if not found.choices:
        click.echo(f"pebble: no choice is verified: {found.unverified[0].sentence()}", err=True)
        sys.exit(1)


def _plan_levels(
    levels: Levels,
    constraints: dict[str, Any],
    names: list[str] | None,
    options: dict[str, Any],
    as_json: bool,
) -> None:
    """Print the tiles chosen for all boundaries between memory levels."""
    from pebble.lab.plan import Constraints, plan_levels

    with progress_line("planning {} …".format) as progress:
        found = plan_levels(
            problem_of(options),
            levels.hierarchy,
            Constraints(**constraints),
            names,
            bandwidths=levels.bandwidths,
            bytes_per_word=levels.bytes_per_word,
            progress=progress,
        )
    print_result(found, as_json)
    if not any(row.fits for row in found.rows):
        click.echo(f"pebble: {found.why_nothing_fits()}", err=True)
        sys.exit(1)


def _compare(
    mine: str, mine_backward: str | None, asked: dict[str, Any], options: dict[str, Any], as_json: bool
) -> None:
    """Print a kernel beside the best; both passes unless one is asked for."""
    from pebble.lab.plan import Choice, plan_kernel

    named = click.get_current_context().get_parameter_source("pass_name")
    one_pass = named is click.core.ParameterSource.COMMANDLINE and options["pass_name"] != "both"
    passes = (options["pass_name"],) if one_pass else ("forward", "backward")
    kernel, _, tiles = mine.partition(":")
    if not kernel:
        raise click.UsageError("--mine takes NAME:TILES, such as flash-2:Br=128,Bc=64.")
    backward, backward_tiles = None, mine_backward
    if mine_backward is not None and (":" in mine_backward or "=" not in mine_backward):
        backward, _, backward_tiles = mine_backward.partition(":")
    with progress_line() as progress:
        found = plan_kernel(
            problem_of(options),
            kernel,
            parse_tiles(tiles or None),
            backward=backward,
            backward_tiles=parse_tiles(backward_tiles or None),
            passes=passes,
            **asked,
            progress=progress,
        )
    print_result(found, as_json)
    unverified = [one.problem.pass_name for one in found.passes if not isinstance(one.best, Choice)]
    if unverified:
        click.echo(f"pebble: no choice is verified: {', '.join(unverified)}", err=True)
        sys.exit(1)


def _sizes(texts: tuple[str, ...]) -> dict[str, int]:
    from pebble.common.errors import InvalidInput

    sizes: dict[str, int] = {}
    for text in texts:
        found = parse_tiles(text)
        if not isinstance(found, dict):
            raise InvalidInput(f"cannot read {text!r}; example: rows=16")
        for name in found.keys() & sizes.keys():
            raise InvalidInput(f"{name} is given twice")
        sizes |= found
    return sizes
