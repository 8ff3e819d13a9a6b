"""The closed form of a program's I/O: exact, ragged tiles included, and printable as a formula.

An operation moves the product of the extents of its array's axes times the trip counts of the enclosing loops
that do not index it. Axes are independent of one another, so each contributes a factor of its own; under a mask the
queries and the keys contribute one together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pebble.computations.family import Family
from pebble.program.closed_forms.formula import (
    FORMULAS,
    NUMBERS,
    Algebra,
    Amount,
    Formula,
    total,
)
from pebble.program.nodes import Condition, Loop, Program
from pebble.program.parts_in_turn import check_parts, family_of_part
from pebble.program.places import Place, places
from pebble.program.steps import tile_count
from pebble.program.validation import validate

if TYPE_CHECKING:
    from pebble.program.closed_forms.quantities import Quantities

__all__ = ["ClosedForm", "closed_form", "words_moved"]

Enclosing = tuple[Loop, tuple[Condition, ...]]


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


def closed_form(program: Program, family: Family, phases: Collection[int] | None = None) -> ClosedForm:
    """Count a program's I/O without running it.

    Cost is proportional to the length of the program's text (for bare operations: to their number). Under a mask kept
    pair by pair also to the number of pairs and of tiles; under a band to the number of its pieces and of the tiles
    after which the cuts of both axes come at the same places again, whatever the numbers of queries and keys; under a
    union of bands or a mask of repeated blocks the same, where the cuts must come at the same places of a block too.

    Parameters
    ----------
    program : Program
    family : Family
    phases : collection of int, optional
        Count the loads and stores of these phases only, by number; of all by default.

    Raises
    ------
    InvalidInput
        If the program makes no sense for the family.
    NoClosedForm
        Under a mask, if there are too many blocks of tiles to sum over, or if the text does not say how far a chain
        has got that is moved before it is complete.

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
        return _form_of_parts(program, family, phases)
    quantities = _quantities(family, FORMULAS)
    moves: dict[str, dict[str, list[Formula]]] = {"load": {}, "store": {}}
    for place, moved in _moves(program, family, phases, quantities, FORMULAS):
        if int(moved):
            moves[place.operation.action].setdefault(place.operation.array, []).append(moved)
    reads, writes = ({name: total(parts) for name, parts in of.items()} for of in moves.values())
    return ClosedForm(reads, writes, _legend([*reads.values(), *writes.values()], quantities))


def words_moved(program: Program, family: Family, phases: Collection[int] | None = None) -> int:
    """Return the words of :func:`closed_form`, without formulas and names: in half the time, for searches.

    Raises
    ------
    InvalidInput, NoClosedForm
        As there.
    """
    if program.parts:
        return sum(times * words_moved(text, part, phases) for text, part, times in _parts(program, family))
    quantities = _quantities(family, NUMBERS)
    return sum(moved for _, moved in _moves(program, family, phases, quantities, NUMBERS))


def _form_of_parts(program: Program, family: Family, phases: Collection[int] | None) -> ClosedForm:
    """Return the words of a program for each part of a mask: numbers, since every length has its own formulas."""
    sums: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for text, part, times in _parts(program, family):
        form = closed_form(text, part, phases)
        for found, moved in zip(sums, (form.reads, form.writes), strict=True):
            for name, formula in moved.items():
                found[name] += times * int(formula)
    reads, writes = ({name: FORMULAS.constant(words) for name, words in one.items()} for one in sums)
    return ClosedForm(reads, writes)


def _parts(program: Program, family: Family) -> Iterator[tuple[Program, Family, int]]:
    """Yield the programs of the different parts, the computation of each, and how often it is there."""
    parts = check_parts(program, family)
    for one, mask, times in zip(program.parts, parts.masks, parts.times, strict=True):
        yield one.program, family_of_part(family, mask), times


def _moves(
    program: Program,
    family: Family,
    phases: Collection[int] | None,
    quantities: Quantities[Amount] | None,
    algebra: Algebra[Amount],
) -> Iterator[tuple[Place, Amount]]:
    """Yield where words are loaded and stored, and how many."""
    validate(program, family)
    all_places = list(places(program))
    computes = _chain_computes(all_places, family)
    for place in all_places:
        operation = place.operation
        if operation.action in ("load", "store") and (phases is None or place.path[0] in phases):
            yield place, _moved(place, family, quantities, computes.get(operation.array, ()), algebra)


def _quantities(family: Family, algebra: Algebra[Amount]) -> Quantities[Amount] | None:
    if not family.masked_axes:
        return None
    from pebble.program.closed_forms.quantities import Quantities

    return Quantities(family, algebra)


def _chain_computes(all_places: Iterable[Place], family: Family) -> dict[str, list[Place]]:
    """Where the chains that are masked are advanced."""
    found: dict[str, list[Place]] = {}
    for place in all_places:
        operation = place.operation
        if operation.action == "compute" and family[operation.array].chain in family.masked_axes:
            found.setdefault(operation.array, []).append(place)
    return found


