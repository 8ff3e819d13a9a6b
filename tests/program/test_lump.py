"""Loops by induction: never accept or count anything that running every iteration would not."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.program import (
    Nodes,
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
    program,
    store,
    when,
)
from pebble.program.closed_forms.count import closed_form
from pebble.program.counting.counted import Run
from pebble.program.machine.run import run
from pebble.program.schedule import available, get
from tests.program.program_checks import held_to_reference
from tests.program.program_reference import refer
from tests.program.random_programs import relabelled, small_family
from tests.program.repairs import grown_program, mutated

LINE = small_family(9, 8)
PARKED = {"flash-1", "flash-2", "keys-pinned", "queries-pinned"}


def text(*nodes: Nodes) -> Program:
    return program(phase("", *nodes))


def agree(nodes: Program, family: Family = LINE, M: int | None = None) -> Run | None:
    """The run by induction, after comparing it and the full run with the reference."""
    expected = refer(nodes, family, M)
    held_to_reference(nodes, family, M, expected, induction=False)
    return held_to_reference(nodes, family, M, expected, induction=True)


def accepted(nodes: Program, family: Family = LINE, M: int | None = None) -> Run:
    found = agree(nodes, family, M)
    assert found is not None
    return found


PAIRS = (load("x", "y"), compute("P"), delete("x", "y"))


def test_a_plain_loop_executes_three_iterations() -> None:
    found = accepted(text(loop("i", 1, load("x"), delete("x"))))
    assert (found.steps, found.reads["x"], found.unrolled) == (6, 9, ())


@pytest.mark.parametrize(("tile", "steps"), [(1, 6), (2, 6), (3, 6), (9, 2)])
def test_no_more_than_four_iterations_are_all_executed(tile: int, steps: int) -> None:
    assert accepted(text(loop("i", tile, load("x"), delete("x")))).steps == steps
    assert accepted(text(loop("j", 2, load("y"), delete("y")))).steps == 8


def test_tiles_ahead_in_different_states_are_run_one_by_one() -> None:
    """Iteration 5 stores what the others need not; the second tile says nothing about it."""
    found = accepted(text(load("x", i=(5, 6)), loop("i", 1, load("x"), delete("x"))))
    assert found.unrolled == ("loop over i in tiles of 1: the tiles ahead are not all alike (x)",)
    assert found.peak == 2
    assert agree(text(load("x", i=(0, 6)), loop("i", 1, delete("x")))) is None
    assert agree(text(load("x"), delete("x", i=(4, 5)), loop("i", 1, delete("x")))) is None


def test_operands_and_replaced_arrays_ahead_are_looked_at_too() -> None:
    """x has a hole in the middle; the body only reads it, or only replaces it."""
    hole = (load("x", "y"), delete("x", i=(6, 7)))
    assert agree(text(hole, loop("i", 1, compute("P")))) is None
    pairs = (load("x", "y"), compute("P"))
    assert agree(text(pairs, delete("x", i=(6, 7)), loop("i", 1, compute("r", "x")))) is None
    replaced = (pairs, loop("i", 1, compute("r", "x")))
    assert accepted(text(replaced)).unrolled == ()
    assert agree(text(replaced, delete("x", i=(6, 7)))) is None
    assert agree(text(replaced, delete("x"))) is None


def test_slow_memory_ahead_in_different_states_is_seen() -> None:
    """Fast memory is the same everywhere; one row sum was stored further than the others."""
    sums = (PAIRS, loop("j", 1, compute("r"), stop=4), store("r"), loop("j", 1, compute("r"), start=4))
    more = (store("r", i=(6, 7)), delete("r", "P"), loop("i", 1, load("r"), loop("j", 1, load("P"))))
    assert agree(text(sums, more)) is None
    found = accepted(text(sums, store("r", i=(6, 7)), delete("r", "P"), loop("i", 1, load("r"), delete("r"))))
    assert found.unrolled
    short = (load("x", "y"), compute("P"), compute("r", j=(0, 4)), store("r"), delete("r"))
    finish = loop("i", 1, load("r"), compute("r", j=(4, 8)), delete("r"))
    assert accepted(text(short, finish)).unrolled == ()
    assert (
        agree(
            text(short, compute("r", i=(6, 7), j=(0, 8)), store("r", i=(6, 7)), delete("r", i=(6, 7)), finish)
        )
        is None
    )


def test_the_first_iteration_may_differ_but_not_what_it_leaves() -> None:
    assert agree(text(loop("i", 1, when(first("i"), load("y")), delete("y")))) is None
    assert (
        accepted(text(loop("i", 1, when(first("i"), load("y")), when(last("i"), delete("y"))))).unrolled == ()
    )
    assert accepted(text(loop("i", 1, when(not_last("i"), load("y"), delete("y"))))).reads["y"] == 8 * 8


def test_a_change_in_the_second_iteration_only_shows() -> None:
    """y is loaded in the second iteration and then stays: the third would find it present."""
    found = accepted(text(loop("i", 1, when(not_first("i"), load("y")))))
    assert found.unrolled == ("loop over i in tiles of 1: y is not left as it was found",)
    assert found.peak == 8


def test_slow_memory_changed_in_the_second_iteration_shows() -> None:
    """n goes to slow memory in the second iteration; a loop over j cannot see that in fast memory."""
    done = (PAIRS, compute("r"), compute("n"))
    found = accepted(text(done, loop("j", 1, when(not_first("j"), store("n")))))
    assert found.unrolled == ("loop over j in tiles of 1: n is not left as it was found",)
    assert found.writes["n"] == 7 * 9


def test_chains_over_the_loops_axis_advance() -> None:
    found = accepted(text(PAIRS, loop("j", 1, compute("r")), store("r")))
    assert found.unrolled == ()
    assert found.computes["r"] == 72
    parked = (when(not_first("j"), load("r")), compute("r"), store("r"), delete("r"))
    found = accepted(text(PAIRS, loop("j", 1, parked)))
    assert (found.unrolled, found.reads["r"], found.writes["r"]) == ((), 63, 72)


def test_a_chain_that_stands_still_is_refused_where_every_iteration_would() -> None:
    """It gets to the end of the second tile in the first iteration: the third finds it too far behind."""
    assert agree(text(PAIRS, loop("j", 1, when(first("j"), compute("r"))))) is not None
    nested = loop("j", 2, when(not_first("j"), loop("j", 1, when(first("i"), compute("r")), label="one")))
    assert agree(text(PAIRS, loop("i", 1, nested))) is None
    behind = (PAIRS, compute("r", j=(0, 1)), loop("j", 1, when(not_first("j"), compute("r")), stop=7))
    assert accepted(text(behind)).unrolled == ()
    early = (PAIRS, compute("r", j=(0, 2)), loop("j", 1, when(not_first("j"), compute("r"))))
    assert agree(text(early)) is None


def test_a_chain_over_the_loops_axis_that_comes_or_goes() -> None:
    """Complete, then deleted in the second iteration: the third finds nothing to delete."""
    done = (PAIRS, compute("r"), store("r"))
    assert agree(text(done, loop("j", 1, when(not_first("j"), delete("r"))))) is None
    found = accepted(text(done, delete("r"), loop("j", 1, when(not_first("j"), load("r")))))
    assert found.unrolled == ("loop over j in tiles of 1: the chain of r does not advance tile by tile",)
    assert (found.reads["r"], found.peak) == (7 * 9, 72 + 17)


def test_a_chain_that_stays_complete_or_behind_while_another_row_advances() -> None:
    """Some rows are done, some wait at nothing; the loop over the chain's axis moves only those of its box."""
    start = (load("x", "y"), compute("P"), compute("r", i=(0, 2)), store("r", i=(0, 2)))
    found = accepted(text(start, loop("j", 1, compute("r", i=(3, 5)))))
    assert found.unrolled == ()
    assert found.computes["r"] == 4 * 8
    assert agree(text(start, loop("j", 1, compute("r", i=(1, 5))))) is None


