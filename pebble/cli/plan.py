"""``pebble plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pebble.cli.level_options import BANDWIDTH, LevelOptions, Levels, device_crossed, device_with
from pebble.cli.options import SCHEDULES, MemoryOptions, ProblemOptions, needed_memory, parse_tiles
from pebble.cli.printing import JSON, print_result
from pebble.cli.progress import long_work
from pebble.cli.signature import Options, command, given, group, like, option
from pebble.common.errors import InvalidInput
from pebble.common.units import parse_words

if TYPE_CHECKING:
    from pebble.program.schedule import Tiles


class ConstraintOptions(Options):
    """What a kernel author asks of tiles and of room."""

    multiple_of: int = option("Make tiles multiples of this, such as 16.", type=int, default=1)
    power_of_two: bool = option("Make tiles powers of two.")
    at_least: Any = option(
        "Smallest number of rows (queries) or cols (keys) in a tile.", multiple=True, metavar="rows=N"
    )
    at_most: Any = option("Largest number of rows or cols in a tile.", multiple=True, metavar="cols=N")
    double_buffer: bool = option("Leave room for the next copy of each streamed tile.")
    accumulate: str | None = option("Data type of computed values, such as float32.", metavar="DTYPE")

    def all(self) -> dict[str, Any]:
        """Return them by name, as :class:`pebble.lab.plan.Constraints` takes them."""
        return vars(self) | {"at_least": _sizes(self.at_least), "at_most": _sizes(self.at_most)}


class KernelOptions(Options):
    """A kernel of one's own, and how it runs on a device."""

    mine: str | None = option(
        "Compare your kernel, forward and backward: flash-2:Br=128,Bc=64 (Br, BLOCK_M: rows; Bc, BLOCK_N: cols).",
        metavar="NAME:TILES",
    )
    mine_backward: str | None = option(
        "Schedule or tiles of your kernel's backward pass (default: the same name or kind, with the same tiles).",
        metavar="[NAME:]TILES",
        advanced=True,
    )
    stages: int | None = option(
        "With --device: number of tiles of K and V in shared memory. For the forward pass, print what your kernel "
        "(--mine; by default flash-2 with the largest tiles that fit) holds in each memory and, for each boundary, its "
        "bytes, time, ratio to the bound and Nsight Compute counter."
    )
    warps: int = option(
        "With --stages: number of warps (or warpgroups, where four warps read an operand together) that share the "
        "rows (default 1).",
        advanced=True,
        default=1,
    )
    cluster: int = option(
        "With --stages: number of thread blocks that share each load of K and V, by multicast (default 1).",
        advanced=True,
        default=1,
    )
    blocks: int | None = option(
        "With --stages: number of thread blocks in flight (default: as many as the device holds).",
        advanced=True,
    )

    def named(self) -> tuple[str, Tiles | str | None]:
        """Return the kernel's schedule and tiles."""
        usual = "" if self.stages is None else "flash-2"
        kernel, _, tiles = (self.mine or usual).partition(":")
        if not kernel:
            raise click.UsageError("--mine must be NAME:TILES, such as flash-2:Br=128,Bc=64.")
        return kernel, parse_tiles(tiles or None)

    def check(self) -> None:
        """Refuse what says nothing without another option."""
        if self.mine is None and self.mine_backward is not None:
            raise click.UsageError("--mine-backward needs --mine.")
        if self.stages is None and given(["warps", "cluster", "blocks"]):
            raise click.UsageError("--warps, --cluster and --blocks need --stages.")


