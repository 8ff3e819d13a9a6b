"""Points and their mirror images: where a triangle's statement reads one array in several ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

from pebble.computations.nests.affine import Affine
from pebble.lower_bounds.nests.affine_set import AffineSet
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.roles import Role, Roles

__all__ = ["Mirror", "continued", "mirrors", "off_diagonals", "plain"]


@dataclass(frozen=True)
class Mirror:
    """A group of exchanges of indices that takes a set of points to disjoint sets.

    Parameters
    ----------
    order : int
        How many sets there are.
    copies : tuple of int
        For each role, the images of all of these sets are at most this many copies of the words of its group.
    """

    order: int
    copies: tuple[int, ...]


def plain(roles: Roles) -> Mirror:
    """Return the group of nothing but the identity."""
    return Mirror(1, (1,) * len(roles.roles))


def continued(first: Roles, second: Roles) -> Mirror | None:
    """Return how the points of two statements with the same target count as those of one; None if they do not.

    Each role of the first one is to be one of the second one too, perhaps with its places in another order: then the
    points of both reach at most twice the words of its group.
    """
    copies = []
    for role in first.roles:
        forms = [
            other.places == role.places
            for other in second.roles
            if (other.atoms, other.family) == (role.atoms, role.family)
            and sorted(map(str, other.places)) == sorted(map(str, role.places))
        ]
        if not forms:
            return None
        copies.append(1 if any(forms) else 2)
    return Mirror(1, tuple(copies))


def off_diagonals(points: AffineSet) -> AffineSet:
    """Return the points where no index equals another that, by the conditions, it is not less than."""
    apart = [
        condition - 1
        for condition in points.conditions
        if condition.constant == 0 and sorted(factor for _, factor in condition.terms) == [-1, 1]
    ]
    return points.where(*apart)


def mirrors(elements: Elements, roles: Roles, points: AffineSet) -> Iterator[Mirror]:
    """Yield groups of two or six exchanges that map roles to roles of the same words, perhaps with places exchanged."""
    names = roles.statement.indices
    for size in (3, 2):
        for moved in combinations(names, size):
            if len({elements.nest.extents[name] for name in moved}) > 1:
                continue
            group = [dict(zip(moved, image, strict=True)) for image in permutations(moved)]
            if not all(_apart(points, one) for one in group[1:]):
                continue
            copies = [_copies(role, roles, group) for role in roles.roles]
            known = [number for number in copies if number is not None]
            if len(known) == len(copies):
                yield Mirror(len(group), tuple(known))


def _copies(role: Role, roles: Roles, group: list[dict[str, str]]) -> int | None:
    """Return how many exchanges of places the mirrored role needs; None if it is another access."""
    found = set()
    for exchange in group:
        mirrored = tuple(_renamed(place, exchange) for place in role.places)
        form = next(
            (
                order
                for order in permutations(range(len(mirrored)))
                for other in roles.roles
                if (other.atoms, other.family) == (role.atoms, role.family)
                and tuple(mirrored[at] for at in order) == other.places
            ),
            None,
        )
        if form is None:
            return None
        found.add(form)
    return len(found)


def _apart(points: AffineSet, exchange: dict[str, str]) -> bool:
    """Whether no point's image is a point again."""
    mirrored = (_renamed(condition, exchange) for condition in points.conditions)
    return points.where(*mirrored).is_empty()


def _renamed(expression: Affine, exchange: dict[str, str]) -> Affine:
    return Affine.of(
        {exchange.get(name, name): factor for name, factor in expression.terms}, expression.constant
    )
