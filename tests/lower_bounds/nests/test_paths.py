"""Stencils: how many elements so many words dominate, against all that some words do dominate."""

import random

import pytest

from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.paths import growths
from tests.lower_bounds.nests import dominated_elements
from tests.lower_bounds.nests.dominated_elements import predecessors_of
from tests.lower_bounds.nests.nest_dag import Name, edges_of

STENCILS = {
    "three neighbours": "a[t+1,i+1] = a[t,i] + a[t,i+1] + a[t,i+2]",
    "two neighbours": "a[t+1,i+1] = a[t,i] + a[t,i+2]",
    "in place": "a[t+1,i+1] = a[t+1,i] + a[t,i+1] + a[t,i+2]",
    "five neighbours": "a[t+1,i+1,j+1] = a[t,i+1,j+1] + a[t,i,j+1] + a[t,i+2,j+1] + a[t,i+1,j] + a[t,i+1,j+2]",
    "two arrays": "e[t+1,i+1] = e[t,i+1] - h[t,i+1] + h[t,i]; h[t+1,i] = h[t,i] - e[t+1,i+1] + e[t+1,i]",
}


def dominated(nest: LoopNest, array: str, words: set[Name]) -> int:
    """Return how many further elements of an array every path to an input leads through some words."""
    makers = [number for number, one in enumerate(nest.statements) if one.target.array == array]
    found = dominated_elements.dominated(predecessors_of(edges_of(nest)[0]), words)
    return sum(vertex[0] in makers for vertex in found)


def check(name: str, draw: random.Random) -> None:
    nest = loop_nest(STENCILS[name], {i: draw.randint(2, 7) for i in "tij" if f"{i}+" in STENCILS[name]})
    elements = Elements(nest)
    edges, _ = edges_of(nest)
    vertices = sorted({vertex for edge in edges for vertex in edge}, key=str)
    for statement in nest.statements:
        for growth, _ in growths(elements, statement, [4, 16, 64]):
            for share in (0.2, 0.5, 0.8):
                # Inputs first: scattered words dominate little.
                inputs = {
                    vertex
                    for vertex in vertices
                    if isinstance(vertex[0], str) and draw.random() < 0.5 + share
                }
                words = inputs | {vertex for vertex in vertices if draw.random() < share * 0.3}
                assert dominated(nest, statement.target.array, words) <= growth(len(words))


@pytest.mark.parametrize("name", STENCILS)
def test_what_words_dominate(name: str) -> None:
    check(name, random.Random(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", STENCILS)
def test_what_many_words_dominate(name: str) -> None:
    for seed in range(12):
        check(name, random.Random(f"{name} {seed}"))


def test_a_row_dominates_nearly_what_is_allowed() -> None:
    nest = loop_nest(STENCILS["three neighbours"], {"t": 20, "i": 38})
    (growth, _), *_ = growths(Elements(nest), nest.statements[0], [8, 40, 100])
    row: set[Name] = {("a", (0, i)) for i in range(40)}
    assert dominated(nest, "a", row) == 19 * 20
    assert growth(40) <= 1.2 * 19 * 20
