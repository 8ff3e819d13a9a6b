"""What a loop does in its first or last iteration only is no business of those in the middle."""

from __future__ import annotations

import pytest

from pebble.computations.matmul import matmul_family
from pebble.program import compute, delete, first, last, load, loop, not_first, store, when
from pebble.program.machine.run import run
from tests.program.test_lump import accepted, agree, text


@pytest.mark.parametrize("wide", [False, True])
def test_a_sum_loaded_or_stored_at_one_end_of_a_loop_only_is_no_business_of_the_middle(wide: bool) -> None:
    family = matmul_family(3, 2, 10**6 if wide else 20)
    half = family.extents["k"] // 2
    body = load("A", "B"), compute("C"), delete("A", "B")
    nodes = text(
        loop("k", 1, *body, when(last("k"), store("C"), delete("C")), stop=half),
        loop("k", 1, when(first("k"), load("C")), *body, start=half),
        store("C"),
    )
    found = run(nodes, family) if wide else accepted(nodes, family)
    assert not found.unrolled
    assert found.io == family.extents["k"] * 5 + 3 * 6


def test_a_sum_that_is_loaded_in_the_middle_too_is_compared() -> None:
    family = matmul_family(3, 2, 20)
    body = load("A", "B"), compute("C"), delete("A", "B")
    agree(
        text(loop("k", 1, when(not_first("k"), load("C")), *body, when(first("k"), store("C"))), store("C")),
        family,
    )
