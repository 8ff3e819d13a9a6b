"""Words that tiles need: double buffers, against a program that really has them, and wide accumulators."""

from __future__ import annotations

import pytest

from pebble import Problem
from pebble.computations.registry import family_of
from pebble.lab.plan import Constraints
from pebble.lab.plan.memory_need import streamed_tiles, widened
from pebble.program import Operation, Phase, Program
from pebble.program.counting.run import run
from pebble.program.schedule import get
from tests.lab.plans import BACKWARD, FORWARD, room_of


def _prefetching(problem: Problem, rows: int, cols: int) -> Program:
    """FlashAttention-2 with whole tiles, each tile of keys loaded while the one before it is used."""
    starts = range(0, problem.Nk, cols)
    keys = [(start, min(start + cols, problem.Nk)) for start in starts]

    def at(action: str, array: str, *box: tuple[str, int, int], replacing: str | None = None) -> Operation:
        return Operation(action, array, replacing, box)  # type: ignore[arg-type]

    def generate() -> list[Operation]:
        found = []
        for start in range(0, problem.Nq, rows):
            i = ("i", start, min(start + rows, problem.Nq))
            first = ("j", *keys[0])
            found += [at("load", "Q", i), at("load", "K", first), at("load", "V", first)]
            for number, key in enumerate(keys):
                j = ("j", *key)
                if number + 1 < len(keys):
                    ahead = ("j", *keys[number + 1])
                    found += [at("load", "K", ahead), at("load", "V", ahead)]
                found += [at("compute", "S", i, j), at("compute", "P", i, j, replacing="S")]
                found += [at("compute", "l", i, j), at("compute", "U", i, j)]
                found += [at("delete", "P", i, j), at("delete", "K", j), at("delete", "V", j)]
            found += [at("compute", "O", i, replacing="U"), at("store", "O", i)]
            found += [at("delete", name, i) for name in ("O", "l", "Q")]
        return found

    return Program((Phase("prefetching", (), generate),))


@pytest.mark.parametrize(("rows", "cols"), [(8, 4), (5, 7), (16, 16), (3, 30), (40, 2)])
def test_double_buffering_is_what_a_prefetching_program_needs(rows: int, cols: int) -> None:
    problem = Problem(40, 60, 6, 5)
    measured = run(_prefetching(problem, rows, cols), family_of(problem))
    plain = get("flash-2").measure(problem, {"rows": rows, "cols": cols})
    assert measured.io == plain.io
    need = room_of("flash-2", problem, {"rows": rows, "cols": cols}, Constraints(double_buffer=True), "fp16")
    assert need.buffers == min(cols, 60) * (6 + 5)
    assert need.words == measured.peak


def test_streamed_tiles() -> None:
    def tiles(name: str, problem: Problem, size: dict[str, int]) -> dict[str, int]:
        schedule = get(name, problem.pass_name)
        return streamed_tiles(schedule.program(problem, size), family_of(problem))

    assert tiles("flash-2", FORWARD, {"rows": 10, "cols": 7}) == {"K": 7 * 64, "V": 7 * 64}
    assert tiles("flash-1", FORWARD, {"rows": 10, "cols": 7}) == {"Q": 640, "U": 640, "l": 10}
    assert tiles("flash-2", FORWARD, {"rows": 10}) == {"K": 1, "V": 1}
    assert tiles("flash-2", FORWARD, {"rows": 500}) == {"K": 64, "V": 64}
    streamed = tiles("flash-2", BACKWARD, {"rows": 10, "cols": 7})
    assert {"Q": 640, "dO": 640, "l": 10, "dQ": 640}.items() <= streamed.items()
    assert "K" not in streamed
    square = tiles("small-cache", FORWARD, {"side": 5})
    assert square == {"Q": 25, "K": 25, "P": 25, "V": 25}


# Wide accumulators


@pytest.mark.parametrize(("accumulate", "ratio"), [("float32", 2), ("float64", 4), (None, 1)])
def test_wide_accumulators_of_whole_tiles(accumulate: str | None, ratio: int) -> None:
    """Q, K, V in the inputs' type; S, U and l in the accumulators', one element more for a step of a chain."""
    d, dv, rows, cols = 64, 64, 48, 32
    need = room_of(
        "flash-2", FORWARD, {"rows": rows, "cols": cols}, Constraints(accumulate=accumulate), "bf16"
    )
    assert need.peak == rows * d + cols * (d + dv) + rows * cols + rows * dv + rows + 1
    exact = rows * d + cols * (d + dv) + ratio * (rows * cols + rows * dv + rows)
    assert need.words == exact + ratio


def test_widened_families_count_width_where_it_is() -> None:
    family = family_of(Problem.square(12, 4))
    program = get("flash-1").program(Problem.square(12, 4), {"rows": 4, "cols": 3})
    plain, wide = run(program, family), run(program, widened(family, 3))
    for name in ("Q", "K", "V"):
        assert wide.reads[name] == plain.reads[name]
    for name in ("U", "l"):
        assert wide.reads[name] == 3 * plain.reads[name] > 0
    assert wide.writes["O"] == 3 * plain.writes["O"]


def test_widened_families_keep_the_mask() -> None:
    """Under a window narrower than the tiles, fewer scores are held than without it."""
    problem = Problem.square(24, 4, mask="window:3")
    family, tiles = family_of(problem), {"rows": 8, "cols": 8}
    program = get("flash-2").program(problem, tiles)
    plain, wide = run(program, family), run(program, widened(family, 2))
    assert wide.reads == plain.reads
    assert wide.writes["O"] == 2 * plain.writes["O"]
    assert wide.computes == plain.computes
    assert plain.computes["S"] == 4 * problem.pairs
    held = sum(plain.peak_words[name] for name in ("P", "U", "l"))
    assert plain.peak + held <= wide.peak <= plain.peak + held + 2
    need = room_of("flash-2", problem, tiles, Constraints(accumulate="float32"), "bf16")
    assert (need.peak, need.wide) == (plain.peak, wide.peak - plain.peak)
