from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pebble.common.text_lines
from pebble.common.errors import IllegalMove, InvalidInput, PebbleError
from pebble.common.files import atomic_writer
from pebble.game.files.check import CheckResult, check_pebbling
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader, parse_move, read_pebbling
from pebble.game.files.writer import write_pebbling, write_pebbling_file
from pebble.game.moves import Move, Moves, Op
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.strategies import all_rules, dags, random_legal_moves

SUM = Dag.from_edges([("a", "s"), ("b", "s")])
HEAD = "# pebbling 1\n# dag sum\n# M 3\n"
GOOD = HEAD + "load a\nload b\ncompute s\nstore s\n"


def resolve(header: Header) -> Dag:
    if header.dag_name != "sum":
        raise InvalidInput(f"no DAG is called {header.dag_name!r}; known: sum")
    return SUM


def check(text: str | bytes) -> CheckResult:
    data = text.encode() if isinstance(text, str) else text
    result = check_pebbling(io.BytesIO(data), resolve)
    if data.isascii() and b"\r" not in data:
        assert check_pebbling(io.StringIO(data.decode()), resolve) == result
    return result


def written(header: Header, dag: Dag, moves: Any) -> str:
    stream = io.StringIO()
    write_pebbling(stream, header, dag, moves)
    return stream.getvalue()


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
            header, _, chunks = read_pebbling(stream, lambda header: dag)
            again = [move for chunk in chunks for move in chunk]
            assert again == moves
            assert (header.M, header.rules) == (M, rules)
            assert written(header, dag, Moves.of(again)) == text
        result = check_pebbling(io.StringIO(text), lambda header: dag)
    assert result.legal
    assert result.status == replay(dag, M, Moves.of(moves), rules)


def test_a_good_file() -> None:
    result = check(GOOD)
    assert (result.legal, result.complete, result.moves, result.reads, result.writes) == (True, True, 4, 2, 1)
    assert (result.io, result.computes, result.deletes, result.peak, result.M) == (3, 1, 0, 3, 3)
    assert (result.redundant, result.missing, result.line, result.refusal) == (0, [], None, None)
    assert str(result).startswith("legal, complete; 3 I/O")


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\n", "\r\n"),
        GOOD.rstrip("\n"),
        GOOD.replace("compute", "\n# a remark\n\ncompute"),
        "\n" + HEAD + "\n# not a header line any more: x\n" + GOOD[len(HEAD) :] + "\n\n# the end",
        "\ufeff" + GOOD,
        GOOD.replace("load b", "  load \t b  "),
        GOOD.replace("# M", "#M").replace("# dag", "#   dag"),
        GOOD.replace("# M 3", "# M 3\n# rules recomputation=yes sliding=no"),
        GOOD.replace("# dag sum\n# M 3", "\n# M 3\n\n# dag sum"),
    ],
)
def test_liberties_that_are_accepted(text: str) -> None:
    assert check(text) == check(GOOD)


def test_incomplete_is_legal() -> None:
    result = check(GOOD.replace("store s\n", ""))
    assert (result.legal, result.complete, result.missing) == (True, False, ["s"])
    assert "1 of 1 outputs is not blue: s" in str(result)


