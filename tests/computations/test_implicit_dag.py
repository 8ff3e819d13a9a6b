"""A family's DAG on demand: the rows, the verdicts and the messages of the DAG that is built."""

from __future__ import annotations

import io
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from pebble.common.errors import IllegalMove
from pebble.computations import family as families
from pebble.computations.array import Array
from pebble.computations.attention import attention_family
from pebble.computations.family import Family, dag_to_play
from pebble.computations.implicit_dag import ImplicitDag
from pebble.computations.masks.band_mask import FullMask
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game import replay_block
from pebble.game.moves import Move, Moves, Op
from pebble.game.replay import Replay
from pebble.game.rules import Rules
from pebble.graph.any_dag import AnyDag
from pebble.graph.dag import Dag
from pebble.graph.order import marked_ancestors
from pebble.lab.pebblings import check, moves
from tests.program.random_families import (
    crossed_family,
    maskable,
    random_subject,
    recurrent_family,
    stepped_family,
    under,
    with_outputs,
)
from tests.program.random_masks import random_mask
from tests.program.random_programs import relabelled
from tests.support.random_dags import mutated

LINEAR = [
    Problem(3, 2, 2, 1, attention="linear"),
    Problem.square(3, 2, 1, attention="linear", mask="causal"),
    Problem.square(4, 1, 2, attention="linear", mask="causal", gate=True),
    Problem.square(1, 2, attention="linear", mask="causal", gate=True),
    Problem.square(7, 2, 1, attention="linear", mask="causal", chunk=3),
    Problem.square(2, 2, attention="linear", mask="causal", chunk=2),
]
FIXED = [
    *(family_of(Problem(3, 4, 2, 1, softmax=softmax, stats=True)) for softmax in ("plain", "safe", "online")),
    *(
        family_of(Problem(1, 1, 1, 1, pass_name=pass_name))
        for pass_name in ("forward", "backward", "weights")
    ),
    family_of(Problem(3, 5, 2, 4, pass_name="backward")),
    *(family_of(problem) for problem in LINEAR),
    family_of(Problem(3, 4, 3, 2, shared_values=True)),
    family_of(Problem(3, 4, 3, 2, heads=2, shared_rope=1)),
    matmul_family(3, 1, 5),
    relabelled(stepped_family(4, 3, 2), ("n", "r")),
    relabelled(recurrent_family(4, 2, 1), ("B", "O", "z")),
    relabelled(crossed_family(2, 3, 2), ("n", "c")),
]


def random_families(seed: int) -> list[Family]:
    """Families of all kinds, bare and under masks that may leave queries without keys."""
    rnd = Random(seed)
    found = [
        random_subject(rnd, masked=False).family,
        random_subject(rnd, masked=True).family,
        under(maskable(stepped_family(5, 6, 1)), random_mask(rnd, 5, 6)),
        under(maskable(crossed_family(5, 6, 2)), random_mask(rnd, 5, 6)),
    ]
    found = [
        family if family.outputs else with_outputs(family, (family.arrays[-1].name,)) for family in found
    ]
    return [family for family in found if any(family.size(array.name) for array in family.outputs)]


