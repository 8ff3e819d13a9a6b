"""Planning for an author's own kernel: what it moves, what is best under its constraints, forward and backward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from pebble.common.clock import tell
from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.common.tables import tiles_text
from pebble.computations.problem import Problem
from pebble.lab.hardware import Device
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.kernel_table import KernelPass, KernelPlan
from pebble.lab.plan.plan_table import Choice
from pebble.lab.plan.planning import constraint_costs, contenders, nothing_fits, setting_of
from pebble.lab.plan.setting import Setting
from pebble.lab.plan.verification import Search, given
from pebble.program.schedule import Schedule, Tiles, available, get, resolve_tiles

_COUNTERPARTS = {
    "flash-2-causal": "queries-causal",
    "flash-2-mixed": "queries-pinned",
    "flash-2-packed": "keys-packed",
    "flash-2-pinned": "queries-pinned",
    "flash-2-sliced": "queries-sliced",
}
"""Backward schedules of the same kind, where none has the same name."""


class _Kernel(NamedTuple):
    """One pass of the author's kernel; tiles of None are the best ones."""

    schedule: Schedule
    tiles: Tiles | str | None
    chosen: str


def plan_kernel(
    problem: Problem,
    kernel: str,
    tiles: Tiles | str | None = None,
    M: int | None = None,
    *,
    backward: str | None = None,
    backward_tiles: Tiles | str | None = None,
    passes: Iterable[str] = ("forward", "backward"),
    device: str | Device | None = None,
    level: str | None = None,
    dtype: str = "bfloat16",
    schedules: Iterable[str | Schedule] | None = None,
    costs: bool = True,
    **constraints: Any,
) -> KernelPlan:
    """Compare an author's kernel with the best tiles and schedules under the same constraints, forward and backward.

    Parameters
    ----------
    problem : Problem
        Its pass does not matter.
    kernel : str
        Name of the schedule that the kernel follows.
    tiles : mapping of str to int, or str, optional
        Its tiles, ``{"Br": 128, "Bc": 64}``, or a preset's name; by default the best that keep the constraints.
    M : int, optional
        Words of fast memory; or give a device.
    backward : str, optional
        Name of the schedule that its backward pass follows; by default the one of the same name, or of the same kind.
    backward_tiles : mapping of str to int, or str, optional
        Tiles of the backward pass; by default the same, or where it does not take them its best.
    passes : iterable of {"forward", "backward"}
        Which passes to look at. A pass for which there is no such schedule is left out.
    device, level, dtype, schedules, costs
        As for :func:`plan`.
    **constraints
        Those of :class:`pebble.lab.plan.Constraints`, by name.

    Notes
    -----
    Cost: that of a plan of each pass, of which only what is shown is run by the machine.

    Examples
    --------
    >>> found = plan_kernel(Problem.square(4096, 128), "flash-2", {"Br": 128, "Bc": 64}, device="h100", multiple_of=16)
    >>> [(one.mine.io, one.best.io) for one in found.passes]
    [(34603008, 12582912), (137367552, 48943104)]
    """
    asked = Constraints(**constraints)
    passes, named = list(passes), None if schedules is None else list(schedules)
    for pass_name in passes:
        if pass_name not in ("forward", "backward"):
            raise InvalidInput(f"a kernel has a forward and a backward pass, not {pass_name!r}")
    found, form = [], replace(problem, pass_name="forward").form
    for part in _parts(problem, passes):
        setting = setting_of(part, M, device, level, dtype, asked)
        mine = _kernel(part.pass_name, form, kernel, tiles, backward, backward_tiles)
        if mine is not None:
            tried = contenders(part, named)
            names = None if named is None else tuple(schedule.name for schedule in tried)
            found.append(replace(_compared(setting, mine, tried, costs), tried=names))
    if not found:
        raise InvalidInput(f"there is no schedule {kernel!r} for the {' or the '.join(passes)} pass")
    there = {one.problem.pass_name for one in found}
    return KernelPlan(
        setting=setting,
        kernel=kernel,
        passes=tuple(found),
        left_out=tuple(name for name in passes if name not in there),
    )


