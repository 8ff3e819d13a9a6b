"""``pebble plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pebble.cli.level_options import BANDWIDTH, LevelOptions, Levels, device_with
from pebble.cli.options import SCHEDULES, MemoryOptions, ProblemOptions, needed_memory, parse_tiles
from pebble.cli.printing import JSON, print_result
from pebble.cli.progress import progress_line
from pebble.cli.signature import command, given, group, like, option
from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.lab.hardware import Device

__all__ = ["plan"]


@command
def plan(
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory("levels"),
    levels: LevelOptions = group(LevelOptions),
    bandwidth: str | None = BANDWIDTH,
    multiple_of: int = option("Make tiles multiples of this, such as 16.", type=int, default=1),
    power_of_two: bool = option("Make tiles powers of two."),
    at_least: tuple[str, ...] = option(
        "Least number of rows (queries) or cols (keys) in a tile.", multiple=True, metavar="rows=N"
    ),
    at_most: tuple[str, ...] = option(
        "Greatest number of rows or cols in a tile.", multiple=True, metavar="cols=N"
    ),
    double_buffer: bool = option("Leave room for the next copy of each streamed tile."),
    accumulate: str | None = option("Data type of computed values, such as float32.", metavar="DTYPE"),
    names: list[str] | None = like(SCHEDULES, help="Schedules: a,b, or repeat the option."),
    no_costs: bool = option("Do not report what each constraint costs.", advanced=True),
    mine: str | None = option(
        "Compare your kernel, forward and backward: flash-2:Br=128,Bc=64 (Br, BLOCK_M: rows; Bc, BLOCK_N: cols).",
        metavar="NAME:TILES",
    ),
    mine_backward: str | None = option(
        "Schedule or tiles of its backward pass (default: the same name or kind, and the same tiles).",
        metavar="[NAME:]TILES",
        advanced=True,
    ),
    as_json: bool = JSON,
) -> None:
    """Choose a schedule and tiles under a kernel author's constraints.

    Print the best choice and the alternatives in words and bytes, their ratio to the proved bound, the roofline time
    on a device, and what each constraint costs. The data type is bfloat16 by default.

    With --mine, print what your kernel moves and needs, next to its best tiles and the best schedule, for both passes
    or the one that --pass names.

    With --levels, choose tiles for all boundaries between memory levels at once.

    pebble plan -N 4096 -d 64 -M 25000
    """
    from pebble.common.units import parse_words

    constraints = {
        "multiple_of": multiple_of,
        "power_of_two": power_of_two,
        "at_least": _sizes(at_least),
        "at_most": _sizes(at_most),
    }
    found = levels.read(memory, bandwidth)
    if found is not None:
        if mine or mine_backward or double_buffer or accumulate:
            raise click.UsageError(
                "--levels supports only constraints on tile sizes: leave out --mine, --double-buffer "
                "and --accumulate."
            )
        _plan_levels(problem, found, constraints, names, as_json)
        return
    if memory.memory is not None and memory.device is not None:
        raise click.UsageError("-M and --device both set the size of fast memory: give one.")
    if mine is None and mine_backward is not None:
        raise click.UsageError("--mine-backward needs --mine.")
    asked = {
        "M": None if memory.memory is None else parse_words(memory.memory, memory.dtype),
        "device": _device_of(memory.device, bandwidth, memory.level),
        "level": memory.level,
        "dtype": memory.dtype or "bfloat16",
        **constraints,
        "double_buffer": double_buffer,
        "accumulate": accumulate,
        "schedules": names,
        "costs": not no_costs,
    }
    if mine is not None:
        _compare(problem, mine, mine_backward, asked, as_json)
    else:
        _plan(problem, asked, as_json)


def _device_of(name: str | None, bandwidth: str | None, level: str | None) -> Device | None:
    """Return the device, with the bandwidths that are given of the boundaries that a plan's words cross."""
    if name is None:
        if bandwidth is not None:
            raise click.UsageError("--bandwidth needs --device.")
        return None
    plain = device_with(name, None, ())
    return device_with(
        name, bandwidth, dict.fromkeys(plain.boundary(level, room).level for room in (None, 0))
    )


def _plan(problem: ProblemOptions, asked: dict[str, Any], as_json: bool) -> None:
    """Print the plan of one pass."""
    from pebble.lab.plan import plan

    with progress_line() as progress:
        found = plan(problem.problem(), **asked, progress=progress)
    why = "" if found.choices else f"no choice is verified: {found.unverified[0].sentence()}"
    print_result(found, as_json, why)


def _plan_levels(
    problem: ProblemOptions,
    levels: Levels,
    constraints: dict[str, Any],
    names: list[str] | None,
    as_json: bool,
) -> None:
    """Print the tiles chosen for all boundaries between memory levels."""
    from pebble.lab.plan import Constraints, plan_levels

    with progress_line("planning {} …".format) as progress:
        found = plan_levels(
            problem.problem(),
            levels.hierarchy,
            Constraints(**constraints),
            names,
            **levels.rates,
            progress=progress,
        )
    print_result(found, as_json, "" if any(row.fits for row in found.rows) else found.why_nothing_fits())


def _compare(
    problem: ProblemOptions, mine: str, mine_backward: str | None, asked: dict[str, Any], as_json: bool
) -> None:
    """Print a kernel beside the best; both passes unless one is asked for."""
    from pebble.lab.plan import Choice, plan_kernel

    one_pass = given(["pass_name"]) and problem.pass_name != "both"
    passes = (problem.pass_name,) if one_pass else ("forward", "backward")
    kernel, _, tiles = mine.partition(":")
    if not kernel:
        raise click.UsageError("--mine must be NAME:TILES, such as flash-2:Br=128,Bc=64.")
    backward, backward_tiles = None, mine_backward
    if mine_backward is not None and (":" in mine_backward or "=" not in mine_backward):
        backward, _, backward_tiles = mine_backward.partition(":")
    with progress_line() as progress:
        found = plan_kernel(
            problem.problem(),
            kernel,
            parse_tiles(tiles or None),
            backward=backward,
            backward_tiles=parse_tiles(backward_tiles or None),
            passes=passes,
            **asked,
            progress=progress,
        )
    unverified = ", ".join(one.problem.pass_name for one in found.passes if not isinstance(one.best, Choice))
    print_result(found, as_json, unverified and f"no choice is verified: {unverified}")


def _sizes(texts: tuple[str, ...]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for text in texts:
        found = parse_tiles(text)
        if not isinstance(found, dict):
            raise InvalidInput(f"cannot read {text!r}; example: rows=16")
        for name in found.keys() & sizes.keys():
            raise InvalidInput(f"{name} is given twice")
        sizes |= found
    return sizes