@pytest.mark.parametrize(
    ("text", "line", "number", "move", "rule"),
    [
        (GOOD.replace("load b\n", ""), 5, 1, "compute s", "compute-needs-predecessors"),
        (GOOD.replace("# M 3", "# M 2"), 6, 2, "compute s", "memory-full"),
        (GOOD.replace("load b", "\n# remark\nload b\nstore s"), 8, 2, "store s", "store-needs-red"),
        (GOOD + "slide s from a\n", 8, 4, "slide s from a", "slide-forbidden"),
        (GOOD.replace("load b", "load b7"), 5, 1, "load b7", "unknown-vertex"),
        (GOOD.replace("load b", "slide s from c"), 5, 1, "slide s from c", "unknown-vertex"),
        (HEAD + "store a\nnonsense\n", 4, 0, "store a", "store-needs-red"),
    ],
)
def test_illegal_moves(text: str, line: int, number: int, move: str, rule: str) -> None:
    result = check(text)
    assert not result.legal
    assert not result.complete
    assert result.line == line
    assert result.refusal is not None
    assert (result.refusal.move_number, result.refusal.move, result.refusal.rule) == (number, move, rule)
    assert result.refusal.remedy
    assert result.moves == number
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file is empty"),
        ("\n \n", "line 1: the file is empty"),
        ("load a\n", "line 1: a pebbling file begins with '# pebbling 1'"),
        ("# remark\n" + GOOD, "line 1: a pebbling file begins with '# pebbling 1', not with '# remark'"),
        (GOOD.replace("pebbling 1", "pebbling 2"), "line 1: .*only version 1"),
        (GOOD.replace("pebbling 1", "pebbling"), "line 1: .*only version 1"),
        (GOOD.replace("pebbling 1", "pebbling 1 x"), "line 1: .*only version 1"),
        (GOOD.replace("# dag sum\n", ""), "line 3: the header ends without a line '# dag"),
        (GOOD.replace("# M 3\n", ""), "line 3: the header ends without a line '# M"),
        ("# pebbling 1\n", "line 1: the header ends without a line '# dag"),
        (HEAD.replace("# M 3\n", ""), "line 2: the header ends without a line '# M"),
        (GOOD.replace("# dag sum", "# dag"), "line 2: '# dag' needs a name"),
        (GOOD.replace("# dag sum", "# dag sum n"), "line 2: 'n' is not of the form name=value"),
        (GOOD.replace("# dag sum", "# dag sum n=1 n=2"), "line 2: 'n' is given twice"),
        (GOOD.replace("# dag sum", "# dag sun"), "line 2: no DAG is called 'sun'"),
        (GOOD.replace("# M 3", "# M 3\n# M 3"), "line 4: there is a second line '# M'"),
        (
            GOOD.replace("# M 3", "# author me\n# M 3"),
            "line 3: unknown header line '# author me'; known: # dag",
        ),
        (GOOD.replace("# M 3", "# M 3\n# rules weights=yes"), "line 4: unknown rule 'weights=yes'"),
        (GOOD.replace("# M 3", "# M 3\n# rules sliding=maybe"), "line 4: unknown rule 'sliding=maybe'"),
        (GOOD.replace("# M 3", "# M 3\n# rules sliding"), "line 4: 'sliding' is not of the form"),
        (GOOD.replace("load b", "lod b"), "line 5: 'lod' is no operation in 'lod b'; use load, store"),
        (GOOD.replace("load b", "load"), "line 5: 'load' names no vertex"),
        (GOOD.replace("load b", "load b now"), "line 5: 'load b now' has more than one vertex"),
        (GOOD.replace("load b", "slide s"), "line 5: a slide is written 'slide VERTEX from PREDECESSOR'"),
        (GOOD.replace("load b", "slide s to b"), "line 5: a slide is written"),
        (GOOD.replace("load b\n", "load\nload load b\n"), "line 5: 'load' names no vertex"),
        (GOOD + "stor", r"line 8: 'stor' is no operation .* \(the file ends in the middle of this line\)"),
        (GOOD + "x" * 300_000, "line 8: longer than 65536 characters"),
        (GOOD.encode() + b"load \xff\n", "line 8: byte 6, 0xff, is not UTF-8"),
        (GOOD.encode() + b"load \xc3", "line 8: byte 6, 0xc3, is not UTF-8"),
        (GOOD.encode("utf-16"), "line 1: byte 1, 0xff, is not UTF-8"),
        *(
            (GOOD.replace("# M 3", f"# M {wrong}"), "line 3: M must be one positive whole number")
            for wrong in ("0", "-1", "3.0", "three", "", "3 4", "03", "³", "9" * 19, "9" * 5000)
        ),
    ],
)
def test_malformed_files(text: str | bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        check(text)


def test_truncated_name_says_so() -> None:
    reader = PebblingReader(io.StringIO(HEAD + "load"))
    with pytest.raises(InvalidInput, match="ends in the middle"):
        list(reader.moves(SUM))
    reader = PebblingReader(io.StringIO(HEAD + "load a\nload zz"))
    with pytest.raises(IllegalMove, match=r"^line 5: move 1, load zz: .*ends in the middle"):
        list(reader.moves(SUM))


def test_a_text_stream_that_is_no_utf8() -> None:
    stream = io.TextIOWrapper(io.BytesIO(GOOD.encode() + b"\xff"), encoding="utf-8")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        check_pebbling(stream, resolve)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_damaged_files_never_crash(data: st.DataObject) -> None:
    text = bytearray(GOOD.encode() * data.draw(st.integers(1, 2)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        kind = data.draw(st.sampled_from(["cut", "insert", "replace", "drop"]))
        if kind == "cut":
            del text[at:]
        elif kind == "drop":
            del text[at : at + data.draw(st.integers(1, 9))]
        elif kind == "insert":
            text[at:at] = data.draw(st.binary(min_size=1, max_size=5))
        elif at < len(text):
            text[at] = data.draw(st.integers(0, 255))
    try:
        result = check_pebbling(io.BytesIO(bytes(text)), resolve)
    except InvalidInput as error:
        assert str(error).startswith("line ")  # noqa: PT017
    else:
        assert result.legal or (result.line is not None and result.refusal is not None)


@given(st.binary(max_size=60))
def test_any_bytes_never_crash(data: bytes) -> None:
    for text in (data, HEAD.encode() + data):
        try:
            check_pebbling(io.BytesIO(text), resolve)
        except PebbleError as error:
            assert str(error).startswith("line ")  # noqa: PT017


@given(
    st.lists(
        st.sampled_from(["load", "store", "slide", "a", "s", "from", "#", "\n", "\n", " ", "\x0b"]),
        max_size=12,
    )
)
def test_grammar_line_by_line(parts: list[str]) -> None:
    """The fast way of reading agrees with reading each line by itself."""
    dag = Dag.from_edges([("a", "s"), ("load", "s"), ("from", "s")])
    body = " ".join(parts).replace(" \n ", "\n")
    expected: list[Move] = []
    failed = False
    for line in body.split("\n"):
        if line.startswith("#") or not line.strip():
            continue
        try:
            expected.append(parse_move(line, dag))
        except InvalidInput:
            failed = True
            break
    found: list[Move] = []
    raised = False
    try:
        for chunk in PebblingReader(io.StringIO(HEAD + "\n" + body)).moves(dag):
            found += chunk
    except PebbleError:
        raised = True
    assert (found, raised) == (expected, failed)


def test_parse_move() -> None:
    assert parse_move("slide s from a", SUM) == Move(Op.SLIDE, 1, 0)
    assert parse_move(" load  b\n", SUM) == Move(Op.LOAD, 2)
    for wrong in ("", "load", "load z", "load a b", "jump a", "slide s a"):
        with pytest.raises(InvalidInput):
            parse_move(wrong, SUM)


def test_bad_headers_cannot_be_made() -> None:
    for M in (0, -1, True, 1.5, 10**18, "3"):
        with pytest.raises(InvalidInput, match="M must be"):
            Header("sum", {}, M)  # type: ignore[arg-type]
    for name, parameters in (
        ("", {}),
        ("a b", {}),
        ("a", {"k": ""}),
        ("a", {"k=": "v"}),
        ("a", {"k": "\ud800"}),
    ):
        with pytest.raises(InvalidInput):
            Header(name, parameters, 3)


@pytest.mark.parametrize("move", [(7, 0), (0, 3), (0, -1), (4, 1, -1), (4, 1, 3)])
def test_moves_without_notation_are_not_written(move: Any) -> None:
    with pytest.raises(InvalidInput, match="move 1 cannot be written"):
        written(Header("sum", {}, 3), SUM, Moves.of([(0, 0), move]))


def test_memory_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import pebble.game.files.remembered
    import pebble.game.files.writer

    dag = Dag.from_edges([(i, i + 1) for i in range(300)])
    moves = Moves(np.zeros(3000, np.int8), np.arange(3000) % 300)
    monkeypatch.setattr(pebble.game.files.remembered, "MOST_REMEMBERED", 5)
    monkeypatch.setattr(pebble.game.files.writer, "_CHUNK", 100)
    monkeypatch.setattr(pebble.common.text_lines, "_PIECE", 100)
    text = written(Header("d", {}, 1), dag, moves)
    assert [move for chunk in PebblingReader(io.StringIO(text)).moves(dag) for move in chunk] == list(moves)


def test_reading_is_streamed() -> None:
    """A pebbling of any length is handed on before it ends."""

    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self.read_so_far = 0

        def read(self, size: int = -1) -> bytes:
            line = b"" if self.read_so_far else HEAD.encode()
            self.read_so_far += size
            return line + b"load a\ndelete a\n" * (size // 16)

    stream = Endless()
    chunks = PebblingReader(stream).moves(SUM)  # type: ignore[arg-type]
    n = sum(len(next(chunks)) for _ in range(3))
    assert n > 1000
    assert stream.read_so_far < 5 * (1 << 20)


# -- files


def test_files_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "sum.pebbling"
    moves = Moves([0, 0, 2, 1], [0, 2, 1, 1])
    assert write_pebbling_file(path, Header("sum", {}, 3), SUM, moves) == 4
    assert path.read_bytes() == GOOD.encode()
    assert check_pebbling(path, resolve).complete
    assert check_pebbling(str(path), resolve).io == 3


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"cannot read .*No such file"):
        check_pebbling(tmp_path / "none", resolve)
    with pytest.raises(InvalidInput, match="cannot read"):
        check_pebbling(tmp_path, resolve)
    (tmp_path / "bad").write_text("nothing")
    with pytest.raises(InvalidInput, match=r"bad: line 1: a pebbling file begins"):
        check_pebbling(tmp_path / "bad", resolve)


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize("error", [ValueError, Interrupted, KeyboardInterrupt])
def test_an_interruption_leaves_nothing_behind(tmp_path: Path, error: type[BaseException]) -> None:
    def moves() -> Iterator[Moves]:
        yield Moves([0], [0])
        raise error

    path = tmp_path / "sum.pebbling"
    with pytest.raises(error):
        write_pebbling_file(path, Header("sum", {}, 3), SUM, moves())
    assert list(tmp_path.iterdir()) == []
    path.write_text("before")
    with pytest.raises(error):
        write_pebbling_file(path, Header("sum", {}, 3), SUM, moves())
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_visible_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with atomic_writer(path) as stream:
        stream.write("é\n")
        stream.flush()
        assert not path.exists()
    assert path.read_bytes() == "é\n".encode()
    binary: IO[bytes]
    with atomic_writer(str(path), "wb") as binary:
        binary.write(b"\r\n")
    assert path.read_bytes() == b"\r\n"


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
def test_permissions(tmp_path: Path) -> None:
    path = tmp_path / "x"
    before = os.umask(0o027)
    try:
        with atomic_writer(path) as stream:
            stream.write("1")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        with atomic_writer(path) as stream:
            stream.write("2")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    for path, text in ((tmp_path, "is a folder"), (tmp_path / "no" / "x", "does not exist; make it first")):
        with pytest.raises(InvalidInput, match=text), atomic_writer(path):
            pass
    with pytest.raises(InvalidInput, match="no ordinary file"), atomic_writer("/dev/null"):
        pass
    with pytest.raises(InvalidInput, match="mode must be"), atomic_writer(tmp_path / "x", "a"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    with atomic_writer(link) as stream:
        stream.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_an_unwritable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(InvalidInput, match="Permission denied"), atomic_writer(tmp_path / "x"):
        pass
    monkeypatch.undo()
    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(InvalidInput, match="Permission denied"), atomic_writer(tmp_path / "x") as stream:
        stream.write("1")
    assert list(tmp_path.iterdir()) == []


def test_words_may_not_be_shared_between_lines() -> None:
    """Taken two by two, these words are moves; taken line by line they are not."""
    dag = Dag.from_edges([("a", "load")])
    chunks = PebblingReader(io.StringIO(HEAD + "load\nload load a\n")).moves(dag)
    with pytest.raises(InvalidInput, match="line 4: 'load' names no vertex"):
        list(chunks)