def test_a_chain_at_a_constant_that_is_a_tile_boundary() -> None:
    """Parked at 3, the end of the second tile of [1, 8): it equals the boundary once, not in every iteration."""
    at_three = (PAIRS, compute("r", j=(0, 3)), store("r"), delete("r"))
    reload = loop("j", 1, load("r"), delete("r"), start=2)
    assert agree(text(at_three, reload)) is not None
    assert agree(text(at_three, loop("j", 1, load("r"), compute("r"), delete("r"), start=3))) is None
    assert (
        agree(text(at_three, load("r"), loop("j", 1, when(not_first("j"), compute("r")), start=2)))
        is not None
    )
    assert agree(text(at_three, load("r"), loop("j", 1, compute("r"), start=3), store("r"))) is not None
    assert agree(text(at_three, load("r"), loop("j", 1, when(not_first("j"), compute("r")), start=1))) is None


def test_a_chain_resumed_from_a_parked_value_that_fits_one_tile_only() -> None:
    """Slow memory holds r at 1: the second iteration resumes there, and leaves no trace; the third cannot."""
    at_one = (PAIRS, compute("r", j=(0, 1)), store("r"), delete("r"))
    resume = when(not_first("j"), load("r"), compute("r"), delete("r"))
    assert agree(text(at_one, loop("j", 1, resume))) is None
    assert agree(text(at_one, loop("j", 1, resume, stop=2))) is not None


