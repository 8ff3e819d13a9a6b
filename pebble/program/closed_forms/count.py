"""The closed form of a program's I/O: exact, ragged tiles included, and printable as a formula.

An operation moves the product of the extents of its array's axes times the trip counts of the enclosing loops
that do not index it. Axes are independent of one another, so each contributes a factor of its own; under a mask the
queries and the keys contribute one together, which the fold over boxes counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pebble.common.errors import NoClosedForm, TooManyOperations
from pebble.computations.family import Family
from pebble.program.closed_forms.formula import Formula, constant, symbol, total
from pebble.program.closed_forms.quantities import Enclosing, Names, pieces, rounded_up
from pebble.program.counting.effects import Fold
from pebble.program.counting.lexical import lexical
from pebble.program.counting.life import Unproved
from pebble.program.counting.proof import proof
from pebble.program.counting.texts import Text, texts_in_turn
from pebble.program.nodes import Loop, Program
from pebble.program.places import Place, places
from pebble.program.steps import tile_count
from pebble.program.validation import validate


@dataclass(frozen=True)
class ClosedForm:
    """Words loaded and stored by a program, array by array.

    Attributes
    ----------
    reads, writes : dict of str to Formula
        Only arrays that are loaded (stored) at all.
    legend : dict of str to str
        What the names mean that stand for what a mask decides, such as ``tiles(192×1)``.
    """

    reads: dict[str, Formula]
    writes: dict[str, Formula]
    legend: dict[str, str] = field(default_factory=dict)

    @property
    def total_reads(self) -> Formula:
        """Sum of the reads."""
        return total(self.reads.values())

    @property
    def total_writes(self) -> Formula:
        """Sum of the writes."""
        return total(self.writes.values())

    @property
    def io(self) -> Formula:
        """Loads plus stores."""
        return self.total_reads + self.total_writes


def closed_form(program: Program, family: Family, *, legal: bool = False) -> ClosedForm:
    """Count a program's I/O without running it.

    Cost is proportional to the length of the program's text (for bare operations: to their number); under a mask the
    text is proved to be legal besides, and folded over the tiles that it visits.

    Parameters
    ----------
    program : Program
    family : Family
    legal : bool
        Take the program to be legal, so that under a mask nothing is proved: for what one level sees of a program for
        several, which need not be legal by itself.

    Raises
    ------
    InvalidInput
        If the program makes no sense for the family.
    NoClosedForm
        Under a mask, if the text does not prove that the program is legal, or if there are too many tiles.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program.language import compute, delete, load, loop, program, store
    >>> text = program(loop("i", 8, loop("j", 3,
    ...     loop("k", 1, load("A", "B"), compute("C"), delete("A", "B")), store("C"), delete("C"))))
    >>> print(closed_form(text, matmul_family(100, 50, 20)).io)
    k·m·⌈n/3⌉ + k·n·⌈m/8⌉ + m·n
    """
    if program.parts:
        # Numbers: every length has formulas of its own.
        found = words_by_array(program, family, proved=not legal)
        reads, writes = ({name: constant(words) for name, words in side.items()} for side in found)
        return ClosedForm(reads, writes)
    validate(program, family)
    text = texts_in_turn(program, family)[0][0]
    progress, folded = _folded(text, proved=not legal) if family.masked_axes else ({}, {})
    names = Names(family)
    moves: dict[str, dict[str, list[Formula]]] = {"load": {}, "store": {}}
    for place in _moves(program, family):
        array = family[place.operation.array]
        moved = constant(_cost(place, family))
        for axis, loops, words in _factors(place, family):
            moved *= _told(axis, axis in array.axes, loops, words, family)
        if family.masked_axes and int(moved):
            number, rest = divmod(folded.get(place.path, 0), int(moved))
            assert not rest
            moved *= names.of(place, array, progress.get(place.path, "all"), number)
        if int(moved):
            moves[place.operation.action].setdefault(place.operation.array, []).append(moved)
    reads, writes = ({name: total(parts) for name, parts in of.items()} for of in moves.values())
    used = {name for formula in (*reads.values(), *writes.values()) for name, _ in formula.values}
    return ClosedForm(reads, writes, {name: text for name, text in names.legend.items() if name in used})


def words_moved(program: Program, family: Family) -> int:
    """Return the words of :func:`closed_form`, without formulas, names and proof, for searches."""
    reads, writes = words_by_array(program, family)
    return sum(reads.values()) + sum(writes.values())


def words_by_array(
    program: Program, family: Family, *, proved: bool = False
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return the words loaded and stored of each array, of a program that is taken to be legal, or proved to be.

    Raises
    ------
    InvalidInput, NoClosedForm
        As of :func:`closed_form`.
    """
    reads, writes = Counter[str](), Counter[str]()
    for text in texts_in_turn(program, family)[0]:
        validate(text.program, text.family)
        folded = _folded(text, proved=proved)[1] if text.family.masked_axes else None
        for place in _moves(text.program, family):
            if folded is None:
                words = math.prod(factor for _, _, factor in _factors(place, text.family))
                words *= _cost(place, text.family)
            else:
                words = folded.get(place.path, 0)
            side = reads if place.operation.action == "load" else writes
            side[place.operation.array] += text.times * words
    return +reads, +writes


