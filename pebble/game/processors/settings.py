"""What a game of several devices is played with: the devices, their memories, the layout, the free sums."""

from __future__ import annotations

from dataclasses import dataclass

from pebble.common.errors import InvalidInput
from pebble.common.layouts import LAYOUTS
from pebble.common.units import fast_memory_words
from pebble.game.processors.layouts import Layout

__all__ = ["MOST_DEVICES", "Processors"]

MOST_DEVICES = 4096


@dataclass(frozen=True)
class Processors:
    """The devices of a game: how many, what each can hold, who owns what, and which sums are free.

    Parameters
    ----------
    devices : int
    layout : str or tuple of int
        ``contiguous``, ``zigzag``, ``striped``, or the device of each token.
    memory : int, optional
        Words of each device's memory, H; unlimited by default.
    fast : int, optional
        Words of each device's fast memory, M. None: only communication is played, and a device computes in its memory.
    sums : tuple of str
        The arrays whose terms are added in any order; a chain in its order by default.
    strict : bool
        Refuse moves that change nothing, and words left over at the end.

    Examples
    --------
    >>> print(Processors(4, "zigzag", memory=100, sums=("l", "U")), end="")
    # devices 4
    # layout zigzag
    # H 100
    # sums l U
    """

    devices: int
    layout: Layout = "contiguous"
    memory: int | None = None
    fast: int | None = None
    sums: tuple[str, ...] = ()
    strict: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.devices <= MOST_DEVICES:
            raise InvalidInput(f"the number of devices must be 1 to {MOST_DEVICES}, not {self.devices}")
        if isinstance(self.layout, str) and self.layout not in LAYOUTS:
            known = ", ".join(LAYOUTS)
            raise InvalidInput(f"unknown layout {self.layout!r}; known: {known}, or the device of each token")
        for words in (self.memory, self.fast):
            if words is not None:
                fast_memory_words(words)

    def __str__(self) -> str:
        layout = self.layout if isinstance(self.layout, str) else " ".join(map(str, self.layout))
        lines = [f"# devices {self.devices}{' strict' if self.strict else ''}", f"# layout {layout}"]
        lines += [] if self.memory is None else [f"# H {self.memory}"]
        lines += [] if self.fast is None else [f"# M {self.fast}"]
        lines += [f"# sums {' '.join(self.sums)}"] if self.sums else []
        return "".join(f"{line}\n" for line in lines)
