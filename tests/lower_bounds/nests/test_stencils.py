"""Stencils: what a segment computes of an array, against the words that it needs and the values that outlive it."""

import random

import pytest

from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.stencils import border, stencils
from tests.lower_bounds.nests.dominated_elements import dominated, predecessors_of
from tests.lower_bounds.nests.nest_dag import Name, edges_of

STENCILS = {
    "three neighbours": "a[t+1,i+1] = a[t,i] + a[t,i+1] + a[t,i+2]",
    "in place": "a[t+1,i+1] = a[t+1,i] + a[t,i+1] + a[t,i+2]",
    "far apart": "a[t+1,i+3] = a[t,i] + a[t,i+1] + a[t,i+5]",
    "five neighbours": "a[t+1,i+1,j+1] = a[t,i+1,j+1] + a[t,i,j+1] + a[t,i+2,j+1] + a[t,i+1,j] + a[t,i+1,j+2]",
    "two arrays": "e[t+1,i+1] = e[t,i+1] - h[t,i+1] + h[t,i]; h[t+1,i] = h[t,i] - e[t+1,i+1] + e[t+1,i]",
    "there and back": "b[t+1,i+1] = a[t,i] + a[t,i+2]; a[t+1,i+1] = b[t+1,i] + b[t+1,i+1] + b[t+1,i+2]",
    "part of it directly": "b[t+1,i+1] = a[t,i] + a[t,i+1]; a[t+1,i+1] = a[t,i+1] + b[t+1,i] + b[t+1,i+2]",
    "three arrays": "e[t+1,i+1,j] = e[t,i+1,j] - h[t,i+1,j] + h[t,i,j]; "
    "f[t+1,i,j+1] = f[t,i,j+1] - h[t,i,j+1] + h[t,i,j]; "
    "h[t+1,i,j] = h[t,i,j] - f[t+1,i,j+1] + f[t+1,i,j] - e[t+1,i+1,j] + e[t+1,i,j]",
}
SERVED = {"there and back": 3, "part of it directly": 2}


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
    predecessors = predecessors_of(edges_of(nest)[0])
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
    outputs = set(edges_of(nest)[1])
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
    assert max(stencil.served for stencil in found) == SERVED.get(name, 1)


def test_the_border_is_what_further_elements_would_read() -> None:
    nest = loop_nest(STENCILS["three neighbours"], {"t": 5, "i": 7})
    (stencil,) = stencils(Elements(nest), nest.statements[0])
    assert border(Elements(nest), stencil) == 5 * 7 - 4 * 5
