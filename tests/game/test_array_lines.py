"""Reading and writing many lines at a time gives what reading and writing them one by one gives."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import pebble.common.text_lines
import pebble.game.files.reader as reading
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.game.files.array_lines import ArrayLines
from pebble.game.files.check import CheckResult
from pebble.game.files.reader import PebblingReader
from pebble.game.moves import Op
from pebble.graph.names import NamedArray
from pebble.lab.level_pebblings import level_moves
from pebble.lab.parallel.exchange_moves import exchange_moves
from pebble.lab.pebblings import check, moves
from pebble.program import Hierarchy
from pebble.program.parallel import SharedProblem
from pebble.program.schedule import available
from tests.game import independent_processors_checker
from tests.game.array_problems import PROBLEMS
from tests.game.independent_checker import check as independent_check


def _verdict(data: bytes) -> tuple[str, Any]:
    """All that is said of a file."""
    try:
        found: CheckResult = check(io.BytesIO(data))
    except InvalidInput as error:
        return "error", str(error)
    return str(found), (found.header, found.status, found.line, found.refusal)


def _one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ArrayLines, "of", lambda names: None)


def _file(problem: Problem, schedule: str = "naive") -> bytes:
    stream = io.StringIO()
    moves(schedule, problem, 60).write(stream)
    return stream.getvalue().encode()


@pytest.mark.many(1)
@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_files_of_schedules_are_read_many_lines_at_a_time(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one line of a file that the program writes is left to the slow reader, which reads the same."""
    monkeypatch.setattr(reading, "PIECE", 300)
    for schedule in list(available(problem.pass_name))[:4]:
        data = _file(problem, schedule)
        reader = PebblingReader(io.BytesIO(data))
        family = moves(schedule, problem, 60).family
        with monkeypatch.context() as patch:
            patch.setattr(reading, "_parse", lambda *arguments: pytest.fail("left to the slow reader"))
            fast = [move for chunk in reader.moves(family.dag()) for move in chunk]
        with monkeypatch.context() as patch:
            _one_by_one(patch)
            slow = [move for chunk in PebblingReader(io.BytesIO(data)).moves(family.dag()) for move in chunk]
        assert fast == slow
        assert _verdict(data)[0].startswith("legal, complete")


LINES: list[Callable[[random.Random, bytes], bytes]] = [
    lambda rng, line: b"",
    lambda rng, line: line + line,
    lambda rng, line: line[:-1] + b"\r\n",
    lambda rng, line: line[:-1] + b"\r",
    lambda rng, line: b"# a remark\n" + line,
    lambda rng, line: b"\n \t\n" + line,
    lambda rng, line: line.replace(b" ", b"  "),
    lambda rng, line: line.replace(b" ", "\u00a0".encode()),
    lambda rng, line: line.replace(b"\n", "\u2028".encode()),
    lambda rng, line: line.replace(b"[", b"[0"),
    lambda rng, line: line.replace(b"0", "\u0660".encode()),
    lambda rng, line: line.replace(b"]", b",0]"),
    lambda rng, line: line.replace(b"]", b"1234567]"),
    lambda rng, line: line.replace(b"]", b"0000000000000000001]"),
    lambda rng, line: line.replace(b"[0", b"[") if b"[0," not in line else line.replace(b"[0,", b"["),
    lambda rng, line: line.replace(b",", b", "),
    lambda rng, line: line.replace(b"compute", b"Compute").replace(b"load", b"lood"),
    lambda rng, line: line.replace(b"compute", b"xompute").replace(b"delete", b"dxlete"),
    lambda rng, line: line.replace(b"[", b"["[:0]),
    lambda rng, line: line.replace(b"]", b""),
    lambda rng, line: line.replace(b"]\n", b"]"),
    lambda rng, line: line.replace(b"]", b"]]"),
    lambda rng, line: line.replace(b"]", b"]x"),
    lambda rng, line: line.replace(b"[", b",").replace(b"]", b"["),
    lambda rng, line: line.replace(b" ", b"] "),
    lambda rng, line: rng.choice([b"load", b"store", b"compute", b"delete"]) + line[line.index(b" ") :],
    lambda rng, line: b"slide " + line.split()[1] + b" from " + line.split()[1] + b"\n",
    lambda rng, line: line[: rng.randrange(len(line))],
    lambda rng, line: bytes(rng.choice([byte, byte, byte ^ 1 << rng.randrange(8)]) for byte in line),
    lambda rng, line: line[: rng.randrange(len(line))] + b"\xff" + line,
    lambda rng, line: line[:-2] + b"99]\n",
    lambda rng, line: b"x" * 70_000 + line,
]
"""What may happen to a line."""


