"""What the game of several devices refuses, by the name of the rule, and what its files refuse, by line."""

from __future__ import annotations

import io

import pytest

from pebble.common.errors import InvalidInput
from pebble.game.files.processor_files import ProcessorCheck
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.settings import Processors, token_owners
from pebble.graph.dag import Dag
from pebble.lab.parallel.exchange_moves import exchange_moves
from pebble.lab.pebblings import check, check_document
from pebble.program.parallel import SharedProblem

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


@pytest.mark.parametrize(
    ("lines", "rule", "says"),
    [
        (["send K[0,0] 1 0"], "send-needs-held", "device 1 does not hold it"),
        (["0 discard K[0,0]", "send K[0,0] 0 1"], "send-needs-held", "announce a send before"),
        (["send K[0,0] 0 1", "send K[0,0] 1 0"], "send-needs-held", "what arrives is sent on in the next"),
        (["send K[0,0] 0 0"], "send-to-itself", "one device"),
        (["send K[0,0] 0 2"], "unknown-device", "they are 0 to 1"),
        (["2 compute S[0,0,0]"], "unknown-device", "there is no device 2"),
        (["send K[0,0] 0 1", "send K[0,0] 0 1"], "send-twice", "already"),
        (
            [*PAIR, "0 compute l[0]+0", "0 compute l[0]{0}+0"],
            "term-counted-twice",
            "the term 0 is in l[0]{0}",
        ),
        ([*ROW, "0 merge l[0]{0} l[0]{0-1}"], "term-counted-twice", "both have l[0]{0}"),
        ([*ROW, "0 merge l[0]{0} U[0,0]{0}"], "merge-needs-one-sum", "of one element"),
        ([*ROW, "0 merge P[0,0] P[0,0]"], "merge-needs-one-sum", "of one element"),
        ([*ROW[:4], "0 compute O[0,0]"], "term-left-out", "left out: U[0,0]{1}"),
        (["0 compute S[0,1,0]"], "compute-needs-predecessors", "lacks 1 of 2 operands: K[1,0]"),
        (["0 compute O[0,0]"], "compute-needs-predecessors", "U[0,0]{0-1}, l[0]{0-1}"),
        (["0 compute l[0]{0}+1"], "compute-needs-predecessors", "l[0]{0}, P[0,1]"),
        (["0 compute Q[0,0]"], "compute-input", "let its owner send it"),
        (["0 discard K[1,0]"], "discard-needs-held", "does not hold it"),
        (
            ["send K[0,0] 0 1", "0 discard K[0,0]", "0 discard K[0,0]"],
            "discard-needs-held",
            "in this superstep",
        ),
        (["0 load K[0,0]"], "communication-only", "say '# M WORDS'"),
    ],
)
def test_what_is_refused(lines: list[str], rule: str, says: str) -> None:
    found = played(lines)
    assert found.refusal is not None
    assert found.refusal.rule == rule
    assert says in str(found)


