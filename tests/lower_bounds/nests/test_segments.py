"""How many points so many words allow: against sets of points and the words that they need."""

import random
from itertools import product

import pytest

from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import Assignment, LoopNest
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.roles import Roles, once_only_roles, recomputing_roles
from pebble.lower_bounds.nests.segments import (
    group_of,
    growth_of,
    growth_of_separate,
    joined,
    left_out,
    off_diagonals,
)
from tests.lower_bounds.nests.small_nests import TEXTS, small_nest

_TRIED = [4, 12, 48, 200]


def points_of(nest: LoopNest, statement: Assignment) -> list[dict[str, int]]:
    ranges = [range(nest.extents[name]) for name in statement.indices]
    points = (dict(zip(statement.indices, values, strict=True)) for values in product(*ranges))
    return [point for point in points if all(c.at(point) >= 0 for c in statement.conditions)]


def words_needed(roles: Roles, points: list[dict[str, int]]) -> int:
    """Return how many words the points need: the lines of roles in the same arrays may be the same ones."""
    groups: list[tuple[set[tuple[str, str]], dict[object, set[tuple[int, ...]]]]] = []
    for role in roles.roles:
        lines = {tuple(place.at(point) for place in role.places) for point in points}
        atoms: set[tuple[str, str]] = set(role.atoms)
        found: dict[object, set[tuple[int, ...]]] = {(role.atoms, role.family): lines}
        for other in [group for group in groups if group[0] & atoms]:
            groups.remove(other)
            atoms |= other[0]
            for key, more in other[1].items():
                found[key] = found.get(key, set()) | more
        groups.append((atoms, found))
    return sum(max(map(len, found.values())) for _, found in groups)


def separate_words(roles: Roles, points: list[dict[str, int]]) -> int:
    """Return how many lines all roles reach, those of one group the same where they are equal."""
    groups = joined(role.atoms for role in roles.roles)
    return len(
        {
            (group_of(role.atoms, groups), tuple(place.at(point) for place in role.places))
            for role in roles.roles
            for point in points
        }
    )


def check_random_sets(text: str, seed: int, most: int, sets: int) -> None:
    draw = random.Random(f"{text} {seed}")
    nest = small_nest(draw, text, most)
    elements = Elements(nest)
    for statement, whole in zip(nest.statements, elements.domains, strict=True):
        everything = points_of(nest, statement)
        for roles in {*recomputing_roles(elements, statement), *once_only_roles(elements, statement)}:
            for domain in {whole, off_diagonals(whole)}:
                growth = growth_of(elements, roles, domain, _TRIED)
                fewer = left_out(roles, whole)
                separate = growth_of_separate(elements, roles, _TRIED) if fewer is not None else None
                allowed = [p for p in everything if all(c.at(p) >= 0 for c in domain.conditions)]
                for _ in range(sets):
                    points = box(draw, nest, statement, allowed)
                    if points and growth is not None:
                        assert len(points) <= growth(words_needed(roles, points)), (text, nest.extents, roles)
                    if points and separate is not None and fewer is not None:
                        T = separate_words(roles, points)
                        assert len(points) - fewer <= separate(T), (text, nest.extents, roles)


def box(
    draw: random.Random, nest: LoopNest, statement: Assignment, allowed: list[dict[str, int]]
) -> list[dict[str, int]]:
    """Return the points whose indices have some of their values, drawn at random."""
    chosen = {
        name: set(draw.sample(range(nest.extents[name]), draw.randint(1, nest.extents[name])))
        for name in statement.indices
    }
    return [point for point in allowed if all(point[name] in chosen[name] for name in chosen)]


@pytest.mark.parametrize("text", TEXTS[::6])
def test_sets_of_points(text: str) -> None:
    check_random_sets(text, 0, 4, 10)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_many_sets_of_points(text: str) -> None:
    for seed, most in enumerate((4, 6, 7)):
        check_random_sets(text, seed, most, 25)


def test_a_cube_reaches_what_is_allowed() -> None:
    nest = loop_nest("C[i,j] += A[i,k]*B[k,j]", {"i": 9, "j": 9, "k": 9})
    elements = Elements(nest)
    (roles, *_) = recomputing_roles(elements, nest.statements[0])
    growth = growth_of(elements, roles, elements.domains[0], _TRIED)
    assert growth is not None
    assert [growth(3 * side**2) for side in range(1, 6)] == [side**3 for side in range(1, 6)]


def test_a_triangle_comes_close_to_what_is_allowed() -> None:
    nest = loop_nest("C[i,j] += A[i,k]*A[j,k] for j < i", {"i": 64, "j": 64, "k": 32})
    elements = Elements(nest)
    (roles, *_) = recomputing_roles(elements, nest.statements[0])
    growth = growth_of(elements, roles, elements.domains[0], _TRIED)
    assert growth is not None
    for side in (8, 16, 64):
        depth = side // 2
        words, points = side * (side - 1) // 2 + side * depth, side * (side - 1) // 2 * depth
        assert points <= growth(words) <= 1.2 * points
