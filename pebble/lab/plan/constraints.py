"""A kernel author's constraints on tiles and on the use of fast memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.lab.hardware.device import canonical_dtype
from pebble.lab.work import is_product
from pebble.program import Loop, Node, Operation, Program
from pebble.program.parts_in_turn import texts_of
from pebble.program.schedule.tile_names import known_names, plain_names

AXES = {"rows": "i", "cols": "j"}
"""The axis that tiles called ``rows`` or ``cols`` cut: queries or keys."""


HEADS = "h"
"""The axis of heads: each has products of its own, so that how many are taken together is no side of a tile."""


@dataclass(frozen=True)
class Constraints:
    """Constraints on the tiles of the matrix products, and on how fast memory is used.

    Parameters
    ----------
    multiple_of : int
        Every tile is a multiple of this, unless it is the whole axis.
    power_of_two : bool
        Every tile is a power of two, unless it is the whole axis.
    at_least, at_most : mapping of {"rows", "cols"} to int
        Least and greatest number of queries and of keys in a tile; the whole axis is always enough. Br and BLOCK_M
        stand for rows, Bc and BLOCK_N for cols.
    double_buffer : bool
        While a streamed tile is used the next one is loaded beside it.
    accumulate : str, optional
        Data type of everything that is computed, if it is wider than that of the inputs.
    """

    multiple_of: int = 1
    power_of_two: bool = False
    at_least: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)
    double_buffer: bool = False
    accumulate: str | None = None

    def __post_init__(self) -> None:
        _require_whole("multiple_of", self.multiple_of)
        if self.power_of_two and self.multiple_of & (self.multiple_of - 1):
            raise InvalidInput(f"no power of two is a multiple of {self.multiple_of}")
        for which in ("at_least", "at_most"):
            sizes = plain_names(getattr(self, which), AXES)
            object.__setattr__(self, which, sizes)
            for name, size in sizes.items():
                if name not in AXES:
                    raise InvalidInput(f"{which}: unknown tile {name!r}; known: {known_names(AXES)}")
                _require_whole(f"{which} {name}", size)
        for name in self.at_least.keys() & self.at_most.keys():
            least, most = self.at_least[name], self.at_most[name]
            if self.down(most) < least:
                raise InvalidInput(f"no tile has at least {least} and at most {most} {name} here")
        if self.accumulate is not None:
            object.__setattr__(self, "accumulate", canonical_dtype(self.accumulate))

    @property
    def of_memory(self) -> Constraints:
        """Those on how fast memory is used, without those on the sizes of tiles."""
        return Constraints(double_buffer=self.double_buffer, accumulate=self.accumulate)

    def down(self, size: int) -> int:
        """Return the largest tile that is allowed and no larger than ``size``; 0 if there is none.

        >>> Constraints(multiple_of=16).down(100), Constraints(multiple_of=16, power_of_two=True).down(100)
        (96, 64)
        """
        if self.power_of_two:
            size = 1 << (size.bit_length() - 1) if size > 0 else 0
        return size - size % self.multiple_of

    def sizes(self, name: str, extent: int) -> list[int]:
        """Return the tiles that are allowed on ``rows``, ``cols`` or another side, ascending.

        The last may be the whole axis.
        """
        most = min(self.at_most.get(name, extent), extent)
        least = self.at_least.get(name, 1)
        if self.power_of_two:
            powers = [1 << power for power in range(most.bit_length())]
            found = [size for size in powers if size >= least and size % self.multiple_of == 0]
        else:
            step = self.multiple_of
            found = list(range(-(-least // step) * step, most + 1, step))
        if most == extent and (not found or found[-1] < extent):
            found.append(extent)
        return found

    def allow(self, program: Program, family: Family) -> bool:
        """Tell whether every tile of every matrix product of a program is allowed."""
        return self == self.of_memory or all(
            self._allows(axis, size, family) for axis, size in product_tiles(program, family)
        )

    def _allows(self, axis: str, size: int, family: Family) -> bool:
        whole = size >= family.extents[axis]
        if not whole and self.down(size) != size:
            return False
        name = next((name for name, one in AXES.items() if one == axis), "")
        return (whole or size >= self.at_least.get(name, 1)) and size <= self.at_most.get(name, size)

    def broken_by(self, program: Program, family: Family) -> list[str]:
        """Return, in words, each constraint that the tiles of a program do not keep."""
        alone = {name: replace(Constraints(), **{name: getattr(self, name)}) for name in self._texts()}
        return [text for name, text in self._texts().items() if not alone[name].allow(program, family)]

    def active(self) -> list[tuple[str, Constraints]]:
        """Return each constraint that is set, in words, with the constraints that remain if it alone is dropped."""
        nothing = Constraints()
        return [
            (text, replace(self, **{name: getattr(nothing, name)})) for name, text in self._texts().items()
        ]

    def _texts(self) -> dict[str, str]:
        """Return each constraint that is set, in words."""
        least = [f"at least {size} {name}" for name, size in self.at_least.items()]
        most = [f"at most {size} {name}" for name, size in self.at_most.items()]
        texts = {
            "multiple_of": f"multiples of {self.multiple_of}" if self.multiple_of > 1 else "",
            "power_of_two": "powers of two" if self.power_of_two else "",
            "at_least": ", ".join(least),
            "at_most": ", ".join(most),
            "double_buffer": "double-buffered loads" if self.double_buffer else "",
            "accumulate": f"accumulators in {self.accumulate}" if self.accumulate else "",
        }
        return {name: text for name, text in texts.items() if text}

    def __str__(self) -> str:
        return ", ".join(self._texts().values()) or "none"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        data = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {**data, "at_least": dict(self.at_least), "at_most": dict(self.at_most)}


def _require_whole(name: str, size: object) -> None:
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise InvalidInput(f"{name} must be a positive whole number, not {size!r}")


def product_tiles(program: Program, family: Family) -> set[tuple[str, int]]:
    """Return every axis and length of a tile on which a matrix product is computed.

    A ragged last tile counts with its full length. A vector or an element that is streamed through a tile is a tile
    of length 1: no matrix instruction can be used on it.
    """
    found: set[tuple[str, int]] = set()
    for operation, lengths in _operations(program, family):
        array = family[operation.array]
        if operation.action == "compute" and is_product(array, family):
            found |= {
                (axis, lengths.get(axis, family.extents[axis])) for axis in array.indices if axis != HEADS
            }
    return found


def _operations(program: Program, family: Family) -> Iterator[tuple[Operation, dict[str, int]]]:
    """Yield every operation, with the length of its tile on each axis that a loop around it cuts."""
    for text, _ in texts_of(program, family):  # a tile that a sequence cuts counts with its full length
        for part in text.phases:
            yield from _inside(tuple(part.nodes()), {}, family)


def _inside(
    nodes: tuple[Node, ...], lengths: dict[str, int], family: Family
) -> Iterator[tuple[Operation, dict[str, int]]]:
    for node in nodes:
        if isinstance(node, Operation):
            yield node, {**lengths, **{axis: stop - start for axis, start, stop in node.at}}
        elif isinstance(node, Loop):
            around = lengths.get(node.axis, family.extents[node.axis])
            yield from _inside(node.body, {**lengths, node.axis: min(node.tile, around)}, family)
        else:
            yield from _inside(node.body, lengths, family)
