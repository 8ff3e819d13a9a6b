"""Files are small, called by what they hold, and tested by a file of the same place and name."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*ROOT.glob("pebble/**/*.py"), *ROOT.glob("schedules/**/*.py")])
TESTS = sorted(ROOT.glob("tests/**/*.py"))
MOST_LINES = 400
EMPTY_NAMES = {"base", "result", "report", "again", "named", "whole", "utils"}
NO_ROOMS = {"house", "bench", "plugin", "support"}
"""Folders of tests that stand for no room."""
OTHER_SUBJECTS = {
    "program": {"mutations", "shortcuts"},
    "schedules": {"contract", "door", "plugin", "properties"},
}
"""What tests of a room are called by that belongs to no single file."""
TOO_LONG: set[str] = {
    "pebble/program/counting/life.py",
    "pebble/program/counting/storage.py",
    "tests/program/test_life.py",
}
"""Files still to be cut. One that is short enough must be taken off this list."""
TWICE: set[str] = set()
"""Names of classes still used twice. One that is used once must be taken off this list."""


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_file_is_too_long() -> None:
    long = {place(path) for path in (*SOURCES, *TESTS) if path.read_text("utf-8").count("\n") > MOST_LINES}
    assert long - TOO_LONG == set(), f"more than {MOST_LINES} lines: cut them by subject"
    assert TOO_LONG - long == set(), "these are short enough: take them off the list"


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [place(path) for path in SOURCES if path.stem in EMPTY_NAMES] == []


def test_a_class_name_is_used_once() -> None:
    homes = defaultdict(list)
    for path in SOURCES:
        for name in re.findall(r"^ *class (\w+)[:(]", path.read_text(encoding="utf-8"), re.MULTILINE):
            homes[name].append(place(path))
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert {name: files for name, files in twice.items() if name not in TWICE} == {}
    assert TWICE - set(twice) == set(), "these names are used once: take them off the list"


def subjects(room: str) -> set[str]:
    """What tests of a room may be called by: the room, its files and its folders."""
    folder = ROOT / room if room == "schedules" else ROOT / "pebble" / room
    files = {path.stem.strip("_") for path in folder.rglob("*") if path.suffix == ".py" or path.is_dir()}
    return files | OTHER_SUBJECTS.get(room, set()) | {room}


@pytest.mark.parametrize("path", [path for path in TESTS if path.name.startswith("test_")], ids=place)
def test_a_test_stands_as_its_source_does(path: Path) -> None:
    """``pebble/game/replay.py`` has ``tests/game/test_replay.py``, or several ``test_replay_SUBJECT.py``."""
    room = path.relative_to(ROOT / "tests").parts[0]
    if room not in NO_ROOMS:
        words = path.stem.removeprefix("test_").split("_")
        names = {"_".join(words[:n]) for n in range(1, len(words) + 1)}
        assert names & subjects(room), (
            f"no file of the room {room} is called like the beginning of {path.stem}"
        )
