"""What is known of a loop's body from its text alone, under a mask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.loops import Touched, touched_by
from pebble.program.nodes import Condition, Loop, Operation, When

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.nodes import Node, Program

__all__ = ["Bodies", "Body", "nodes_in", "outermost_loops"]


@dataclass(frozen=True)
class Body:
    """A loop's body.

    Attributes
    ----------
    touched : Touched
        The arrays it uses.
    changed, used : tuple of str
        The names of those that it changes, and of those that it changes or reads, sorted.
    chains : frozenset of str or None
        The axes along which these have their chains.
    conditions : tuple of Condition
        The conditions in it.
    split_conditions : tuple of Condition
        Those on loops over a masked axis whose tiles are split by further loops: the mask around the current tiles
        does not tell them, but that around the split tile does.
    told : bool
        Whether the mask around the current tiles tells all conditions in it that are on loops over masked axes, and
        no operation in it has an explicit box.
    ordered : bool
        Whether the order of places tells them (so that rounds may repeat): of loops over part of an axis, too.
    untold : tuple of Condition
        The conditions that the mask around the current tiles does not tell.
    reach : int or None
        The longest tile of the loops over the mask's other axis in it; None if arrays along that axis are touched
        outside of them.
    in_place : bool
        Whether it matters where in their tile the lines of the other masked axis lie; if not, they are visited one
        by one, and nothing asks which of them have pairs before or behind a split tile of the loop's axis.
    own_lines : bool
        Whether it has nothing to do with pairs of queries and keys, nor with chains over its loop's axis, only with
        lines of it.
    counts_begun : bool
        Whether it matters how many lines of the other axis have begun of a masked chain: it is moved, deleted or
        replaced, which takes as many words; or there are levels beyond, which keep the value of those that it is not
        computed of.
    asks_begun : bool
        Whether it matters which lines of the mask's other axis have pairs before or behind a tile: some chain is along
        its loop's axis, or some condition is on a loop over it.
    """

    touched: Touched
    changed: tuple[str, ...]
    used: tuple[str, ...]
    chains: frozenset[str | None]
    conditions: tuple[Condition, ...]
    split_conditions: tuple[Condition, ...]
    told: bool
    ordered: bool
    untold: tuple[Condition, ...]
    reach: int | None
    in_place: bool
    own_lines: bool
    counts_begun: bool
    asks_begun: bool


class Bodies:
    """The bodies of a program's loops, each read once.

    Parameters
    ----------
    program : Program
    family : Family
        Under a mask.
    levels : int
        How many memory levels there are inside slow memory.
    """

    def __init__(self, program: Program, family: Family, levels: int = 1) -> None:
        self.family, self.levels = family, levels
        self._known: dict[int, Body] = {}
        self._conditions = _conditions(program, family)

    def of(self, node: Loop) -> Body:
        """Return what is known of a loop's body."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self._read(node)
        return known

    def _read(self, node: Loop) -> Body:
        inside = list(nodes_in(node.body))
        operations = [inner for inner in inside if isinstance(inner, Operation)]
        axes = [(inner.axis, inner.tile) for inner in inside if isinstance(inner, Loop)]
        conditions = self._conditions.get(id(node), {})
        touched = touched_by(node.body, self.family)
        used = tuple(sorted(touched.changed | touched.read))
        masked = self.family.masked_axes
        in_tiles = not any(operation.at for operation in operations)
        return Body(
            touched=touched,
            changed=tuple(sorted(touched.changed)),
            used=used,
            chains=frozenset(self.family[name].chain for name in used),
            conditions=tuple(conditions),
            split_conditions=tuple(condition for condition, about in conditions.items() if about.split),
            told=in_tiles and all(about.told for about in conditions.values()),
            ordered=in_tiles and all(about.ordered for about in conditions.values()),
            untold=tuple(condition for condition, about in conditions.items() if not about.told),
            reach=self._reach(node),
            in_place=any(axis == node.axis or (axis in masked and tile > 1) for axis, tile in axes)
            # Which lines of the other axis have pairs before a split tile is told by where they lie.
            or (
                any(axis in masked for axis, _ in axes)
                and any(about.split and node.axis in about.axes for about in conditions.values())
            ),
            own_lines=not any(axis in masked for axis, _ in axes)
            and not any(self.family[name].chain == node.axis for name in used)
            and not any(about.masked for about in conditions.values())
            and not any(set(masked) <= set(self.family[name].axes) for name in used)
            and not any(self._computes_masked_chain(operation) for operation in operations),
            counts_begun=any(
                self._moves_masked_chain(operation, node.axis)
                or (self.levels > 1 and self._computes_masked_chain(operation))
                for operation in operations
            ),
            asks_begun=any(self.family[name].chain == node.axis for name in used)
            or any(node.axis in about.axes for about in conditions.values()),
        )

    def _reach(self, node: Loop) -> int | None:
        """Return the longest tile of the loops over the mask's other axis, if they are around all that is along it."""
        other = OTHER_AXIS.get(node.axis)
        loops, rest = _outside(node.body, other)
        touched = touched_by(rest, self.family)
        if any(other in self.family[name].axes for name in touched.changed | touched.read):
            return None
        return max((loop.tile for loop in loops), default=0)

    def _has_masked_chain(self, array: Array) -> bool:
        return array.chain in self.family.masked_axes

    def _computes_masked_chain(self, operation: Operation) -> bool:
        return operation.action == "compute" and self._has_masked_chain(self.family[operation.array])

    def _moves_masked_chain(self, operation: Operation, own: str) -> bool:
        """Whether a masked chain is moved, deleted or replaced whose lines are not along a loop's own axis."""
        name = operation.replacing if operation.action == "compute" else operation.array
        return (
            name is not None
            and self._has_masked_chain(self.family[name])
            and own not in self.family[name].axes
        )


