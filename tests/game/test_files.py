"""Pebbling files: what is written is read again and judged as the moves are."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pebble.common.text_lines
from pebble.common.errors import IllegalMove, InvalidInput
from pebble.game.files.check import check_pebbling
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader
from pebble.game.files.writer import write_pebbling
from pebble.game.moves import Moves, Op
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lab.pebblings import check as check_file
from tests.game.small_files import GOOD, HEAD, SUM, check, written
from tests.support.random_dags import all_rules, dags, random_legal_moves
from tests.support.text_tables import rows_of

TABLE = Path(__file__).with_name("good_and_illegal.txt")

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text.split() == [text]
)


headers = st.builds(
    Header,
    words,
    st.dictionaries(words.filter(lambda text: "=" not in text), words, max_size=4),
    st.integers(1, 10**18 - 1),
    all_rules(),
)


@given(headers)
def test_header_round_trip(header: Header) -> None:
    text = str(header)
    for stream in (io.StringIO(text), io.BytesIO(text.encode())):
        assert PebblingReader(stream).header == header
    assert str(PebblingReader(io.StringIO(text)).header) == text
    assert list(PebblingReader(io.StringIO(text)).header.parameters) == list(header.parameters)


def test_the_file_is_exactly_this() -> None:
    header = Header("sum", {"n": "2", "kind": "x=y"}, 2, Rules(recomputation=False, sliding=True))
    moves = Moves.of([(Op.LOAD, 0), (Op.LOAD, 2), (Op.SLIDE, 1, 2), (Op.STORE, 1), (Op.DELETE, 0)])
    assert written(header, SUM, moves) == (
        "# pebbling 1\n# dag sum n=2 kind=x=y\n# M 2\n# rules recomputation=no sliding=yes\n"
        "load a\nload b\nslide s from b\nstore s\ndelete a\n"
    )
    assert written(Header("sum", {}, 3), SUM, []) == HEAD


@given(dags(), st.integers(1, 6), all_rules(), st.integers(0, 2**32), st.sampled_from([7, 64, 1 << 20]))
@settings(deadline=None)
def test_moves_round_trip(dag: Dag, M: int, rules: Rules, seed: int, piece: int) -> None:
    moves = random_legal_moves(dag, M, rules, 40, np.random.default_rng(seed))
    text = written(Header("d", {}, M, rules), dag, [Moves.of(moves[:9]), Moves.of(moves[9:])])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pebble.common.text_lines, "_PIECE", piece)
        for stream in (
            io.BytesIO(text.encode()),
            io.StringIO(text),
            io.BytesIO(text.replace("\n", "\r\n").encode()),
        ):
            reader = PebblingReader(stream)
            header, again = reader.header, [move for chunk in reader.moves(dag) for move in chunk]
            assert again == moves
            assert (header.M, header.rules) == (M, rules)
            assert written(header, dag, Moves.of(again)) == text
        result = check_pebbling(PebblingReader(io.StringIO(text)), lambda header: dag)
    assert result.legal
    assert result.status == replay(dag, M, Moves.of(moves), rules)


def changed(old: str, new: str) -> str:
    return new if old == "GOOD" else GOOD.replace(old, new)


@pytest.mark.parametrize(("old", "new"), rows_of(TABLE, "liberties"))
def test_liberties_that_are_accepted(old: str, new: str) -> None:
    assert check(changed(old, new)) == check(GOOD)


@pytest.mark.parametrize(("old", "new", "line", "number", "move", "rule"), rows_of(TABLE, "illegal"))
def test_illegal_moves(old: str, new: str, line: str, number: str, move: str, rule: str) -> None:
    text = changed(old, new)
    result = check(text)
    assert not result.legal
    assert not result.complete
    assert result.line == int(line)
    assert result.refusal is not None
    assert (result.refusal.move_number, result.refusal.move, result.refusal.rule) == (int(number), move, rule)
    assert result.refusal.remedy
    assert result.moves == int(number)
    assert str(result) == f"illegal at line {line}: {result.refusal.message}"
    if rule == "unknown-vertex":
        reader = PebblingReader(io.StringIO(text))
        with pytest.raises(IllegalMove, match=f"^line {line}: move {number}, "):
            list(reader.moves(SUM))


def test_illegal_moves_far_down_have_the_right_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pebble.common.text_lines, "_PIECE", 50)
    text = HEAD + "load a\n# remark\ndelete a\n" * 1000 + "\nstore b\n"
    result = check(text)
    assert (result.line, result.moves) == (3 + 3000 + 2, 2000)


# -- files


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"cannot read .*No such file"):
        check_file(tmp_path / "none")
    with pytest.raises(InvalidInput, match="cannot read"):
        check_file(tmp_path)
    (tmp_path / "bad").write_text("nothing")
    with pytest.raises(InvalidInput, match=r"bad: line 1: a pebbling file begins"):
        check_file(tmp_path / "bad")


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize("error", [ValueError, Interrupted, KeyboardInterrupt])
def test_an_interruption_leaves_nothing_behind(tmp_path: Path, error: type[BaseException]) -> None:
    def moves() -> Iterator[Moves]:
        yield Moves([0], [0])
        raise error

    path = tmp_path / "sum.pebbling"
    with pytest.raises(error):
        write_pebbling(path, Header("sum", {}, 3), SUM, moves())
    assert list(tmp_path.iterdir()) == []
    path.write_text("before")
    with pytest.raises(error):
        write_pebbling(path, Header("sum", {}, 3), SUM, moves())
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
