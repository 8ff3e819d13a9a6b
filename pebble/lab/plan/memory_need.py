"""The fast memory that a program needs if loads are double-buffered and accumulators are wide."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pebble.common.errors import InvalidInput
from pebble.common.plain import PlainRow
from pebble.common.units import bytes_per_word
from pebble.computations.family import Family
from pebble.lab.plan.constraints import Constraints
from pebble.program import Loop, Node, Operation, Program, When
from pebble.program.parts_in_turn import texts_of


@dataclass(frozen=True)
class Room(PlainRow):
    """Words of fast memory that are needed, in words of the inputs' data type.

    Attributes
    ----------
    peak : int
        Peak that the machine measured for the program as it is.
    wide : int
        How much larger the peak is if every computed array is held in the wider type.
    buffers : int
        One more tile of every streamed array, all the time.
    """

    KEYS = "peak wide buffers"

    peak: int
    wide: int = 0
    buffers: int = 0

    @property
    def words(self) -> int:
        """All together."""
        return self.peak + self.wide + self.buffers


def width_ratio(dtype: str, accumulate: str | None) -> int:
    """Return how many words of the inputs' type one element of the accumulators takes.

    >>> width_ratio("bfloat16", "float32"), width_ratio("float32", None)
    (2, 1)
    """
    if accumulate is None:
        return 1
    wide, narrow = bytes_per_word(accumulate), bytes_per_word(dtype)
    if wide < narrow:
        raise InvalidInput(f"accumulators in {accumulate} would be narrower than inputs in {dtype}")
    return wide // narrow


def wide_arrays(family: Family) -> frozenset[str]:
    """Return the arrays that are held in the accumulators' type: all that are computed, and the row sums."""
    return frozenset(array.name for array in family.arrays if not array.is_input or array.name == "l")


def widened(family: Family, ratio: int) -> Family:
    """Return the same computation with ``ratio`` words for each element of a wide array."""
    return family if ratio == 1 else family.widened(wide_arrays(family), ratio)


def streamed_tiles(program: Program, family: Family) -> dict[str, int]:
    """Return the arrays that innermost loads read, and the words of their largest tiles.

    A load is innermost if no loop inside its own loop loads anything. These are the loads that a kernel prefetches.
    """
    found: dict[str, int] = {}
    for text, own in texts_of(program, family):
        for part in text.phases:
            _collect(tuple(part.nodes()), {}, own, found)
    return found


def _collect(nodes: tuple[Node, ...], lengths: dict[str, int], family: Family, found: dict[str, int]) -> None:
    for node in nodes:
        if isinstance(node, When):
            _collect(node.body, lengths, family, found)
        elif isinstance(node, Loop):
            around = lengths.get(node.axis, family.extents[node.axis])
            inside = {**lengths, node.axis: min(node.tile, around)}
            if any(_loads(inner) for inner in _loops(node.body)):
                _collect(node.body, inside, family, found)
            else:
                _add_loads(node.body, inside, family, found)


def _add_loads(
    nodes: tuple[Node, ...], lengths: dict[str, int], family: Family, found: dict[str, int]
) -> None:
    for node in nodes:
        if isinstance(node, When):
            _add_loads(node.body, lengths, family, found)
        elif isinstance(node, Operation) and node.action == "load":
            box = {**lengths, **{axis: stop - start for axis, start, stop in node.at}}
            words = math.prod(box.get(axis, family.extents[axis]) for axis in family[node.array].axes)
            found[node.array] = max(words, found.get(node.array, 0))


def _loops(nodes: tuple[Node, ...]) -> list[Loop]:
    inner = [node for node in nodes if isinstance(node, When)]
    found = [node for node in nodes if isinstance(node, Loop)]
    return found + [loop for node in inner for loop in _loops(node.body)]


def _loads(node: Node) -> bool:
    if isinstance(node, Operation):
        return node.action == "load"
    return any(_loads(inner) for inner in node.body)


def second_buffers(program: Program, family: Family, constraints: Constraints, dtype: str) -> int:
    """Return the words of ``dtype`` for double buffering: one more tile of every streamed array, all the time."""
    if not constraints.double_buffer:
        return 0
    ratio, heavy = width_ratio(dtype, constraints.accumulate), wide_arrays(family)
    tiles = streamed_tiles(program, family)
    return sum(words * (ratio if name in heavy else 1) for name, words in tiles.items())
