"""Iterations that stand for others: the last tile of a loop is shorter."""

from __future__ import annotations

import pytest

from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.named_cases import attention
from tests.program.names import Node, delete, load, loop, phase, program


@pytest.mark.parametrize("mask", ["causal", "window:5"])
@pytest.mark.parametrize(
    "text",
    [
        loop("i", 4, load("Q"), delete("Q")),
        loop("j", 4, load("K"), delete("K")),
        loop("i", 4, loop("k", 2, load("Q"), delete("Q"))),
    ],
    ids=["queries", "keys", "words of queries"],
)
def test_a_shorter_tile_that_has_nothing_to_do_with_pairs(text: Node, mask: str) -> None:
    every, family = program(phase("", text)), attention(14, 14, 7, mask=mask)
    slow, quick = (judge(runner, every, family, None) for runner in (PLAIN, SHORTCUTS["induction"]))
    assert slow.found is not None
    assert not quick.differs(slow)
