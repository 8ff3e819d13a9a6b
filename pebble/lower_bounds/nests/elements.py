"""Which elements of the arrays of a loop nest are inputs, computed, and outputs; and how many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.statement import Access, Assignment, LoopNest
from pebble.lower_bounds.nests.affine_set import AffineSet, domain, image, image_above, union_count

__all__ = ["Elements"]


class Elements:
    """The elements of a loop nest's arrays, counted.

    Parameters
    ----------
    nest : LoopNest

    Notes
    -----
    Where an access reaches no affine set (``A[2*i]``), or there are too many points to count, numbers of words that are
    needed are rounded down, so that bounds stay true.
    """

    def __init__(self, nest: LoopNest) -> None:
        self.nest = nest
        self.domains = [domain(nest, statement) for statement in nest.statements]
        self.arrays = tuple(
            dict.fromkeys(access.array for s in nest.statements for access in (*s.reads, s.target))
        )
        self._computed = {array: list(self._sets(array, targets=True)) for array in self.arrays}
        self._read = {array: list(self._sets(array, targets=False)) for array in self.arrays}
        self._inputs: dict[str, int] = {}

    def _sets(self, array: str, targets: bool) -> Iterable[tuple[AffineSet | None, AffineSet]]:
        for points, statement in zip(self.domains, self.nest.statements, strict=True):
            for access in (statement.target,) if targets else statement.reads:
                if access.array == array and not points.is_empty():
                    yield image(points, access), image_above(points, access)

    def computed(self, array: str) -> list[AffineSet]:
        """Return sets that hold together every element of an array that is computed, and perhaps more."""
        return [above for _, above in self._computed[array]]

    def surely_computed(self, array: str) -> list[AffineSet]:
        """Return sets of elements of an array that are computed, perhaps not all of them."""
        return [exact for exact, _ in self._computed[array] if exact is not None]

    def inputs(self, array: str) -> int:
        """Return how many elements of an array are inputs, or fewer."""
        if array not in self._inputs:
            sets = [exact for exact, _ in self._read[array] if exact is not None]
            self._inputs[array] = _at_least(sets, self.computed(array))
        return self._inputs[array]

    @cached_property
    def outputs(self) -> int:
        """How many elements are outputs, or fewer."""
        return sum(self.outputs_of(array) for array in self.nest.computed)

    def outputs_of(self, array: str) -> int:
        """Return how many elements of an array are outputs, or fewer."""
        read = [] if array in self.nest.outputs else [above for _, above in self._read[array]]
        return _at_least(self.surely_computed(array), read)

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
        """Return how many computed elements of one array a statement reads by some accesses, or more.

        Raises
        ------
        BoundDoesNotApply
            If that is too much to count.
        """
        points = self.domains[self.nest.statements.index(statement)]
        reached = [image_above(points, access) for access in accesses]
        array = accesses[0].array
        everything = union_count(reached)
        return everything - union_count(reached, self.computed(array))


def _at_least(sets: list[AffineSet], without: list[AffineSet]) -> int:
    """Count a union, leaving out sets that are too much to count."""
    try:
        return union_count(sets, without)
    except BoundDoesNotApply:
        counts = []
        for one in sets:
            try:
                counts.append(union_count([one], without))
            except BoundDoesNotApply:
                continue
        return max(counts, default=0)
