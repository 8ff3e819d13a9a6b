"""Counts by proof and fold are those of the plain machine, of plain sets of pebbles and of the elementary game."""

from __future__ import annotations

import os
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pebble.common.errors import TooManyOperations
from pebble.computations.masks.band_questions import BandQuestions
from pebble.computations.masks.union_mask import UnionQuestions
from pebble.computations.matmul import matmul_family
from pebble.program import program
from pebble.program.counting import effects
from pebble.program.counting.effects import Fold
from pebble.program.counting.lexical import lexical
from pebble.program.counting.measure import measure
from pebble.program.counting.run import run
from pebble.program.nodes import Nodes
from pebble.program.schedule import get, registered
from tests.program.differences import PLAIN, SHORTCUTS, against_plain_loops, differences, judge
from tests.program.generator import case_of
from tests.program.long_cases import long_case_of
from tests.program.named_cases import NAMED, Named
from tests.program.named_cases_of_signatures import SIGNATURES
from tests.program.names import (
    BandMask,
    InvalidInput,
    Mask,
    Problem,
    Program,
    compute,
    delete,
    family_of,
    first,
    last,
    load,
    loop,
    make_mask,
    phase,
    store,
    when,
)
from tests.program.program_reference import refer
from tests.program.shrinking import as_python
from tests.support import amounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 50
MANY = int(os.environ.get("PEBBLE_CASES", "4000"))


def check(first: int, stop: int) -> None:
    """Judge the cases with these numbers."""
    for seed in range(first, stop):
        case = case_of(seed)
        found = differences(case)
        assert not found, "\n".join([str(case), as_python(case.program), *found])


@pytest.mark.parametrize("block", amounts.first(3, range(6)))
def test_all_readings_of_random_programs_agree(block: int) -> None:
    check(BLOCK * block, BLOCK * (block + 1))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(60))
