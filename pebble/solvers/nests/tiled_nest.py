"""A phase whose tile sizes are still open: loops, steps, the words it moves and the room it takes, its program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program.language import compute, delete, first, load, loop, not_first, store, when
from pebble.program.nodes import Loop, Nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

Polynomial = dict[tuple[str, ...], int]
"""The coefficient of every product of variables, each in alphabetical order; ``()`` is the constant term."""


def constant_of(value: int) -> Polynomial:
    """Return a number as a polynomial."""
    return {(): value}


def variable(name: str) -> Polynomial:
    """Return a variable by itself."""
    return {(name,): 1}


def added(one: Polynomial, other: Polynomial, times: int = 1) -> Polynomial:
    """Return ``one + times·other``."""
    total = dict(one)
    for names, factor in other.items():
        total[names] = total.get(names, 0) + times * factor
    return total


def product(factors: Iterable[Polynomial]) -> Polynomial:
    """Return the product of polynomials.

    >>> product([{("t",): 2, (): 1}, variable("u")])
    {('t', 'u'): 2, ('u',): 1}
    """
    total: Polynomial = {(): 1}
    for factor in factors:
        if len(factor) == 1 and () in factor:
            total = {names: value * factor[()] for names, value in total.items()}
            continue
        found: Polynomial = {}
        for left, a in total.items():
            for right, b in factor.items():
                names = tuple(sorted(left + right)) if left and right else left or right
                found[names] = found.get(names, 0) + a * b
        total = found
    return total


def evaluated(polynomial: Polynomial, values: Mapping[str, Any]) -> NDArray[Any] | int:
    """Return the value where the variables have these values: numbers, or arrays that broadcast."""
    total: NDArray[Any] | int = 0
    for names, factor in polynomial.items():
        term: NDArray[Any] | int = factor
        for name in names:
            term = term * values[name]
        total = total + term
    return total


def split_at(polynomial: Polynomial, name: str) -> tuple[Polynomial, Polynomial]:
    """Return a and b with ``polynomial = a + b·name``, for a variable that occurs at most once in each product."""
    without: Polynomial = {}
    factor: Polynomial = {}
    for names, value in polynomial.items():
        if name in names:
            rest = list(names)
            rest.remove(name)
            factor[tuple(rest)] = factor.get(tuple(rest), 0) + value
        else:
            without[names] = value
    return without, factor


def dominant(polynomials: Iterable[Polynomial]) -> list[Polynomial]:
    """Leave out every polynomial that some other equals or exceeds in each coefficient."""
    kept: list[Polynomial] = []
    for one in polynomials:
        if any(_covers(other, one) for other in kept):
            continue
        kept = [other for other in kept if not _covers(one, other)]
        kept.append(one)
    return kept


def _covers(one: Polynomial, other: Polynomial) -> bool:
    names = one.keys() | other.keys()
    return all(one.get(name, 0) >= other.get(name, 0) for name in names)


@dataclass(frozen=True)
class NestLoop:
    """A loop over tiles of an axis, or over its elements.

    Attributes
    ----------
    axis : str
    unit : bool
        Over the elements one by one; else in tiles of a size that is still open, a variable called like the axis.
    body : tuple of NestNode
    """

    axis: str
    unit: bool
    body: tuple[NestNode, ...]


@dataclass(frozen=True)
class NestStep:
    """An operation, or a remark for the accounts.

    Attributes
    ----------
    action : {"load", "unload", "reload", "store", "compute", "delete", "room", "free"}
        ``unload`` deletes what was loaded as an operand; ``reload`` loads a partial sum; from ``room`` to ``free`` the
        box of a computed array takes its place in fast memory.
    array : str
    replacing : str, optional
    only : tuple of (axis, which)
        Only in the ``"first"`` iteration of the loops over an axis, or in the ``"rest"``.
    """

    action: str
    array: str
    replacing: str | None = None
    only: tuple[tuple[str, str], ...] = ()


NestNode = NestLoop | NestStep


def steps(
    nodes: Iterable[NestNode], loops: tuple[NestLoop, ...] = ()
) -> Iterator[tuple[NestStep, tuple[NestLoop, ...]]]:
    """Yield the steps of a nest in their order, each with the loops around it, from the outside."""
    for node in nodes:
        if isinstance(node, NestLoop):
            yield from steps(node.body, (*loops, node))
        else:
            yield node, loops


def tile_count(axis: str) -> str:
    """Return what the number of tiles of an axis is called as a variable."""
    return f"#{axis}"


@dataclass(frozen=True)
class Needs:
    """What a nest needs, as polynomials in tile sizes and numbers of tiles.

    Attributes
    ----------
    words : Polynomial
        Words loaded and stored.
    rooms : list of Polynomial
        Words in fast memory, at every moment that may be the peak.
    """

    words: Polynomial
    rooms: list[Polynomial]


def needs_of(nodes: Iterable[NestNode], family: Family, extents: Mapping[str, int] | None = None) -> Needs:
    """Return what a nest needs; the room is that of whole tiles, which is never less than what is used.

    Parameters
    ----------
    nodes : iterable of NestNode
    family : Family
    extents : mapping of str to int, optional
        The lengths of the axes where they are not the family's: what the nest needs on a part of an axis.
    """
    accounts = _Accounts(family, extents or family.extents)
    for step, loops in steps(nodes):
        accounts.step(step, loops)
    return Needs(accounts.words, dominant(accounts.rooms))


class _Accounts:
    """Words moved so far, and words held."""

    def __init__(self, family: Family, extents: Mapping[str, int]) -> None:
        self.family, self.extents = family, extents
        self.words: Polynomial = {}
        self.live: Polynomial = {}
        self.rooms: list[Polynomial] = []

    def step(self, step: NestStep, loops: tuple[NestLoop, ...]) -> None:
        array = self.family[step.array]
        if step.action in ("load", "reload", "store"):
            self.words = added(self.words, self._moved(step, array, loops))
        if step.action in ("load", "room"):
            self.live = added(self.live, self._box(array, loops))
        if step.action in ("unload", "free"):
            self.live = added(self.live, self._box(array, loops), -1)
        if step.action == "load":
            self.rooms.append(self.live)
        if step.action == "compute":
            passing = step.replacing is not None or (
                array.chain is not None and self.extents[array.chain] > 1
            )
            self.rooms.append(added(self.live, constant_of(int(passing))))

    def _box(self, array: Array, loops: tuple[NestLoop, ...]) -> Polynomial:
        return product(self._tile(axis, loops) for axis in array.axes)

    def _tile(self, axis: str, loops: tuple[NestLoop, ...]) -> Polynomial:
        kinds = [one.unit for one in loops if one.axis == axis]
        if True in kinds:
            return constant_of(1)
        return variable(axis) if kinds else constant_of(self.extents[axis])

    def _moved(self, step: NestStep, array: Array, loops: tuple[NestLoop, ...]) -> Polynomial:
        only = dict(step.only)
        looped = [one.axis for one in loops]
        return product(
            self._along(axis, array, loops, only.get(axis, ""))
            for axis in dict.fromkeys([*array.axes, *looped])
        )

    def _along(self, axis: str, array: Array, loops: tuple[NestLoop, ...], which: str) -> Polynomial:
        own = [one for one in loops if one.axis == axis]
        extent = constant_of(self.extents[axis])
        if axis in array.axes:
            return extent
        if which == "first":
            return constant_of(1)
        pieces = extent if any(one.unit for one in own) else variable(tile_count(axis))
        return added(pieces, constant_of(-1)) if which == "rest" else pieces


_OPERATIONS = {"load": load, "reload": load, "store": store, "delete": delete, "unload": delete}


def written(nodes: Iterable[NestNode], sizes: Mapping[str, int]) -> tuple[Nodes, ...]:
    """Return the nodes of a program, with these tile sizes."""
    return tuple(_written(nodes, sizes, []))


def _written(
    nodes: Iterable[NestNode], sizes: Mapping[str, int], labels: list[tuple[str, str]]
) -> Iterator[Nodes]:
    for node in nodes:
        if isinstance(node, NestLoop):
            yield _loop(node, sizes, labels)
        elif node.action not in ("room", "free"):
            yield _guarded(_operation(node), list(node.only), labels)


def _loop(node: NestLoop, sizes: Mapping[str, int], labels: list[tuple[str, str]]) -> Loop:
    label = f"one {node.axis}" if any(axis == node.axis for axis, _ in labels) else node.axis
    body = tuple(_written(node.body, sizes, [*labels, (node.axis, label)]))
    return loop(node.axis, 1 if node.unit else sizes[node.axis], body, label=label)


def _operation(step: NestStep) -> Nodes:
    if step.action == "compute":
        return compute(step.array, step.replacing)
    return _OPERATIONS[step.action](step.array)


def _guarded(node: Nodes, only: list[tuple[str, str]], labels: list[tuple[str, str]]) -> Nodes:
    """Put a node under its conditions on the loops around."""
    for axis, which in only:
        around = [label for one, label in labels if one == axis]
        if which == "rest":
            node = _not_all_first(node, around)
        else:
            for label in reversed(around):
                node = when(first(label), node)
    return node


def _not_all_first(node: Nodes, around: list[str]) -> Nodes:
    if not around:
        return None
    rest = _not_all_first(node, around[1:])
    inner = when(first(around[0]), rest) if rest is not None else None
    return when(not_first(around[0]), node), inner
