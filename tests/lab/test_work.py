"""FLOP and the footprint in slow memory, against numbers by hand and the moves of small programs."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import pebble
from pebble.cli.counting import count as command
from pebble.computations.problem import Problem
from pebble.lab.training import count_training
from pebble.program.schedule.registry import get

N, D = 128, 8


@pytest.mark.parametrize(
    ("name", "pass_name", "flops", "footprint"),
    [
        ("standard", "forward", 4, 2 * N * N + N),
        ("square-tile", "forward", 4, N * N + N),
        ("flash-1", "forward", 4, N),
        ("flash-2", "forward", 4, 0),
        ("standard", "backward", 10, 4 * N * N + N),
        ("flash-1", "backward", 10, 0),
        ("flash-2", "backward", 10, N),
    ],
)
def test_numbers_by_hand(name: str, pass_name: str, flops: int, footprint: int) -> None:
    for heads in (1, 3):
        row = pebble.count(Problem.square(N, D, pass_name=pass_name, heads=heads), 400, [name]).rows[0]
        assert row.flops == heads * flops * N * N * D
        assert row.footprint == heads * footprint
        assert row.to_dict()["computes"]["P"] == heads * N * N


def test_the_mask_counts_its_pairs() -> None:
    row = pebble.count(Problem.square(N, D, mask="causal"), 400, ["standard"]).rows[0]
    pairs = N * (N + 1) // 2
    assert (row.flops, row.footprint) == (4 * pairs * D, 2 * pairs + N)


@pytest.mark.parametrize("name", ["standard", "flash-1", "flash-2", "square-tile", "small-cache"])
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_the_footprint_is_what_slow_memory_holds_at_the_end(name: str, pass_name: str) -> None:
    problem = Problem.square(9, 3, pass_name=pass_name)
    row = pebble.count(problem, 30, [name]).rows[0]
    made = get(name, pass_name)
    run = pebble.run(made.program(problem, row.tiles or {}), problem, induction=False)
    arrays = [
        array for array in run.family.arrays if not array.is_input and not array.output and array.name != "U"
    ]
    assert row.footprint == sum(int(np.count_nonzero(run.final_state(array.name)[1])) for array in arrays)


def test_both_passes_add_flop_and_take_the_larger_footprint() -> None:
    both = count_training(Problem.square(N, D, pass_name="both"), 400, ["standard"]).rows[0]
    assert (both.flops, both.footprint) == (14 * N * N * D, 4 * N * N + N)
    assert both.computes["P"] == 2 * N * N


def test_the_table_has_the_columns_where_asked_for() -> None:
    asked = ["-N", str(N), "-d", str(D), "-M", "400", "--schedule", "flash-1"]
    plain, work = (CliRunner().invoke(command, [*asked, *more]).output for more in ([], ["--work"]))
    assert "FLOP" not in plain
    assert "FLOP" in work
    assert f" {N} " in work.split("flash-1")[1]
    refused = CliRunner().invoke(command, [*asked, "--work", "--levels", "400,4000"])
    assert refused.exit_code == 2
