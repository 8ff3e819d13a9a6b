"""What is known of a loop's body from its text alone, under a mask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pebble.program.machine.loops import Touched, touched_by
from pebble.program.nodes import Condition, Loop, Operation, When

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.nodes import Node, Program

__all__ = ["Bodies", "Body"]


@dataclass(frozen=True)
class Body:
    """A loop's body.

    Attributes
    ----------
    touched : Touched
        The arrays it uses.
    conditions : tuple of Condition
        The conditions in it.
    split_conditions : tuple of Condition
        Those on loops over a masked axis whose tiles are split by further loops: the mask around the current tiles
        does not tell them, but that around the split tile does.
    told : bool
        Whether the mask tells all conditions in it that are on loops over masked axes, and no operation in it has an
        explicit box.
    in_place : bool
        Whether it matters where in their tile the lines of the other masked axis lie; if not, they are visited one
        by one.
    own_lines : bool
        Whether it has nothing to do with pairs of queries and keys, nor with chains over its loop's axis, only with
        lines of it.
    moves_chains : bool
        Whether a chain that is masked is moved, deleted or replaced, which takes as many words as have begun.
    """

    touched: Touched
    conditions: tuple[Condition, ...]
    split_conditions: tuple[Condition, ...]
    told: bool
    in_place: bool
    own_lines: bool
    moves_chains: bool


class Bodies:
    """The bodies of a program's loops, each read once.

    Parameters
    ----------
    program : Program
    family : Family
        Under a mask.
    """

    def __init__(self, program: Program, family: Family) -> None:
        self.family = family
        self._known: dict[int, Body] = {}
        self._labels = _labels(program, family)

    def of(self, node: Loop) -> Body:
        """Return what is known of a loop's body."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self._read(node)
        return known

    def _read(self, node: Loop) -> Body:
        inside = list(_nodes(node.body))
        operations = [inner for inner in inside if isinstance(inner, Operation)]
        axes = [(inner.axis, inner.tile) for inner in inside if isinstance(inner, Loop)]
        conditions = tuple(dict.fromkeys(inner.condition for inner in inside if isinstance(inner, When)))
        touched = touched_by(node.body, self.family)
        masked = self.family.masked_axes
        return Body(
            touched=touched,
            conditions=conditions,
            split_conditions=tuple(
                condition for condition in conditions if self._labels[condition.label].split
            ),
            told=not any(operation.at for operation in operations)
            and all(self._labels[condition.label].told for condition in conditions),
            in_place=any(axis == node.axis or (axis in masked and tile > 1) for axis, tile in axes),
            own_lines=not any(axis in masked for axis, _ in axes)
            and not any(self.family[name].chain == node.axis for name in touched.changed | touched.read)
            and not any(self._labels[condition.label].masked for condition in conditions)
            and not any(set(masked) <= set(self.family[name].axes) for name in touched.changed | touched.read)
            and not any(self._computes_masked_chain(operation) for operation in operations),
            moves_chains=any(self._moves_masked_chain(operation) for operation in operations),
        )

    def _has_masked_chain(self, array: Array) -> bool:
        return array.chain in self.family.masked_axes

    def _computes_masked_chain(self, operation: Operation) -> bool:
        return operation.action == "compute" and self._has_masked_chain(self.family[operation.array])

    def _moves_masked_chain(self, operation: Operation) -> bool:
        name = operation.replacing if operation.action == "compute" else operation.array
        return name is not None and self._has_masked_chain(self.family[name])


def _nodes(body: tuple[Node, ...]) -> Iterator[Node]:
    """Yield all nodes of a body."""
    for node in body:
        yield node
        if not isinstance(node, Operation):
            yield from _nodes(node.body)


class _Label(NamedTuple):
    """What the loops with one label have in common.

    Attributes
    ----------
    axis : str
    masked : bool
        Whether some of them are over a masked axis.
    told : bool
        Whether all run over the whole axis, not within a tile of it; or over an axis that is not masked.
    split : bool
        Whether inside some of them, over a masked axis, a loop splits their tiles.
    """

    axis: str
    masked: bool
    told: bool
    split: bool


def _labels(program: Program, family: Family) -> dict[str, _Label]:
    """Return what is known of the loops with each label."""
    found: dict[str, _Label] = {}

    def visit(node: Node, around: frozenset[str]) -> None:
        if isinstance(node, Operation):
            return
        if isinstance(node, Loop):
            axis, masked = node.axis, node.axis in family.masked_axes
            told = not masked or ((node.start, node.stop) == (0, None) and axis not in around)
            inner = any(isinstance(other, Loop) and other.axis == axis for other in _nodes(node.body))
            known = found.get(node.label, _Label(axis, False, True, False))
            found[node.label] = _Label(
                axis,
                masked or known.masked,
                told and known.told and axis == known.axis,
                known.split or (masked and inner),
            )
            around = around | {axis}
        for inside in node.body:
            visit(inside, around)

    for part in program.phases:
        for node in part.body:
            visit(node, frozenset())
    return found
