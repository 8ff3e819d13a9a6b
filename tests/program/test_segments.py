"""Parts of a packed mask that are alike: one is executed, and the others say what they would say."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from pebble import Problem, Schedule
from pebble.computations.masks import document_mask, make_mask, window_mask
from pebble.program.machine import segment_states
from pebble.program.machine.run import run
from pebble.program.machine.segment_states import Segments
from pebble.program.machine.segments import periods, segment_runs
from pebble.program.schedule import available
from tests.program.differences import PLAIN, SHORTCUTS, against_plain_loops, judge
from tests.program.edits import acceptable
from tests.program.generator import Case, random_text
from tests.program.long_cases import affordable, disturbed, subject_under
from tests.program.named_cases import attention
from tests.program.names import (
    BandMask,
    Loop,
    Mask,
    Node,
    Nodes,
    Operation,
    Phase,
    Program,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    not_last,
    phase,
    store,
    when,
)
from tests.program.random_families import with_outputs
from tests.program.shrinking import as_python
from tests.support import amounts

MANY = int(os.environ.get("PEBBLE_CASES", "4000"))


@dataclass
class Taken:
    """How often a segment followed from another one, and several at once; and how many were executed."""

    one: int = 0
    several: int = 0
    executed: int = 0


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """Note what becomes of segments."""
    found = Taken()
    account: Callable[..., None] = segment_states.account  # type: ignore[attr-defined]
    record = Segments._record

    def noted(machine: Any, effect: Any, node: Any, last: int, times: int) -> None:
        found.one += times == 1
        found.several += times > 1
        account(machine, effect, node, last, times)

    def executed(self: Segments, *arguments: Any) -> None:
        found.executed += 1
        record(self, *arguments)

    monkeypatch.setattr(segment_states, "account", noted)
    monkeypatch.setattr(Segments, "_record", executed)
    return found


def packed(rnd: Random) -> Mask:
    """Documents of few lengths, most often in an order that repeats."""
    some = [rnd.randint(1, 5) for _ in range(rnd.randint(1, 3))]
    lengths: list[int] = []
    least, repeats = rnd.randint(14, 28), rnd.random() < 0.6
    while sum(lengths) < least:
        lengths += some if repeats else [rnd.choice(some)]
    if rnd.random() < 0.3:
        lengths.insert(rnd.randrange(len(lengths)), rnd.randint(1, 4))
    return document_mask(lengths, causal=rnd.random() < 0.5)


def packed_case(seed: int) -> Case:
    """The case with a number: a random program under documents of few lengths."""
    rnd = Random(seed)
    while True:
        subject = subject_under(rnd, packed(rnd), *rnd.choice([(1, 1), (1, 2), (2, 1), (3, 1)]))
        if rnd.random() < 0.3:
            subject = replace(subject, family=with_outputs(subject.family, ()))
        program, story = random_text(rnd, subject)
        if program.phases and rnd.random() < 0.3:
            program, story = disturbed(rnd, program, subject.family), f"{story}, disturbed"
        if program.phases and acceptable(program, subject.family) and affordable(program, subject.family):
            return Case(program, subject.family, f"packed seed {seed}: {story}")


def cut_up(rnd: Random, case: Case) -> Case:
    """The case with loops outside of all others cut into several, of one body, at ends of parts or anywhere."""
    mask = case.family.mask
    assert isinstance(mask, BandMask)
    phases = []
    for part in case.program.phases:
        nodes: list[Node] = []
        for node in part.nodes():
            if not isinstance(node, Loop) or node.axis not in "ij" or (node.start, node.stop) != (0, None):
                nodes.append(node)
                continue
            places = [0, *mask.separations(node.axis), mask.extents[node.axis]]
            short = node.tile > 1 and rnd.random() < 0.5
            for start, stop in pairwise(places):
                if short and start + 1 < stop:
                    nodes.append(replace(node, start=start, stop=start + 1, tile=1))
                    start += 1
                nodes.append(replace(node, start=start, stop=stop))
        phases.append(phase("", nodes))
    return replace(case, program=Program(tuple(phases)))


def check(first: int, stop: int, cut: bool = False) -> None:
    """Judge the packed cases with these numbers, with enough memory, just enough, and too little."""
    for seed in range(first, stop):
        case = packed_case(seed)
        case = cut_up(Random(seed), case) if cut else case
        found = against_plain_loops(case.program, case.family)
        assert not found, "\n".join([str(case), as_python(case.program), *found])


@pytest.mark.parametrize("block", amounts.first(1, range(6)))
def test_segments_say_what_all_tiles_say(block: int, taken: Taken) -> None:
    check(20 * block, 20 * (block + 1))
    assert taken.one + taken.several > 0


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_segments_say_what_all_tiles_say_in_many_programs(block: int, taken: Taken) -> None:
    size = -(-MANY // 400)
    check(10**6 + size * block, 10**6 + size * (block + 1))


@pytest.mark.parametrize("block", amounts.first(1, range(6)))
def test_loops_for_single_parts_say_what_all_tiles_say(block: int, taken: Taken) -> None:
    check(15 * block, 15 * (block + 1), cut=True)
    assert taken.one + taken.several > 0


SCHEDULES = [
    ("naive", {}),
    ("standard", {"rows": 2, "cols": 3, "out_rows": 3, "out_cols": 1}),
    ("flash-1", {"cols": 2}),
    ("flash-2", {"rows": 2}),
    ("flash-2-causal", {"first": 2, "rows": 2}),
    ("flash-2-pinned", {"rows": 2, "pinned": 0}),
    ("small-cache", {"side": 2}),
    ("square-tile", {"side": 2}),
    ("hybrid", {"rows": 2, "out_rows": 2, "out_cols": 1, "sums_first": 0}),
]
LENGTHS = [[3] * 14, [1, 2] * 8, [2, 4, 2, 2, 4, 4, 2, 4, 2, 2]]


@pytest.mark.parametrize(("name", "tiles"), SCHEDULES)
@pytest.mark.parametrize(
    "variant", amounts.first(1, [(2, ""), (0, ""), (1, "causal,"), (2, "causal,"), (1, "")])
)
def test_schedules_over_documents_of_few_lengths(
    name: str, tiles: dict[str, int], variant: tuple[int, str], taken: Taken
) -> None:
    order, kind = variant
    lengths = LENGTHS[order]
    problem = Problem.square(sum(lengths), 2, mask="document:" + kind + ",".join(map(str, lengths)))
    program, family = available()[name].program(problem, tiles), Schedule.family(problem)
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, slow.found.peak).differs(slow)
    assert taken.one + taken.several > 0


@pytest.mark.parametrize(
    "inner",
    [
        loop("j", 1, load("K"), delete("K"), start=9),
        loop("j", 1, load("K"), delete("K"), stop=17),
        loop("j", 1, load("K"), when(first("j"), load("V")), delete("K"), start=9),
        loop("j", 2, when(first("i"), load("K")), when(last("i"), delete("K"))),
        [when(first("i"), load("K")), when(last("i"), delete("K"))],
        [loop("j", 28, load("K")), loop("j", 1, delete("K"))],
    ],
)
def test_loops_and_conditions_inside(inner: Nodes) -> None:
    family = attention(28, 28, mask="document:2x14")
    body = inner if isinstance(inner, list) else [inner]
    program = Program((Phase("", (loop("i", 2, load("Q"), *body, delete("Q")),)),))
    slow = judge(PLAIN, program, family, None)
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)


@pytest.mark.parametrize("kind", ["", "causal,"])
@pytest.mark.parametrize(
    ("name", "tiles"),
    [("flash-2", {"cols": 2}), ("queries-pinned", {"rows": 2, "pinned": 0})],
)
def test_backward_over_documents_of_few_lengths(
    name: str, tiles: dict[str, int], kind: str, taken: Taken
) -> None:
    problem = Problem.square(28, 1, mask=f"document:{kind}4,2,4,2,4,2,4,2,4", pass_name="backward")
    program, family = available("backward")[name].program(problem, tiles), Schedule.family(problem)
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, slow.found.peak).differs(slow)
    assert taken.one + taken.several > 0


@pytest.mark.parametrize("axis", ["i", "j"])
def test_what_is_in_memory_before_matters(axis: str) -> None:
    """Part of one sequence in the middle is in fast memory beforehand."""
    family = attention(24, 24, mask="document:2x12")
    name, other = ("Q", "K") if axis == "i" else ("K", "Q")
    before = loop(axis, 1, load(name), start=10, stop=11)
    inner = loop("j" if axis == "i" else "i", 1, load(other), delete(other))
    program = Program((Phase("", (before, loop(axis, 2, load(name), inner, delete(name)))),))
    slow = judge(PLAIN, program, family, None)
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)


@pytest.mark.parametrize("stored", [False, True])
def test_partial_results_stay_in_each_segment(stored: bool, taken: Taken) -> None:
    family = attention(27, 27, mask="document:3x9")
    step: list[Nodes] = [load("K"), compute("S"), compute("P", "S"), compute("l"), delete("P", "K")]
    end: list[Nodes] = [store("l"), delete("l")] if stored else []
    nodes = loop("i", 1, load("Q"), loop("j", 1, when(not_last("j"), *step)), *end, delete("Q"))
    program = Program((phase("", nodes),))
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)
    assert taken.one > 5


def test_what_rounds_leave_unknown_is_told_of_no_other_segment(taken: Taken) -> None:
    """Of each line slow memory keeps another partial sum, and one of them is looked at in the end."""
    family = attention(60, 60, mask="document:causal,10x6")
    again, keep = when(not_first("j"), load("l")), when(not_last("j"), store("l"))
    step: list[Nodes] = [
        load("Q"),
        compute("S"),
        compute("P", "S"),
        again,
        compute("l"),
        keep,
        delete("P", "l", "Q"),
    ]
    sums = loop("j", 1, load("K"), loop("i", 1, step), delete("K"))
    program = Program((phase("", sums), phase("", loop("i", 1, load("l"), start=35, stop=36))))
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)


def test_a_chain_that_stands_at_one_place_is_not_the_same_in_all_segments() -> None:
    """The sums of all lines got to key 8: those of the sequences before are complete, the others have not begun."""
    family = attention(18, 18, mask="document:2x9")
    sums = Operation("compute", "l", None, (("j", 0, 8),))
    first_keys: list[Nodes] = [load("Q", "K"), compute("S"), compute("P", "S"), sums, delete("Q", "K")]
    nodes = loop("i", 1, loop("j", 1, load("K"), delete("K")), store("l"), delete("l"))
    program = Program((phase("", [*first_keys, nodes]),))
    slow = judge(PLAIN, program, family, None)
    assert slow.rule == "store-needs-red"
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)


TWICE = [load("V"), delete("V")]


@pytest.mark.parametrize(
    "nodes",
    [
        [loop("k", 1, loop("i", 1, loop("j", 1, when(first("k"), load("K"), delete("K")))))],
        [loop("i", 1, loop("j", 1, TWICE)), loop("i", 1, loop("j", 1, TWICE, TWICE))],
    ],
    ids=["loops around", "two loops"],
)
def test_segments_of_unlike_loops_are_unlike(nodes: Nodes) -> None:
    family = attention(14, 14, d=3, mask="document:2x7")
    program = Program((phase("", nodes),))
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)


def test_the_time_does_not_depend_on_how_many_equal_documents_there_are() -> None:
    steps = []
    for number in (200, 20_000):
        problem = Problem.square(1000 * number, 16, mask=f"document:1000x{number}")
        program = available()["flash-2"].program(problem, {"rows": 250})
        steps.append(run(program, Schedule.family(problem), 10_000).steps)
    assert steps[0] == steps[1] < 200


def test_documents_of_two_lengths_are_executed_twice(taken: Taken) -> None:
    lengths = np.random.default_rng(0).choice([30, 50], 200).tolist()
    problem = Problem.square(sum(lengths), 2, mask="document:" + ",".join(map(str, lengths)))
    run(available()["flash-2"].program(problem, {"rows": 10}), Schedule.family(problem))
    # The first one and the last one of all stand for no other; some that follow on each other are taken together.
    assert taken.executed <= 8
    assert taken.one > 50


def test_segments_end_where_tiles_do() -> None:
    mask = document_mask([4, 2, 3, 3, 6, 6, 6, 5])
    runs = segment_runs(mask, "i", (0, 35), 3, frozenset([2]))
    assert [(one.lines, one.times) for one in runs] == [
        ((0, 6), 1),
        ((6, 12), 1),
        ((12, 18), 3),
        ((30, 35), 1),
    ]
    assert runs[1].kind != runs[2].kind
    assert not segment_runs(mask, "i", (0, 35), 7, frozenset([1]))


def test_a_loop_over_part_of_an_axis_has_segments_inside_of_it() -> None:
    mask = document_mask([2] * 10)
    runs = segment_runs(mask, "j", (3, 18), 1, frozenset([1]))
    assert [(one.lines, one.partners, one.times) for one in runs] == [
        ((3, 4), (0, 4), 1),
        ((4, 6), (4, 6), 6),
        ((16, 18), (16, 20), 1),
    ]
    assert not segment_runs(mask, "j", (3, 18), 2, frozenset([1]))


def test_causal_documents_are_not_of_one_kind_with_others() -> None:
    for causal in (False, True):
        lengths = [1, 3, 3, 2, 2, 3, 1]
        runs = segment_runs(document_mask(lengths, causal=causal), "i", (0, 15), 1, frozenset([1]))
        kinds = [one.kind for one in runs[1:-1]]
        assert kinds[0] == kinds[1] == kinds[4] != kinds[2] == kinds[3]


def test_masks_that_do_not_fall_apart_have_no_segments() -> None:
    assert not segment_runs(window_mask(100, 100, 3, 0), "i", (0, 100), 1, frozenset([1]))
    grouped = make_mask("group:2:document:2,2,2,2,2,2,2", 28, 14)
    assert grouped is not None
    runs = segment_runs(grouped, "i", (0, 28), 2, frozenset([1]))  # type: ignore[arg-type]
    assert [(one.lines, one.partners, one.times) for one in runs[1:-1]] == [((4, 8), (2, 4), 5)]


def test_what_repeats_in_a_list() -> None:
    rnd = Random(3)
    for _ in range(50):
        numbers = [rnd.randint(0, 1) for _ in range(rnd.randint(0, 30))]
        found = list(periods(numbers))
        written = [one for first, length, times in found for one in numbers[first : first + length] * times]
        assert written == numbers
        assert all(times == 1 or times >= 3 for _, _, times in found)
