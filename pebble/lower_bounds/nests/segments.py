"""The most points of a statement that a segment with T words at hand computes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from pebble.common.clock import check_time
from pebble.computations.nests.statement import Access, Assignment
from pebble.lower_bounds.nests.affine_set import AffineSet
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.exponents import Size, best_exponents
from pebble.lower_bounds.nests.growth import Growth, Power, Term
from pebble.lower_bounds.nests.linear_program import least
from pebble.lower_bounds.nests.lines import Atom, matrix
from pebble.lower_bounds.nests.mirrors import Mirror, mirrors, plain
from pebble.lower_bounds.nests.roles import Roles
from pebble.lower_bounds.nests.separation import group_of, joined
from pebble.lower_bounds.nests.subspaces import conditions, reduced

__all__ = ["growth_of", "growth_of_separate", "input_atoms"]

Cases = tuple[tuple[Term, ...], ...]


def growth_of(
    elements: Elements,
    roles: Roles,
    points: AffineSet,
    tried: Sequence[int],
    together: Mirror | None = None,
) -> Growth | None:
    """Return how many of some points of a statement T words allow; None if nothing is known.

    Parameters
    ----------
    elements : Elements
    roles : Roles
    points : AffineSet
    tried : sequence of int
        Numbers of words for which it should be good.
    together : Mirror, optional
        How the points of another statement are counted with them.
    """
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
        cases.append(terms)
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
        found += best_exponents(maps, doubled, extents, tried, Fraction(1, mirror.order))
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
        found.append(Size(words, tuple(constant)))
    return [size for at, size in enumerate(found) if size not in found[:at]]
