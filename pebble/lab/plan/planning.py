"""Planning: the search for schedule and tiles, the check of each choice, the cost of each constraint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pebble.common.errors import CacheTooSmall, InvalidInput, PebbleError
from pebble.common.units import fast_memory_words
from pebble.computations.problem import LARGEST_SIZE, Problem
from pebble.lab.hardware import Device
from pebble.lab.hardware import device as device_of
from pebble.lab.hardware.device import canonical_dtype
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.memory_need import width_ratio
from pebble.lab.plan.plan_table import Choice, Cost, Plan
from pebble.lab.plan.roofline import flops, roofline_of
from pebble.lab.plan.tile_search import Candidate, Setting, candidates, contenders, measured_room
from pebble.program.closed_forms.count import closed_form
from pebble.program.machine.run import run
from pebble.program.schedule import Schedule

__all__ = ["plan"]


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
    tiles of queries and keys, as kernels load them. The machine judges what fits, counts the words, and
    verifies every choice within M.

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

    Returns
    -------
    Plan

    Raises
    ------
    InvalidInput
        For contradictory constraints, unknown names, or neither or both of M and a device.
    CacheTooSmall
        If no schedule keeps the constraints within M.

    Notes
    -----
    The search is not exhaustive: whole tiles are searched along the side that decides the I/O, and a schedule's
    own tiles are scaled until they fit. The plan is the best one found, not proved to be the best there is; its
    ratio to the bound says how far it is from what no schedule can beat.

    Examples
    --------
    >>> found = plan(Problem.square(4096, 128), device="h100", multiple_of=16, costs=False)
    >>> found.best.schedule, found.best.tiles
    ('flash-2', {'rows': 400, 'cols': 16})
    """
    if problem.pass_name not in ("forward", "backward"):
        raise InvalidInput(f"plan the forward and the backward pass one by one, not {problem.pass_name!r}")
    dtype = canonical_dtype(dtype)
    width_ratio(dtype, accumulate)
    one = device_of(device) if isinstance(device, str) else device
    if one is None and level is not None:
        raise InvalidInput("a level is a device's: give a device with it")
    room = _words(M, one, level, dtype)
    constraints = Constraints(
        multiple_of, power_of_two, dict(at_least or {}), dict(at_most or {}), double_buffer, accumulate
    )
    setting = Setting(problem, room, constraints, dtype)
    tried = contenders(problem, None if schedules is None else list(schedules))
    found = candidates(tried, setting)
    if not found:
        raise _nothing(tried, setting)
    return _report(setting, found, one, level, _costs(tried, setting, found[0]) if costs else ())


def _words(M: int | None, device: Device | None, level: str | None, dtype: str) -> int:
    if (M is None) == (device is None):
        raise InvalidInput("say how large fast memory is: M in words, or a device, and not both")
    if device is not None:
        return device.words(dtype, level)
    return fast_memory_words(M)


def _nothing(tried: list[Schedule], setting: Setting) -> CacheTooSmall:
    """Return the error, which says how many words would be enough."""
    from dataclasses import replace

    constraints, problem = setting.constraints, setting.problem
    ample = replace(setting, M=LARGEST_SIZE)
    least: list[tuple[int, str]] = []
    for schedule in tried:
        options = [dict(schedule.smallest(problem))]
        if "literal" in schedule.presets:
            rows, cols = constraints.sizes("rows", problem.Nq), constraints.sizes("cols", problem.Nk)
            options += [{"rows": rows[0], "cols": cols[0]}] if rows and cols else []
        for tiles in options:
            program = schedule.program(problem, tiles)
            if constraints.allow(program, schedule.family(problem)):
                least.append((measured_room(schedule, tiles, ample)[0].words, schedule.name))
    text = f"nothing fits M = {setting.M:,} words with these constraints ({constraints})"
    if not least:
        return CacheTooSmall(f"{text}: no schedule here has tiles that keep them, however large M")
    words, name = min(least)
    return CacheTooSmall(f"{text}; {name} with the smallest tiles needs {words:,}", words)


def _costs(tried: list[Schedule], setting: Setting, best: Candidate) -> tuple[Cost, ...]:
    """Plan again without each constraint, and without all."""
    from dataclasses import replace

    active = setting.constraints.active()
    without = list(active)
    if len(active) > 1:
        without.append(("all", Constraints()))
    found = []
    for text, rest in without:
        options = candidates(tried, replace(setting, constraints=rest))
        other = min([best, *options], key=lambda one: one.order)
        found.append(_cost(text, best, other, setting.problem.copies))
    return tuple(found)


def _cost(text: str, best: Candidate, other: Candidate, copies: int) -> Cost:
    return Cost(
        constraint=text,
        io=other.run.io * copies,
        moved=other.moved * copies,
        io_more=best.run.io / other.run.io - 1,
        moved_more=best.moved / other.moved - 1,
        schedule=other.schedule.name,
        form=other.form,
        tiles=other.tiles,
    )


def _report(
    setting: Setting,
    found: list[Candidate],
    device: Device | None,
    level: str | None,
    costs: tuple[Cost, ...],
) -> Plan:
    from pebble.lower_bounds.table import bounds

    bound = bounds(setting.problem, setting.M).best
    return Plan(
        problem=setting.problem,
        M=setting.M,
        dtype=setting.dtype,
        device=device,
        level=level or (device.level if device is not None else None),
        constraints=setting.constraints,
        choices=tuple(_choice(one, setting, device, bound.value) for one in found),
        costs=costs,
        bound=bound,
    )


def _choice(one: Candidate, setting: Setting, device: Device | None, bound: float) -> Choice:
    _verify(one, setting)
    copies = setting.problem.copies
    moved, work = one.moved * copies, flops(one.run) * copies
    return Choice(
        schedule=one.schedule.name,
        form=one.form,
        tiles=one.tiles,
        room=one.room,
        reads=one.run.total_reads * copies,
        writes=one.run.total_writes * copies,
        io=one.run.io * copies,
        moved=moved,
        flops=work,
        ratio=one.run.io * copies / bound,
        roofline=roofline_of(device, setting.dtype, moved, work),
    )


def _verify(one: Candidate, setting: Setting) -> None:
    """Run the program again within the memory that buffers and wide accumulators leave; compare the closed form."""
    program, family = one.schedule.program(setting.problem, one.tiles), one.schedule.family(setting.problem)
    held = run(program, family, setting.M - (one.room.words - one.room.peak))
    if not int(closed_form(program, family).io) == held.io == one.run.io:
        raise PebbleError(
            f"{one.schedule.name}: the closed form and the machine disagree; please report this"
        )