def _moves(program: Program, family: Family) -> Iterator[Place]:
    """Yield the loads and stores of a program that may move words: not of an array that is never computed."""
    every = list(places(program))
    there = {place.operation.array for place in every if place.operation.action == "compute"}
    there |= {array.name for array in family.arrays if array.is_input}
    for place in every:
        action, name = place.operation.action, place.operation.array
        if action in ("load", "store") and name in there and _cost(place, family):
            yield place


def _cost(place: Place, family: Family) -> int:
    """Return the words that an operation moves of an element."""
    return family[place.operation.array].cost(place.operation.action, place.operation.resumes)


def _folded(text: Text, *, proved: bool) -> tuple[dict[tuple[int, ...], str], dict[tuple[int, ...], int]]:
    """Return how far the chains have got at each operation, and the words that it moves."""
    if any(part.generate is not None for part in text.program.phases):
        raise NoClosedForm("operations are generated one by one")
    try:
        here = proof(*text[:2])[0] if proved else lexical(*text[:2])
        moved = Fold(text, here).moved
    except Unproved as reason:
        raise NoClosedForm(f"the text does not prove that the program is legal ({reason})") from None
    except TooManyOperations as reason:
        raise NoClosedForm(str(reason)) from None
    return {path: at.place for path, at in here.items()}, {path: int(one[0]) for path, one in moved.items()}


def _factors(place: Place, family: Family) -> Iterator[tuple[str, list[Enclosing], int]]:
    """Yield the axes without a mask, their loops, and words along them (or trips) of all executions of an operation."""
    axes = family[place.operation.array].axes
    at = {axis: stop - start for axis, start, stop in place.operation.at}
    loops = _guarded(place)
    for axis in dict.fromkeys([*axes, *(loop.axis for loop, _ in loops)]):
        if axis not in family.masked_axes:
            own = [(loop, conditions) for loop, conditions in loops if loop.axis == axis]
            if axis in at:
                yield axis, own, at[axis]
                continue
            found = pieces(_span(axis, own, family), own)
            yield axis, own, sum(length * times if axis in axes else times for length, times in found.items())


def _guarded(place: Place) -> list[Enclosing]:
    """The loops around a place, each with the conditions on it."""
    found: list[Enclosing] = []
    for node in place.around:
        if isinstance(node, Loop):
            found.append((node, ()))
        else:
            found = [
                (loop, (*conditions, node) if loop.label == node.label else conditions)
                for loop, conditions in found
            ]
    return found


def _span(axis: str, loops: list[Enclosing], family: Family) -> int:
    """Return the length of what the loops over an axis run over."""
    extent = family.extents[axis]
    if not loops:
        return extent
    outermost = loops[0][0]
    return (extent if outermost.stop is None else outermost.stop) - outermost.start


def _told(axis: str, indexed: bool, loops: list[Enclosing], value: int, family: Family) -> Formula:
    """Return words along an axis of the array, or trips through loops over an axis it does not have, as a formula."""
    whole, span = symbol(family.symbols[axis], family.extents[axis]), _span(axis, loops, family)
    found: Formula | None = whole
    if loops:
        outermost = loops[0][0]
        whole = constant(span) if outermost.stop is not None else whole - constant(outermost.start)
        found = (_indexed_text if indexed else _trip_text)(span, whole, loops)
    return found if found is not None and int(found) == value else constant(value)


def _indexed_text(extent: int, whole: Formula, loops: list[Enclosing]) -> Formula | None:
    conditions = [(loop, condition) for loop, own in loops for condition in own]
    if not conditions:
        return whole
    if len(conditions) == 1 and conditions[0][0] is loops[0][0]:
        loop, condition = conditions[0]
        if condition.which == "first" and extent > loop.tile:
            return whole - constant(loop.tile) if condition.negated else constant(loop.tile)
    return None


def _trip_text(extent: int, whole: Formula, loops: list[Enclosing]) -> Formula | None:
    conditions = [condition for _, own in loops for condition in own]
    tile = loops[-1][0].tile
    if len(loops) > 1 and (conditions or any(loop.tile % tile for loop, _ in loops[:-1])):
        return None
    count = tile_count(0, extent, tile)
    if tile == 1:
        trips = whole
    elif count <= 1:
        trips = constant(count)
    else:
        trips = rounded_up(whole, tile, count)
    if not conditions:
        return trips
    if len(conditions) > 1:
        return None
    return trips - constant(1) if conditions[0].negated else constant(1)