@command
def plan(
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory("levels"),
    levels: LevelOptions = group(LevelOptions),
    bandwidth: str | None = BANDWIDTH,
    constraints: ConstraintOptions = group(ConstraintOptions),
    names: list[str] | None = like(SCHEDULES, help="Schedules: a,b, or repeat the option."),
    no_costs: bool = option("Do not report what each constraint costs.", advanced=True),
    mine: KernelOptions = group(KernelOptions),
    as_json: bool = JSON,
) -> None:
    """Choose a schedule and tiles under a kernel author's constraints.

    Print the best choice and the alternatives in words and bytes, their ratio to the proved bound, the roofline time
    on a device, and what each constraint costs. The data type is bfloat16 by default.

    With --mine, print what your kernel moves and needs, next to its best tiles and the best schedule, for both passes
    or the one that --pass names. With --stages, print what it does at each boundary of the device instead.

    With --levels, choose tiles for all boundaries between memory levels at once.

    pebble plan -N 4096 -d 64 -M 25000
    """
    found = levels.read(memory, bandwidth)
    if found is not None:
        if mine.mine or mine.mine_backward or constraints.double_buffer or constraints.accumulate:
            raise click.UsageError(
                "--levels supports only constraints on tile sizes: leave out --mine, --double-buffer "
                "and --accumulate."
            )
        _plan_levels(problem, found, constraints.all(), names, as_json)
        return
    if memory.memory is not None and memory.device is not None:
        raise click.UsageError("-M and --device both set the size of fast memory: give one.")
    mine.check()
    if mine.stages is not None:
        _on_device(problem, memory, bandwidth, constraints, mine, as_json)
        return
    asked = {
        "M": None if memory.memory is None else parse_words(memory.memory, memory.dtype),
        "device": device_crossed(memory, bandwidth),
        "level": memory.level,
        "dtype": memory.dtype or "bfloat16",
        **constraints.all(),
        "schedules": names,
        "costs": not no_costs,
    }
    if mine.mine is not None:
        _compare(problem, mine, asked, as_json)
    else:
        _plan(problem, asked, as_json)


def _on_device(
    problem: ProblemOptions,
    memory: MemoryOptions,
    bandwidth: str | None,
    constraints: ConstraintOptions,
    mine: KernelOptions,
    as_json: bool,
) -> None:
    """Print what a kernel moves through each boundary of a device."""
    from pebble.lab.hardware import MEMORY_LEVELS
    from pebble.lab.plan import Constraints, kernel_boundaries, kernel_tiles

    kernel, tiles = mine.named()
    if kernel != "flash-2" or isinstance(tiles, str) or memory.device is None:
        raise click.UsageError(
            "--stages needs --device, and if --mine is given, a flash-2 kernel: flash-2:Br=128,Bc=64, or flash-2 for "
            "the largest tiles that fit."
        )
    others = {"double_buffer"} if tiles is None else {*vars(constraints)} - {"accumulate"}
    if given([*others, "level", "names", "no_costs", "mine_backward"]):
        allowed = "--dtype, --accumulate, --bandwidth, --warps, --cluster and --blocks"
        sizes = ", and without tiles constraints on their sizes"
        raise click.UsageError(f"With --stages, only {allowed} are allowed beside it{sizes}.")
    asked, dtype = problem.problem(), memory.dtype or "bfloat16"
    device = device_with(memory.device, bandwidth, MEMORY_LEVELS)
    how = {"stages": mine.stages or 1, "warps": mine.warps}
    if tiles is None:
        sizes_of = constraints.all() | ({} if given(["multiple_of"]) else {"multiple_of": 16})
        tiles = kernel_tiles(asked, device, dtype, Constraints(**sizes_of), **how)
    found = kernel_boundaries(
        asked,
        tiles,
        device,
        dtype,
        accumulate=constraints.accumulate,
        cluster=mine.cluster,
        blocks=mine.blocks,
        **how,
    )
    print_result(found, as_json)


def _plan(problem: ProblemOptions, asked: dict[str, Any], as_json: bool) -> None:
    """Print the plan of one pass."""
    from pebble.lab.plan import plan

    with long_work():
        found = plan(problem.problem(), **asked)
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

    with long_work():
        found = plan_levels(
            problem.problem(), levels.hierarchy, Constraints(**constraints), names, **levels.rates
        )
    print_result(found, as_json, "" if any(row.fits for row in found.rows) else found.why_nothing_fits())


def _compare(problem: ProblemOptions, mine: KernelOptions, asked: dict[str, Any], as_json: bool) -> None:
    """Print a kernel beside the best; both passes unless one is asked for."""
    from pebble.lab.plan import plan_kernel

    one_pass = given(["pass_name"]) and problem.pass_name != "both"
    passes = (problem.pass_name,) if one_pass else ("forward", "backward")
    kernel, tiles = mine.named()
    backward, backward_tiles = None, mine.mine_backward
    if backward_tiles is not None and (":" in backward_tiles or "=" not in backward_tiles):
        backward, _, backward_tiles = backward_tiles.partition(":")
    with long_work():
        found = plan_kernel(
            problem.problem(),
            kernel,
            tiles,
            backward=backward,
            backward_tiles=parse_tiles(backward_tiles or None),
            passes=passes,
            **asked,
        )
    unverified = ", ".join(one.problem.pass_name for one in found.passes if one.best is None or one.best.note)
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
