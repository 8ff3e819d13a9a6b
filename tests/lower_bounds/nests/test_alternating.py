"""Stencils to and fro between two arrays: what a segment computes of both, against words in and out."""

import random

import pytest

from pebble.computations.nests.read_text import loop_nest
from pebble.game.rules import Rules
from pebble.lower_bounds.nests.alternating import alternations
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.lower_bounds.nests.stencils import spread_growth
from tests.lower_bounds.nests.dominated_elements import dominated, predecessors_of
from tests.lower_bounds.nests.nest_dag import edges_of
from tests.lower_bounds.nests.test_stencils import random_order

TEXTS = {
    "two sweeps": "b[t,i+1] = a[t,i] + a[t,i+1] + a[t,i+2]; a[t+1,i+1] = b[t,i] + b[t,i+1] + b[t,i+2]",
    "shifted": "b[t+3,i] = a[t,i] + a[t,i+2]; a[t+1,i+3] = b[t+3,i] + b[t+3,i+1] + b[t+3,i+2]",
    "one step in common": "b[t,i+1] = a[t,i]; a[t+1,i+1] = b[t,i+1] + b[t,i+2] + a[t,i]",
    "five neighbours": "b[t,i+1,j+1] = a[t,i+1,j+1] + a[t,i,j+1] + a[t,i+2,j+1] + a[t,i+1,j] + a[t,i+1,j+2]; "
    "a[t+1,i+1,j+1] = b[t,i+1,j+1] + b[t,i,j+1] + b[t,i+2,j+1] + b[t,i+1,j] + b[t,i+1,j+2]",
}


def check(name: str, draw: random.Random) -> None:
    text = TEXTS[name]
    nest = loop_nest(text, {i: draw.randint(2, 3 if "j" in text else 5) for i in "tij" if f"{i}+" in text})
    edges, ends = edges_of(nest)
    predecessors = predecessors_of(edges)
    inputs = sorted({p for before in predecessors.values() for p in before} - set(predecessors), key=str)
    order = random_order(predecessors, draw)
    for one in alternations(Elements(nest), nest.statements[1]):
        growth, stored, ahead = (
            spread_growth(one.steps),
            spread_growth(one.steps, linear=1),
            one.border(Elements(nest)),
        )
        if growth is None or stored is None:
            continue
        assert ahead is not None
        for share in (0.1, 0.3):
            words = {p for p in inputs if draw.random() < 0.6 + share}
            words |= {p for p in predecessors if draw.random() < share / 2}
            assert len(dominated(predecessors, words)) <= growth(len(words))
            first = draw.randrange(len(order))
            segment = set(order[first : first + draw.randint(1, len(order))])
            held = {p for v in segment for p in predecessors[v]} - segment
            later = {p for v, before in predecessors.items() if v not in segment for p in before}
            alive = {v for v in segment if v in ends or v in later}
            assert len(segment) <= min(growth(len(held)), stored(len(alive) + ahead))


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_segment_computes(name: str) -> None:
    for seed in range(4):
        check(name, random.Random(f"{name} {seed}"))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_what_many_segments_compute(name: str) -> None:
    for seed in range(4, 24):
        check(name, random.Random(f"{name} {seed}"))


@pytest.mark.parametrize("name", ["two sweeps", pytest.param("shifted", marks=pytest.mark.slow)])
def test_two_arrays_cost_as_one_with_twice_the_steps(name: str) -> None:
    two = loop_nest(TEXTS[name], {"t": 500, "i": 1000})
    steps = "a[t,i] + a[t,i+1] + a[t,i+2]" if name == "two sweeps" else "a[t,i] + a[t,i+2]"
    one = loop_nest(f"a[t+1,i+1] = {steps}", {"t": 1000, "i": 1000})
    both = [nest_bounds(nest, 16) for nest in (two, one)]
    for rules in (Rules(), Rules(recomputation=False)):
        costs = [max(bound.value for bound in found if bound.holds_under(rules)) for found in both]
        assert costs[0] == pytest.approx(costs[1], rel=0.06)
