"""How far a chain over queries or keys has got where a program moves its partial results, read off the text."""

from __future__ import annotations

from collections.abc import Sequence

from pebble.common.errors import NoClosedForm
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program.nodes import Condition, Loop
from pebble.program.places import Place

__all__ = ["Reached", "reached"]

Reached = str | int
"""``"start"`` or ``"stop"`` of the current tile of the chain's axis, or a place on that axis."""


def reached(move: Place, computes: Sequence[Place], array: Array, family: Family) -> Reached:
    """Return how far the chain has got at a load or store.

    Inside loops over the chain's axis that is the start of the current tile where it is advanced after the move, and
    its stop where it was advanced before. Outside it is the end of what the loops before have run over.

    Parameters
    ----------
    move : Place
    computes : sequence of Place
        Where the program advances the chain.
    array : Array
    family : Family

    Raises
    ------
    NoClosedForm
        Where the text does not say.
    """
    assert array.chain is not None
    if move.generated or any(place.generated for place in computes):
        raise _unknown(array, "its operations are generated one by one")
    own = [n for n, node in enumerate(move.around) if isinstance(node, Loop) and node.axis == array.chain]
    if any(axis == array.chain for axis, _, _ in move.operation.at):
        raise _unknown(array, f"it is moved at a given interval of {array.chain}")
    inside = move.position(own[-1]) if own else ()
    related = [place for place in computes if _overlap(move, place, array, family)]
    near = [place for place in related if place.path[: len(inside)] == inside]
    before = [place for place in near if place.path < move.path]
    after = [place for place in near if place.path > move.path]
    _check_repetition(move, after, own[-1] + 1 if own else 0, array)
    if not own:
        return _upto(before, array, family)
    _check_same_tile(move, related, near, own, array)
    _check_conditions(move, before, array)
    if move.operation.action == "load" or not before:
        _check_elsewhere(move, [place for place in related if place not in near], own[0], array, family)
    if before and after:
        raise _unknown(array, "it is computed both before and after it is moved")
    return "stop" if before else "start"


def _unknown(array: Array, why: str) -> NoClosedForm:
    return NoClosedForm(f"how far the chain {array.name} has got cannot be read off the program: {why}")


def _overlap(one: Place, two: Place, array: Array, family: Family) -> bool:
    """Whether two operations may touch the same element."""
    common = 0
    while common < min(len(one.path), len(two.path)) and one.path[common] == two.path[common]:
        common += 1
    shared = {node.axis for node in one.around[: max(0, common - 1)] if isinstance(node, Loop)}
    for axis in array.axes:
        if axis not in shared:
            (a, b), (c, d) = (place.covers(axis, family.extents[axis]) for place in (one, two))
            if max(a, c) >= min(b, d):
                return False
    return True


def _check_repetition(move: Place, after: list[Place], depth: int, array: Array) -> None:
    """Refuse a move that comes round again, within one tile of the chain, after the chain is advanced behind it."""
    for number in range(depth, len(move.around)):
        node = move.around[number]
        if isinstance(node, Loop) and node.axis not in array.axes:
            position = move.position(number)
            if any(place.path[: len(position)] == position for place in after):
                raise _unknown(array, f"the loop over {node.label} comes back to it")
            return


def _upto(before: list[Place], array: Array, family: Family) -> int:
    """Return the end of what the computations before, outside loops over the chain's axis, have run over."""
    assert array.chain is not None
    extent = family.extents[array.chain]
    stops = [place.covers(array.chain, extent)[1] for place in before]
    regions = {tuple(place.covers(axis, family.extents[axis]) for axis in array.axes) for place in before}
    if len(set(stops)) > 1 and len(regions) > 1:
        raise _unknown(array, "parts of it are advanced differently far")
    return max(stops, default=0)


def _check_same_tile(
    move: Place, related: list[Place], near: list[Place], own: list[int], array: Array
) -> None:
    """Refuse a move in a tile that splits the one in which the chain is advanced."""
    outer = move.position(own[0])
    if len(own) > 1 and any(place.path[: len(outer)] == outer for place in related if place not in near):
        raise _unknown(array, f"it is advanced and moved in different tiles of {array.chain}")


def _check_conditions(move: Place, before: list[Place], array: Array) -> None:
    """Refuse a move after steps that are computed in some iterations only, but for the first that comes by."""
    for place in before:
        for condition in place.around:
            if not isinstance(condition, Condition) or condition in move.around:
                continue
            axes = [
                node.axis for node in place.around if isinstance(node, Loop) and node.label == condition.label
            ]
            if condition.which != "first" or condition.negated or set(axes) & set(array.axes):
                raise _unknown(array, f"it is advanced on the condition of {condition} only")


def _check_elsewhere(move: Place, others: list[Place], outermost: int, array: Array, family: Family) -> None:
    """Refuse a move after the same steps of the chain were computed elsewhere: memory may hold later ones."""
    assert array.chain is not None
    extent = family.extents[array.chain]
    start = move.covers(array.chain, extent)[0]
    position = move.position(outermost)
    for place in others:
        elsewhere = place.path[: len(position)] != position
        if elsewhere and place.path < move.path and place.covers(array.chain, extent)[1] > start:
            raise _unknown(array, "it has been computed before")
