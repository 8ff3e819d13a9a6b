"""Stencils as graphs under random numbers, whole and with edges left out and put in."""

import random
from itertools import product

from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.lattice_growth import Offset, StencilBox
from pebble.lower_bounds.graph.stencil_shapes import shapes

Row = dict[Offset, int]


def random_lattice(draw: random.Random, longest: tuple[int, int, int]) -> StencilBox:
    """Return a box, a ring or both, with sides of random lengths up to those given for one, two and three axes."""
    offsets = draw.choice(list(shapes(draw.choice((2, 3, 3, 4, 5, 5, 7, 9)))))
    axes = len(next(iter(offsets)))
    sides = tuple(draw.randint(2, longest[axes - 1]) for _ in range(axes))
    return StencilBox(offsets, sides, tuple(draw.random() < 0.3 for _ in range(axes)))


def stencil_edges(
    lattice: StencilBox, steps: int, shrinking: bool
) -> tuple[list[tuple[int, int]], list[Row]]:
    """Return edges, and the rows; ``shrinking`` leaves out what reads beyond the ends."""
    rows: list[Row] = [{place: at for at, place in enumerate(product(*map(range, lattice.sides)))}]
    edges, n = [], len(rows[0])
    for _ in range(steps):
        row: Row = {}
        for place in rows[-1]:
            steps_to = [tuple(x + by for x, by in zip(place, one, strict=True)) for one in lattice.offsets]
            reads = steps_to if shrinking else lattice.reads(place)
            if all(there in rows[-1] for there in reads):
                row[place] = n
                edges += [(rows[-1][there], n) for there in reads]
                n += 1
        if not row:
            break
        rows.append(row)
    return edges, rows


def stencil_graph(draw: random.Random, lattice: StencilBox, steps: int, shrinking: bool, faults: int) -> Dag:
    """Return a stencil under random numbers, with edges and vertices left out and edges put in."""
    edges, rows = stencil_edges(lattice, steps, shrinking)
    n = sum(map(len, rows))
    for _ in range(faults):
        kind = draw.random()
        if kind < 0.4 and len(edges) > 3:
            edges.pop(draw.randrange(len(edges)))
        elif kind < 0.8:
            first, second = sorted(draw.sample(range(n), 2))
            edges.append((first, second))
        else:
            v = draw.randrange(n)
            edges = [edge for edge in edges if v not in edge]
    number = draw.sample(range(n), n)
    edges = [(number[p], number[v]) for p, v in dict.fromkeys(edges)]
    return Dag.from_edges(draw.sample(edges, len(edges)), n)
