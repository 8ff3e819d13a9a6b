"""The registered schedules for several devices."""

from __future__ import annotations

from pebble.program.parallel.schedule import DistributedSchedule
from pebble.program.schedule.registry import place, schedules_of, unknown

__all__ = ["distributed_schedule", "distributed_schedules"]


def distributed_schedules(pass_name: str | None = None) -> list[DistributedSchedule]:
    """Return the registered schedules for several devices, the built-in ones first and in a fixed order.

    Parameters
    ----------
    pass_name : str, optional
        Only those that serve this pass.

    Examples
    --------
    >>> [schedule.name for schedule in distributed_schedules("backward")]
    ['all-gather', 'ring', 'ring-q', 'ulysses', 'grid', 'heads-grid']
    """
    found: list[DistributedSchedule] = schedules_of(
        DistributedSchedule, "pebble.distributed_schedules", "pebble.program.parallel.DistributedSchedule"
    )
    serving = [schedule for schedule in found if pass_name is None or pass_name in schedule.passes]
    return sorted(serving, key=lambda schedule: place(schedule.name))


def distributed_schedule(name: str) -> DistributedSchedule:
    """Return the schedule for several devices with a name.

    Examples
    --------
    >>> distributed_schedule("ring").shape_names, distributed_schedule("usp").shape_names
    ((), ('heads', 'ring'))
    """
    found = {schedule.name: schedule for schedule in distributed_schedules()}
    if name in found:
        return found[name]
    raise unknown(f"schedule for several devices {name!r}", name, found)
