"""Programs for several devices: what each device does, in turns, with words that it receives from others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from pebble.common.errors import InvalidInput
from pebble.program.language import loop
from pebble.program.nodes import Loop, Node, Nodes, Operation, Phase, Program, When, pseudo_code

__all__ = ["TOKEN_AXES", "DeviceProgram", "devices", "discard", "neighbour", "own_tile", "receive", "turns"]

TOKEN_AXES = ("i", "j")
"""Queries and keys: a tile of each is on each device."""

_NEIGHBOUR = re.compile(r"(\w+) ([+-]) (\d+)")


@dataclass(frozen=True)
class DeviceProgram:
    """What each of several devices does.

    Every device owns a tile of tokens: of Q, K, V at the start, and of O at the end. In the body an axis that is named
    in ``own`` means the device's part of it; another one means all of it, and a turn visits the devices' tiles.

    Parameters
    ----------
    coordinates : tuple of (str, int)
        The devices: ``(("p", 8),)``, or rows and columns, ``(("r", 2), ("c", 3))``.
    own : tuple of (str, tuple of str)
        Axes of which a device works on its part only, each with the coordinates that the parts are numbered by.
    body : tuple of Node
        Receives, discards, turns and conditions on them, and loop nests between them.

    Raises
    ------
    InvalidInput
        For unknown coordinates or labels, a turn inside a turn along the same coordinate, a receive from nobody.
    """

    coordinates: tuple[tuple[str, int], ...]
    own: tuple[tuple[str, tuple[str, ...]], ...]
    body: tuple[Node, ...]

    def __post_init__(self) -> None:
        for name, size in self.coordinates:
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise InvalidInput(f"devices {name}: there must be a positive whole number, not {size!r}")
        for axis, names in self.own:
            for name in names:
                self._check_coordinate(name, f"own part of {axis}")
        self._check(self.body, [])

    @property
    def P(self) -> int:
        """Number of devices."""
        return prod(size for _, size in self.coordinates)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of devices along each coordinate."""
        return tuple(size for _, size in self.coordinates)

    def place(self, coordinate: str) -> int:
        """Return the number of a coordinate."""
        return [name for name, _ in self.coordinates].index(coordinate)

    def own_places(self, axis: str) -> tuple[int, ...]:
        """Return the numbers of the coordinates by which the parts of an axis are numbered."""
        return tuple(self.place(name) for name in dict(self.own).get(axis, ()))

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} = 0..{size - 1}" for name, size in self.coordinates)
        own = ", ".join(f"{axis} by {', '.join(names)}" for axis, names in self.own if names)
        lines = [f"devices {numbers}: {own or 'all of i and j'}"]
        lines += [f"    {line.text}" for line in pseudo_code(Program((Phase("", self.body),)))]
        return "\n".join(lines)

    def _check_coordinate(self, name: str, where: str) -> None:
        known = [one for one, _ in self.coordinates]
        if name not in known:
            raise InvalidInput(
                f"{where}: the devices have no coordinate {name!r}; they have {', '.join(known)}"
            )

    def _check(self, nodes: tuple[Node, ...], around: list[Loop]) -> None:
        for node in nodes:
            if isinstance(node, Operation):
                self._check_operation(node, around)
            elif isinstance(node, When):
                if node.condition.label not in {one.label for one in around}:
                    raise InvalidInput(f"condition on {node.condition}: no enclosing loop is called that")
                self._check(node.body, around)
            else:
                self._check_turn(node, around)
                self._check(node.body, [*around, node])

    def _check_turn(self, node: Loop, around: list[Loop]) -> None:
        if any(one.label == node.label for one in around):
            raise InvalidInput(f"two nested loops are both called {node.label!r}: give one another label")
        if not node.turn:
            return
        self._check_coordinate(node.turn, f"turns of {node.axis}")
        if any(not one.turn for one in around):
            raise InvalidInput(f"turns of {node.axis} stand in a loop over tiles: turns stand outside")
        where = f"turns of {node.axis} along {node.turn}"
        around = [one for one in around if one.turn == node.turn]
        if any(one.axis == node.axis or None is one.stop is node.stop for one in around):
            raise InvalidInput(f"{where} stand in turns along {node.turn}")
        if node.axis not in TOKEN_AXES and node.turn not in dict(self.own).get(node.axis, ()):
            raise InvalidInput(f"{where}: no device has a part of {node.axis} of its own")

    def _check_operation(self, node: Operation, around: list[Loop]) -> None:
        if node.action not in ("receive", "discard"):
            return
        if any(not one.turn for one in around):
            raise InvalidInput(f"{node}: devices exchange whole tiles, outside all loops but turns")
        if node.action == "receive" and node.source == "owner":
            if not around:
                raise InvalidInput(
                    f"{node}: the owner is that of the tile of a turn, and there is no turn around"
                )
        elif node.action == "receive":
            self._check_coordinate(neighbour(node.source)[0], str(node))


def neighbour(source: str) -> tuple[str, int]:
    """Return the coordinate and the distance of a neighbour: ``p - 1`` is one before.

    >>> neighbour("p - 1"), neighbour("c + 2")
    (('p', 1), ('c', -2))
    """
    match = _NEIGHBOUR.fullmatch(source)
    if match is None:
        raise InvalidInput(f"receive from {source!r}: say owner, or a neighbour such as 'p - 1'")
    distance = int(match[3])
    return match[1], distance if match[2] == "-" else -distance


def devices(number: int | Mapping[str, int], *body: Nodes, **own: str | tuple[str, ...]) -> DeviceProgram:
    """Write what each of several devices does.

    Parameters
    ----------
    number : int or mapping of str to int
        How many devices there are, numbered by p; or along each coordinate: ``{"r": 2, "c": 3}``.
    *body
        Nodes.
    **own
        For an axis of which a device works on its part only: the coordinate, or coordinates, that number the parts.

    Examples
    --------
    >>> from pebble.program.language import not_first, when
    >>> print(devices(4, turns("j", when(not_first("r"), receive("K", "V", source="p - 1"))), i="p"))
    devices p = 0..3: i by p
        for each turn r of j (tile p - r):
            if not the first r: receive K, V from p - 1
    """
    named = {"p": number} if isinstance(number, int) else dict(number)
    parts = tuple((axis, (names,) if isinstance(names, str) else tuple(names)) for axis, names in own.items())
    nodes = loop("i", 1, *body).body
    return DeviceProgram(tuple(named.items()), parts, nodes)


def turns(axis: str, *body: Nodes, along: str = "p", label: str = "r", start: int = 0) -> Loop:
    """Loop over the devices' tiles in cyclic order: in turn r that of device p - r, from turn ``start`` on."""
    nodes = loop(axis, 1, *body).body
    return Loop(axis, 1, nodes, start, label=label, turn=along)


def own_tile(axis: str, *body: Nodes, along: str = "p") -> Loop:
    """Nodes that are about the device's own tile of an axis: the first turn alone."""
    return Loop(axis, 1, loop(axis, 1, *body).body, stop=1, label=f"own {axis} along {along}", turn=along)


def receive(*arrays: str, source: str = "owner", adding: bool = False) -> tuple[Operation, ...]:
    """Receive the current tile of arrays: from the owner of the turn's tile, or from a neighbour, ``"p - 1"``."""
    return tuple(Operation("receive", array, source=source, adding=adding) for array in arrays)


def discard(*arrays: str) -> tuple[Operation, ...]:
    """Discard the current tile of arrays from the device's memory, once those who fetch it now have done so."""
    return tuple(Operation("discard", array) for array in arrays)
