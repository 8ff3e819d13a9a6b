"""Tiles that end anywhere in packed sequences: of those that are alike and see the same one is executed."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from pebble import Problem, Schedule
from pebble.computations.masks import BandMask, document_mask
from pebble.program.machine import alike_tiles
from pebble.program.machine.alike_tiles import runs_of_alike_tiles
from pebble.program.machine.segment_states import Segments
from pebble.program.schedule import available
from tests.program.differences import PLAIN, SHORTCUTS, against_plain_loops, judge
from tests.program.named_cases import attention
from tests.program.names import Nodes, Phase, Program, compute, delete, first, last, load, loop, store, when
from tests.program.shrinking import as_python
from tests.program.test_segments import packed_case
from tests.support import amounts


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many tiles followed from another one, one by one and several at once; few tiles are enough."""
    found: Counter[str] = Counter()
    repeats = Segments._repeats

    def asked(self: Any, run: Any, *rest: Any) -> bool:
        found["tiles"] += not run.apart
        several = repeats(self, run, *rest)
        found["several"] += several and not run.apart and run.times > 1
        return several

    monkeypatch.setattr(alike_tiles, "_FEWEST", 1)
    monkeypatch.setattr(alike_tiles, "_MOST_OF_PART", 99)
    monkeypatch.setattr(Segments, "_repeats", asked)
    return found


def test_tiles_are_told_apart_by_where_partners_end_too() -> None:
    """In every other tile the second of three rows has one key more."""
    begins = np.repeat(np.arange(0, 80, 4), 3)
    ends = begins + np.array([2, 3, 4, 2, 4, 4] * 10)
    runs = runs_of_alike_tiles(BandMask("band", 80, begins, ends), "i", (0, 60), 3, frozenset([4]))
    assert len({run.kind for run in runs}) == 2


def check(first_seed: int, stop: int) -> None:
    for seed in range(first_seed, stop):
        case = packed_case(seed)
        found = against_plain_loops(case.program, case.family)
        assert not found, "\n".join([str(case), as_python(case.program), *found])


def test_tiles_say_what_all_tiles_say(taken: Counter[str]) -> None:
    check(300, 304)
    assert taken["tiles"] > 0


@pytest.mark.slow
def test_tiles_say_what_all_tiles_say_in_many_programs(taken: Counter[str]) -> None:
    check(2 * 10**6, 2 * 10**6 + 40)


SCHEDULES = [
    ("standard", {"rows": 3, "cols": 2, "out_rows": 2, "out_cols": 1}),
    ("flash-2", {"rows": 2}),
    ("flash-2-pinned", {"rows": 3, "pinned": 0}),
    ("small-cache", {"side": 2}),
    ("square-tile", {"side": 3}),
    ("hybrid", {"rows": 2, "out_rows": 2, "out_cols": 1, "sums_first": 0}),
]


@pytest.mark.parametrize(("name", "tiles"), SCHEDULES)
@pytest.mark.parametrize("kind", amounts.first(1, ["", "causal,"]))
def test_schedules_over_documents_in_any_order(
    name: str, tiles: dict[str, int], kind: str, taken: Counter[str]
) -> None:
    lengths = Random(name).choices([5, 7], k=3)
    problem = Problem.square(sum(lengths), 1, mask="document:" + kind + ",".join(map(str, lengths)))
    program, family = available()[name].program(problem, tiles), Schedule.family(problem)
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, slow.found.peak).differs(slow)
    assert taken["tiles"] > 0


SCORES: list[Nodes] = [compute("S"), compute("P", "S"), compute("l"), delete("P")]
BODIES: list[list[Nodes]] = [
    [load("Q"), loop("j", 1, load("K")), delete("Q")],
    [load("Q"), loop("j", 1, when(first("i"), load("K"))), delete("Q")],
    [load("Q"), loop("j", 1, when(last("i"), load("K"))), delete("Q")],
    [loop("j", 1, load("K"), loop("i", 1, when(first("i"), load("Q"))))],
    [load("Q"), loop("j", 1, load("K"), SCORES), store("l"), delete("l", "Q")],
    [load("Q"), loop("j", 1, load("K"), SCORES, delete("K")), delete("Q")],
    [load("Q"), loop("j", 2, load("K"), SCORES, delete("K")), store("l"), delete("l", "Q")],
    [load("Q"), loop("j", 3, load("K"), when(first("j"), load("V")), SCORES, delete("K")), delete("Q")],
]


@pytest.mark.parametrize("body", range(len(BODIES)))
def test_what_tiles_leave_and_ask(body: int, taken: Counter[str]) -> None:
    """Keys that stay, conditions on the loop itself, sums that stay, and tiles of keys."""
    for tile, lengths in ((2, [6, 3, 6]), (2, [6, 2, 6]), (3, [7, 8])):
        for before in ([], [loop("j", 1, load("K"), start=8, stop=9)]):
            family = attention(sum(lengths), sum(lengths), mask="document:" + ",".join(map(str, lengths)))
            nodes = (*before, loop("i", tile, *BODIES[body]))
            program = Program((Phase("", nodes),))
            assert not against_plain_loops(program, family), (tile, lengths)


def test_tiles_of_one_part_are_one_run(taken: Counter[str]) -> None:
    mask = document_mask([9, 4, 6, 5, 9])
    runs = runs_of_alike_tiles(mask, "i", (0, 33), 2, frozenset([3]))
    assert [(run.lines, run.partners, run.times, run.kind is None) for run in runs[:3]] == [
        ((0, 2), (0, 9), 4, False),
        ((8, 14), (0, 21), 1, True),
        ((14, 16), (12, 21), 2, False),
    ]
    places = runs[0].places(1, 3)
    assert places == ((2, 8), (0, 9))
    assert not runs_of_alike_tiles(document_mask([33]), "i", (0, 33), 2, frozenset([1]))
