"""What an iteration sees and leaves of a state, told relative to the current tiles.

"At the start of the tile" is the same for all tiles. Two iterations that see the same under the same pattern of the
mask do the same; docs/induction.md proves it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from pebble.program.counting.state import SLOW
from pebble.program.machine.effects import Change
from pebble.program.machine.field_state import UNKNOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.program.machine.effects import Effect, Snapshot
    from pebble.program.machine.field_state import Box, FieldState
    from pebble.program.nodes import Interval

__all__ = [
    "Unlike",
    "changes",
    "is_level",
    "is_same_along",
    "is_unlike",
    "visible",
    "write_changes",
]

_NOT_BEGUN = "not begun"
"""Nothing is there of a chain that has had no allowed step so far."""


class Unlike:
    """A part of a key that equals nothing else."""


def visible(state: FieldState, array: Array, slow: bool, uniform: bool) -> Hashable:
    """Return the current box of an array relative to the current tiles: one value where it is the same throughout.

    Parameters
    ----------
    state : FieldState
    array : Array
    slow : bool
        Whether slow memory is seen as well.
    uniform : bool
        Whether only one value will do.
    """
    box = state.box(array)
    cells = state.cells(array, box)
    if len(cells) == 1:
        return _labels(state, array, *cells[0], slow)
    found = [
        (cell, _labels(state, array, cell, progress, slow))
        for cell, progress in cells
        if not state.is_empty(array, cell)
    ]
    if len(found) == 1:
        return found[0][1]
    labels = {label for _, label in found}
    if len(labels) <= 1:
        return labels.pop() if labels else None
    if uniform:
        return Unlike()
    return tuple((_within(cell, box), label) for cell, label in found)


def _labels(
    state: FieldState, array: Array, cell: Box, progress: NDArray[np.int64], slow: bool
) -> tuple[Hashable, ...]:
    """Return how far a cell has got in every memory that is seen."""
    planes = progress.tolist()
    if array.chain is None:
        if not slow:
            planes[SLOW] = None
        return tuple(planes)
    return tuple(
        [
            _label(state, array, cell, one) if slow or plane != SLOW else None
            for plane, one in enumerate(planes)
        ]
    )


def _within(cell: Box, box: Box) -> Box:
    """Return a cell relative to the box it is in."""
    return tuple((a - start, b - start) for (a, b), (start, _) in zip(cell, box, strict=True))


def _label(state: FieldState, array: Array, cell: Box, progress: int) -> Hashable:
    """Return how far a chain has got in a cell, relative to the current tile of its axis."""
    if progress == UNKNOWN:
        return Unlike()
    if state.has_masked_chain(array):
        return _masked_label(state, array, cell, progress)
    tile = state.tiles.get(array.chain or "")
    if progress == 0:
        return "none"
    if tile and progress == tile[0]:
        return "start"
    if progress == state.family.extents[array.chain or ""]:
        return "all"
    return progress - tile[0] if tile else progress


def _masked_label(state: FieldState, array: Array, cell: Box, progress: int) -> Hashable:
    assert array.chain is not None
    tile = state.tiles.get(array.chain)
    axis, lines, _ = state.line(array, cell)
    if not state.mask.started(axis, lines, progress):
        progress = 0  # No line has a pair before it: cells of which nothing is there were joined.
    if tile is None:
        if progress == 0:
            return "none"
        return "all" if state.is_complete(array, cell, progress) else Unlike()
    if progress == 0:
        return "none" if state.mask.started(axis, lines, tile[0]) else _NOT_BEGUN
    if state.alike(array, cell, progress, tile[1]) and state.mask.has_pairs(axis, lines, tile):
        return "end", state.is_complete(array, cell, progress)
    if state.alike(array, cell, progress, tile[0]):
        return "start" if state.mask.started(axis, lines, tile[0]) else _NOT_BEGUN
    return "all" if state.is_complete(array, cell, progress) else Unlike()


def is_level(state: FieldState, array: Array, slow: bool) -> bool:
    """Whether the current box looks the same throughout, to whatever part of its lines one looks."""
    if is_unlike(visible(state, array, slow, True)):
        return False
    if not state.has_masked_chain(array) or array.chain not in state.tiles:
        return True
    axis, lines, _ = state.line(array, state.box(array))
    start, stop = state.tiles[array.chain]
    present = state.mask.present(axis, *lines)
    begun = state.mask.started(axis, lines, start)
    unfinished = state.mask.unfinished(axis, lines, stop)
    return begun in (0, present) and unfinished in (0, present)


def is_same_along(state: FieldState, array: Array, axis: str, slow: bool) -> bool:
    """Whether an array is in the same states at every place that the current tile of an axis without a mask has."""
    planes = state.fields[array.name].covering(state.box(array))[1]
    seen = planes if slow else np.delete(planes, SLOW, axis=0)
    position = 1 + array.axes.index(axis)
    return seen.shape[position] == 1 or bool((seen == seen.take([0], axis=position)).all())


def is_unlike(label: Hashable) -> bool:
    """Whether what is seen, or some part of it, equals nothing else."""
    return isinstance(label, Unlike) or (isinstance(label, tuple) and any(map(is_unlike, label)))


def changes(
    state: FieldState, array: Array, memory: int, before: Snapshot, uniform: bool
) -> list[Change] | None:
    """Return how one memory has changed in the current tiles; None if that cannot be told relative to them."""
    box = state.box(array)
    cells = [(cell, int(now[memory])) for cell, now in state.cells(array, box)]
    if all(old == progress for cell, progress in cells for _, old in before.parts(cell, memory)):
        return []
    cells = [(cell, progress) for cell, progress in cells if state.words(array, cell)]
    if all(
        state.alike(array, part, old, progress)
        for cell, progress in cells
        for part, old in before.parts(cell, memory)
    ):
        return []
    found = [(cell, _relative(state, array, cell, progress)) for cell, progress in cells]
    values = {value for _, value in found}
    if None in values or (uniform and len(values) > 1):
        return None
    if len(values) == 1:
        found = [(box, found[0][1])]
    return [
        Change(array.name, memory, None if len(values) == 1 else _within(cell, box), *value)
        for cell, value in found
        if value is not None
    ]


def _relative(state: FieldState, array: Array, cell: Box, progress: int) -> tuple[bool, int] | None:
    """Return progress relative to the current tile of the chain's axis, or not; None if it is elsewhere."""
    if progress == 0 or array.chain is None:
        return False, progress
    if progress == UNKNOWN:
        return None
    tile = state.tiles.get(array.chain)
    final = state.family.extents[array.chain]
    if state.has_masked_chain(array):
        if tile is None:
            return (False, final) if state.is_complete(array, cell, progress) else None
        # How far in the tile a chain has got may hang on where its pairs are, but not that it is at an end.
        ends = [end for end in reversed(tile) if state.alike(array, cell, progress, end)]
        return (True, ends[0] - tile[0]) if ends else None
    if tile is None:
        return False, progress
    if tile[0] <= progress <= tile[1]:
        return True, progress - tile[0]
    return (False, progress) if progress == final else None


def write_changes(state: FieldState, effect: Effect, axis: str, lines: Interval) -> None:
    """Write the state that some iterations leave on the lines of their axis; the last of them is the current one."""
    for change in effect.changes:
        array = state.family[change.array]
        start = state.tiles[array.chain or ""][0] if change.relative else 0
        box = tuple(lines if one == axis else state.interval(one) for one in array.axes)
        if change.part is not None:
            box = tuple((at + a, at + b) for (at, _), (a, b) in zip(box, change.part, strict=True))
        state.fields[array.name].view(box)[change.memory] = start + change.value
