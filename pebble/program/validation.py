"""What a program must be for a family: known arrays, axes and labels, tiles and parts that make sense."""

from __future__ import annotations

from collections.abc import Mapping

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.program.nodes import Loop, Node, Operation, Phase, Program, When


def validate(program: Program, family: Family, levels: int = 1) -> None:
    """Raise InvalidInput where a program does not make sense for a family.

    Unknown arrays, axes or labels, tiles of no length, a part of an axis inside a loop over the same axis,
    explicit boxes inside a loop over their axis, a replaced array of another shape, operations at other memory
    levels than the ``levels`` that there are, or a phase that reads an input in two directions.
    """
    if program.parts:
        raise InvalidInput(
            "a program for each part of a mask is not one nest of loops: written_out(program, family) has them all"
        )
    for part in program.phases:
        if family.read_both_ways:
            _validate_directions(part, family.read_both_ways)
        for node in part.nodes():
            if part.generate is not None and not isinstance(node, Operation):
                raise InvalidInput(
                    f"a generated phase must yield single operations, not {type(node).__name__.lower()}s"
                )
            _validate_node(node, family, [], levels)


def _validate_directions(part: Phase, inputs: Mapping[str, str]) -> None:
    """Refuse a phase that reads an input in two directions: fast memory would hold a word twice."""
    named, nodes = dict[str, str](), list(part.nodes())
    while nodes:
        node = nodes.pop()
        if not isinstance(node, Operation):
            nodes += node.body
        elif (of := inputs.get(node.array)) and named.setdefault(of, node.array) != node.array:
            one, other = sorted((named[of], node.array))
            raise InvalidInput(
                f"{one} and {other} are {of}, read in two directions: use one of them in a phase"
            )


def _validate_level(node: Operation, levels: int) -> None:
    if node.action == "compute" and node.level != 1:
        raise InvalidInput(f"{node}: only the innermost level computes; leave the level out")
    if 1 <= node.level <= levels:
        return
    if levels == 1:
        raise InvalidInput(
            f"{node}: this is a program for several memory levels, but one size was given; use "
            "project(program, level) for one boundary, or run_levels for all"
        )
    raise InvalidInput(f"{node}: there is no level {node.level}; the levels are 1 to {levels}")


def _validate_node(node: Node, family: Family, enclosing: list[Loop], levels: int) -> None:
    if isinstance(node, Operation):
        _validate_level(node, levels)
        _validate_operation(node, family, enclosing)
        return
    if isinstance(node, When):
        if node.condition.label not in {outer.label for outer in enclosing}:
            raise InvalidInput(f"condition on {node.condition}: no enclosing loop has that label")
    else:
        _validate_loop(node, family, enclosing)
        enclosing = [*enclosing, node]
    for inner in node.body:
        _validate_node(inner, family, enclosing, levels)


def _validate_loop(node: Loop, family: Family, enclosing: list[Loop]) -> None:
    if node.axis not in family.extents:
        raise InvalidInput(f"loop over {node.axis}: {family.name} has axes {', '.join(family.extents)}")
    if node.tile < 1:
        raise InvalidInput(f"loop over {node.axis}: the tile length must be at least 1, not {node.tile}")
    goes_on = node.axis in family.masked_axes
    if any(outer.label == node.label and not (goes_on and outer.axis == node.axis) for outer in enclosing):
        raise InvalidInput(f"two nested loops are both called {node.label!r}: give one of them another label")
    if (node.start, node.stop) == (0, None):
        return
    extent = family.extents[node.axis]
    if not 0 <= node.start <= (extent if node.stop is None else node.stop) <= extent:
        raise InvalidInput(f"loop over {node.axis} in [{node.start}, {node.stop}): the axis has {extent}")
    if any(outer.axis == node.axis for outer in enclosing):
        raise InvalidInput(f"a loop over part of {node.axis} cannot be inside another loop over {node.axis}")


def _validate_operation(node: Operation, family: Family, enclosing: list[Loop]) -> None:
    array = family[node.array]
    if node.action == "compute" and array.is_input:
        raise InvalidInput(f"compute {node.array}: {node.array} is an input; load it")
    if node.replacing is not None and (
        node.replacing == node.array or set(family[node.replacing].axes) != set(array.axes)
    ):
        raise InvalidInput(f"{node}: only another array with the same axes can be replaced")
    if node.replacing is not None and array.chain in family.masked_axes:
        raise InvalidInput(f"{node}: a chain that is masked cannot replace another array")
    for axis, start, stop in node.at:
        if axis not in array.indices or not 0 <= start < stop <= family.extents[axis]:
            raise InvalidInput(f"{node}: {axis}={start}:{stop} is not an interval of an axis of {node.array}")
        if any(outer.axis == axis for outer in enclosing):
            raise InvalidInput(f"{node}: an explicit interval of {axis} cannot be inside a loop over {axis}")