@pytest.mark.parametrize("parked", [1, 2, 3, 4, 6, 7, 8])
def test_a_chain_parked_ahead_of_one_that_is_computed_again(parked: int) -> None:
    """Storing keeps the furthest: constant as long as the recomputation is behind, growing afterwards."""
    ahead = (PAIRS, compute("r", j=(0, parked)), store("r"), delete("r"))
    again = loop("j", 1, compute("r"), when(not_last("j"), store("r")))
    assert agree(text(ahead, again)) is not None
    assert agree(text(ahead, loop("j", 1, compute("r"), store("r"), stop=7))) is not None


@pytest.mark.parametrize("parked", range(1, 9))
@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_parked_chain_only_loaded_and_deleted_stays_where_it_is(parked: int, start: int) -> None:
    at = (PAIRS, compute("r", j=(0, parked)), store("r"), delete("r"))
    assert agree(text(at, loop("j", 1, load("r"), delete("r"), start=start))) is not None
    assert agree(text(at, loop("j", 1, when(not_first("j"), load("r")), start=start))) is not None
    assert agree(text(at, loop("j", 1, load("r"), when(not_last("j"), delete("r")), start=start))) is not None


def test_a_loop_over_a_part_of_its_axis() -> None:
    pinned = text(loop("i", 1, load("x"), start=1, stop=8), loop("i", 1, delete("x"), start=1, stop=8))
    found = accepted(pinned)
    assert (found.unrolled, found.peak, found.steps) == ((), 7, 6)
    assert agree(text(loop("i", 1, load("x"), start=1, stop=8), loop("i", 1, delete("x")))) is None
    assert agree(text(loop("i", 1, load("x"), stop=8), loop("i", 1, delete("x"), start=1))) is None


def test_memory_that_grows_is_checked_at_the_last_iteration() -> None:
    grow = text(loop("i", 1, load("x")), loop("i", 1, delete("x")))
    assert accepted(grow, M=9).peak == 9
    for M in range(1, 9):
        assert agree(grow, M=M) is None
    with_step = text(loop("i", 1, load("x"), load("y"), delete("y")))
    assert accepted(with_step).peak == 17
    assert accepted(with_step).peak_words == {"x": 9, "y": 8}


def test_a_peak_inside_lumped_iterations() -> None:
    """All but the first and last iteration need more room, and each leaves a word behind or takes one away."""
    bulge = when(not_first("i"), when(not_last("i"), load("y"), delete("y")))
    growing = text(loop("i", 1, load("x"), bulge))
    assert accepted(growing).peak == 8 + 8
    assert agree(growing, M=15) is None
    shrinking = text(load("x"), loop("i", 1, bulge, delete("x")))
    assert accepted(shrinking).peak == 8 + 8
    assert accepted(shrinking, M=16).peak == 16
    assert agree(shrinking, M=15) is None


def test_one_array_grows_while_another_shrinks() -> None:
    swap = text(
        load("x", "y"),
        compute("P", j=(0, 1)),
        delete("y"),
        loop("i", 1, delete("x"), compute("P", j=(0, 0 + 1))),
    )
    assert agree(swap) is None
    swap = text(load("x"), loop("i", 1, delete("x"), load("y"), delete("y")))
    found = accepted(swap)
    assert found.peak == 16
    family = relabelled(matmul_family(7, 1, 1), ())
    found = accepted(text(load("A", "B"), loop("i", 1, compute("C"), delete("A"))), family)
    assert (found.peak, found.unrolled) == (9, ())


def test_outputs_stored_in_the_first_iteration_only_are_missing() -> None:
    family = matmul_family(7, 1, 1)
    body = (load("A", "B"), compute("C"), when(first("i"), store("C")), delete("A", "B", "C"))
    assert agree(text(loop("i", 1, body)), family) is None


def test_a_ragged_last_tile_is_run_for_itself() -> None:
    found = accepted(
        text(loop("i", 2, load("x"), loop("i", 1, load("y"), delete("y"), label="one"), delete("x")))
    )
    assert (found.reads["x"], found.reads["y"], found.unrolled) == (9, 72, ())
    assert agree(text(load("x", i=(0, 8)), loop("i", 2, delete("x")))) is None


def test_a_loop_split_in_tiles_that_are_lumped_too() -> None:
    family = small_family(33, 2)
    found = accepted(text(loop("i", 6, loop("i", 1, load("x"), delete("x"), label="one"))), family)
    assert (found.unrolled, found.reads["x"]) == ((), 33)
    assert found.steps < 2 * 33
    mixed = loop("i", 6, loop("i", 1, when(first("one"), load("x")), label="one"))
    found = accepted(text(mixed), family)
    assert found.peak == 6
    assert "a tile ends in a mixed state (x)" in found.unrolled[0]


