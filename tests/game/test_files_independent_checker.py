"""Pebbling files of all schedules before two referees that share no code: the package's and a short script."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.lab.count import count_schedule
from pebble.lab.pebblings import check, moves
from pebble.program.schedule import available as schedules
from pebble.program.schedule import fitting_tiles, get
from tests.game.independent_checker import check as independent_check

SHAPES = [
    Problem(4, 5, 3, 2),
    Problem(5, 3, 1, 2, stats=True),
    Problem(1, 4, 2, 2),
    Problem(3, 1, 2, 1),
    Problem(4, 5, 3, 2, pass_name="backward"),
    Problem(3, 1, 2, 3, pass_name="backward"),
    Problem.square(5, 2, mask="causal"),
    Problem(5, 7, 2, 3, stats=True, mask=make_mask("window:3", 5, 7)),
    Problem.square(6, 2, pass_name="backward", mask="window:2"),
]
# The search of best is long, and what it finds is a program of another schedule.
CASES = [
    pytest.param(
        name,
        problem,
        id=f"{name}-{problem}",
        marks=[pytest.mark.slow] if name == "best" and problem is not SHAPES[0] else [],
    )
    for problem in SHAPES
    for name in sorted(schedules(problem.pass_name))
]
COUNTS = ("reads", "writes", "computes", "deletes", "peak")


def _verdicts(path: Path) -> tuple[bool, bool]:
    """Whether the package, and whether the script, finds a file legal and complete."""
    try:
        ours = check(path).complete
    except InvalidInput:
        ours = False
    try:
        independent_check(path.read_bytes().decode())
    except (ValueError, KeyError):
        return ours, False
    return ours, True


@pytest.mark.many(12)
@pytest.mark.parametrize(("name", "problem"), CASES)
def test_both_referees_agree_with_the_count(name: str, problem: Problem, tmp_path: Path) -> None:
    schedule = get(name, problem.pass_name)
    for M in (schedule.least_M(problem), 40, 200):
        if schedule.least_M(problem) > M:
            continue
        path = tmp_path / f"{M}.pebbling"
        try:
            tiles = fitting_tiles(schedule, problem, M)
        except CacheTooSmall:
            assert problem.mask is not None
            continue
        written = moves(schedule, problem, M, tiles).write(path)
        result = check(path)
        expected = independent_check(path.read_bytes().decode())
        assert {key: getattr(result, key) for key in COUNTS} == expected
        assert result.complete
        assert result.redundant == 0
        assert written == sum(expected[key] for key in COUNTS if key != "peak")
        row = count_schedule(schedule, problem, M, tiles, 1)
        assert (row.reads, row.writes, row.peak) == (expected["reads"], expected["writes"], expected["peak"])


@pytest.mark.many(3)
@pytest.mark.parametrize(("name", "problem"), CASES[:: len(CASES) // 12])
def test_both_referees_refuse_a_word_less(name: str, problem: Problem, tmp_path: Path) -> None:
    pebbling = moves(name, problem, 60)
    path = tmp_path / "x.pebbling"
    pebbling.write(path)
    text = path.read_text(encoding="utf-8")
    for M, legal in ((pebbling.peak, True), (pebbling.peak - 1, False)):
        path.write_text(text.replace("# M 60\n", f"# M {M}\n"), encoding="utf-8")
        assert _verdicts(path) == (legal, legal)


def _corrupt(lines: list[str], rng: random.Random) -> list[str]:
    """Drop, double, swap or change a move."""
    lines, at = list(lines), rng.randrange(3, len(lines))
    other = rng.randrange(3, len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        _, vertex = lines[at].split()
        lines[at] = f"{rng.choice(['load', 'store', 'compute', 'delete'])} {vertex}\n"
    else:
        lines[at] = f"{lines[at].split()[0]} {lines[other].split()[1]}\n"
    return lines


@pytest.mark.many(1)
@pytest.mark.parametrize("problem", [SHAPES[0], SHAPES[1], SHAPES[4]], ids=str)
@pytest.mark.parametrize("name", ["flash-2", "small-cache", "best"])
def test_both_referees_judge_corrupted_files_alike(name: str, problem: Problem, tmp_path: Path) -> None:
    path, rng = tmp_path / "x.pebbling", random.Random(f"{name} {problem}")
    pebbling = moves(name, problem, 40)
    pebbling.write(path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    refused = 0
    for _ in range(60):
        path.write_text("".join(_corrupt(lines, rng)), encoding="utf-8")
        ours, independent = _verdicts(path)
        assert ours == independent, path.read_text(encoding="utf-8")
        refused += not ours
    assert 20 <= refused < 60, "most, but not all, such changes make a pebbling illegal or incomplete"
