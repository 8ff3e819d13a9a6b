"""Names read row by row are the names read one by one, in files that are damaged too."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from typing import Any

import pytest

import pebble.common.text_lines
import pebble.game.files.reader as reading
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.game.files.check import CheckResult
from pebble.lab.pebblings import check, moves
from pebble.program.schedule import available
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
    monkeypatch.setattr(reading, "_vertices", lambda dag: lambda names: map(dag.names.index, names))


def _file(problem: Problem, schedule: str = "naive") -> bytes:
    stream = io.StringIO()
    moves(schedule, problem, 60).write(stream)
    return stream.getvalue().encode()


LINES: list[Callable[[random.Random, bytes], bytes]] = [
    lambda rng, line: b"",
    lambda rng, line: line + line,
    lambda rng, line: line[:-1] + b"\r\n",
    lambda rng, line: b"# a remark\n" + line,
    lambda rng, line: b"\n \t\n" + line,
    lambda rng, line: line.replace(b" ", b"  "),
    lambda rng, line: line.replace(b"[", b"[0"),
    lambda rng, line: line.replace(b"0", "\u0660".encode()),
    lambda rng, line: line.replace(b"]", b",0]"),
    lambda rng, line: line.replace(b"compute", b"Compute").replace(b"load", b"lood"),
    lambda rng, line: line.replace(b"]", b""),
    lambda rng, line: line.replace(b"]", b"]]"),
    lambda rng, line: rng.choice([b"load", b"store", b"compute", b"delete"]) + line[line.index(b" ") :],
    lambda rng, line: b"slide " + line.split()[1] + b" from " + line.split()[1] + b"\n",
    lambda rng, line: line[: rng.randrange(len(line))],
    lambda rng, line: bytes(rng.choice([byte, byte, byte ^ 1 << rng.randrange(8)]) for byte in line),
]
"""What may happen to a line."""


@pytest.mark.parametrize(
    ("problem", "times"),
    [(Problem(2, 11, 1, 1, stats=True), 1)]
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
