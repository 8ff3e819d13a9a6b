"""Which exponents the inequality of Hölder, Brascamp and Lieb allows: conditions on subspaces, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from pebble.common.errors import BoundDoesNotApply

__all__ = ["Matrix", "annihilator", "conditions", "rank", "reduced"]

Matrix = tuple[tuple[Fraction, ...], ...]
"""Rows; of a subspace, a basis in reduced echelon form."""

_MOST_SUBSPACES = 220


@lru_cache(maxsize=1024)
def conditions(maps: tuple[Matrix, ...], indices: int) -> list[tuple[tuple[int, ...], int]]:
    """Return what exponents of linear maps must meet: ``sum(row * exponents) >= rank`` for every (row, rank).

    Parameters
    ----------
    maps : tuple of Matrix
        The rows of each map, over this many indices.
    indices : int

    Raises
    ------
    BoundDoesNotApply
        If there are too many subspaces to look at.

    Notes
    -----
    A set S of whole-number points has at most the product of |φ(S)|^s points if and only if the rank of every
    subspace H is at most the sum of s·rank φ(H) (Christ, Demmel, Knight, Scanlon, Yelick), and it is enough to look
    at the subspaces that arise from the kernels by sums and intersections (Valdimarsson). If every kernel is spanned by
    unit vectors, so are all of these, and the unit vectors alone imply the rest.

    Examples
    --------
    >>> unit = reduced([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 3)
    >>> conditions(((unit[0], unit[1]), (unit[0], unit[2]), (unit[1], unit[2])), 3)
    [((1, 1, 0), 1), ((1, 0, 1), 1), ((0, 1, 1), 1)]
    """
    forms = [reduced(one, indices) for one in maps]
    found = []
    for block in _blocks([row for form in forms for row in form], indices):
        width = len(block)
        parts = [
            tuple(tuple(row[i] for i in block) for row in form if any(row[i] for i in block))
            for form in forms
        ]
        for subspace in _lattice([annihilator(part, width) for part in parts], width):
            if subspace:
                found.append((tuple(_rank_of_image(part, subspace) for part in parts), len(subspace)))
    return found


def _blocks(rows: Sequence[tuple[Fraction, ...]], indices: int) -> list[list[int]]:
    """Return the indices in groups, no row having some of two of them."""
    block = list(range(indices))
    for row in rows:
        tied = {block[i] for i, x in enumerate(row) if x}
        block = [min(tied) if one in tied else one for one in block]
    return [[i for i in range(indices) if block[i] == one] for one in dict.fromkeys(block)]


def reduced(rows: Sequence[Sequence[int | Fraction]], width: int) -> Matrix:
    """Return the reduced echelon form, without rows of zeros."""
    left = [[Fraction(x) for x in row] for row in rows]
    done = 0
    for column in range(width):
        pivot = next((r for r in range(done, len(left)) if left[r][column]), None)
        if pivot is None:
            continue
        left[done], left[pivot] = left[pivot], left[done]
        head = left[done][column]
        left[done] = [x / head for x in left[done]]
        for r, row in enumerate(left):
            if r != done and row[column]:
                factor = row[column]
                left[r] = [x - factor * y for x, y in zip(row, left[done], strict=True)]
        done += 1
    return tuple(tuple(row) for row in left[:done])


def rank(rows: Sequence[Sequence[int | Fraction]], width: int) -> int:
    """Return the rank."""
    return len(reduced(rows, width))


def annihilator(rows: Matrix, width: int) -> Matrix:
    """Return a basis of the vectors that every row of a reduced matrix maps to zero."""
    pivots = [next(j for j, x in enumerate(row) if x) for row in rows]
    basis = []
    for free in range(width):
        if free in pivots:
            continue
        vector = [Fraction(int(j == free)) for j in range(width)]
        for pivot, row in zip(pivots, rows, strict=True):
            vector[pivot] = -row[free]
        basis.append(vector)
    return reduced(basis, width)


def _rank_of_image(rows: Matrix, subspace: Matrix) -> int:
    images = [
        [sum((x * y for x, y in zip(row, v, strict=True)), Fraction()) for row in rows] for v in subspace
    ]
    return rank(images, len(rows)) if rows else 0


def _lattice(kernels: Sequence[Matrix], width: int) -> list[Matrix]:
    """Return all sums and intersections of the kernels, the whole space among them."""
    whole = reduced([[int(i == j) for j in range(width)] for i in range(width)], width)
    found = list(dict.fromkeys([whole, *kernels]))
    seen = set(found)
    for at, one in enumerate(found):  # it grows while it is walked
        for other in found[: at + 1]:
            dual = reduced([*annihilator(one, width), *annihilator(other, width)], width)
            for new in (reduced([*one, *other], width), annihilator(dual, width)):
                if new not in seen:
                    seen.add(new)
                    found.append(new)
        if len(found) > _MOST_SUBSPACES:
            raise BoundDoesNotApply("the accesses have too many subspaces to examine")
    return found
