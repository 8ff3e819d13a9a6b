"""Runs of attention on several devices: no move is idle, and a second referee finds the same."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.game.files.processor_files import ProcessorCheck, check_processor_pebbling
from pebble.game.files.reader import PebblingReader
from pebble.graph.any_dag import AnyDag
from pebble.lab.parallel.exchange_moves import exchange_moves
from pebble.lab.pebblings import check
from pebble.program.parallel import SharedProblem
from tests.game import independent_checker
from tests.program.parallel.test_inner_work_elementary import flash_in_a_ring

TINY = SharedProblem(2, 1, 2)


def checked(text: str) -> ProcessorCheck:
    found = check(io.StringIO(text))
    assert isinstance(found, ProcessorCheck)
    return found


def text_of(head: str, lines: list[str]) -> str:
    return head + "\n".join(lines) + "\n"


def tidy(text: str) -> tuple[str, list[str]]:
    """The header and lines of a run in a strict game, at the end of which nothing is left over."""
    rows = text.replace("# devices", "# strict").splitlines()
    head = "".join(f"{row}\n" for row in rows if row.startswith("#"))
    head = re.sub(r"# strict (\d+)", r"# devices \1 strict", head)
    lines = [row for row in rows if not row.startswith("#")]
    left = [one.split(" on device ") for one in checked(text_of(head, lines)).left_over]
    return head, [*lines, *(f"{p} discard {word}" for word, p in left)]


def run_of(name: str, problem: SharedProblem) -> tuple[str, list[str]]:
    moves = exchange_moves(problem, name)
    return tidy(text_of(str(moves.header), list(moves)))


def assert_counted_alike(found: ProcessorCheck, text: str) -> None:
    """Compare the counts with those of a referee that shares no code with the package."""
    other = independent_checker.check(text)
    assert other.pop("rounds") == found.tally.rounds
    assert other == {name: found.tally.counts(name) for name in other}


@pytest.mark.many(4)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("layout", ["contiguous", "zigzag", "striped"])
@pytest.mark.parametrize("name", ["ring", "all-gather", "grid", "pass-q-ring", "ulysses"])
def test_both_referees_count_the_same(name: str, layout: str, causal: bool) -> None:
    heads = (8, 4) if name == "ulysses" else (1, 1)
    text = text_of(*run_of(name, SharedProblem(8, 2, 4, *heads, causal=causal, layout=layout)))
    found = checked(text)
    assert found.complete
    assert_counted_alike(found, text)


def changed(lines: list[str], rng: np.random.Generator) -> list[str]:
    """Exchange two lines, move one, or give a number in one of them another value."""
    lines = list(lines)
    one, other = sorted(rng.integers(len(lines), size=2).tolist())
    kind = int(rng.integers(4))
    if kind == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 1:
        lines.insert(one, lines.pop(other))
    elif kind == 2:
        lines.insert(other, lines.pop(one))
    else:
        numbers = list(re.finditer(r"\d+", lines[one]))
        if numbers:
            found = numbers[int(rng.integers(len(numbers)))]
            value = str(int(rng.integers(3)))
            lines[one] = lines[one][: found.start()] + value + lines[one][found.end() :]
    return lines


def verdicts(text: str, dag: AnyDag) -> tuple[bool, bool]:
    """Tell whether this referee and the independent one take a text for a legal and complete run."""
    try:
        ours = check_processor_pebbling(PebblingReader(io.StringIO(text)), lambda header: dag)
    except InvalidInput:
        ours = None
    try:
        theirs = independent_checker.check(text)
    except (ValueError, AssertionError, IndexError, KeyError):
        return ours is not None and ours.complete, False
    if ours is not None and ours.complete:
        assert theirs.pop("rounds") == ours.tally.rounds
        assert theirs == {name: ours.tally.counts(name) for name in theirs}
    return ours is not None and ours.complete, True


@pytest.mark.parametrize("strict", ["", " strict"])
@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_both_referees_say_the_same_of_changed_runs(strict: str, count: int) -> None:
    rng = np.random.default_rng(7)
    accepted = 0
    for head, lines in (run_of("ring", TINY), run_of("grid", TINY), tidy(flash_in_a_ring(TINY))):
        head = head.replace(" strict", strict)
        built = checked(text_of(head, lines)).status.dag
        for _ in range(count):
            ours, theirs = verdicts(text_of(head, changed(lines, rng)), built)
            assert ours == theirs
            accepted += ours
    assert accepted > count // 4
