"""Layers that spread: how much, against every set; what words dominate in them; never above a pebbling."""

import random
from itertools import combinations

import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.bound_from_inputs import bound_from_inputs
from pebble.lower_bounds.graph.layers import Layers, expanding_layers, layers_of
from pebble.lower_bounds.graph.needed_part import needed_part
from pebble.solvers.heuristic.dag_schedule import schedule_dag

ONCE = Rules(recomputation=False)
Rows = list[list[list[int]]]


def random_rows(draw: random.Random, n: int, layers: int) -> Rows:
    """Return for each layer but the first what its vertices read in the layer before."""
    kind = draw.choice(["neighbours", "ring", "any"])
    rows: Rows = []
    for _ in range(layers):
        if kind == "any":
            rows.append([draw.sample(range(n), draw.randint(1, 3)) for _ in range(n)])
        elif kind == "ring":
            rows.append([[(i + j) % n for j in (-1, 0, 1)] for i in range(n)])
        else:
            rows.append([[j for j in (i - 1, i, i + 1) if 0 <= j < n] for i in range(n)])
    return rows


def dag_of(rows: Rows, draw: random.Random) -> tuple[Dag, list[list[int]]]:
    """Return the DAG under random numbers, and the numbers of each layer."""
    n = len(rows[0])
    numbers = draw.sample(range(n * (len(rows) + 1)), n * (len(rows) + 1))
    layers = [numbers[n * at : n * at + n] for at in range(len(rows) + 1)]
    edges = [
        (layers[at][j], layers[at + 1][i]) for at, row in enumerate(rows) for i in range(n) for j in row[i]
    ]
    return Dag.from_edges(draw.sample(edges, len(edges)), n * (len(rows) + 1)), layers


def spreads_by(row: list[list[int]], k: int) -> bool:
    """Whether any a ≤ n − k vertices read a + k of the layer before."""
    n = len(row)
    sets = (some for a in range(1, n - k + 1) for some in combinations(range(n), a))
    return all(len({j for i in some for j in row[i]}) >= len(some) + k for some in sets)


def test_how_much_they_spread() -> None:
    draw, seen = random.Random(0), set()
    for _ in range(60):
        rows = random_rows(draw, draw.randint(3, 6), 2)
        found = layers_of(needed_part(dag_of(rows, draw)[0]))
        if found is not None and found.size == len(rows[0]):
            assert spreads_by(rows[1], found.spread)
            assert found.spread == 2 or not spreads_by(rows[1], 2)
            seen.add(found.spread)
    assert seen == {1, 2}


def check_words(draw: random.Random) -> None:
    n, layers = draw.randint(4, 9), draw.randint(2, 8)
    rows = random_rows(draw, n, layers)
    dag, numbers = dag_of(rows, draw)
    found = layers_of(needed_part(dag))
    if found is None or found.size != n:
        return
    for _ in range(6):
        first, layer = draw.randrange(n), draw.choice(numbers[:2])
        words = {layer[(first + j) % n] for j in range(draw.randint(1, n))}
        words |= {draw.choice(draw.choice(numbers)) for _ in range(draw.randint(0, 3))}
        closed = set(words)
        for v in dag.topological_order().tolist():
            before = dag.predecessors_of(v).tolist()
            if before and closed.issuperset(before):
                closed.add(v)
        inside = {v for row in numbers[2 : 2 + found.number] for v in row}
        if len(words) < n:
            assert len((closed - words) & inside) <= found.growth(len(words))


def test_what_words_dominate() -> None:
    draw = random.Random(1)
    for _ in range(60):
        check_words(draw)


def stencil(n: int, steps: int) -> Dag:
    rows = [[[j for j in (i - 1, i, i + 1) if 0 <= j < n] for i in range(n)] for _ in range(steps)]
    return dag_of(rows, random.Random(n))[0]


def test_no_bound_is_above_a_pebbling() -> None:
    for n, steps, M in ((16, 24, 4), (16, 24, 5), (24, 10, 6)):
        dag = stencil(n, steps)
        again = expanding_layers(dag, M, Rules())
        once = expanding_layers(dag, M, ONCE)
        found = schedule_dag(dag, M, order="blocks").io
        assert again[0].value > 2 * n
        for bound in (*again, *once):
            assert bound.value <= found
            assert bound_from_inputs(bound.name, bound.inputs, dag, M, ONCE) == bound


def test_words_for_a_whole_layer_are_too_many() -> None:
    with pytest.raises(BoundDoesNotApply, match="fits into 16 words"):
        expanding_layers(stencil(16, 24), 16, Rules())


def test_a_row_of_words_dominates_nearly_so_many() -> None:
    """At the end of the layer, where the cone loses one vertex a layer."""
    layers = Layers(100, 50, 1, True)
    assert sum(range(1, 30)) <= layers.growth(30) <= sum(range(1, 31))


@pytest.mark.parametrize("words", range(1, 12))
def test_a_row_of_words_in_the_first_layer(words: int) -> None:
    """As many as it dominates, no more and no fewer: of three neighbours each layer has two vertices fewer."""
    assert Layers(100, 50, 2, True).growth(words) == max(1, sum(range(words - 2, 0, -2)))