@pytest.mark.parametrize(
    ("header", "lines", "rule", "says"),
    [
        ("# H 4\n", PAIR, "memory-full", "the memory of device 0 holds 4 of 4 words; discard one"),
        ("# H 3\n", ["send K[1,0] 1 0"], "memory-full", "the memory of device 0 holds 3 of 3"),
        (
            "# M 2\n",
            ["0 load Q[0,0]", "0 load K[0,0]", *PAIR],
            "memory-full",
            "fast memory of device 0 holds 2 of 2",
        ),
        ("# M 4\n", ["0 load K[1,0]"], "load-needs-blue", "the memory of device 0 does not hold it"),
        ("# M 4\n", ["0 store K[0,0]"], "store-needs-red", "load it first"),
        ("# M 9\n", [*FAST, "0 accumulate P[0,0]"], "accumulate-needs-sum", "store it"),
        ("# M 9\n", ["0 accumulate l[0]{0}"], "accumulate-needs-red", "does not hold it"),
        ("# M 9\n", [*FAST, *["0 accumulate l[0]{0}"] * 2], "term-counted-twice", "has l[0]{0} already"),
        (
            "# M 9\n",
            [*FAST, "0 accumulate l[0]{0}", "0 delete l[0]{0}", "0 load l[0]{0}", "0 accumulate l[0]{0}"],
            "term-counted-twice",
            "has l[0]{0} already",
        ),
        ("# M 4\n", ["0 delete K[0,0]"], "delete-needs-red", "leave the move out"),
        ("# M 4\n", PAIR, "compute-needs-predecessors", "load or compute them first"),
        (
            "# M 9\n",
            ["0 load Q[0,0]", "0 load K[0,0]", PAIR[0], "send S[0,0,0] 0 1"],
            "send-needs-held",
            "store it first",
        ),
    ],
)
def test_full_memories_and_the_moves_of_the_fast_one(
    header: str, lines: list[str], rule: str, says: str
) -> None:
    found = played(lines, f"# devices 2\n{header}# sums l U\n")
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


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("# devices 0\n", "must be 1 to 4096, not 0"),
        ("# devices two\n", "has one whole number, and perhaps the word strict, not 'two'"),
        ("# devices 2 fast\n", "perhaps the word strict"),
        ("# devices 2\n# layout spiral\n", "unknown layout 'spiral'"),
        ("# devices 2\n# layout 0 1 1\n", "devices for 3 tokens, but there are 2"),
        ("# devices 2\n# layout 0 2\n", "names a device outside 0..1"),
        ("# devices 2\n# sums\n", "each once"),
        ("# devices 2\n# sums W\n", "no array W"),
        ("# devices 2\n# sums P\n", "P[0] is not a sum: P[0,1] does not add to the term before it"),
        ("# devices 2\n# H 0\n", "line 4"),
        ("# devices 2\n# H 2\n", "device 0 owns 3 inputs, but its memory has only 2 words"),
        ("# devices 2\n# levels 3 4\n", "not both"),
        ("# devices 2\n# rules sliding=yes\n", "only the default rules"),
        ("# M 3\n# layout zigzag\n", "a line '# layout' needs a line '# devices'"),
    ],
)
def test_what_a_header_must_say(header: str, says: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        played([], header)
    assert str(refused.value).startswith("line ")
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("load K[0,0]", "is not a move; write 'DEVICE OPERATION WORD'"),
        ("0 slide K[0,0]", "is not a move"),
        ("a compute S[0,0,0]", "'a' is not a device number"),
        ("01 compute S[0,0,0]", "'01' is not a device number"),
        ("send K[0,0] 0", "a send is written 'send WORD FROM TO'"),
        ("0 merge l[0]{0}", "write 'DEVICE merge WORD WORD'"),
        (
            "0 compute l[0,0]",
            "not a word, because the sum l[0] is free; with all its terms it is 'l[0]{0-1}'",
        ),
        ("0 compute l[0]{0}", "write the sum that is there and the term"),
        ("0 compute l[0]+2", "the sum l[0] has no term 2; it has l[0]{0-1}"),
        ("0 compute l[0]+x", "comes the number of a term"),
        ("0 discard l[0]{0,1}", "as 'l[0]{0-1}'"),
        ("0 discard l[0]{1-0}", "not '1-0'"),
        ("0 discard l[0]{0-999999999999}", "has no term 2"),
        ("0 discard l[5]{0}", "there is no free sum 'l[5]'; free are those of l, U"),
        ("0 compute S[0,0,9]", "no vertex is called 'S[0,0,9]'"),
        ("0 compute\u00a0S[0,0,0]", "separate words by blanks"),
    ],
)
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


def test_layouts_of_tokens_that_do_not_divide() -> None:
    assert token_owners("contiguous", 5, 2) == (0, 0, 0, 1, 1)
    assert token_owners("zigzag", 6, 2) == (0, 0, 1, 1, 1, 0)
    assert token_owners("striped", 5, 2) == (0, 1, 0, 1, 0)
