"""Stencils of any numbering: what is found, what words and segments allow; never above an optimum or a pebbling."""

import random
from itertools import product

import pytest

import pebble
from pebble.common.errors import BoundDoesNotApply
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.bound_from_inputs import bound_from_inputs
from pebble.lower_bounds.graph.compulsory import compulsory
from pebble.lower_bounds.graph.lattice_growth import Offset, StencilBox
from pebble.lower_bounds.graph.needed_part import Needed, needed_part, with_trees_as_one
from pebble.lower_bounds.graph.stencil import stencil, stencil_counts
from pebble.lower_bounds.graph.stencil_rows import StencilRows, checked, stencil_rows
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from tests.lower_bounds.graph.stencil_graphs import random_lattice, stencil_edges, stencil_graph

ONCE = Rules(recomputation=False)
LINE = frozenset({(-1,), (0,), (1,)})
CROSS = frozenset({(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)})


def box(*sides: int) -> frozenset[Offset]:
    return frozenset(product(*(range(-1, 2) if side else (0,) for side in sides)))


SHAPES = [
    (LINE, (40,)),
    (frozenset((by,) for by in range(-2, 3)), (40,)),
    (frozenset((by,) for by in range(-1, 3)), (40,)),
    (CROSS, (6, 9)),
    (box(1, 1), (7, 7)),
    (frozenset({(0, 0), (0, 1), (1, 0)}), (6, 7)),
    (frozenset({(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)}), (4, 4, 5)),
    (frozenset(one for one in product((-1, 0, 1), repeat=3) if sum(map(abs, one)) < 2), (4, 4, 5)),
    (box(1, 1, 1), (4, 4, 4)),
]


@pytest.mark.parametrize("ends", ["ends", "ring", "shrinking"])
@pytest.mark.parametrize(("offsets", "sides"), SHAPES)
def test_all_of_it_is_found(offsets: frozenset[Offset], sides: tuple[int, ...], ends: str) -> None:
    lattice = StencilBox(offsets, sides, (ends == "ring",) * len(sides))
    steps = 1 if ends == "shrinking" and len(sides) > 1 else 3
    dag = stencil_graph(random.Random(len(offsets)), lattice, steps, ends == "shrinking", 0)
    (found,) = stencil_rows(needed_part(dag))
    _, rows = stencil_edges(lattice, steps, ends == "shrinking")
    assert found.computed == sum(map(len, rows[1:]))
    assert (found.lattice.sides == (0,) * len(sides)) is (ends == "shrinking")


def test_the_bound_does_not_depend_on_numbers() -> None:
    lattice = StencilBox(CROSS, (7, 5), (False, False))
    values = {
        tuple(
            bound.value
            for bound in stencil(stencil_graph(random.Random(seed), lattice, 6, False, 0), 6, ONCE)
        )
        for seed in range(4)
    }
    assert len(values) == 1


def test_64_points_and_32_steps() -> None:
    dag = stencil_graph(random.Random(0), StencilBox(LINE, (64,), (False,)), 32, False, 0)
    again, once = stencil(dag, 8, ONCE)
    assert (again.value, once.value) == (319, 377)
    for bound in (again, once):
        assert bound_from_inputs(bound.name, bound.inputs, dag, 8, ONCE) == bound


def random_stencil(draw: random.Random, longest: tuple[int, int, int], steps: int, vertices: int) -> Dag:
    while True:
        lattice = random_lattice(draw, longest)
        faults, shrinking = draw.choice((0, 0, 1, 2, 4)), draw.random() < 0.3
        dag = stencil_graph(draw, lattice, draw.randint(1, steps), shrinking, faults)
        if 4 < dag.n_vertices <= vertices and dag.n_edges:
            return dag


def bounds_of(dag: Dag, M: int, rules: Rules) -> list[int | float]:
    try:
        return [bound.value for bound in stencil(dag, M, rules) if bound.holds_under(rules)]
    except BoundDoesNotApply:
        return []


def check_optima(seed: int, number: int, vertices: int) -> None:
    draw, compared = random.Random(seed), 0
    while compared < number:
        dag = random_stencil(draw, (6, 3, 2), 6, vertices)
        M = dag.least_M() + draw.randint(0, 2)
        for rules in (Rules(), ONCE):
            if values := bounds_of(dag, M, rules):
                assert max(values) <= pebble.optimal(dag, M, rules).io
                compared += 1


def check_pebblings(seed: int, number: int, vertices: int) -> None:
    """Compare so many bounds that are above the compulsory words."""
    draw, above = random.Random(seed), 0
    while above < number:
        dag = random_stencil(draw, (40, 9, 4), 15, vertices)
        M = dag.least_M() + draw.randint(0, 8)
        values = bounds_of(dag, M, ONCE)
        if values and max(values) > compulsory(dag, M).value:
            assert max(values) <= schedule_dag(dag, M, order="greedy").io
            above += 1


def test_no_bound_is_above_an_optimum() -> None:
    check_optima(1, 2, 16)


def test_no_bound_is_above_a_pebbling() -> None:
    check_pebblings(3, 1, 300)