def _legend(formulas: list[Formula], quantities: Quantities[Formula] | None) -> dict[str, str]:
    """The meaning of the names that occur."""
    if quantities is None:
        return {}
    names = {name for formula in formulas for name, _ in formula.values}
    return {name: meaning for name, meaning in quantities.legend.items() if name in names}


def _moved(
    place: Place,
    family: Family,
    quantities: Quantities[Amount] | None,
    computes: Sequence[Place],
    algebra: Algebra[Amount],
) -> Amount:
    """Words that all executions of a load or store move together."""
    operation = place.operation
    array = family[operation.array]
    at = {axis: stop - start for axis, start, stop in operation.at}
    total = algebra.constant(1)
    loops = _guarded(place)
    looped = {loop.axis for loop, _ in loops}
    for axis in dict.fromkeys([*array.axes, *looped]):
        if axis in family.masked_axes:
            continue
        own = [(loop, conditions) for loop, conditions in loops if loop.axis == axis]
        if axis in at:
            total = total * algebra.constant(at[axis])
        else:
            total = total * _axis_factor(axis, axis in array.axes, own, family, algebra)
    if quantities is None or not int(total):
        return total
    upto = None
    if array.chain in family.masked_axes:
        from pebble.program.closed_forms.chains import reached

        upto = reached(place, computes, array, family)
    return total * quantities.moved(place, array, upto)


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


def _axis_factor(
    axis: str, indexed: bool, loops: list[Enclosing], family: Family, algebra: Algebra[Amount]
) -> Amount:
    """Words along an axis of the array, or trips through the loops over an axis it does not have."""
    extent, name = family.extents[axis], family.symbols[axis]
    whole = algebra.symbol(name, extent)
    if not loops:
        return whole
    outermost = loops[0][0]
    if (outermost.start, outermost.stop) != (0, None):
        extent = (extent if outermost.stop is None else outermost.stop) - outermost.start
        rest = algebra.constant(outermost.start)
        whole = whole - rest if outermost.stop is None else algebra.constant(extent)
    pieces = _pieces(extent, loops)
    value = sum(length * times if indexed else times for length, times in pieces.items())
    if algebra.named:
        text = _indexed_text if indexed else _trip_text
        named = text(extent, whole, loops, algebra)
        if named is not None and int(named) == value:
            return named
    return algebra.constant(value)


def _pieces(extent: int, loops: list[Enclosing]) -> Counter[int]:
    """Lengths of the innermost tiles, with how often each occurs."""
    pieces = Counter({extent: 1} if extent else {})
    for loop, conditions in loops:
        cut: Counter[int] = Counter()
        for length, times in pieces.items():
            count = tile_count(0, length, loop.tile)
            ragged = length - (count - 1) * loop.tile
            chosen = _chosen(count, conditions)
            cut[ragged] += times * chosen[1]
            cut[loop.tile] += times * chosen[0]
        pieces = +cut
    return pieces


def _chosen(count: int, conditions: tuple[Condition, ...]) -> tuple[int, int]:
    """How many iterations but the last satisfy the conditions, and whether the last one does."""

    def holds(index: int) -> bool:
        return all(condition.holds_at(index, count) for condition in conditions)

    middle = (count - 2) * holds(1) if count > 2 else 0
    return (int(holds(0)) if count > 1 else 0) + middle, int(holds(count - 1))


def _indexed_text(
    extent: int, whole: Amount, loops: list[Enclosing], algebra: Algebra[Amount]
) -> Amount | None:
    conditions = [(loop, condition) for loop, own in loops for condition in own]
    if not conditions:
        return whole
    if len(conditions) == 1 and conditions[0][0] is loops[0][0]:
        loop, condition = conditions[0]
        if condition.which == "first" and extent > loop.tile:
            return whole - algebra.constant(loop.tile) if condition.negated else algebra.constant(loop.tile)
    return None


def _trip_text(extent: int, whole: Amount, loops: list[Enclosing], algebra: Algebra[Amount]) -> Amount | None:
    text = str(whole)
    conditions = [condition for _, own in loops for condition in own]
    tile = loops[-1][0].tile
    if len(loops) > 1 and (conditions or any(loop.tile % tile for loop, _ in loops[:-1])):
        return None
    count = tile_count(0, extent, tile)
    if tile == 1:
        trips = whole
    elif count <= 1:
        trips = algebra.constant(count)
    else:
        trips = algebra.symbol(f"⌈{text}/{tile}⌉" if text.isalnum() else f"⌈({text})/{tile}⌉", count)
    if not conditions:
        return trips
    if len(conditions) > 1:
        return None
    return trips - algebra.constant(1) if conditions[0].negated else algebra.constant(1)
