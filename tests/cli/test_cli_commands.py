"""What commands answer, what they refuse, and what they do one after the other: three tables."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Pebble, document_of
from tests.support.text_tables import lines_of


def _lines(name: str) -> list[str]:
    return lines_of(Path(__file__).with_name(name))


def _value(document: Any, path: str) -> Any:
    """Return what is at ``schedules.best.io``: a part names a key, a place in a list, or the row of that name."""
    for part in path.split("."):
        if isinstance(document, list):
            named = [row for row in document if row.get("name") == part]
            document = named[0] if named else document[int(part)]
        else:
            document = document[part]
    return document


@pytest.mark.parametrize("line", _lines("answers.txt"))
def test_answers(line: str, pebble: Pebble) -> None:
    asked, told, answers = line.partition(" => ")
    if not told:
        one, other = (document_of(pebble(*shlex.split(command))) for command in line.split(" <=> "))
        assert one == other
        return
    done = pebble(*shlex.split(asked))
    assert done.code == 0, done.err
    for answer in answers.split(" && "):
        path, told, value = answer.partition(" = ")
        assert _value(document_of(done), path) == json.loads(value) if told else answer in done.out


@pytest.mark.parametrize("line", _lines("refusals.txt"))
def test_refusals(line: str, pebble: Pebble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked, _, words = line.partition(" => ")
    code, *command = shlex.split(asked)
    pebble(*command).refused(int(code), *words.split(" && "))
    assert list(tmp_path.iterdir()) == []


HEAD = "# pebbling 1\n# dag attention-forward Nq=2 Nk=2 d=2 dv=2\n# M 12\n"


def _sessions() -> list[str]:
    text = Path(__file__).with_name("sessions.txt").read_text(encoding="utf-8")
    return [block for block in text.strip().split("\n\n") if not block.startswith("#")]


@pytest.mark.parametrize("session", _sessions())
def test_sessions(session: str, pebble: Pebble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in session.splitlines():
        name, told, content = line.partition(" <- ")
        if told:
            made = eval(content, {"HEAD": HEAD})
            Path(name).write_bytes(made if isinstance(made, bytes) else made.encode())
            continue
        asked, _, words = line.partition(" => ")
        code, *command = shlex.split(asked)
        done = pebble(*command)
        assert done.code == int(code), (line, done)
        if int(code) and not done.out:
            done.refused(int(code), *words.split(" && "))
        assert all(word in done.out + done.err for word in words.split(" && ")), (line, done)