@pytest.mark.slow
def test_no_bound_is_above_optima_and_pebblings_of_more() -> None:
    check_optima(2, 8, 18)
    check_pebblings(2, 4, 500)


def fitted(lattice: StencilBox, steps: int, shrinking: bool) -> tuple[Needed, StencilRows]:
    """Return a stencil and its rows, known and not looked for."""
    edges, rows = stencil_edges(lattice, steps, shrinking)
    part = needed_part(Dag.from_edges(edges, sum(map(len, rows))))
    number = {int(v): at for at, v in enumerate(part.vertices)}
    known = [{place: number[v] for place, v in row.items() if v in number} for row in rows]
    if shrinking:
        lattice = StencilBox(lattice.offsets, (0,) * lattice.axes, (False,) * lattice.axes)
    found = checked(part, lattice, known)
    assert found is not None
    return part, found


def segment_words(
    part: Needed, order: list[int], start: int, end: int
) -> tuple[set[int], set[int], set[int]]:
    """Return what a part of an order computes, what it needs from before, and what is needed after it."""
    inside = set(order[start:end])
    words_in = {p for v in inside for p in part.predecessors[v]} - inside
    words_out = {v for v in inside if part.is_output[v] or not inside.issuperset(part.successors[v])}
    return inside, words_in, words_out


def events_within(rows: StencilRows, T: int, best: tuple[int, int], some: set[int]) -> bool:
    """Whether some vertices are no more than is said of T words; at the ends of a line some are not counted."""
    W, most = best
    lattice = rows.lattice
    columns = {v: place[0] for row in rows.rows[1:] for place, v in row.items()}
    side = max(columns.values()) + 1
    widths = range(T + 1 if lattice.axes == 1 and lattice.has_sides else 1)
    for left, right in product(widths, widths):
        weighted = {v for v, x in columns.items() if left <= x < side - right}
        if len(weighted) == W and len(weighted & some) <= most:
            return True
    return False


@pytest.mark.parametrize("seed", range(10))
def test_what_segments_of_random_orders_hold(seed: int) -> None:
    draw = random.Random(seed)
    lattice, shrinking = random_lattice(draw, (14, 5, 3)), draw.random() < 0.3
    if len(list(product(*map(range, lattice.sides)))) < 6:
        return
    try:
        part, rows = fitted(lattice, 6, shrinking)
    except AssertionError:
        return
    order = wandering_order(part, draw)
    for _ in range(30):
        start = draw.randrange(len(order))
        inside, words_in, words_out = segment_words(part, order, start, start + draw.randint(1, 40))
        for words, extra in ((words_in, 0), (words_out, 1)):
            T = len(words) + (len(charged(rows, part) & inside - words) if extra else 0)
            for at, (W, most) in stencil_counts(rows, T - 1)[:1]:
                assert at == T
                assert events_within(rows, T, (W, most + extra * T), inside)


def test_vertices_that_do_not_fit_are_left_out() -> None:
    """One edge is missing: its head goes, and what reads the head, and what reads that."""
    line = StencilBox(LINE, (9,), (False,))
    edges, rows = stencil_edges(line, 3, False)
    edges.remove((rows[0][(3,)], rows[1][(4,)]))
    part = needed_part(Dag.from_edges(edges, 36))
    found = checked(part, line, rows)
    assert found is not None
    assert [set(row) ^ set(rows[0]) for row in found.rows] == [
        set(),
        {(4,)},
        {(3,), (4,), (5,)},
        {(2,), (3,), (4,), (5,), (6,)},
    ]
    assert found.not_read_on(part) == len(charged(found, part)) == 4 + 4


def test_the_first_row_holds_inputs_and_no_vertex_has_two_places() -> None:
    line = StencilBox(LINE, (9,), (False,))
    edges, rows = stencil_edges(line, 3, False)
    part = needed_part(Dag.from_edges(edges, 36))
    assert checked(part, line, rows[1:]) is None
    twice = [rows[0], rows[1] | {(9,): rows[1][(8,)], (20,): rows[1][(0,)]}]
    found = checked(part, line, twice)
    assert found is not None
    assert found.rows[1] == rows[1]


def of_a_line(T: int, left: int, right: int, losses: tuple[int, int]) -> int:
    """Return what the lemma says of T words, with some places at the ends not counted."""
    sizes = (T, sum(losses)), (T - left, min(losses)), (T - right, min(losses))
    return max(sum(range(words - loss, 0, -loss)) for words, loss in sizes)


