"""Bytes moved, FLOP executed, and the least time that they imply on a device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pebble.common.units import bytes_per_word
from pebble.computations.family import Family
from pebble.lab.hardware import Device
from pebble.lab.hardware.device import Crossing
from pebble.lab.plan.memory_need import wide_arrays, width_ratio
from pebble.program.counting.counted import Run

STATISTICS = ("l", "m", "D")
"""Row statistics: one element a row, always in the accumulators' type."""


class Traffic(NamedTuple):
    """Words loaded and stored by array, as a closed form counts them, or of many programs at a time.

    An array that is left out is not moved.
    """

    family: Family
    reads: Mapping[str, Any]
    writes: Mapping[str, Any]


@dataclass(frozen=True)
class Roofline:
    """The least time that bytes and arithmetic imply on a device.

    Attributes
    ----------
    memory_seconds, compute_seconds : float or None
        Bytes divided by the bandwidth, FLOP divided by the peak; None without a figure for the device.
    boundary : str or None
        The boundary that the bytes cross, see :meth:`pebble.lab.hardware.Device.boundary`; None without a device.
    """

    memory_seconds: float | None = None
    compute_seconds: float | None = None
    boundary: str | None = None

    @property
    def seconds(self) -> float | None:
        """The larger of the two; None if one is unknown."""
        if self.memory_seconds is None or self.compute_seconds is None:
            return None
        return max(self.memory_seconds, self.compute_seconds)

    @property
    def limit(self) -> str | None:
        """What limits it: ``"memory"`` or ``"arithmetic"``."""
        if self.memory_seconds is None or self.compute_seconds is None:
            return None
        return "memory" if self.memory_seconds >= self.compute_seconds else "arithmetic"


def moved_bytes(counted: Traffic | Run, dtype: str, accumulate: str | None) -> Any:
    """Return the bytes that a program moves, or each of many.

    Inputs, scores, probabilities and finished outputs are words of ``dtype``. Of the accumulators' type are
    row statistics, and sums that are moved before they are finished: U, and dQ, dK or dV if they are loaded at
    all or stored more than once for each element.
    """
    size, ratio = bytes_per_word(dtype), width_ratio(dtype, accumulate)
    return size * sum(
        (counted.reads.get(array.name, 0) + counted.writes.get(array.name, 0))
        * (1 + (ratio - 1) * _moved_wide(counted, array.name))
        for array in counted.family.arrays
    )


def _moved_wide(counted: Traffic | Run, name: str) -> Any:
    family = counted.family
    if name in STATISTICS:
        return True
    if name not in wide_arrays(family) or family[name].chain is None or name in ("S", "S1", "S2", "dP"):
        return False
    return (counted.reads.get(name, 0) > 0) | (counted.writes.get(name, 0) > family.words(name))


def roofline_of(device: Device, dtype: str, size: int, work: int, crossing: Crossing) -> Roofline:
    """Return the roofline times for some bytes and some FLOP on a whole device.

    They are for all heads and batch elements, and the bytes go through the crossing.
    """
    peak = device.flops(dtype)
    return Roofline(crossing.seconds(size), None if peak is None else work / peak, crossing.name)


def inner_notes(device: Device | None, level: str | None, found: Mapping[str, Roofline]) -> list[str]:
    """Return in words which programs' bytes cross another boundary than that of the level that was asked for.

    ``found`` is what the programs take, by what they are called.
    """
    own = None if device is None else device.boundary(level).name
    within = {name: one.boundary for name, one in found.items() if one.boundary != own}
    if device is None or not within:
        return []
    return [
        f"{', '.join(within)}: these tiles leave half of L2 or more to other words, so what moves crosses "
        f"{next(iter(within.values()))}, and how much of it crosses {own} is not counted"
    ]
