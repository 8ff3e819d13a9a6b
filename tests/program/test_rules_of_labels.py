"""Loops of one label: which of them a condition is on."""

from __future__ import annotations

import pytest

from tests.program.named_cases import attention
from tests.program.names import delete, last, load, loop, not_first, program, run, when


@pytest.mark.parametrize("induction", [True, False])
def test_behind_a_loop_of_the_same_label_a_condition_is_on_the_one_around_again(induction: bool) -> None:
    """The first tile of two keys has no keys before it, and the last tile of four has none behind it."""
    inner = loop("j", 2, when(not_first("j"), load("K"), delete("K")), label="j")
    text = loop("i", 8, loop("j", 4, inner, when(last("j"), load("Q"), delete("Q"))))
    found = run(program(text), attention(8, 8, mask="causal"), induction=induction)
    assert (found.reads["Q"], found.reads["K"]) == (8, 6)