def predecessors_by_the_rule(
    family: Family, name: str, index: tuple[int, ...]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The predecessors of one vertex as the head of ``family.py`` says them, from which steps of a chain exist."""
    array = family[name]
    at = dict(zip(array.indices, index, strict=True))

    def steps(one: Array) -> list[int]:
        """The steps of the chain of an element, here at the reader's indices."""
        element = tuple(at[axis] for axis in one.axes)
        return np.flatnonzero(family.exists(one.name)[element]).tolist()

    if array.chain is not None:
        yield from (
            (name, (*index[:-1], step)) for step in [one for one in steps(array) if one < index[-1]][-1:]
        )
    for operand, step in array.reads:
        read = family[operand]
        element = tuple(at[axis] for axis in read.axes)
        if step == "later" and at[str(array.chain)] == 0:
            continue
        if read.chain is None:
            yield operand, element
            continue
        there = steps(read)
        if step != "last":
            there = [one for one in there if one < at[read.chain] + (step == "after")]
        yield from ((operand, (*element, one)) for one in there[-1:])


def assert_rows_by_the_rule(family: Family, rng: np.random.Generator) -> None:
    """Some vertices at a time, and all of them in the DAG that is built, against the rule vertex by vertex."""
    built, found = family.dag(), ImplicitDag(family)
    assert built.n_vertices == found.n_vertices == family.n_vertices
    assert (built.n_edges, built.max_indegree) == (family.n_edges, family.max_indegree)
    rows = [
        [family.vertex(*one) for one in predecessors_by_the_rule(family, *family.names.element(v))]
        for v in range(family.n_vertices)
    ]
    assert [built.predecessors_of(v).tolist() for v in range(built.n_vertices)] == rows
    for v in rng.integers(0, built.n_vertices, 30).tolist():
        name, index = family.names.element(v)
        assert built.name(v) == family.names[v] == f"{name}[{','.join(map(str, index))}]"
        assert built.vertex(built.name(v)) == family.names.index(built.name(v)) == v
        assert sorted(family.vertex(*one) for one in family.predecessors(name, index)) == sorted(rows[v])
    assert {built.name(v).partition("[")[0] for v in built.inputs} == {one.name for one in family.inputs}
    np.testing.assert_array_equal(found.inputs, built.inputs)
    np.testing.assert_array_equal(found.outputs, built.outputs)
    for count in (0, 1, 5, 2 * built.n_vertices):
        vertices = rng.integers(0, built.n_vertices, count)
        some = found.rows_of(vertices)
        for vertex, row in zip(vertices.tolist(), some.row.tolist(), strict=True):
            assert some.predecessors[some.start[row] : some.start[row + 1]].tolist() == rows[vertex]
    vertex = int(rng.integers(built.n_vertices))
    name = built.name(vertex)
    assert (found.name(vertex), found.vertex(name)) == (name, vertex)


@pytest.mark.parametrize("family", FIXED, ids=repr)
def test_rows_of_families(family: Family) -> None:
    assert_rows_by_the_rule(family, np.random.default_rng(0))


@pytest.mark.parametrize("stats", [False, True])
def test_no_mask_is_the_mask_that_allows_everything(stats: bool) -> None:
    plain = attention_family(Problem(3, 2, 3, 1, stats=stats))
    under_all = plain.under(FullMask(3, 2))
    assert (plain.masked_axes, under_all.masked_axes) == ((), ("i", "j"))
    assert under_all.dag() == plain.dag()
    assert list(under_all.names) == list(plain.names)
    assert_rows_by_the_rule(under_all, np.random.default_rng(0))


@pytest.mark.many(4)
@pytest.mark.parametrize("seed", range(12))
def test_rows_of_random_families(seed: int) -> None:
    for family in random_families(seed):
        assert_rows_by_the_rule(family, np.random.default_rng(seed))


def one_by_one(dag: Dag, sliding: bool, rng: np.random.Generator) -> list[Move]:
    """A pebbling of some vertices and all they depend on that loads what each needs, and keeps nothing."""
    wanted = np.zeros(dag.n_vertices, dtype=np.bool_)
    wanted[rng.integers(0, dag.n_vertices, 8)] = True
    order = dag.topological_order()
    wanted = marked_ancestors(wanted, order, dag.predecessor_start, dag.predecessors)
    found: list[Move] = []
    for v in order[wanted[order]].tolist():
        needs = dag.predecessors_of(v).tolist()
        if needs:
            slide = sliding and rng.random() < 0.5
            found += [Move(Op.LOAD, p) for p in needs]
            found += [Move(Op.SLIDE, v, needs[0]) if slide else Move(Op.COMPUTE, v), Move(Op.STORE, v)]
            found += [Move(Op.DELETE, p) for p in (*needs[slide:], v)]
    return found


def verdict(dag: AnyDag, M: int, rules: Rules, played: list[Move], cut: int) -> tuple[object, ...]:
    play = Replay(dag, M, rules)
    try:
        for part in (played[:cut], played[cut:]):
            play.play(Moves.of(part))
    except IllegalMove as error:
        return str(error), error.move_number, error.rule, str(play.result())
    return str(play.result()), play.result()


@pytest.mark.many(1)
@pytest.mark.parametrize("seed", range(6))
def test_same_verdicts_and_messages(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(replay_block, "_EVENTS", 1 << 18 if seed % 2 else 30)
    rng, legal, illegal = np.random.default_rng(seed), 0, 0
    for family in [*random_families(seed), FIXED[seed], FIXED[-2 - seed]]:
        dag = family.dag()
        for rules in (Rules(), Rules(sliding=True), Rules(recomputation=False)):
            M = dag.max_indegree + 1 + int(rng.integers(0, 3))
            played = one_by_one(dag, rules.sliding, rng)
            for broken in (played, *(mutated(played, dag, rng) for _ in range(4))):
                cut = int(rng.integers(0, len(broken) + 1))
                expected = verdict(dag, M, rules, broken, cut)
                assert verdict(ImplicitDag(family), M, rules, broken, cut) == expected
                legal += len(expected) == 2
                illegal += len(expected) == 4
    assert legal > 10
    assert illegal > 10


FILES = [
    ("flash-2", Problem(6, 9, 2, 3)),
    ("flash-2", Problem.square(9, 2, mask="causal")),
    ("flash-1", Problem(5, 4, 2, 3, softmax="online")),
    ("split", Problem(5, 4, 2, 3, softmax="safe")),
    ("flash-2", Problem(4, 5, 2, 2, pass_name="backward")),
]


@pytest.mark.parametrize(("schedule", "problem"), FILES, ids=str)
def test_files_have_the_same_results(
    monkeypatch: pytest.MonkeyPatch, schedule: str, problem: Problem
) -> None:
    rnd = Random(1)
    stream = io.StringIO()
    moves(schedule, problem, M=40).write(stream)
    lines = stream.getvalue().splitlines(keepends=True)
    texts = ["".join(lines)]
    for _ in range(12):
        at = rnd.randrange(4, len(lines))
        texts.append(
            "".join(rnd.choice([lines[:at] + lines[at + 1 :], [*lines[:at], lines[-1], *lines[at:]]]))
        )
    expected = [str(check(io.StringIO(text))) for text in texts]
    assert "complete" in expected[0]
    assert any("predecessors" in one for one in expected)
    monkeypatch.setattr(families, "_EXPLICIT_EDGES", 0)
    assert [str(check(io.StringIO(text))) for text in texts] == expected


def test_only_small_families_are_built() -> None:
    assert isinstance(dag_to_play(attention_family(Problem.square(8, 4))), Dag)
    large = dag_to_play(attention_family(Problem.square(1 << 17, 64)))
    assert isinstance(large, ImplicitDag)
    assert [large.name(v) for v in large.predecessors_of("U[131071,63,5]")] == [
        "U[131071,63,4]",
        "P[131071,5]",
        "V[5,63]",
    ]
