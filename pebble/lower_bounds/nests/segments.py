"""The most points of a statement that a segment with T words at hand computes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, permutations, product

from pebble.common.clock import check_time
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment
from pebble.lower_bounds.nests.affine_set import AffineSet, image_above, placed
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.exponents import (
    Growth,
    Power,
    Size,
    Term,
    best_exponents,
    conditions,
    least,
    reduced,
)
from pebble.lower_bounds.nests.roles import Atom, Role, Roles, matrix


@dataclass(frozen=True)
class Mirror:
    """A group of exchanges of indices that takes a set of points to disjoint sets.

    Parameters
    ----------
    order : int
        How many sets there are.
    copies : tuple of int
        For each role, the images of all of these sets are at most this many copies of the words of its group.
    moved : tuple of str
        The indices that are exchanged.
    """

    order: int
    copies: tuple[int, ...]
    moved: tuple[str, ...] = ()


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
            if not all(_disjoint(points, one) for one in group[1:]):
                continue
            copies = [_copies(role, roles, group) for role in roles.roles]
            known = [number for number in copies if number is not None]
            if len(known) == len(copies):
                yield Mirror(len(group), tuple(known), moved)


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


def _disjoint(points: AffineSet, exchange: dict[str, str]) -> bool:
    """Whether no point's image is a point again."""
    mirrored = (_renamed(condition, exchange) for condition in points.conditions)
    return points.where(*mirrored).is_empty()


def _renamed(expression: Affine, exchange: dict[str, str]) -> Affine:
    return Affine.of(
        {exchange.get(name, name): factor for name, factor in expression.terms}, expression.constant
    )


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


Cases = tuple[tuple[Term, ...], ...]


def growth_of(
    elements: Elements,
    roles: Roles,
    points: AffineSet,
    tried: Sequence[int],
    together: Mirror | None = None,
) -> Growth | None:
    """Return how many of some points of a statement T words allow; None if nothing is known."""
    check_time()
    forms = [together] if together else [plain(roles), *mirrors(elements, roles, points)]
    sums = list(dict.fromkeys(role.sum_of for role in roles.roles if role.sum_of))
    groups = joined(
        [*(role.atoms for role in roles.roles), *({atom} for atom in input_atoms(elements, roles))]
    )
    ways = []
    for computed_here in product(*(_computed_here(elements, one, groups, tried) for one in sums)):
        here = dict(zip(sums, computed_here, strict=True))
        cases = _cases(elements, roles, forms, groups, here, tried)
        if cases:
            ways.append(cases)
    return Growth(tuple(ways)) if ways else None


def growth_of_separate(elements: Elements, roles: Roles, tried: Sequence[int]) -> Growth | None:
    """Return how many points T words allow where no word serves two roles; None if nothing is known."""
    sizes = [Size({str(at): Fraction(1)}) for at in range(len(roles.roles))]
    terms = _terms(elements, roles, [plain(roles)], sizes, tried)
    return Growth(((terms,),)) if terms else None


def _cases(
    elements: Elements,
    roles: Roles,
    forms: Sequence[Mirror],
    groups: Sequence[frozenset[Atom]],
    computed_here: Mapping[Assignment, Size],
    tried: Sequence[int],
) -> Cases:
    """Return what is known where, of each sum that is read, more lines are held, or more are computed from inputs."""
    apart = _apart(roles, groups, computed_here)
    cases = []
    for here in product((False, True), repeat=len(computed_here)):
        computed = dict(zip(computed_here, here, strict=True))
        sizes = []
        for role in roles.roles:
            held = Size({group_of(role.atoms, groups): Fraction(1)})
            if role.sum_of is None:
                sizes.append(held)
                continue
            whole = computed_here[role.sum_of]
            size = whole if computed[role.sum_of] else held
            sizes.append(size if apart else Size(size.words, (*size.constant, (Fraction(2), Fraction(1)))))
        terms = _terms(elements, roles, forms, sizes, tried)
        if not terms:
            return ()
        number = elements.nest.statements.index
        anew = {number(one): list(map(str, computed_here[one].corner)) for one in computed if computed[one]}
        cases.append(tuple(replace(term, facts={**term.facts, "computed": anew}) for term in terms))
    return tuple(cases)