@pytest.mark.parametrize("losses", [(1, 1), (1, 2), (2, 2), (3, 1)])
def test_what_words_of_a_line_with_ends_dominate(losses: tuple[int, int]) -> None:
    """A search by moving words, from a row of them at each end and inside."""
    draw, side, steps = random.Random(sum(losses)), 14, 9
    line = StencilBox(frozenset((by,) for by in range(-losses[0], losses[1] + 1)), (side,), (False,))
    for T in range(2, 11, 2):
        for start in (0, 2, side - T):
            left, right = draw.randint(0, T // 2), draw.randint(0, T // 2)
            words = {(0, start + x) for x in range(T)}
            best = -1
            for _ in range(40):
                place = (draw.randrange(3), draw.randrange(side))
                other = (words - {draw.choice(sorted(words))}) | {place} if best >= 0 else words
                counted = within(line, steps, other, range(left, side - right))
                assert counted <= of_a_line(T, left, right, losses)
                if len(other) == T and counted >= best:
                    words, best = other, counted
    _, rows = fitted(line, 4, False)
    for T, (W, most) in stencil_counts(rows, 5):
        ends = [(a, b) for a in range(side) for b in range(side - a) if 4 * (side - a - b) == W]
        assert any(most >= max(1, of_a_line(T, a, b, losses)) for a, b in ends)


def within(line: StencilBox, steps: int, words: set[tuple[int, int]], counted: range) -> int:
    """Return how many places of rows 1, 2, … some words dominate that are none of them and are counted."""
    held, found = {x for row, x in words if row == 0}, 0
    for row in range(1, steps):
        given = {x for at, x in words if at == row}
        of_row = {x for x in range(line.sides[0]) if {y for (y,) in line.reads((x,))} <= held}
        found += len((of_row - given) & set(counted))
        held = of_row | given
    return found


def charged(rows: StencilRows, part: Needed) -> set[int]:
    """Return the computed vertices that are neither outputs nor read by all places that the lattice says."""
    found = set()
    for row, after in zip(rows.rows[1:], [*rows.rows[2:], {}], strict=True):
        for place, v in row.items():
            readers = {after.get(at, -1) for at in rows.lattice.read_by(place)}
            if not part.is_input[v] and not part.is_output[v] and not readers <= set(part.successors[v]):
                found.add(v)
    return found


def with_inputs_beyond_the_ends(n: int, steps: int) -> Dag:
    """Return three neighbours on a line, and an input beyond each end at each step; a coefficient of each place."""
    edges, row, number = [], list(range(n)), 2 * n
    for _ in range(steps):
        read = [number, *row, number + 1]
        row = list(range(number + 2, number + 2 + n))
        number += 2 + n
        edges += [(read[at + by], row[at]) for at in range(n) for by in range(3)]
        edges += [(n + at, row[at]) for at in range(n)]
    return Dag.from_edges(edges, number)


def test_inputs_beyond_the_ends_leave_no_ends() -> None:
    dag = with_inputs_beyond_the_ends(20, 12)
    part = needed_part(dag)
    ends, endless = stencil_rows(part)
    assert (ends.lattice.sides, endless.lattice.sides) == ((20,), (0,))
    assert ends.computed == endless.computed == 240
    assert endless.not_read_on(part) == len(charged(endless, part)) == 2 * 11
    for bound in stencil(dag, 6, ONCE):
        assert bound.value <= schedule_dag(dag, 6, order="greedy").io


def sums_of_three(n: int, steps: int) -> Dag:
    """Return three neighbours on a line, weighed and added one by one."""
    edges, row, number = [], list(range(n)), n
    for _ in range(steps):
        after = []
        for at in range(n):
            total = -1
            for p in row[max(0, at - 1) : at + 2]:
                edges.append((p, number))
                term, number = number, number + 1
                if total >= 0:
                    edges += [(total, number), (term, number)]
                    term, number = number, number + 1
                total = term
            after.append(total)
        row = after
    return Dag.from_edges(edges, number)


def test_sums_of_several_vertices_are_one_point() -> None:
    dag = sums_of_three(20, 8)
    part = with_trees_as_one(needed_part(dag))
    (rows,) = stencil_rows(part)
    assert rows.computed == 160
    for bound in stencil(dag, 6, ONCE):
        assert "sums as one" in bound.note
        assert bound.value <= schedule_dag(dag, 6, order="greedy").io


def test_words_within_sums() -> None:
    """Some words, within sums too, dominate no more points than is said."""
    draw, dag = random.Random(0), sums_of_three(12, 6)
    part = with_trees_as_one(needed_part(dag))
    (rows,) = stencil_rows(part)
    points = {int(part.vertices[v]) for row in rows.rows[1:] for v in row.values()}
    for T in range(2, 11):
        inputs = dag.inputs.tolist()
        for _ in range(20):
            words = set(inputs[:T]) if draw.random() < 0.5 else set(draw.sample(range(60), T))
            closed = set(words)
            for v in dag.topological_order().tolist():
                before = dag.predecessors_of(v).tolist()
                if before and closed.issuperset(before):
                    closed.add(v)
            held = len((closed - words) & points)
            assert held <= of_a_line(T, 0, 0, (1, 1)) + T


def wandering_order(part: Needed, draw: random.Random) -> list[int]:
    """Return an order that goes on near where it is more often than not."""
    missing = [len(before) for before in part.predecessors]
    ready, order = [v for v in range(part.n) if not missing[v]], list[int]()
    while ready:
        at = len(ready) - 1 if draw.random() < 0.8 else draw.randrange(len(ready))
        v = ready.pop(at)
        if part.predecessors[v]:
            order.append(v)
        for after in part.successors[v]:
            missing[after] -= 1
            if not missing[after]:
                ready.append(after)
    return order
