"""How many places any places read, against every set; what words dominate, against every set of words and a search."""

import random
from itertools import combinations, product

import pytest

from pebble.lower_bounds.graph.lattice_growth import StencilBox, dominated, least_reads
from tests.lower_bounds.graph.stencil_graphs import random_lattice


def least_of_all_sets(lattice: StencilBox, most: int) -> list[int]:
    reads = [lattice.reads(place) for place in product(*map(range, lattice.sides))]
    return [0] + [
        min(len(frozenset().union(*some)) for some in combinations(reads, a)) for a in range(1, most + 1)
    ]


def test_no_set_of_places_reads_fewer() -> None:
    draw, exact, all_of = random.Random(0), 0, 0
    for _ in range(40):
        lattice = random_lattice(draw, (7, 4, 2))
        least = least_of_all_sets(lattice, min(4, len(list(product(*map(range, lattice.sides))))))
        found = least_reads(lattice, len(least) - 1)
        assert all(low <= true for low, true in zip(found, least, strict=True)), lattice
        exact, all_of = exact + (list(found) == least), all_of + 1
    assert exact >= 0.8 * all_of


def test_places_without_ends_read_as_many_as_inside_a_large_box() -> None:
    for offsets in ({(0, 0), (0, 1), (1, 0)}, {(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)}):
        free = least_reads(StencilBox(frozenset(offsets), (0, 0), (False, False)), 4)
        places = list(product(range(2, 6), repeat=2))
        box = StencilBox(frozenset(offsets), (8, 8), (False, False))
        least = [
            min(len(frozenset().union(*map(box.reads, some))) for some in combinations(places, a))
            for a in range(1, 5)
        ]
        assert list(free[1:]) == least


def dominated_by(lattice: StencilBox, rows: int, words: set[tuple[int, tuple[int, ...]]]) -> int:
    """Return how many places of rows 1, 2, … some words dominate that are none of them."""
    places = list(product(*map(range, lattice.sides)))
    held = {place for row, place in words if row == 0}
    found = 0
    for row in range(1, rows):
        of_row = {place for place in places if lattice.reads(place) <= held}
        given = {place for at, place in words if at == row}
        found += len(of_row - given)
        held = of_row | given
    return found


def best_found(draw: random.Random, lattice: StencilBox, rows: int, T: int, trials: int) -> int:
    """Return the most places that T words dominate, by moving one word at a time."""
    places = list(product(range(rows), product(*map(range, lattice.sides))))
    corner = sorted(places, key=lambda one: (one[0], sum(one[1])))
    words = set(corner[:T])
    best = dominated_by(lattice, rows, words)
    for _ in range(trials):
        other = (words - {draw.choice(sorted(words))}) | {draw.choice(places)}
        if len(other) == T and (here := dominated_by(lattice, rows, other)) >= best:
            words, best = other, here
    return best


@pytest.mark.parametrize("seed", range(8))
def test_words_dominate_no_more(seed: int) -> None:
    draw = random.Random(seed)
    lattice = random_lattice(draw, (9, 4, 2))
    places = len(list(product(*map(range, lattice.sides))))
    most = dominated(least_reads(lattice, places))
    for T in range(1, min(len(most), 9)):
        assert best_found(draw, lattice, 5, T, 60) <= most[T]


def test_a_row_of_words_reaches_the_count() -> None:
    line = StencilBox(frozenset({(-1,), (0,), (1,)}), (20,), (False,))
    most = dominated(least_reads(line, 20))
    for T in range(2, 10):
        assert dominated_by(line, 12, {(0, (x,)) for x in range(T)}) == most[T]
    assert len(most) == 20, "a whole row dominates all that follows"
