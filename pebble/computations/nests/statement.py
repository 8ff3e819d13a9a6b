"""Statements of a loop nest: an assignment for every point of a set of loop indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pebble.computations.nests.affine import Affine


@dataclass(frozen=True)
class Access:
    """An element of an array, its place given by affine expressions of loop indices: ``A[i, k - 1]``."""

    array: str
    places: tuple[Affine, ...]

    def __str__(self) -> str:
        places = ",".join(str(place).replace(" ", "") for place in self.places)
        return f"{self.array}[{places}]" if self.places else self.array


@dataclass(frozen=True)
class Assignment:
    """An assignment, for every point of its loop indices that meets its conditions.

    Parameters
    ----------
    target : Access
        What is computed.
    adds : bool
        ``+=``: one vertex per point, a chain over the indices that the target does not have; the first step reads
        only ``reads``, unless an earlier statement computes the same element. Else ``=``: one vertex per point, each
        element computed once.
    reads : tuple of Access
        What each vertex reads, each element once; of an array that is computed, its last value.
    indices : tuple of str
        The loop indices, the target's first, then those of the sum; a chain runs over these in the order in
        which they stand here, the last one fastest.
    conditions : tuple of Affine
        Each is at least 0 at a point that takes part. That an index is in its range is not repeated here.
    expression : str
        The right side as it was given, for numbers.
    """

    target: Access
    adds: bool
    reads: tuple[Access, ...]
    indices: tuple[str, ...]
    conditions: tuple[Affine, ...] = ()
    expression: str = ""

    @property
    def sum_indices(self) -> tuple[str, ...]:
        """The indices that the target does not have."""
        of_target = {name for place in self.target.places for name in place.names}
        return tuple(name for name in self.indices if name not in of_target)

    def __str__(self) -> str:
        right = self.expression or "*".join(map(str, self.reads))
        conditions = ", ".join(map(_comparison, self.conditions))
        return (
            f"{self.target} {'+=' if self.adds else '='} {right}{f' for {conditions}' if conditions else ''}"
        )


def _comparison(condition: Affine) -> str:
    """Return that an expression is at least 0, as people write it: ``j < i`` for ``i - j - 1``.

    >>> _comparison(Affine.of({"i": 1, "j": -1}, -1)), _comparison(Affine.of({"i": -2}, 9))
    ('j < i', '2*i <= 9')
    """
    more = {name: factor for name, factor in condition.terms if factor > 0}
    less = {name: -factor for name, factor in condition.terms if factor < 0}
    constant = condition.constant
    if constant == -1 and more and less:
        return f"{Affine.of(less)} < {Affine.of(more)}"
    if constant < 0:
        return f"{Affine.of(less, -constant)} <= {Affine.of(more)}"
    return f"{Affine.of(less)} <= {Affine.of(more, constant)}"


@dataclass(frozen=True)
class LoopNest:
    """A computation as statements: equations, each element of an array computed by one, in any order that they allow.

    An element that no statement computes is an input. An element that no statement reads is an output, and so is
    every array in ``outputs``. A read of an element that a sum computes means the full sum.

    Parameters
    ----------
    statements : tuple of Assignment
    extents : mapping of str to int
        An index i runs over 0, …, extents[i] − 1.
    outputs : tuple of str
        Arrays that are outputs although they are read.

    Notes
    -----
    Statements that add to one array continue each other's chains in the order in which they stand.
    """

    statements: tuple[Assignment, ...]
    extents: Mapping[str, int]
    outputs: tuple[str, ...] = ()

    @property
    def computed(self) -> tuple[str, ...]:
        """The arrays that are computed, in the order of their first statements."""
        return tuple(dict.fromkeys(statement.target.array for statement in self.statements))

    @property
    def read_only(self) -> tuple[str, ...]:
        """The arrays of which no element is computed, in the order in which they are first read."""
        reads = (access.array for statement in self.statements for access in statement.reads)
        return tuple(name for name in dict.fromkeys(reads) if name not in self.computed)
