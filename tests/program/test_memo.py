"""Iterations that stand for others, and such that do not though the mask looks the same around them."""

from __future__ import annotations

import pytest

from pebble.program.machine.effects import Effect
from pebble.program.machine.interpolation import Interpolation
from pebble.program.machine.loop_sights import LoopSights
from pebble.program.machine.run import run
from tests.program.differences import PLAIN, SHORTCUTS, against_plain_loops, judge
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


def columns(*keys: str) -> list[str]:
    """A mask written as text, a word of x and . for each key."""
    return ["".join(row) for row in zip(*keys, strict=True)]


def agree_at_any_size(text: Node, mask: str | list[str], rows: int, cols: int) -> bool:
    """Whether the shortcuts say what all iterations say, with room enough, with just enough and with less."""
    return not against_plain_loops(program(phase("", text)), attention(rows, cols, mask=mask))


def test_iterations_that_leave_words_behind_do_not_wait_for_others() -> None:
    """Each of two kinds of keys comes again and again: one begins a row, the other needs more room."""
    begins = [f"{'.' * row}x{'.' * (4 - row)}" for row in range(5)]
    both = "xx..."
    keys = [*begins[:2], both, begins[2], both, *begins[3:], *begins]
    sums = load("K"), compute("S"), compute("P", "S"), compute("l"), delete("P", "K")
    assert agree_at_any_size(
        loop("i", 5, load("Q"), loop("j", 1, sums), delete("l", "Q")), columns(*keys), 5, 12
    )


def test_tiles_left_in_two_states_are_not_written_at_once() -> None:
    """Only the first of every two rows has a pair with the first key, and is loaded."""
    rows = loop("i", 2, loop("i", 1, load("Q"), label="row"))
    assert agree_at_any_size(loop("j", 1, rows, stop=1), ["xx", ".x"] * 4, 8, 2)


def test_tiles_ahead_do_not_see_what_one_saw_that_changed_it() -> None:
    """From the fourth tile of keys on another row has pairs: its words are loaded by the first of these tiles."""
    rows = loop("i", 1, load("Q"), label="row")
    text = loop("i", 2, loop("j", 2, rows), delete("Q"))
    assert agree_at_any_size(text, ["x" * 12, "." * 6 + "x" * 6] * 4, 8, 12)


def test_it_matters_where_lines_lie_that_are_visited_in_pairs() -> None:
    """A key with six rows, in six pairs of rows, lies between keys with fewer and with more, in fewer pairs each."""
    keys = ["x" * rows + "." * (12 - rows) for rows in (2, 4, 8, 10)]
    text = loop("i", 12, loop("j", 1, loop("i", 2, load("K"), delete("K"), label="pair")))
    assert agree_at_any_size(text, columns(*keys, "x." * 6, "x" * 12), 12, 6)


def test_a_line_executed_alone_is_not_said_to_leave_what_it_found() -> None:
    """The first row of each tile of keys finds none of these, and the others do."""
    lengths = [18, 27, 18, 25, 14, 20]
    rows = loop("i", 1, load("K", "Q"), compute("S"), delete("S", "Q"))
    mask = f"document:causal,{','.join(map(str, lengths))}"
    assert agree_at_any_size(loop("j", 19, rows, delete("K")), mask, sum(lengths), sum(lengths))


@pytest.mark.parametrize(("keeps", "even"), [(True, False), (False, True)])
def test_lines_whose_partners_see_different_things_are_noted_as_such(
    monkeypatch: pytest.MonkeyPatch, keeps: bool, even: bool
) -> None:
    """What other lines do follows from lines whose partners all see the same: not if the first loads for all."""
    noted: list[bool] = []

    def note(lines: Interpolation, _signature: object, _sight: object, effect: Effect) -> None:
        if lines.one_by_one:
            noted.append(effect.even)

    monkeypatch.setattr(Interpolation, "add", note)
    keys = loop("j", 1, load("Q"), None if keeps else delete("Q"), label="key")
    rows = loop("i", 1, keys, delete("Q") if keeps else None)
    run(program(phase("", loop("j", 9, rows))), attention(27, 27, mask="document:9,9,9"))
    assert set(noted) == {even}