def _parts(problem: Problem, passes: list[str]) -> Iterator[Problem]:
    """Yield the computation of each pass; of several, one that has no such pass is left out."""
    for pass_name in passes:
        try:
            yield replace(problem, pass_name=pass_name, stats=problem.stats and pass_name == "forward")
        except InvalidInput:
            if len(passes) == 1:
                raise


def _kernel(
    pass_name: str,
    form: str,
    kernel: str,
    tiles: Tiles | str | None,
    backward: str | None,
    backward_tiles: Tiles | str | None,
) -> _Kernel | None:
    """Return the schedule and the tiles of a pass, and where they come from; None if there is no such schedule.

    ``form`` is the computation of the forward pass.
    """
    known = available(pass_name, form if pass_name == "forward" else "plain")
    if pass_name == "forward":
        if kernel not in known and kernel in available("backward"):
            return None
        return _Kernel(get(kernel, "forward", form), tiles, "as given" if tiles is not None else "best tiles")
    if backward is not None:
        name, how = backward, "as given"
    elif kernel in known or kernel not in available("forward", form):
        name, how = kernel, "same name"
    elif kernel in _COUNTERPARTS:
        name, how = _COUNTERPARTS[kernel], "same kind"
    else:
        return None
    schedule = get(name, "backward")
    if backward_tiles is not None:
        return _Kernel(schedule, backward_tiles, f"{how}, tiles as given")
    if tiles is not None and _takes(schedule, tiles):
        return _Kernel(schedule, tiles, f"{how}, same tiles")
    return _Kernel(schedule, None, f"{how}, best tiles")


def _takes(schedule: Schedule, tiles: Tiles | str) -> bool:
    """Tell whether a schedule has tiles of just these names, or a preset."""
    if isinstance(tiles, str):
        return tiles in schedule.presets
    try:
        schedule.check_tiles(tiles)
    except InvalidInput:
        return False
    return True


def _compared(setting: Setting, mine: _Kernel, tried: list[Schedule], costs: bool) -> KernelPass:
    """Return a kernel beside the best tiles of its schedule, and the best of all that are tried."""
    search = Search(tried)
    same, best = Search([mine.schedule]).best(setting), search.best(setting)
    found, chosen = _with_tiles(mine, setting, same)
    known = best if costs and best is not None and best.tiles is not None else None
    return KernelPass(
        mine=found,
        chosen=chosen,
        summary=mine.schedule.summary,
        broken=_broken(found),
        same=same,
        best=best,
        note="" if best is not None else str(nothing_fits(search, setting)),
        costs=() if known is None else constraint_costs(search, setting, known),
    )


def _with_tiles(mine: _Kernel, setting: Setting, same: Choice | None) -> tuple[Choice, str]:
    """Return a kernel with its tiles, and where they come from; with the smallest where none fit."""
    schedule = mine.schedule
    if mine.tiles is None and same is not None:
        return same, mine.chosen
    tiles, chosen = schedule.smallest(setting.problem), f"{mine.chosen}: none fit, these are the smallest"
    if mine.tiles is not None:
        with suppress(CacheTooSmall):
            tiles, chosen = resolve_tiles(schedule, setting.problem, setting.M, mine.tiles), mine.chosen
    tell(f"verifying {schedule.name} {tiles_text(tiles)}")
    return given(schedule, tiles, setting), chosen


def _broken(found: Choice) -> tuple[str, ...]:
    """Return the constraints that tiles do not keep."""
    if found.tiles is None:
        return ()
    problem = found.setting.problem
    program = found.made.program(problem, found.tiles)
    return tuple(found.setting.constraints.broken_by(program, found.made.family(problem)))
