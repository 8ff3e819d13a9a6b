"""The elementary moves of a program: what the game counts is what the machine and the reference count."""

from __future__ import annotations

from random import Random

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.matmul import matmul_family
from pebble.program import Program, compute, delete, load, loop, phase, program, store
from pebble.program.counting.run import run
from pebble.program.lowering import lower
from tests.program.differences import against_game
from tests.program.generator import random_case
from tests.program.program_reference import executions
from tests.program.random_programs import relabelled
from tests.program.repairs import repaired

WORDS = ("load", "store", "compute", "delete")


def moves(nodes: Program, family: object, chunk: int = 1 << 16) -> list[str]:
    """The moves as lines of a pebbling file."""
    return [
        f"{WORDS[o]} {family.names[v]}"  # type: ignore[attr-defined]
        for op, vertex in lower(nodes, family, chunk=chunk)  # type: ignore[arg-type]
        for o, v in zip(op.tolist(), vertex.tolist(), strict=True)
    ]


def test_by_hand() -> None:
    family = matmul_family(1, 2, 2)
    nodes = program(
        phase("", load("A"), loop("j", 1, load("B"), compute("C"), store("C"), delete("C", "B")), delete("A"))
    )
    expected = ["load A[0,0]", "load A[0,1]"]
    for j in (0, 1):
        expected += [f"load B[0,{j}]", f"load B[1,{j}]"]
        expected += [f"compute C[0,{j},0]", f"compute C[0,{j},1]", f"delete C[0,{j},0]"]
        expected += [f"store C[0,{j},1]", f"delete C[0,{j},1]", f"delete B[0,{j}]", f"delete B[1,{j}]"]
    assert moves(nodes, family) == [*expected, "delete A[0,0]", "delete A[0,1]"]


@pytest.mark.many(5)
@pytest.mark.parametrize("seed", range(60))
def test_the_game_counts_what_the_reference_counts(seed: int) -> None:
    rnd = Random(seed)
    case = random_case(rnd)
    family = case.family
    nodes, outcome = repaired(rnd, case.program, family)
    if not outcome.legal:
        return
    assert not against_game(nodes, family, outcome)
    counted = run(nodes, family)
    assert (counted.total_reads, counted.peak) == (outcome.reads.total(), outcome.peak)
    whole = moves(nodes, family)
    assert moves(nodes, family, chunk=1) == moves(nodes, family, chunk=13) == whole
    operations = sum(1 for _ in executions(nodes, family))
    assert len([1 for _ in lower(nodes, family, chunk=1)]) <= operations


@pytest.mark.parametrize("nodes", [load("C"), store("A"), delete("B")], ids=str)
def test_what_is_not_there_cannot_be_moved(nodes: tuple[object, ...]) -> None:
    with pytest.raises(InvalidInput, match="some element has no value"):
        list(lower(program(phase("", *nodes)), relabelled(matmul_family(2, 2, 2), ("C",))))  # type: ignore[arg-type]
