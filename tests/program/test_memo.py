"""Iterations that stand for others, and such that do not though the mask looks the same around them."""

from __future__ import annotations

import pytest

from pebble.program.machine.loop_sights import LoopSights
from pebble.program.machine.run import run
from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.named_cases import attention
from tests.program.names import Node, Nodes, compute, delete, first, load, loop, phase, program, store, when
from tests.program.random_families import with_outputs


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
    assert agree(text, mask)


def agree(text: Node, mask: str, *before: Nodes, rule: str = "") -> bool:
    """Whether running every iteration says what the shortcuts say."""
    every, family = program(phase("", *before, text)), attention(14, 14, 7, mask=mask)
    slow, quick = (judge(runner, every, family, None) for runner in (PLAIN, SHORTCUTS["induction"]))
    assert slow.rule == rule, slow.rule
    return not quick.differs(slow)


def test_words_that_are_there_already_from_some_place_on() -> None:
    """An axis without a mask, along which a loop finds other states as it goes on."""
    queries, keys = load("Q", k=(0, 4)), (load("Q", "K", "V"), compute("S"), compute("P"), compute("U"))
    assert agree(loop("i", 2, loop("k", 1, load("Q"), delete("Q"))), "causal", queries)
    sums = loop("i", 2, loop("e", 1, load("U"), delete("U")))
    stored = (*keys, store("U", e=(0, 4)), delete("U"))
    assert agree(sums, "causal", *stored, rule="load-needs-blue")


def test_a_first_tile_that_does_more() -> None:
    keys = when(first("i"), load("K"), delete("K"))
    assert agree(loop("i", 2, keys, load("Q"), delete("Q")), "causal")


def test_rows_of_scores_as_long_as_the_mask_lets_them_be() -> None:
    rows = loop("i", 2, load("Q"), compute("S"), delete("S", "Q"), label="rows")
    assert agree(loop("j", 14, load("K"), rows), "causal")
    assert agree(loop("i", 2, load("Q", "K"), compute("S"), delete("S", "Q", "K")), "causal")


@pytest.mark.parametrize("rows", [40, 400])
def test_a_chain_that_has_not_begun_holds_up_only_the_loop_along_it(
    monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """A loop over rows inside one over keys touches the same arrays, and looks ahead all the same."""
    scores = compute("S"), compute("P", "S"), compute("l"), delete("P")
    text = loop(
        "i",
        rows,
        load("Q", "K"),
        loop("j", 1, loop("i", 1, *scores, label="row"), stop=3),
        delete("l", "Q", "K"),
    )
    seen: list[int] = []
    look = LoopSights.at

    def noted(sights: LoopSights, index: int) -> int:
        seen.append(index)
        return look(sights, index)

    monkeypatch.setattr(LoopSights, "at", noted)
    run(program(phase("", text)), with_outputs(attention(2 * rows, 2 * rows, mask="causal"), ()))
    assert len(seen) < 40