def test_all_readings_of_many_random_programs_agree(block: int) -> None:
    size = -(-MANY // 100)
    check(10**6 + size * block, 10**6 + size * (block + 1))


def check_long(first: int, stop: int) -> None:
    """Judge the long cases with these numbers, against the plain loops only."""
    for seed in range(first, stop):
        case = long_case_of(seed)
        found = against_plain_loops(case.program, case.family)
        assert not found, "\n".join([str(case), as_python(case.program), *found])


@pytest.mark.parametrize("block", amounts.first(2, range(6)))
def test_long_programs_are_folded_as_they_are_executed(block: int) -> None:
    check_long(20 * block, 20 * (block + 1))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_many_long_programs_are_folded_as_they_are_executed(block: int) -> None:
    size = -(-MANY // 400)
    check_long(10**6 + size * block, 10**6 + size * (block + 1))


# Lines whose partners go up by one from line to line


@pytest.mark.parametrize("block", amounts.first(2, range(12)))
def test_three_lines_stand_for_all_of_a_group(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = Random(block)
    groups, risen = [0], Fold._risen

    def counted(fold: Fold, *columns: Any) -> Any:
        found = risen(fold, *columns)
        groups[0] += not fold.piled
        return found

    monkeypatch.setattr(Fold, "_risen", counted)
    for _ in range(40):
        pass_name, n = rnd.choice(["forward", "backward"]), rnd.randint(8, 60)
        window, start = rnd.randint(1, n), rnd.randint(1, n - 1)
        mask = rnd.choice(
            ["causal", f"window:{window}", f"prefix:{start}", f"document:causal,{start},{n - start}"]
        )
        if rnd.random() < 0.3:
            mask = f"longformer:window={2 * (window // 2)},global={-(-start // 4)}"
        problem = Problem.square(n, 2, mask=mask, pass_name=pass_name)
        schedule = rnd.choice(registered(pass_name, "plain"))
        tiles = {
            name: rnd.randint(int(name not in schedule.may_be_zero), max(1, high))
            for name, high in schedule.greatest(problem).items()
        }
        with suppress(InvalidInput):
            text, family = schedule.program(problem, tiles), schedule.family(problem)
            grouped = measure([text], family)
            with monkeypatch.context() as one_by_one:
                for kind in (BandQuestions, UnionQuestions):
                    one_by_one.setattr(kind, "rises", False)
                assert np.array_equal(grouped, measure([text], family)), (schedule.name, mask, n, tiles)
    assert groups[0] > 20


# Outer tiles that stand for others


def steady_band(rnd: Random, rows: int, cols: int) -> Mask:
    """A band whose ends stay, move by one and jump in turn, or a mask by name."""
    if rnd.random() < 0.4:
        small, half = rnd.randint(1, 40), rnd.randint(1, cols // 2)
        names = ["causal", f"window:{small}", f"window:left={half},right={small}", f"prefix:{half}"]
        if rows == cols:
            names.append(f"longformer:window={2 * small},global={rnd.randint(0, 20)}")
        mask = make_mask(rnd.choice(names), rows, cols, empty_rows="zero")
        assert mask is not None
        return mask

    def end() -> NDArray[np.int64]:
        steps: list[int] = []
        while len(steps) < rows:
            steps += [rnd.choice([0, 1, 1])] * rnd.choice([3, 20, rnd.randint(20, 200)])
            steps.append(rnd.choice([0, 0, rnd.randint(0, 30)]))
        return np.asarray(np.minimum(np.cumsum([0, *steps[: rows - 1]]), cols))

    start = end()
    stop = np.minimum(np.maximum(start, rnd.choice([end(), start + rnd.randint(1, 60)])), cols)
    mask = BandMask("own", cols, start, stop)
    mask.empty_rows = "zero"
    return mask


@pytest.mark.parametrize("block", amounts.first(2, range(20)))
def test_two_outer_tiles_stand_for_all(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words by operation, peak and what is there at the peak are those of all tiles."""
    taken = 0
    for seed in range(40 * block, 40 * (block + 1)):
        rnd = Random(seed)
        rows = rnd.randint(60, 400)
        cols = rnd.choice([rows, rnd.randint(60, 450)])
        mask = steady_band(rnd, rows, cols)
        if not mask.pairs:
            continue
        problem = Problem(rows, cols, 2, 2, mask=mask, pass_name=rnd.choice(["forward", "backward"]))
        schedule = rnd.choice([one for one in registered(problem.pass_name, "plain") if one.name != "best"])
        sizes = {name: rnd.choice([1, 2, 3, 4, rnd.randint(1, 40)]) for name in schedule.tile_names}
        try:
            text = schedule.program(problem, sizes)
        except InvalidInput:
            continue
        family = schedule.family(problem)
        short = Fold([text], family, lexical(text, family), by_array=True)
        with monkeypatch.context() as patch:
            patch.setattr(effects, "LEAST_TILES", 10**9)
            whole = Fold([text], family, lexical(text, family), by_array=True)
        assert {path: words.tolist() for path, words in short.moved.items()} == {
            path: words.tolist() for path, words in whole.moved.items()
        }, seed
        assert short.effect.room == whole.effect.room, seed
        assert (short.effect.at == whole.effect.at).all(), seed
        taken += short.boxes < whole.boxes
    assert taken > 8


def row_by_row(*inner: Nodes, rows: int, cols: int, before: Nodes = None, after: Nodes = None) -> Program:
    """Forward attention, tiles of queries outside."""
    step = compute("S"), compute("P", replacing="S"), compute("l"), compute("U"), delete("P")
    row = loop("j", cols, load("K"), inner, step, delete("K"))
    done = delete("Q"), compute("O"), store("O"), delete("O", "U", "l")
    return program(phase("", loop("i", rows, before, load("Q"), row, done, after)))


def test_a_tile_that_leaves_words_stands_for_itself() -> None:
    """The first tile loads V, the last one deletes it: over the whole loop fast memory grows by nothing."""
    family = family_of(Problem.square(400, 2, mask="causal"))
    text = row_by_row(rows=4, cols=4, before=when(first("i"), load("V")), after=when(last("i"), delete("V")))
    assert run(text, family).peak == run(text, family, induction=False).peak == 845


def test_tiles_beside_keys_that_nobody_sees_stand_for_themselves() -> None:
    """A window of 5 keys that jumps over 35 keys: a tile of keys beside the gap holds fewer that exist."""
    rows = np.arange(300)
    start = rows + np.where(rows < 60, 0, 40)
    family = family_of(Problem(300, 345, 2, 2, mask=BandMask("jump", 345, start, start + 5)))
    text = row_by_row(rows=3, cols=8, before=load("V"), after=delete("V"))
    assert run(text, family).reads == run(text, family, induction=False).reads


# Several programs at once, and very large ones


def test_programs_of_one_text_are_measured_as_one_by_one() -> None:
    for spec in ("none", "causal", "window:5", "fixed:6", "document:causal,9,20,11"):
        problem = Problem.square(40, 3, mask=None if spec == "none" else spec)
        for schedule in registered("forward", "plain"):
            if schedule.name == "best":
                continue
            texts = []
            for size in (1, 2, 7, 40):
                with suppress(InvalidInput):
                    texts.append(schedule.program(problem, dict.fromkeys(schedule.tile_names, size)))
            family = schedule.family(problem)
            runs = [run(text, family) for text in texts]
            words, peaks = measure(texts, family)
            assert words.tolist() == [one.io for one in runs], (spec, schedule.name)
            assert peaks.tolist() == [one.peak for one in runs], (spec, schedule.name)


@pytest.mark.parametrize("mask", [None, "causal", "window:10"])
def test_sizes_beyond_64_bits_are_counted_exactly(mask: str | None) -> None:
    """Words, computations and room grow linearly with d = dv, once it is not tiny: two sizes foretell a third."""
    schedule, large = get("flash-2", "forward"), 10**18

    def words(d: int) -> list[int]:
        problem = Problem.square(2000, d, mask=mask)
        found = run(schedule.program(problem, {"rows": 7}), schedule.family(problem))
        return [found.io, sum(found.computes.values()), found.peak]

    one, two = words(100), words(101)
    assert words(large) == [a + (large - 100) * (b - a) for a, b in zip(one, two, strict=True)]


def test_what_is_not_proved_is_executed_or_refused() -> None:
    """Terms that come in no order are no matter for the proof."""
    parts = (
        loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"), start=a, stop=b)
        for a, b in ((2, 4), (0, 2))
    )
    text = program(phase("", loop("i", 1, loop("j", 1, *parts, store("C"), delete("C")))))
    small = run(text, matmul_family(4, 4, 4).with_free_sums(("k",)))
    assert (small.io, small.proved) == (2 * 64 + 16, False)
    with pytest.raises(TooManyOperations, match="the text does not prove that it is legal"):
        run(text, matmul_family(400, 400, 4).with_free_sums(("k",)), step_limit=1000)


@pytest.mark.parametrize("named", [*NAMED, *SIGNATURES], ids=lambda named: named.name)
def test_all_readings_of_telling_programs_agree(named: Named) -> None:
    assert not differences(named.case), as_python(named.case.program)


@pytest.mark.parametrize("named", [*NAMED, *SIGNATURES], ids=lambda named: named.name)
@pytest.mark.parametrize("name", ["plain", *SHORTCUTS])
def test_telling_programs_are_judged_right(named: Named, name: str) -> None:
    runner = PLAIN if name == "plain" else SHORTCUTS[name]
    assert judge(runner, named.case.program, named.case.family, None).rule == named.rule


def test_cases_are_the_same_every_time() -> None:
    assert [str(case_of(seed)) for seed in range(20)] == [str(case_of(seed)) for seed in range(20)]


def test_cases_are_of_all_sorts() -> None:
    cases = [case_of(seed) for seed in range(120)]
    legal = sum(refer(case.program, case.family).legal for case in cases)
    assert 30 <= legal <= 90
    assert sum(case.family.mask is not None for case in cases) > 50
    assert len({case.family.name for case in cases}) >= 5