def nodes_in(body: tuple[Node, ...]) -> Iterator[Node]:
    """Yield all nodes of a body."""
    for node in body:
        yield node
        if not isinstance(node, Operation):
            yield from nodes_in(node.body)


def outermost_loops(body: tuple[Node, ...], axis: str) -> list[Loop]:
    """Return the loops over an axis in a body that are in no other such loop."""
    return _outside(body, axis)[0]


def _outside(body: tuple[Node, ...], axis: str | None) -> tuple[list[Loop], tuple[Operation, ...]]:
    """Return the outermost loops over an axis in a body, and the operations outside of them."""
    loops, rest = list[Loop](), list[Operation]()
    for node in body:
        if isinstance(node, Operation):
            rest.append(node)
        elif isinstance(node, Loop) and node.axis == axis:
            loops.append(node)
        else:
            more, others = _outside(node.body, axis)
            loops += more
            rest += others
    return loops, tuple(rest)


class _About(NamedTuple):
    """What the loops that a condition is on have in common.

    Attributes
    ----------
    masked : bool
        Whether some of them are over a masked axis.
    told : bool
        Whether all run over the whole axis, not within a tile of it; or over an axis that is not masked.
    ordered : bool
        Whether none runs within a tile of its axis; or over an axis that is not masked.
    split : bool
        Whether inside some of them, over a masked axis, a loop splits their tiles.
    axes : frozenset of str
        The axes that they are over.
    """

    masked: bool
    told: bool
    ordered: bool
    split: bool
    axes: frozenset[str]

    def both(self, other: _About) -> _About:
        """Return what they have in common with more loops."""
        return _About(
            self.masked or other.masked,
            self.told and other.told,
            self.ordered and other.ordered,
            self.split or other.split,
            self.axes | other.axes,
        )


def _conditions(program: Program, family: Family) -> dict[int, dict[Condition, _About]]:
    """Return the conditions in the body of each loop, with what is known of the loops that they are on."""
    found: dict[int, dict[Condition, _About]] = {}

    def about(loop: Loop, around: tuple[Loop, ...]) -> _About:
        # Loops with one label, one in the other, are one loop for a condition: what the outermost runs over counts.
        root = next((at for at, other in enumerate(around) if other.label == loop.label), len(around))
        outermost = (*around, loop)[root]
        masked, whole = loop.axis in family.masked_axes, (outermost.start, outermost.stop) == (0, None)
        within = any(other.axis == loop.axis for other in around[:root])
        split = any(isinstance(inner, Loop) and inner.axis == loop.axis for inner in nodes_in(loop.body))
        return _About(
            masked,
            not masked or (whole and not within),
            not masked or not within,
            masked and split,
            frozenset([loop.axis]),
        )

    def visit(node: Node, around: tuple[Loop, ...]) -> None:
        if isinstance(node, Operation):
            return
        if isinstance(node, When):
            at = max(at for at, loop in enumerate(around) if loop.label == node.condition.label)
            now = about(around[at], around[:at])
            for loop in around:
                known = found.setdefault(id(loop), {})
                known[node.condition] = now.both(known.get(node.condition, now))
        for inside in node.body:
            visit(inside, (*around, node) if isinstance(node, Loop) else around)

    for part in program.phases:
        for node in part.body:
            visit(node, ())
    return found
