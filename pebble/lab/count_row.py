"""A counted schedule as a row of a table, and what its words cost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pebble.common.tables import words
from pebble.common.units import bytes_per_word, bytes_text
from pebble.common.whole_numbers import singular
from pebble.lab.hardware.device import Device

COUNT_COLUMNS = ("name", "fits", "tiles", "reads", "writes", "io", "peak", "least_M", "ratio")
WORK_COLUMNS = ("flops", "footprint")


@dataclass(frozen=True)
class Row:
    """One schedule on one problem, verified by the machine with at most M words.

    Attributes
    ----------
    name : str
    fits : bool or None
        Whether it can be done with M words; None if nothing was counted.
    least_M : int
        Least number of words it needs: with the given tiles if they were given, else with the smallest.
    tiles : dict of str to int, or None
        None if no choice of tiles fits.
    reads, writes, io : int or None
        Words loaded, stored and both, for all heads and batch elements.
    peak : int or None
        Largest number of words in fast memory.
    ratio : float or None
        I/O divided by the best proved lower bound.
    by_array : dict
        ``{"Q": {"reads": ..., "writes": ...}, ...}`` for the arrays that are moved.
    chosen : str
        For a schedule that picks among others, which one it picked.
    note : str
        Why nothing was counted, where the count could not be verified in reasonable time; or what else is to be said.
    flops : int or None
        FLOP of the matrix products, two for each multiply-add, recomputed ones included.
    footprint : int or None
        Words of slow memory beside inputs and outputs: see :func:`pebble.lab.work.footprint`.
    computes : dict of str to int
        Vertices computed, by array; again where they are computed again.
    bytes : int or None
        Words times bytes a word; None where no data type is known.
    seconds : float or None
        The least time that the bytes take to cross the boundary; None where its bandwidth is not known.
    boundary : str or None
        What the bytes cross, such as ``"L2–shared memory"``; None without a device.
    """

    name: str
    fits: bool | None
    least_M: int
    tiles: dict[str, int] | None = None
    reads: int | None = None
    writes: int | None = None
    io: int | None = None
    peak: int | None = None
    ratio: float | None = None
    by_array: dict[str, dict[str, int]] = field(default_factory=dict)
    chosen: str = ""
    note: str = ""
    flops: int | None = None
    footprint: int | None = None
    computes: dict[str, int] = field(default_factory=dict)
    bytes: int | None = None
    seconds: float | None = None
    boundary: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        price = () if self.bytes is None else ("bytes", "seconds", "boundary")
        row = {
            name: getattr(self, name)
            for name in (*COUNT_COLUMNS, *WORK_COLUMNS, "by_array", "computes", *price)
        }
        return row | {name: text for name, text in (("chosen", self.chosen), ("note", self.note)) if text}

    @property
    def unfit(self) -> str:
        """Why there are no counts; empty if there are."""
        if self.fits:
            return ""
        return (
            "not counted, see below"
            if self.note
            else singular(f"does not fit: needs {words(self.least_M)} words")
        )


class Price(NamedTuple):
    """What words cost: the bytes of a data type, and the time they take on a device.

    Attributes
    ----------
    level : str or None
        What of the device is fast memory; None for its own.
    """

    dtype: str
    device: Device | None = None
    level: str | None = None

    def row(self, row: Row) -> Row:
        """Return a row with its bytes and their time."""
        if row.io is None or row.peak is None or row.ratio is None:
            return row
        size = row.io * bytes_per_word(self.dtype)
        if self.device is None:
            return replace(row, bytes=size)
        crossing = self.device.crossing(self.level, self.dtype, row.peak, row.ratio)
        return replace(row, bytes=size, seconds=crossing.seconds(size), boundary=crossing.name)

    def text(self, value: int | float) -> str:
        """Return words, and what they are in bytes."""
        return (
            f"{words(value)} words of {self.dtype}, {bytes_text(round(value * bytes_per_word(self.dtype)))}"
        )

    def notes(self, rows: tuple[Row, ...]) -> list[str]:
        """Return what is to be said of the time: of which boundary it is, and where it is not known."""
        through: dict[str, list[str]] = {}
        for row in rows:
            if row.boundary and row.seconds:
                through.setdefault(row.boundary, []).append(row.name)
        texts = [
            one if len(through) == 1 else f"{one} ({', '.join(names)})" for one, names in through.items()
        ]
        said = [f"time: a lower estimate, bytes over the bandwidth of {', '.join(texts)}"] if texts else []
        return said + (self.device.untimed(row.boundary for row in rows) if self.device else [])
