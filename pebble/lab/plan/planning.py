"""Planning: the search for schedule and tiles, the check of each choice, the cost of each constraint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.masks.grouped_mask import GroupedMask
from pebble.computations.problem import Problem
from pebble.lab.asked_schedules import asked_schedules
from pebble.lab.hardware import Device
from pebble.lab.hardware import device as device_of
from pebble.lab.hardware.device import canonical_dtype, memory_words
from pebble.lab.level_counts import LevelReport, count_levels
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.memory_need import width_ratio
from pebble.lab.plan.plan_table import Choice, Cost, Plan
from pebble.lab.plan.setting import Setting
from pebble.lab.plan.verification import Search
from pebble.program.hierarchy import Hierarchy
from pebble.program.schedule import Schedule, offered
from pebble.program.schedule.level_schedule import LevelSchedule
from pebble.program.schedule.tiled_programs import Tiles

_MOST_IN_GROUPS = 4096
"""A plan for shared heads under repeating blocks, whose tiles are counted one by one, takes half a minute here."""


def plan(
    problem: Problem,
    M: int | None = None,
    *,
    device: str | Device | None = None,
    level: str | None = None,
    dtype: str = "bfloat16",
    multiple_of: int = 1,
    power_of_two: bool = False,
    at_least: Mapping[str, int] | None = None,
    at_most: Mapping[str, int] | None = None,
    double_buffer: bool = False,
    accumulate: str | None = None,
    schedules: Iterable[str | Schedule] | None = None,
    costs: bool = True,
) -> Plan:
    """Choose a schedule and tiles for a problem under a kernel author's constraints.

    Every registered schedule is tried with the tiles it chooses itself and, where it has that form, with whole
    tiles of queries and keys, as kernels load them. The machine then measures every choice that is returned: what it
    needs, which must be within M, and what it moves. A choice that cannot be verified comes last, with a note that
    says why.

    Parameters
    ----------
    problem : Problem
        Forward or backward.
    M : int, optional
        Words of fast memory; or give a device.
    device : str or Device, optional
        Sets M, and gives the roofline times.
    level : {"smem", "smem+regs", "l2"}, optional
        What of the device is fast memory.
    dtype : str
        Data type of the inputs; M counts its words.
    multiple_of, power_of_two, at_least, at_most, double_buffer, accumulate
        The constraints, see :class:`pebble.lab.plan.Constraints`.
    schedules : iterable of str or Schedule, optional
        Which ones to try.
    costs : bool
        Whether to plan again without each constraint, to say what it costs.

    Raises
    ------
    CacheTooSmall
        If no schedule keeps the constraints within M.

    Notes
    -----
    The search is that for the tiles of a count, among the sizes that the constraints allow. On long axes it is not
    exhaustive: the plan is the best one found, not proved to be the best there is; its ratio to the bound says how far
    it is from what no schedule can beat.

    Examples
    --------
    >>> found = plan(Problem.square(4096, 128), device="h100", multiple_of=16, costs=False)
    >>> found.best.schedule, found.best.tiles
    ('flash-2', {'rows': 384, 'cols': 16})
    """
    if problem.pass_name not in ("forward", "backward"):
        raise InvalidInput(f"plan the forward and the backward pass separately, not {problem.pass_name!r}")
    constraints = Constraints(
        multiple_of, power_of_two, dict(at_least or {}), dict(at_most or {}), double_buffer, accumulate
    )
    setting = setting_of(problem, M, device, level, dtype, constraints)
    search = Search(contenders(problem, schedules))
    found = search.verified(setting)
    if not found:
        raise nothing_fits(search, setting)
    lost = constraint_costs(search, setting, found[0]) if costs and found[0].tiles is not None else ()
    return Plan(
        setting=setting,
        choices=tuple(choice for choice in found if not choice.note),
        unverified=tuple(choice for choice in found if choice.note),
        costs=lost,
    )


def setting_of(
    problem: Problem,
    M: int | None,
    device: str | Device | None,
    level: str | None,
    dtype: str,
    constraints: Constraints,
) -> Setting:
    """Return what is planned, of what :func:`plan` is given."""
    mask = problem.mask
    if isinstance(mask, GroupedMask) and not mask.banded and mask.Nq > _MOST_IN_GROUPS:
        raise InvalidInput(
            f"the mask {mask.spec} has {mask.Nq:,} queries, and a plan for shared heads under repeating blocks takes "
            f"minutes for more than {_MOST_IN_GROUPS:,}: plan for separate heads (--kv-heads equal to --heads), or "
            "count one schedule with given tiles"
        )
    one = device_of(device) if isinstance(device, str) else device
    own = None if one is None else one.level
    dtype = canonical_dtype(dtype)
    width_ratio(dtype, constraints.accumulate)
    words = memory_words(M, one, level, dtype)
    return Setting(problem, words, constraints, dtype, one, level or own)


def contenders(problem: Problem, names: Iterable[str | Schedule] | None) -> list[Schedule]:
    """Return the schedules to try: the named ones, or all that do not merely pick among others."""
    if names is None:
        return [schedule for schedule in offered(problem) if not hasattr(schedule, "candidates")]
    return asked_schedules(names, problem)


def nothing_fits(search: Search, setting: Setting) -> CacheTooSmall:
    """Return the error, which says how many words would be enough."""
    text = f"no schedule fits M = {setting.M:,} words under these constraints ({setting.constraints})"
    words, name = min(search.too_small(setting), default=(None, ""))
    if words is None:
        return CacheTooSmall(f"{text}: no tiles satisfy them, however large M is")
    return CacheTooSmall(f"{text}; the smallest tiles need {words:,} words ({name})", words)


def constraint_costs(search: Search, setting: Setting, best: Choice) -> tuple[Cost, ...]:
    """Plan again without each constraint, and without all; the best has tiles."""
    active = setting.constraints.active()
    without = list(active)
    if len(active) > 1:
        without.append(("all", Constraints()))
        search = search.worthwhile(setting, best)
    found = []
    for text, rest in without:
        other = search.cheapest(replace(setting, constraints=rest))
        cheapest = best if other is None else min(best, other, key=lambda one: one.order)
        found.append(_cost(text, best, cheapest))
    return tuple(found)


def _cost(text: str, best: Choice, other: Choice) -> Cost:
    return Cost(
        constraint=text,
        io=other.io,
        moved=other.moved,
        io_more=best.io / other.io - 1,
        moved_more=best.moved / other.moved - 1,
        schedule=other.schedule,
        form=other.form,
        tiles=other.tiles or {},
        note=other.note,
    )


def plan_levels(
    problem: Problem,
    hierarchy: Hierarchy,
    constraints: Constraints | None = None,
    schedules: Iterable[str | LevelSchedule] | None = None,
    **rates: Any,
) -> LevelReport:
    """Choose tiles for all boundaries between memory levels at once, under constraints on their sizes.

    Parameters
    ----------
    problem : Problem
    hierarchy : Hierarchy
        The levels, the innermost first.
    constraints : Constraints, optional
        On the sizes only: every tile of every level is a multiple of a number, or a power of two, unless it is
        the whole axis; rows and cols may have a least and a greatest length.
    schedules
        As for :func:`pebble.count_levels`.
    **rates
        ``bandwidths`` and ``bytes_per_word``, likewise.

    Examples
    --------
    >>> from pebble import Problem
    >>> from pebble.program import Hierarchy
    >>> plan_levels(Problem.square(4096, 16), Hierarchy((2000, 20_000)), Constraints(multiple_of=16)).rows[0].tiles
    {'rows': 400, 'cols': 192, 'block': 48}
    """
    allowed = None if constraints is None else partial(_allowed, constraints, problem)
    return count_levels(problem, hierarchy, schedules, allowed=allowed, **rates)


def _allowed(constraints: Constraints, problem: Problem, tiles: Tiles) -> Tiles | None:
    """Return the largest tiles that keep the constraints and are no larger; None if there are none."""
    extents = {"rows": problem.Nq, "cols": problem.Nk}
    found = {}
    for name, size in tiles.items():
        axis = "cols" if name.startswith("cols") else "rows"
        if name == "block":
            axis = "rows" if problem.pass_name == "forward" else "cols"
        size = min(size, constraints.at_most.get(name, size))
        whole = size >= extents[axis]
        found[name] = size if whole else constraints.down(size)
        if found[name] < 1 or (not whole and found[name] < constraints.at_least.get(name, 1)):
            return None
    return found
