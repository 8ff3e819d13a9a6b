"""Roles whose words could be the same ones, told apart by the lines that they reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access
from pebble.lower_bounds.nests.affine_set import AffineSet, image_above, placed
from pebble.lower_bounds.nests.lines import Atom
from pebble.lower_bounds.nests.roles import Role, Roles

__all__ = ["group_of", "joined", "left_out"]


def joined(atoms: Iterable[Iterable[Atom]]) -> list[frozenset[Atom]]:
    """Join sets of vertices that overlap."""
    groups: list[frozenset[Atom]] = []
    for some in atoms:
        one = frozenset(some)
        touched = [group for group in groups if group & one]
        groups = [*(group for group in groups if not group & one), one.union(*touched)]
    return groups


def group_of(atoms: Iterable[Atom], groups: Sequence[frozenset[Atom]]) -> str:
    """Return the name of the group that some vertices are in."""
    return next(str(at) for at, group in enumerate(groups) if group & frozenset(atoms))


def left_out(roles: Roles, points: AffineSet) -> int | None:
    """Return of how many points at most roles of one group reach lines that another role reaches too.

    Without these points no word serves two roles. None if the lines of some group cannot be compared, or if there is
    nothing to tell apart.

    Raises
    ------
    BoundDoesNotApply
        If they are too many to count.
    """
    if any(role.sum_of for role in roles.roles):
        return None
    groups = joined(role.atoms for role in roles.roles)
    total, pairs = 0, 0
    for one, other in combinations(roles.roles, 2):
        if group_of(one.atoms, groups) != group_of(other.atoms, groups):
            continue
        if not _comparable(one, other):
            return None
        pairs += 1
        both = image_above(points, Access("", one.places)).where(
            *image_above(points, Access("", other.places)).conditions
        )
        if not both.is_empty():
            total += _reaching(points, one.places, both) + _reaching(points, other.places, both)
    return total if pairs else None


def _comparable(one: Role, other: Role) -> bool:
    """Whether a word that is on a line of both is on lines of the same number."""
    if (one.atoms, one.family) == (other.atoms, other.family):
        return True
    roots = {role.family.root if role.family else "" for role in (one, other)}
    return len(roots) == 1 and one.atoms & other.atoms == {("value", root) for root in roots}


def _reaching(points: AffineSet, places: tuple[Affine, ...], lines: AffineSet) -> int:
    reached = points.where(*placed(lines.conditions, Access("", places)))
    return reached.count()
