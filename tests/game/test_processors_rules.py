"""What the game of several devices refuses, by the name of the rule, and what its files refuse, by line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pebble.common.errors import InvalidInput
from pebble.game.files.processor_files import ProcessorCheck
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.settings import Processors
from pebble.graph.dag import Dag
from pebble.lab.parallel.exchange_moves import exchange_moves
from pebble.lab.pebblings import check, check_document
from pebble.program.parallel import SharedProblem
from tests.support.text_tables import rows_of

TABLE = Path(__file__).with_name("processor_refusals.txt")
DAG = "# pebbling 1\n# dag attention-forward Nq=2 Nk=2 d=1 dv=1\n"
TWO = "# devices 2\n# sums l U\n"
PAIR = ["0 compute S[0,0,0]", "0 compute P[0,0]"]
SECOND = ["send K[1,0] 1 0", "send V[1,0] 1 0", "superstep", "0 compute S[0,1,0]", "0 compute P[0,1]"]
ROW = [
    *PAIR,
    "0 compute l[0]+0",
    "0 compute U[0,0]+0",
    *SECOND,
    "0 compute l[0]{0}+1",
    "0 compute U[0,0]{0}+1",
]

FAST = ["0 load Q[0,0]", "0 load K[0,0]", *PAIR, "0 compute l[0]+0"]

RING = list(exchange_moves(SharedProblem(2, 1, 2), "ring"))


def played(lines: list[str], header: str = TWO) -> ProcessorCheck:
    found = check(io.StringIO(DAG + header + "\n".join(lines) + "\n"))
    assert isinstance(found, ProcessorCheck)
    return found


def moves_of(text: str) -> list[str]:
    known = {"PAIR": PAIR, "ROW": ROW, "FAST": FAST}
    return [line for part in text.split("; ") for line in known.get(part, [part])]


REFUSED = [[TWO, *row] for row in rows_of(TABLE, "refused")]
REFUSED += [[f"# devices 2\n{header}# sums l U\n", *row] for header, *row in rows_of(TABLE, "fast")]


@pytest.mark.parametrize(("header", "lines", "rule", "says"), REFUSED)
def test_what_is_refused(header: str, lines: str, rule: str, says: str) -> None:
    found = played(moves_of(lines), header)
    assert found.refusal is not None
    assert found.refusal.rule == rule
    assert says in str(found)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["send K[1,0] 1 0", "superstep", "send K[1,0] 1 0"], "device 0 has it already"),
        ([PAIR[0], PAIR[0]], "it is there already"),
        (["superstep"], "nothing has happened"),
    ],
)
def test_a_strict_game_refuses_what_changes_nothing(lines: list[str], says: str) -> None:
    strict = played(lines, TWO.replace("2\n", "2 strict\n", 1))
    assert strict.refusal is not None
    assert strict.refusal.rule == "no-effect"
    assert says in str(strict)
    loose = played(lines)
    assert loose.legal
    assert loose.redundant == (lines != ["superstep"])


def test_what_is_discarded_and_sent_in_a_superstep_counts_until_it_has_been_fetched() -> None:
    """Both buffers exist at the exchange."""
    swap = ["send K[0,0] 0 1", "0 discard K[0,0]", "send K[1,0] 1 0", "1 discard K[1,0]"]
    assert played(swap, f"{TWO}# H 4\n").tally.counts("memory_peak") == [4, 4]
    assert not played(swap, f"{TWO}# H 3\n").legal
    before = ["0 discard Q[0,0]", "1 discard Q[1,0]", *swap]
    assert played(before, f"{TWO}# H 3\n").legal


def test_an_output_must_be_with_its_owner() -> None:
    head = DAG + TWO
    text = "\n".join(RING) + "\n"
    whole = check(io.StringIO(head + text))
    assert whole.complete
    there = [*RING, "send O[0,0] 0 1", "0 discard O[0,0]"]
    gone = played(there)
    assert (gone.legal, gone.complete) == (True, False)
    assert "incomplete: O[0,0] is not with the owner" in str(gone)
    strict = played(["send K[1,0] 1 0", *RING], TWO.replace("2\n", "2 strict\n", 1))
    assert strict.refusal is not None
    left = played([*RING, "send O[0,0] 0 1"], TWO.replace("2\n", "2 strict\n", 1))
    assert "left over O[0,0] on device 1" in str(left)
    document = check_document(left)
    assert (document["complete"], document["left_over"]) == (False, ["O[0,0] on device 1"])


@pytest.mark.parametrize(("header", "says"), rows_of(TABLE, "headers"))
def test_what_a_header_must_say(header: str, says: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        played([], header)
    assert str(refused.value).startswith("line ")
    assert says in str(refused.value)


@pytest.mark.parametrize(("line", "says"), rows_of(TABLE, "lines"))
def test_what_a_line_must_say(line: str, says: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        played(["0 compute S[0,0,0]", "# a comment", line])
    assert str(refused.value).startswith("line 7: ")
    assert says in str(refused.value)


def test_an_illegal_send_is_reported_at_its_line() -> None:
    found = played(["send K[1,0] 0 1", "0 compute S[0,0,0]", "superstep"])
    assert found.line == 5
    assert "illegal at line 5: move 0, send K[1,0] 0 1" in str(found)


def test_a_sum_is_free_only_if_nobody_reads_it_half_way() -> None:
    edges = [("a", "C[0]"), ("b", "C[1]"), ("C[0]", "C[1]"), ("C[0]", "x")]
    with pytest.raises(InvalidInput, match="x reads C"):
        ProcessorGame(Dag.from_edges(edges), Processors(1, sums=("C",)))


def test_h_is_the_most_that_a_device_sends_or_receives() -> None:
    """Device 0 sends two words and receives none, then receives three: h = 2 + 3."""
    header = "# devices 3\n# layout 0 1\n# sums l U\n"
    first = ["send K[0,0] 0 1", "send K[0,0] 0 2", "superstep"]
    second = ["send Q[1,0] 1 0", "send K[1,0] 1 0", "send K[0,0] 2 1", "send V[1,0] 1 0"]
    found = played([*first, *second], header)
    assert (found.tally.h_sum, found.tally.rounds, found.tally.messages) == (5, 2, 4)
    assert found.tally.counts("redundant") == [0, 1, 0]


def test_json_has_the_counts_by_device_and_link() -> None:
    document = check_document(played(RING))
    counts = document["communication"]
    assert (document["devices"], document["M"], document["layout"]) == (2, None, "contiguous")
    assert counts["by_device"]["received"] == [2, 2]
    assert counts["links"] == [[0, 1, 2], [1, 0, 2]]
    assert counts["computes_of"]["P"] == [2, 2]
