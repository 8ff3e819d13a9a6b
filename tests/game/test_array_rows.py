"""Names read row by row are the names read one by one, in files that are damaged too."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pebble.common.text_lines
import pebble.game.files.reader as reading
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.game.files.array_rows import ArrayRows
from pebble.game.files.check import CheckResult
from pebble.graph.names import ListedNames, NamedArray
from pebble.lab.level_pebblings import level_moves
from pebble.lab.parallel.exchange_moves import exchange_moves
from pebble.lab.pebblings import check, moves
from pebble.program import Hierarchy
from pebble.program.parallel import SharedProblem
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


def test_names_by_row_are_names_one_by_one() -> None:
    """Dense rows, rows of which a mask leaves a part, and whatever is no name."""
    arrays = [NamedArray("A", (3, 2, 12), 5), NamedArray("B", (4, 5), 77, np.array([0, 1, 3, 10, 11, 19]))]
    every = {
        f"{array.name}[{','.join(map(str, index))}]": array.first + (place if array.places is None else at)
        for array in arrays
        for at, place in enumerate(np.arange(72) if array.places is None else array.places)
        for index in [[int(i) for i in np.unravel_index(place, array.shape)]]
    } | {"l[0]": 99}
    names = ListedNames([f"x{v}" for v in range(200)])
    names.index = every.__getitem__  # type: ignore[assignment]
    rows = ArrayRows(names, arrays)
    assert list(rows.vertices(every)) == list(every.values())
    backwards = [name for name in reversed(every) if name != "l[0]"]
    assert rows.names(np.array([every[name] for name in backwards])) == backwards
    line = ArrayRows(names, [NamedArray("v", (4,), 0)])
    assert line.names(np.array([3, 0])) == ["v[3]", "v[0]"]
    for wrong in (
        "A[0,0]",
        "A[0,0,12]",
        "A[0,2,0]",
        "A[0,0,01]",
        "A[00,0,1]",
        "A[0,0,1",
        "A[0,0,1]]",
        "C[0,1]",
    ):
        with pytest.raises(KeyError):
            list(rows.vertices([wrong]))
    for wrong in (
        "B[0,2]",
        "B[1,0]",
        "B[3,3]",
        "B[-1,0]",
        "B[0,-1]",
        "B[0,\u0661]",
        "A[0,0,]",
        ",",
        "A,0]",
        "",
    ):
        with pytest.raises(KeyError):
            list(rows.vertices([wrong]))