def _apart(roles: Roles, groups: Sequence[frozenset[Atom]], computed_here: Mapping[Assignment, Size]) -> bool:
    """Whether of the lines that are held and those that are computed the greater ones may take the words of both.

    That is so if the number of those computed grows at least linearly with the words, and if none of these words, and
    none of the lines held, count for anything else. Else each number is at most twice the greater one.
    """
    others = [(group_of(role.atoms, groups), role.sum_of) for role in roles.roles]
    held = {(group, one) for group, one in others if one is not None}
    words = [group for size in computed_here.values() for group in size.words]
    alone = all(len({one for other, one in others if other == group}) == 1 for group, _ in held)
    linear = all(sum(size.words.values(), Fraction()) >= 1 for size in computed_here.values())
    return (
        alone and linear and len(words) == len(set(words)) and not {group for group, _ in others} & set(words)
    )


def input_atoms(elements: Elements, roles: Roles) -> set[Atom]:
    """Return the inputs from which a segment may compute whole sums that are read."""
    sums = (role.sum_of for role in roles.roles if role.sum_of)
    return {("value", access.array) for one in sums for access in _inputs_of(elements, one)}


def _terms(
    elements: Elements, roles: Roles, forms: Sequence[Mirror], sizes: Sequence[Size], tried: Sequence[int]
) -> tuple[Term, ...]:
    statement = roles.statement
    names = statement.indices
    extents = [elements.nest.extents[name] for name in names]
    maps = [matrix(role.places, names) for role in roles.roles]
    found: list[Term] = []
    for mirror in forms:
        doubled = [
            Size(size.words, (*size.constant, (Fraction(copies), Fraction(1))))
            for size, copies in zip(sizes, mirror.copies, strict=True)
        ]
        terms = best_exponents(maps, doubled, extents, tried, Fraction(1, mirror.order))
        found += [replace(term, facts={**term.facts, "exchanged": list(mirror.moved)}) for term in terms]
    return tuple(found)


def _inputs_of(elements: Elements, statement: Assignment) -> list[Access]:
    return [access for access in statement.reads if not elements.computed(access.array)]


def _computed_here(
    elements: Elements, statement: Assignment, groups: Sequence[frozenset[Atom]], tried: Sequence[int]
) -> list[Size]:
    """Return how many sums can be computed from their first steps on, by the words of the inputs that they read."""
    extents = elements.nest.extents
    target = statement.target
    sums = set(statement.sum_indices)
    if any(sums & set(condition.names) for condition in statement.conditions):
        return []
    names = [name for name in statement.indices if name not in sums]
    if not all(place.is_index for place in target.places) or len(names) != len(target.places):
        return []
    inputs = _inputs_of(elements, statement)
    lengths = [
        math.prod(
            extents[name]
            for name in sums
            if any(len(place.terms) == 1 and abs(place.factor(name)) == 1 for place in access.places)
        )
        for access in inputs
    ]
    units = [reduced([[int(i == j) for j in range(len(names))]], len(names)) for i in range(len(names))]
    rows = conditions((*(matrix(access.places, names) for access in inputs), *units), len(names))
    found = []
    for T in tried:
        costs = [max(0.01, math.log(T) - math.log(length)) for length in lengths]
        costs += [math.log(extents[name]) + 0.01 for name in names]
        corner = least([Fraction(round(1024 * cost), 1024) for cost in costs], rows)
        if corner is None or max(corner, default=0) > 1:
            continue
        constant: list[Power] = []
        words: dict[str, Fraction] = {}
        for s, access, length in zip(corner, inputs, lengths, strict=False):
            if s:
                group = group_of([("value", access.array)], groups)
                words[group] = words.get(group, Fraction()) + s
                constant.append((Fraction(1, length), s))
        constant += [
            (Fraction(extents[name]), s) for s, name in zip(corner[len(inputs) :], names, strict=True) if s
        ]
        found.append(Size(words, tuple(constant), tuple(corner)))
    return [size for at, size in enumerate(found) if size not in found[:at]]
