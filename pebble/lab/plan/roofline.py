"""Bytes, arithmetic and the least time they imply on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pebble.common.units import bytes_per_word
from pebble.lab.plan.constraints import is_product
from pebble.lab.plan.memory_need import wide_arrays, width_ratio

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.lab.hardware import Device
    from pebble.program.machine.counted import Run

__all__ = ["Roofline", "flops", "moved_bytes", "roofline"]

STATISTICS = ("l", "D")
"""Row statistics: one word a row, kept in the accumulators' type wherever they are."""


@dataclass(frozen=True)
class Roofline:
    """The least time that bytes and arithmetic imply on a device.

    Attributes
    ----------
    memory_seconds, compute_seconds : float or None
        Bytes divided by the bandwidth, FLOP divided by the peak; None without a figure for the device.
    """

    memory_seconds: float | None
    compute_seconds: float | None

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


def flops(measured: Run) -> int:
    """Return the FLOP of the matrix products that a run executed: two for each multiply-add.

    Products that a schedule computes again count again. Exponentials, divisions and row sums do not count.
    Without recomputation: forward 2·Nq·Nk·(d + dv), backward 2·Nq·Nk·(3d + 2dv).
    """
    family = measured.family
    return 2 * sum(measured.computes[array.name] for array in family.arrays if is_product(array, family))


def moved_bytes(measured: Run, dtype: str, accumulate: str | None) -> int:
    """Return the bytes that a run moved.

    Inputs, scores, probabilities and finished outputs are words of ``dtype``. Of the accumulators' type are
    row statistics, and sums that are moved before they are finished: U, and dQ, dK or dV if they are loaded at
    all or stored more than once for each element.
    """
    size, ratio = bytes_per_word(dtype), width_ratio(dtype, accumulate)
    family = measured.family
    return size * sum(
        (measured.reads[array.name] + measured.writes[array.name])
        * (ratio if _moved_wide(measured, family, array.name) else 1)
        for array in family.arrays
    )


def _moved_wide(measured: Run, family: Family, name: str) -> bool:
    if name in STATISTICS:
        return True
    if name not in wide_arrays(family) or family[name].chain is None or name in ("S", "dP"):
        return False
    return measured.reads[name] > 0 or measured.writes[name] > family.words(name)


def roofline(device: Device | None, dtype: str, size: int, work: int) -> Roofline:
    """Return the roofline times for some bytes and some FLOP on a whole device.

    Parameters
    ----------
    size : int
        Bytes moved, for all heads and batch elements.
    work : int
        FLOP, likewise.
    """
    if device is None:
        return Roofline(None, None)
    peak = device.flops(dtype)
    return Roofline(
        None if device.bandwidth is None else size / device.bandwidth, None if peak is None else work / peak
    )
