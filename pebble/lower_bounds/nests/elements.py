"""Which elements of the arrays of a loop nest are inputs, computed, and outputs; and how many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.points import TooManyPoints, affine_values, points_of
from pebble.computations.nests.statement import Access, Assignment, LoopNest
from pebble.lower_bounds.nests.affine_set import (
    AffineSet,
    domain,
    image,
    image_above,
    placed,
    union_count,
)

_MOST_LISTED = 1 << 18
"""The most points of a statement that are looked at one by one."""

_MOST_PARTS = 32
"""The most values of short indices at which an access is looked at by itself."""

_MOST_CLASSES = 4096
"""The most residues of places that are counted apart."""


class Elements:
    """The elements of a loop nest's arrays, counted.

    Parameters
    ----------
    nest : LoopNest

    Notes
    -----
    Elements are counted as affine sets in each residue class of their places, or else one by one. Where neither can be
    done (``A[2*i+3*j]`` for many i and j), numbers of words that are needed are rounded down, so that bounds stay true.
    """

    def __init__(self, nest: LoopNest) -> None:
        self.nest = nest
        self.domains = [domain(nest, statement) for statement in nest.statements]
        self.arrays = tuple(
            dict.fromkeys(access.array for s in nest.statements for access in (*s.reads, s.target))
        )
        self._reached = {
            (array, targets): list(self._reaches(array, targets))
            for array in self.arrays
            for targets in (False, True)
        }
        self._numbers: dict[tuple[str, bool], int] = {}

    def _reaches(self, array: str, targets: bool) -> Iterable[_Reach]:
        for points, statement in zip(self.domains, self.nest.statements, strict=True):
            for access in (statement.target,) if targets else statement.reads:
                if access.array == array and not points.is_empty():
                    yield _Reach(statement, points, access)

    def computed(self, array: str) -> list[AffineSet]:
        """Return sets that hold together every element of an array that is computed, and perhaps more."""
        return [image_above(one.points, one.access) for one in self._reached[array, True]]

    def surely_computed(self, array: str) -> list[AffineSet]:
        """Return sets of elements of an array that are computed, perhaps not all of them."""
        found = (image(one.points, one.access) for one in self._reached[array, True])
        return [exact for exact in found if exact is not None]

    def inputs(self, array: str) -> int:
        """Return how many elements of an array are inputs, or fewer."""
        return self._difference(array, targets=False)

    @cached_property
    def outputs(self) -> int:
        """How many elements are outputs, or fewer."""
        return sum(self.outputs_of(array) for array in self.nest.computed)

    def outputs_of(self, array: str) -> int:
        """Return how many elements of an array are outputs, or fewer."""
        return self._difference(array, targets=True)

    def _difference(self, array: str, targets: bool) -> int:
        """Return how many elements are computed and not read, or else read and not computed, or fewer."""
        if (array, targets) not in self._numbers:
            without = [] if targets and array in self.nest.outputs else self._reached[array, not targets]
            self._numbers[array, targets] = _count(self._reached[array, targets], without, self.nest.extents)
        return self._numbers[array, targets]

    @cached_property
    def all_inputs(self) -> int:
        """How many elements of all arrays are inputs, or fewer."""
        return sum(self.inputs(array) for array in self.arrays)

    def count_above(self, at: int, access: Access) -> int | None:
        """Return how many elements a statement reaches by an access, or more; None if that is too much to count."""
        try:
            return image_above(self.domains[at], access).count()
        except BoundDoesNotApply:
            return None

    def reached(self, statement: Assignment, accesses: Sequence[Access]) -> int | None:
        """Return how many elements of one array a statement reads by some accesses, or more; None as above."""
        points = self.domains[self.nest.statements.index(statement)]
        try:
            return union_count([image_above(points, access) for access in accesses])
        except BoundDoesNotApply:
            return None

    def computed_among(self, statement: Assignment, accesses: Sequence[Access]) -> int:
        """Return how many computed elements of one array a statement reads by some accesses, or more."""
        points = self.domains[self.nest.statements.index(statement)]
        reached = [image_above(points, access) for access in accesses]
        array = accesses[0].array
        everything = union_count(reached)
        return everything - union_count(reached, self.computed(array))


@dataclass(frozen=True)
class _Reach:
    """What a statement reaches by an access: elements at ``steps * x + offsets``, x in an affine set."""

    statement: Assignment
    points: AffineSet
    access: Access

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The greatest common factor of the terms of each place."""
        return tuple(math.gcd(*(factor for _, factor in one.terms)) or 1 for one in self.access.places)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Remainders of the places, divided by the steps."""
        return tuple(one.constant % step for one, step in zip(self.access.places, self.steps, strict=True))

    @cached_property
    def _quotients(self) -> Access:
        divided = (
            Affine(tuple((name, factor // step) for name, factor in one.terms), one.constant // step)
            for one, step in zip(self.access.places, self.steps, strict=True)
        )
        return Access(self.access.array, tuple(divided))

    @property
    def is_exact(self) -> bool:
        """Whether the set of all x is known."""
        return image(self.points, self._quotients) is not None

    def parts(self, extents: Mapping[str, int], most: int) -> list[_Reach]:
        """Return what is reached at each value of the shortest index, and so on, unless the set of all x is known."""
        names = {name for place in self.access.places for name in place.names}
        short = min(sorted(names), key=extents.__getitem__, default="")
        if self.is_exact or not short or extents[short] > most:
            return [self]
        index, found = Affine.index(short), []
        for value in range(extents[short]):
            places = (place + place.factor(short) * (-index + value) for place in self.access.places)
            points = self.points.where(index - value, -index + value)
            part = _Reach(self.statement, points, Access(self.access.array, tuple(places)))
            found += part.parts(extents, most // extents[short])
        return found

    def of_class(self, steps: Sequence[int], at: Sequence[int]) -> AffineSet | None:
        """Return all y with ``steps * y + at`` among the elements, or more; None if there is none."""
        places = []
        for axis, (step, offset) in enumerate(zip(self.steps, self.offsets, strict=True)):
            shift, rest = divmod(at[axis] - offset, step)
            if rest:
                return None
            places.append(steps[axis] // step * Affine.index(str(axis)) + shift)
        found = image_above(self.points, self._quotients)
        return AffineSet(found.names, ()).where(*placed(found.conditions, Access("", tuple(places))))


def _count(some: list[_Reach], without: list[_Reach], extents: Mapping[str, int]) -> int:
    """Return how many elements are reached by some accesses and by none of the others, or fewer."""
    parts, others = (
        [part for one in each for part in one.parts(extents, _MOST_PARTS)] for each in (some, without)
    )
    exact = [one for one in parts if one.is_exact]
    known = len(exact) == len(parts) and all(one.is_exact for one in others)
    found = _count_classes(exact, others)
    if known and found is not None:
        return found
    try:
        return len(_listed(some, extents) - _listed(without, extents))
    except TooManyPoints:
        return (
            max((_count_classes([one], others) or 0 for one in exact), default=0) if found is None else found
        )


def _count_classes(some: list[_Reach], without: list[_Reach]) -> int | None:
    """Count affine sets of elements, those in each residue class of their places apart; None if that is too much."""
    steps = [math.lcm(*each) for each in zip(*(one.steps for one in (*some, *without)), strict=True)]
    sizes = (sum(step // one.steps[axis] for one in some) for axis, step in enumerate(steps))
    if math.prod(sizes) > _MOST_CLASSES:
        return None
    residues = (
        {at for one in some for at in range(one.offsets[axis], step, one.steps[axis])}
        for axis, step in enumerate(steps)
    )
    total = 0
    for at in product(*residues) if some else ():
        inside, outside = (
            [found for one in reaches if (found := one.of_class(steps, at)) is not None]
            for reaches in (some, without)
        )
        try:
            total += union_count(inside, outside)
        except BoundDoesNotApply:
            return None
    return total


def _listed(reaches: list[_Reach], extents: Mapping[str, int]) -> set[tuple[int, ...]]:
    """Return all elements that some accesses reach."""
    found: set[tuple[int, ...]] = set()
    for one in reaches:
        points = points_of(one.statement, extents, _MOST_LISTED)
        columns = [affine_values(place, one.statement.indices, points) for place in one.access.places]
        found |= set(map(tuple, np.array(columns).reshape(len(columns), len(points)).T.tolist()))
    return found