@pytest.mark.parametrize("block", range(4))
def test_grown_programs_agree_with_the_reference(block: int) -> None:
    """Legal phases one after the other, then a mutation, each also with one word too few."""
    tally: Counter[str] = Counter()
    for seed in range(25 * block, 25 * (block + 1)):
        rnd = Random(seed)
        family = small_family(rnd.choice([5, 6, 7, 8]), rnd.choice([1, 3, 5, 6, 7]))
        grown = grown_program(rnd, family)
        for nodes in (grown, mutated(rnd, grown, family)):
            peak = refer(nodes, family).peak
            for M in (None, peak - 1) if peak > 1 else (None,):
                try:
                    found = agree(nodes, family, M)
                except AssertionError as error:
                    raise AssertionError(
                        f"seed {seed}, M={M}, {family.extents}:\n{nodes}\n{error}"
                    ) from error
                tally["legal" if found else "illegal"] += 1
                tally["unrolled"] += bool(found and found.unrolled)
    assert tally["legal"] >= 20
    assert tally["illegal"] >= 20


# Sizes at which nothing can be unrolled


def check_huge(name: str, pass_name: str, d: int, dv: int, M: int, stats: bool = False) -> None:
    """Verified at 10⁹ rows without running all iterations of any loop, with the closed form's count."""
    schedule = get(name, pass_name)
    problem = Problem(10**9, 10**9 - 3, d, dv, stats=stats, pass_name=pass_name)
    M = max(schedule.least_M(problem), M)
    nodes, family = schedule.program(problem, schedule.tiles(problem, M)), schedule.family(problem)
    found = run(nodes, family, M)
    assert found.unrolled == ()
    assert found.steps < 3000
    assert found.io == int(closed_form(nodes, family).io)
    assert found.peak <= M


@pytest.mark.parametrize("name", sorted(available()))
def test_a_billion_rows_forward(name: str) -> None:
    rnd = Random(name)
    for d in (1, 64, rnd.randint(2, 256)):
        dv = rnd.choice([d, 1, 200])
        check_huge(name, "forward", d, dv, int(10 ** rnd.uniform(1, 6)), stats=rnd.random() < 0.5)


@pytest.mark.parametrize("name", sorted(set(available("backward")) - PARKED))
def test_a_billion_rows_backward(name: str) -> None:
    check_huge(name, "backward", 64, 64, 100_000)
    check_huge(name, "backward", 96, 64, 5_000)


@pytest.mark.parametrize("name", sorted(PARKED))
def test_a_billion_rows_backward_with_parked_chains(name: str) -> None:
    check_huge(name, "backward", 64, 64, 100_000)


def test_rows_parked_before_and_after_an_inner_loop_over_the_chain() -> None:
    """Rows not yet visited are behind the inner loop's tiles, rows done are beyond: neither is compared."""
    family = small_family(7, 18)
    inner = loop("j", 1, load("y"), compute("P"), compute("r"), delete("P", "y"), label="key")
    rows = loop("i", 1, load("x"), when(not_first("j"), load("r")), inner, store("r"), delete("r", "x"))
    found = accepted(text(loop("j", 6, rows)), family)
    assert found.reads == {"x": 21, "y": 126, "P": 0, "r": 14, "c": 0, "n": 0}


HUGE = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from pebble.common.errors import PebbleError
from pebble.program.machine.run import run
from pebble.computations.matmul import matmul_family
from pebble.program import delete, load, loop, phase, program
try:
    run(program(phase("", {nodes})), matmul_family(10**9, 1, 1), 1000)
except PebbleError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ('loop("i", 1, load("A"))', "Violation"),
        ('load("A", i=(5, 6)), loop("i", 1, load("A"), delete("A"))', "TooManyOperations"),
    ],
    ids=["overflow", "no-induction"],
)
def test_a_huge_loop_is_refused_without_being_unrolled(nodes: str, expected: str) -> None:
    done = subprocess.run([sys.executable, "-c", HUGE.format(nodes=nodes)], capture_output=True, text=True)
    assert done.stdout.startswith(expected), done.stderr[-300:]


def test_a_generated_phase_yields_bare_operations_only() -> None:
    loops = Program((Phase("", generate=lambda: iter([loop("i", 1, load("x"), delete("x"))])),))  # type: ignore[arg-type, return-value]
    with pytest.raises(InvalidInput):
        run(loops, LINE)