@pytest.mark.parametrize(
    ("problem", "times"),
    [(Problem.square(3, 1, mask="causal"), 1)]
    + [pytest.param(problem, 2, marks=pytest.mark.slow) for problem in PROBLEMS],
    ids=str,
)
def test_damaged_files_get_the_same_verdict(
    problem: Problem, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(str(problem))
    lines = _file(problem, next(iter(available(problem.pass_name)))).splitlines(keepends=True)
    seen = set()
    for number in range(times * len(LINES)):
        monkeypatch.setattr(reading, "PIECE", rng.choice([300, 3000, 1 << 17]))
        monkeypatch.setattr(pebble.common.text_lines, "_PIECE", rng.choice([1000, 1 << 20]))
        changed = list(lines)
        for _ in range(rng.choice([1, 1, 2])):
            at = rng.randrange(3, len(lines))
            changed[at] = LINES[number % len(LINES)](rng, lines[at])
        data = b"".join(changed)[: rng.choice([None, None, -1])]
        fast = _verdict(data)
        with monkeypatch.context() as patch:
            _one_by_one(patch)
            assert fast == _verdict(data), data
        seen.add(fast[0].partition(" ")[0])
    assert {"legal,", "illegal", "error"} <= seen


FOREIGN = "\v\f\r\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u2028\u2029\u202f\u205f\u3000"
"""White space that is no space, tab or line end of a pebbling file; a carriage return is where no line feed follows."""


@pytest.mark.slow
@pytest.mark.parametrize("remark", ["", "# a remark\n"])
def test_foreign_white_space_is_refused_by_every_reader(remark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it stands, in the header, a move or a comment, with the line and the character; CRLF is a line end."""
    rng = random.Random(remark)
    lines = _file(Problem(3, 2, 1, 2)).decode().splitlines(keepends=True)
    plain = "".join([*lines[:20], remark, *lines[20:]])
    for char in FOREIGN * 4 + "\r" * 20:
        monkeypatch.setattr(reading, "PIECE", rng.choice([300, 1 << 17]))
        monkeypatch.setattr(pebble.common.text_lines, "_PIECE", rng.choice([100, 1 << 20]))
        at = rng.choice(
            [0, rng.randrange(len(plain)), plain.index("\n", rng.randrange(len(plain))), len(plain)]
        )
        text = plain[:at] + char + plain[at:]
        found = [_verdict(text.encode())]
        with monkeypatch.context() as patch:
            _one_by_one(patch)
            found.append(_verdict(text.encode()))
        if text[at : at + 2] == "\r\n":
            assert found == [_verdict(plain.encode())] * 2
            assert independent_check(text) == independent_check(plain)
            continue
        line = plain.count("\n", 0, at) + 1
        for kind, said in found:
            assert kind == "error"
            assert said.startswith(f"line {line}: U+{ord(char):04X} (")
        with pytest.raises(ValueError, match=f"^line {line}: "):
            independent_check(text)


def test_foreign_white_space_is_refused_in_other_games() -> None:
    """With several memory levels, and of several devices."""
    stream, sizes = io.StringIO(), {"rows": 2, "cols": 1, "block": 1}
    exchange_moves(SharedProblem(2, 1, 2), "ring").write(stream)
    devices = stream.getvalue()
    stream = io.StringIO()
    level_moves("nested-flash-2", Problem.square(2, 1), Hierarchy((10, 20)), sizes).write(stream)
    rng = random.Random(1)
    for plain in (devices, stream.getvalue()):
        assert _verdict(plain.encode())[0].startswith("legal, complete")
        for char in FOREIGN * 4:
            at = rng.randrange(len(plain))
            text = plain[:at] + char + plain[at:]
            if text[at : at + 2] == "\r\n":
                continue
            line = plain.count("\n", 0, at) + 1
            assert str(_verdict(text.encode())[1]).startswith(f"line {line}: U+{ord(char):04X} (")
            if plain == devices:
                with pytest.raises(ValueError, match=f"^line {line}: "):
                    independent_processors_checker.check(text)


@pytest.mark.parametrize(
    ("before", "legal"), [("\ufeff", True), ("\ufeff\ufeff", False), ("\n\ufeff", False)]
)
def test_a_byte_order_mark_is_skipped_once(before: str, legal: bool) -> None:
    text = before + _file(Problem(3, 2, 1, 2)).decode()
    assert (_verdict(text.encode())[0] != "error") == legal
    if legal:
        independent_check(text)
    else:
        with pytest.raises(ValueError, match="line 1: no pebbling file"):
            independent_check(text)


def test_every_wrong_byte_is_noticed() -> None:
    """Change each byte of some lines, or put one in: what is read then is what the line says."""
    family = moves("naive", Problem(2, 12, 1, 2), 60).family
    lines = ArrayLines.of(family.names)
    assert lines is not None
    dag = family.dag()
    for text in ("load Q[1,0]\ncompute S[1,11,0]\ndelete l[0,10]\n", "store O[1,1]\nload K[11,0]\n"):
        assert lines.moves(text) is not None
        for at in range(len(text)):
            for byte, replaced in product(range(128), (0, 1)):
                changed = text[:at] + chr(byte) + text[at + replaced :]
                found = lines.moves(changed)
                if found is not None:
                    words = [line.split(" ") for line in changed.replace("\r\n", "\n").split("\n")[:-1]]
                    assert [
                        (Op(op).word, dag.name(int(v))) for op, v in zip(found.op, found.vertex, strict=True)
                    ] == [tuple(pair) for pair in words]


def test_large_indices() -> None:
    lines = ArrayLines([NamedArray("A", (10**7, 3), 5), NamedArray("long", (9,), 10**9)])
    rng = np.random.default_rng(1)
    for digits in range(1, 8):
        i = rng.integers(10 ** (digits - 1) * (digits > 1), 10**digits, 50).tolist()
        found = lines.moves("".join(f"delete A[{n},2]\nstore long[8]\n" for n in i))
        assert found is not None
        assert found.vertex[::2].tolist() == [5 + 3 * n + 2 for n in i]
        assert set(found.vertex[1::2].tolist()) == {10**9 + 8}
    assert lines.moves("delete A[10000000,0]\n") is None
    assert lines.moves("") is None


@pytest.mark.parametrize("beside", ["load A[7]\n", "load A[1999]\n", "load B[1234,0]\n"])
@pytest.mark.parametrize(
    "index", [":", "0:", "1:", ":1", "/", "a", "0x", "1 ", "+1", "-1", "01", "00", "1_0", ""]
)
def test_an_index_is_digits_without_leading_zeros(index: str, beside: str) -> None:
    """Also where a wrong letter would make an index that there is, among short indices and among long ones."""
    lines = ArrayLines([NamedArray("A", (2000,), 0), NamedArray("B", (2000, 200), 2000)])
    assert lines.moves(f"{beside}load A[10]\nload B[10,100]\n") is not None
    for wrong in (f"load A[{index}]\n", f"load B[{index},3]\n", f"load B[3,{index}]\n"):
        assert lines.moves(beside + wrong) is None
