"""Options that say which memory levels there are: their words, or their names on a device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pebble.cli.options import MemoryOptions, word_type
from pebble.cli.signature import Amount, Options, option
from pebble.common.errors import InvalidInput
from pebble.common.units import bytes_per_word, parse_rate, parse_words

if TYPE_CHECKING:
    from pebble.lab.hardware import Device
    from pebble.program.hierarchy import Hierarchy


class Levels(NamedTuple):
    """What ``--levels`` and the options beside it say.

    Attributes
    ----------
    rates : dict
        ``bandwidths``, bytes per second through the boundary outside each level, and ``bytes_per_word``.
    """

    hierarchy: Hierarchy
    rates: dict[str, Any]


BANDWIDTH = option(
    "With --device: bandwidth into a memory level from the next one out: smem=5.5TB/s (from L2), l2=3.35TB/s (from "
    "DRAM) or regs=30TB/s (from shared memory).",
    metavar="LEVEL=RATE",
    advanced=True,
)


class LevelOptions(Options):
    """Several memory levels instead of one."""

    levels: str | None = option(
        "Several memory levels, innermost first: sizes in words (43,140), or with --device names (regs,smem or "
        "regs,smem,l2).",
        type=Amount(),
        metavar="SIZES",
        advanced=True,
    )
    exclusive: bool = option(
        "With --levels in words: a level need not hold what the levels inside it hold (those of a device never do).",
        advanced=True,
    )

    def read(self, memory: MemoryOptions, bandwidth: str | None = None) -> Levels | None:
        """Return the levels, with the device and dtype beside them where they are given; None without."""
        if self.levels is None:
            if self.exclusive:
                raise click.UsageError("--exclusive needs --levels.")
            return None
        if memory.memory is not None or memory.level is not None:
            raise click.UsageError("--levels sets the size of every memory level: leave out -M and --level.")
        names, dtype = tuple(part.strip() for part in self.levels.split(",")), memory.dtype
        size = None if dtype is None else bytes_per_word(dtype)
        if memory.device is None:
            if bandwidth is not None:
                raise click.UsageError("--bandwidth needs --device.")
            rates: dict[str, Any] = {"bandwidths": (None,) * len(names), "bytes_per_word": size}
            return Levels(_in_words(names, not self.exclusive, dtype), rates)
        if dtype is None:
            dtype = memory.dtype = word_type(dtype)
        found = device_with(memory.device, bandwidth, names)
        hierarchy = found.hierarchy(names, dtype)
        return Levels(
            hierarchy, {"bandwidths": found.bandwidths(names), "bytes_per_word": bytes_per_word(dtype)}
        )


def device_with(name: str, bandwidth: str | None, levels: Iterable[str]) -> Device:
    """Return the device with a name, and with the bandwidths that ``--bandwidth`` says, which are of these levels."""
    from pebble.lab.hardware import device

    found, rates = device(name), dict[str, float]()
    for part in () if bandwidth is None else bandwidth.split(","):
        level, equals, rate = (piece.strip() for piece in part.partition("="))
        if not equals or level in rates:
            raise InvalidInput(
                f"cannot read --bandwidth {bandwidth} at {part!r}; example: smem=5.5TB/s,l2=3.35TB/s"
            )
        rates[level] = parse_rate(rate, "B")
    if found.bandwidth is not None and rates.get("l2", 0) > found.bandwidth:
        vendor = f"the vendor says {found.bandwidth / 1e12:.3g} TB/s"
        text = f"is from DRAM to L2 ({vendor}); from L2 to shared memory is smem=RATE"
        click.echo(f"note: --bandwidth {bandwidth} {text}", err=True)
    found = found.with_bandwidths(rates)
    for level in [one for one in rates if one not in levels]:
        crossed = " and ".join(f"{found.boundary(one).name} ({one}=RATE)" for one in levels)
        raise InvalidInput(
            f"--bandwidth {level} is for {found.boundary(level).name}, but the words counted here cross "
            f"{crossed}"
        )
    return found


def device_crossed(memory: MemoryOptions, bandwidth: str | None) -> Device | None:
    """Return the device, with the bandwidths that are given of the boundaries that words cross; None without."""
    if memory.device is None:
        if bandwidth is not None:
            raise click.UsageError("--bandwidth needs --device.")
        return None
    plain = device_with(memory.device, None, ())
    crossed = [plain.boundary(memory.level, room).level for room in (None, 0)]
    return device_with(memory.device, bandwidth, dict.fromkeys(crossed))


def _in_words(texts: tuple[str, ...], inclusive: bool, dtype: str | None) -> Hierarchy:
    from pebble.lab.hardware import MEMORY_LEVELS
    from pebble.program.hierarchy import Hierarchy

    named = [text for text in texts if text in MEMORY_LEVELS]
    if named:
        raise InvalidInput(
            f"--levels {','.join(texts)}: {named[0]} is a level of a device; give the device with --device"
        )
    return Hierarchy(tuple(parse_words(text, dtype) for text in texts), inclusive)


def refuse_without_levels(names: Iterable[str]) -> None:
    """Raise UsageError if a schedule is named that needs ``--levels``."""
    from pebble.program.schedule.registry import level_schedule_names

    for name in names:
        if name in level_schedule_names():
            raise click.UsageError(f"{name} is for several memory levels: give their sizes with --levels.")
