"""Devices: their fast memory, bandwidth and peak arithmetic."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.units import bytes_per_word, fast_memory_words
from pebble.program.hierarchy import Hierarchy

T = TypeVar("T")


def read_table(name: str) -> dict[str, Any]:
    """Return a table of this package, ``devices.toml`` or ``models.toml``, parsed."""
    return tomllib.loads(files("pebble.lab.hardware").joinpath(name).read_text(encoding="utf-8"))


def _plain(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name.lower())


def find(name: str, table: Mapping[str, T], kind: str) -> T:
    """Return the entry with a name; case, hyphens, dots, underscores and blanks do not matter.

    >>> find("RTX 4090", {"rtx4090": 1, "a100": 2}, "device")
    1
    """
    keys = {_plain(key): key for key in table}
    if not isinstance(name, str):
        raise InvalidInput(f"a {kind} is given by its name, a text, not {name!r}")
    key = keys.get(_plain(name))
    if key is not None:
        return table[key]
    close = difflib.get_close_matches(_plain(name), keys, n=1)
    hint = f"; did you mean {keys[close[0]]}?" if close else "."
    raise InvalidInput(f"unknown {kind} {name!r}{hint} Known: {', '.join(table)} (see: pebble {kind}s)")


LEVELS = ("smem", "smem+regs", "l2")
"""What may count as fast memory: see :meth:`Device.fast_bytes`."""

MEMORY_LEVELS = ("regs", "smem", "l2")
"""Memory levels, the innermost first: see :meth:`Device.hierarchy`."""

_NAMES = {"regs": "registers", "smem": "shared memory", "l2": "L2", "dram": "DRAM"}
"""What memories are called in words; others by their own name."""

_SAME = {"fp8": "float8", "fp16": "float16", "half": "float16", "bf16": "bfloat16", "fp32": "float32"}


def canonical_dtype(dtype: str) -> str:
    """Return the long name of a data type.

    >>> canonical_dtype("BF16"), canonical_dtype("float32")
    ('bfloat16', 'float32')
    """
    bytes_per_word(dtype)
    name = dtype.lower()
    return "float64" if name == "fp64" else _SAME.get(name, name)


class Crossing(NamedTuple):
    """A boundary between two memories of a device, and how fast words cross it.

    Attributes
    ----------
    name : str
        By the memories on its two sides, such as ``"DRAM–L2"``.
    level : str
        The memory level inside it.
    bandwidth : float or None
        Bytes per second, for the whole device; None if there is no figure.
    """

    name: str
    level: str
    bandwidth: float | None

    def seconds(self, size: int) -> float | None:
        """Return the least time that bytes take to cross it; None if its bandwidth is not known."""
        return None if self.bandwidth is None else size / self.bandwidth


@dataclass(frozen=True, eq=False, repr=False)
class Device:
    """One device; figures are None where no source was found.

    Attributes
    ----------
    key, title : str
        Name on the command line, and name in full.
    unit : str
        What its compute units are called.
    units : int or None
        How many it has.
    smem_per_unit, smem_per_block : int or None
        Bytes of software-managed memory of one unit, and what one kernel instance may use of it.
    registers_per_unit, accumulators_per_unit : int or None
        Bytes of registers, and of memory for accumulators only.
    l2 : int or None
        Bytes of the second-level cache (of one die, or one core, where the notes say so).
    bandwidth : int or None
        Bytes per second between device memory and the chip, for the whole device.
    peak : mapping of str to int
        FLOP per second by dtype, for the whole device; a multiply-add is two.
    sources : mapping of str to str
        Where each figure is from.
    register_bandwidth, l2_bandwidth : int or None
        Bytes per second between software-managed memory and registers, and between L2 and the units, for the whole
        device.
    outside : mapping of str to str
        The memory that words of ``smem`` and of ``l2`` come from: ``l2``, ``dram``, or another memory by its name.
    link, linked : int or None
        Bytes per second that the device receives from others and, at the same time, sends; how many these links join.
    given : mapping of str to float
        Bytes per second into memory levels, see :meth:`with_bandwidths`.
    """

    key: str
    title: str
    unit: str
    units: int | None = None
    smem_per_unit: int | None = None
    smem_per_block: int | None = None
    registers_per_unit: int | None = None
    accumulators_per_unit: int | None = None
    l2: int | None = None
    bandwidth: int | None = None
    peak: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    register_bandwidth: int | None = None
    l2_bandwidth: int | None = None
    outside: Mapping[str, str] = field(default_factory=lambda: {"smem": "l2", "l2": "dram"})
    given: Mapping[str, float] = field(default_factory=dict)
    link: int | None = None
    linked: int | None = None

    def __repr__(self) -> str:
        return f"<Device {self.key}: {self.title}>"

    @property
    def level(self) -> str:
        """The default level: ``smem``, or ``l2`` for a processor without software-managed memory."""
        return "l2" if self.smem_per_block is None else "smem"

    def fast_bytes(self, level: str | None = None) -> int:
        """Bytes of fast memory of one kernel instance.

        Parameters
        ----------
        level : {"smem", "smem+regs", "l2"}, optional
            ``smem``: the software-managed memory that one instance may use (shared memory, LDS, VMEM, SBUF,
            threadgroup memory). ``smem+regs``: that, all registers and all accumulator memory of the unit,
            which no real kernel can fill with tiles. ``l2``: the second-level cache, as if one instance had it
            for itself.

        Examples
        --------
        >>> device("h100").fast_bytes() // 1024, device("h100").fast_bytes("smem+regs") // 1024
        (227, 483)
        """
        level = self.level if level is None else level
        if level not in LEVELS:
            raise InvalidInput(f"unknown level {level!r}; known: {', '.join(LEVELS)}")
        found = self.l2 if level == "l2" else self.smem_per_block
        more = (self.registers_per_unit or 0) + (self.accumulators_per_unit or 0)
        if found is None or (level == "smem+regs" and not more):
            raise InvalidInput(
                f"{self.key} has no sourced figure for {level}; its levels are {', '.join(self.levels())}"
            )
        return found + more if level == "smem+regs" else found

    def levels(self) -> tuple[str, ...]:
        """Return the levels for which there are figures."""
        has_smem = self.smem_per_block is not None
        more = self.registers_per_unit or self.accumulators_per_unit
        there = {"smem": has_smem, "smem+regs": has_smem and bool(more), "l2": self.l2 is not None}
        return tuple(level for level in LEVELS if there[level])

    def words(self, dtype: str, level: str | None = None) -> int:
        """Words of fast memory of one kernel instance: M.

        >>> device("gtx1060").words("float32"), device("h100").words("bf16")
        (12288, 116224)
        """
        return self.fast_bytes(level) // bytes_per_word(dtype)

    def level_bytes(self, level: str) -> int:
        """Bytes of one memory level by itself.

        Parameters
        ----------
        level : {"regs", "smem", "l2"}
            ``regs``: all registers and accumulator memory of one unit. ``smem``, ``l2``: as in :meth:`fast_bytes`.

        Examples
        --------
        >>> device("h100").level_bytes("regs") // 1024, device("h100").level_bytes("smem") // 1024
        (256, 227)
        """
        if level not in MEMORY_LEVELS:
            raise InvalidInput(f"unknown memory level {level!r}; known: {', '.join(MEMORY_LEVELS)}")
        if level != "regs":
            return self.fast_bytes(level)
        found = (self.registers_per_unit or 0) + (self.accumulators_per_unit or 0)
        if not found:
            raise InvalidInput(f"{self.key} has no sourced figure for regs")
        return found

    def hierarchy(self, names: Sequence[str], dtype: str) -> Hierarchy:
        """Return memory levels of one kernel instance, the innermost first; copies may be in any of them.

        >>> device("h100").hierarchy(("regs", "smem"), "bf16").capacities
        (131072, 116224)
        """
        sizes = tuple(self.level_bytes(name) // bytes_per_word(dtype) for name in names)
        order = [MEMORY_LEVELS.index(name) for name in names]
        if order != sorted(set(order)):
            raise InvalidInput(
                f"levels {','.join(names)}: give each level once, in the order {', '.join(MEMORY_LEVELS)}"
            )
        beyond = self._outside(names[-1]) if names else "dram"
        return Hierarchy(
            sizes, inclusive=False, names=tuple(names), beyond="slow" if beyond == "dram" else beyond
        )

    def boundary(self, level: str | None = None, room: int | None = None) -> Crossing:
        """Return the boundary that the words cross that a program moves: that outside its fast memory.

        Parameters
        ----------
        level : {"regs", "smem", "smem+regs", "l2"}, optional
            What is fast memory.
        room : int, optional
            Bytes that the program holds at once. With no more than half of L2 its tiles are those of kernel instances,
            and its words cross their boundary: L2 keeps others by itself, so how many come from farther out is
            not known.

        Examples
        --------
        >>> device("h100").boundary("l2").name, device("h100").boundary("l2", room=100_000).name
        ('DRAM–L2', 'L2–shared memory')
        >>> device("h100").boundary("smem"), device("a100").boundary("smem").seconds(10**9) < 2e-4
        (Crossing(name='L2–shared memory', level='smem', bandwidth=None), True)
        """
        level = self.level if level is None else level
        small = level == "l2" and room is not None and 2 * room <= self.fast_bytes("l2")
        within = level == "smem+regs" or (small and self.smem_per_block is not None)
        inside = "smem" if within else level
        if inside not in MEMORY_LEVELS:
            raise InvalidInput(f"unknown level {level!r}; known: regs, {', '.join(LEVELS)}")
        outside = self._outside(inside)
        figures = {"smem": self.register_bandwidth, "l2": self.l2_bandwidth, "dram": self.bandwidth}
        name = f"{_NAMES.get(outside, outside)}–{_NAMES[inside]}"
        return Crossing(name, inside, self.given.get(inside, figures.get(outside)))

    def crossing(self, level: str | None, dtype: str, room: int, ratio: float) -> Crossing:
        """Return what words cross of a program that holds ``room`` of them and moves ``ratio`` times a bound.

        Where the ratio is 1, no fewer words cross the level's boundary, whatever the level keeps.
        """
        return self.boundary(level, None if ratio <= 1 else room * bytes_per_word(dtype))

    def untimed(self, names: Iterable[str | None]) -> list[str]:
        """Return in words which of these boundaries have no bandwidth, and what gives it."""
        unknown = [one for one in map(self.boundary, ("smem", "l2")) if one.bandwidth is None]
        asked = set(names)
        return [
            f"{one.name}: its bandwidth is not known, so its bytes have no time; --bandwidth {one.level}=RATE gives one"
            for one in unknown
            if one.name in asked
        ]

    def _outside(self, level: str) -> str:
        """Return the memory that the words of a level come from."""
        return "smem" if level == "regs" else self.outside[level]

    def bandwidths(self, names: Sequence[str]) -> tuple[float | None, ...]:
        """Return the bytes per second through the boundary outside each level, None where there is no figure.

        >>> device("a100").bandwidths(("regs", "smem", "l2"))
        (19491840000000, 7219200000000, 2039000000000)
        """
        return tuple(self.boundary(name).bandwidth for name in names)

    def with_bandwidths(self, rates: Mapping[str, float]) -> Device:
        """Return the device with bytes per second into some memory levels, each from the next one out.

        >>> device("h100").with_bandwidths({"smem": 5.5e12}).boundary("smem+regs").bandwidth
        5500000000000.0
        """
        for name, rate in rates.items():
            if name not in MEMORY_LEVELS or not rate > 0:
                known = ", ".join(MEMORY_LEVELS)
                raise InvalidInput(
                    f"bandwidth {name}={rate:g}: the level must be one of {known}, and the rate positive"
                )
        return replace(self, given={**self.given, **rates})

    def flops(self, dtype: str) -> int | None:
        """Peak FLOP per second for operands of a data type; None if there is no figure."""
        return self.peak.get(canonical_dtype(dtype))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        data = plain(self, " ".join(one.name for one in fields(self) if one.name != "given"))
        return {**data, "levels": {level: self.fast_bytes(level) for level in self.levels()}}


@lru_cache(maxsize=1)
def devices() -> Mapping[str, Device]:
    """All devices by name.

    Examples
    --------
    >>> "h100" in devices(), devices()["gtx1060"].smem_per_block
    (True, 49152)
    """
    table = read_table("devices.toml")
    found = {}
    for key, entry in table["devices"].items():
        notes = tuple(entry.pop("notes", ()))
        figures = {name: entry.pop(name) for name, one in [*entry.items()] if isinstance(one, list)}
        sources = {name: table["sources"][source] for name, (_, source) in figures.items()}
        peak = {dtype: round(rate * 10**12) for dtype, rate in figures.pop("peak", ({}, ""))[0].items()}
        data = {name: value for name, (value, _) in figures.items()}
        found[key] = Device(key, **entry, **data, peak=peak, sources=sources, notes=notes)
    return MappingProxyType(found)


def device(name: str) -> Device:
    """Return the device with a name.

    Examples
    --------
    >>> device("RTX 4090").title
    'NVIDIA GeForce RTX 4090'
    """
    return find(name, devices(), "device")


def memory_words(M: int | None, on: str | Device | None, level: str | None, dtype: str) -> int:
    """Return the words of fast memory that are meant by M, or by a device instead.

    >>> memory_words(1000, None, None, "bf16"), memory_words(None, "h100", None, "bf16")
    (1000, 116224)
    """
    bytes_per_word(dtype)
    if on is None and level is not None:
        raise InvalidInput("a level needs a device: give the device too")
    if (M is None) == (on is None):
        raise InvalidInput("give the size of fast memory: either M in words or a device")
    if on is None:
        return fast_memory_words(M)
    return (device(on) if isinstance(on, str) else on).words(dtype, level)
