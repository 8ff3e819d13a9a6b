"""Pebbling files that are damaged, odd or without end."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import IllegalMove, InvalidInput, PebbleError
from pebble.game.files.check import check_pebbling
from pebble.game.files.reader import PebblingReader, parse_move
from pebble.game.moves import Move
from pebble.graph.dag import Dag
from tests.game.small_files import GOOD, HEAD, SUM, check, resolve
from tests.support.amounts import examples
from tests.support.text_tables import rows_of

MALFORMED: list[tuple[str | bytes, str]] = [
    (new if old == "GOOD" else GOOD.replace(old, new), message)
    for old, new, message in rows_of(Path(__file__).with_name("malformed.txt"))
]
MALFORMED += [
    (GOOD + "x" * 300_000, "line 8: longer than 65536 characters"),
    (GOOD.encode() + b"load \xff\n", "line 8: byte 6, 0xff, is not UTF-8"),
    (GOOD.encode() + b"load \xc3", "line 8: byte 6, 0xc3, is not UTF-8"),
    (GOOD.encode("utf-16"), "line 1: byte 1, 0xff, is not UTF-8"),
    *(
        (GOOD.replace("# M 3", f"# M {wrong}"), "line 3: M must be one positive whole number")
        for wrong in ("0", "-1", "3.0", "three", "", "3 4", "03", "³", "9" * 19, "9" * 5000)
    ),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_files(text: str | bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        check(text)


def test_indices_are_written_in_one_way() -> None:
    """Digits of other scripts and leading zeros are no names, and the message says what to write."""
    from pebble.computations.matmul import matmul_family

    dag = matmul_family(2, 2, 2).dag()
    for wrong in ("A[\u0660,\u0660]", "A[00,0]", "A[0,\uff10]"):
        chunks = PebblingReader(io.StringIO(f"{HEAD}load {wrong}\n")).moves(dag)
        with pytest.raises(IllegalMove, match=r"^line 4: .*write 'A\[0,0\]': the digits are 0 to 9, without"):
            list(chunks)
        with pytest.raises(InvalidInput, match="without leading zeros"):
            parse_move(f"load {wrong}", dag)
    for wrong in ("A[-0,0]", "A[0,0 ]", "A[,0]", "A[0,00000000]0", "A[" + "9" * 5000 + "]"):
        with pytest.raises(InvalidInput):
            parse_move(f"load {wrong}", dag)


@given(st.data())
@examples(75, 300)
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
        result = check_pebbling(PebblingReader(io.BytesIO(bytes(text))), resolve)
    except InvalidInput as error:
        assert str(error).startswith("line ")  # noqa: PT017
    else:
        assert result.legal or (result.line is not None and result.refusal is not None)


@given(st.binary(max_size=60))
def test_any_bytes_never_crash(data: bytes) -> None:
    for text in (data, HEAD.encode() + data):
        try:
            check_pebbling(PebblingReader(io.BytesIO(text)), resolve)
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
