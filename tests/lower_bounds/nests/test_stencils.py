"""Stencils: what a segment computes of an array, against the words that it needs and the values that outlive it."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.stencils import Steps, border, spread, stencils
from tests.computations.nests.plain_nests import PlainNest
from tests.support.text_tables import rows_of

ROWS = rows_of(Path(__file__).with_name("nests.txt"), "stencils")
STENCILS, SERVED = {name: text for name, text, _ in ROWS}, {name: int(served) for name, _, served in ROWS}


Name = tuple[object, tuple[int, ...]]
"""Of a vertex: an input's array, or a statement's number, and where."""


def dominated(predecessors: dict[Name, list[Name]], words: set[Name]) -> set[Name]:
    """Return the further vertices to which every path from an input leads through some words."""
    known = dict.fromkeys(words, True)

    def closed(vertex: Name) -> bool:
        if vertex not in known:
            before = predecessors.get(vertex, [])
            known[vertex] = bool(before) and all(closed(one) for one in before)
        return known[vertex]

    return {vertex for vertex in predecessors if vertex not in words and closed(vertex)}


def random_order(predecessors: dict[Name, list[Name]], draw: random.Random) -> list[Name]:
    """Return computed vertices, each after what it reads."""
    kind, order, known = draw.choice(["early", "late", "any"]), list[Name](), set[Name]()
    waiting = sorted(predecessors, key=str)
    while waiting:
        ready = [
            one for one in waiting if all(p in known or p not in predecessors for p in predecessors[one])
        ]
        at = {"early": 0, "late": len(ready) - 1, "any": draw.randrange(len(ready))}[kind]
        order.append(ready[at])
        known.add(ready[at])
        waiting.remove(ready[at])
    return order


def check(name: str, draw: random.Random) -> None:
    most = 3 if "j" in STENCILS[name] else 6
    nest = loop_nest(STENCILS[name], {i: draw.randint(2, most) for i in "tij" if f"{i}+" in STENCILS[name]})
    predecessors: dict[Name, list[Name]] = {}
    for before, after in sorted(PlainNest(nest).edges, key=str):
        predecessors.setdefault(after, []).append(before)
    inputs = sorted({p for before in predecessors.values() for p in before} - set(predecessors), key=str)
    order = random_order(predecessors, draw)
    for share in (0.1, 0.3):
        words = {one for one in inputs if draw.random() < 0.6 + share}
        words |= {one for one in predecessors if draw.random() < share / 2}
        first = draw.randrange(len(order))
        segment = set(order[first : first + draw.randint(1, len(order))])
        check_counts(nest, predecessors, words, segment)


def check_counts(
    nest: LoopNest, predecessors: dict[Name, list[Name]], words: set[Name], segment: set[Name]
) -> None:
    """Compare what some words dominate, and what a segment computes, with how much that may be."""
    elements = Elements(nest)
    closed = dominated(predecessors, words)
    held = {p for one in segment for p in predecessors[one]} - segment
    outputs = PlainNest(nest).outputs
    later = {p for one, before in predecessors.items() if one not in segment for p in before}
    alive = {one for one in segment if one in outputs or one in later}
    for number, statement in enumerate(nest.statements):
        computed = sum(one[0] == number for one in segment)
        for stencil in stencils(elements, statement):
            growth, stored = stencil.growth(), stencil.growth(stencil.served)
            if growth is None or stored is None or not computed:
                continue
            of_it = border(elements, stencil)
            assert of_it is not None
            assert sum(one[0] == number for one in closed) <= growth(len(words))
            assert computed <= growth(len(held))
            assert computed <= stored(len(alive) + of_it)


@pytest.mark.parametrize("name", STENCILS)
def test_what_a_segment_computes(name: str) -> None:
    for seed in range(4):
        check(name, random.Random(f"{name} {seed}"))


@pytest.mark.slow
@pytest.mark.parametrize("name", STENCILS)
def test_what_many_segments_compute(name: str) -> None:
    for seed in range(4, 24):
        check(name, random.Random(f"{name} {seed}"))


@pytest.mark.parametrize("name", STENCILS)
def test_how_many_elements_a_word_serves(name: str) -> None:
    nest = loop_nest(STENCILS[name], {i: 4 for i in "tij" if f"{i}+" in STENCILS[name]})
    found = [stencil for one in nest.statements for stencil in stencils(Elements(nest), one)]
    assert max(stencil.served for stencil in found) == SERVED[name]


CROSS = frozenset({(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)})
CROSS_3D = frozenset({(0, 0, 0), *(tuple(s * (i == j) for j in range(3)) for i in range(3) for s in (1, -1))})


def cone(steps: Steps) -> Steps:
    """Return the point where these steps lead to, and what it is computed from."""
    ((*zeros,),) = {(0,) * len(next(iter(steps)))}
    return frozenset({(0, *zeros)} | {(1, *step) for step in steps})


IN_PLACE = frozenset(
    {
        *((0, 0, 0), (0, 1, 1), (0, 1, 0), (0, 1, -1), (0, 0, 1)),
        *((1, 0, 0), (1, 0, -1), (1, -1, 1), (1, -1, 0), (1, -1, -1)),
    }
)
VOLUMES = {
    "three neighbours": (cone(frozenset({(-1,), (0,), (1,)})), Fraction(1)),
    "five neighbours": (cone(CROSS), Fraction(2, 3)),
    "seven neighbours": (cone(CROSS_3D), Fraction(1, 3)),
    "nine neighbours in place": (IN_PLACE, Fraction(5, 3)),
    "box": (frozenset(product(range(4), range(3), range(2))), Fraction(6)),
    "simplex": (frozenset({(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}), Fraction(1, 6)),
    "a line in the plane": (frozenset({(0, 0), (1, 1), (2, 2)}), Fraction(0)),
}


@pytest.mark.parametrize("name", VOLUMES)
def test_volumes(name: str) -> None:
    steps, volume = VOLUMES[name]
    assert spread(steps) == volume
