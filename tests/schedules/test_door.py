"""Schedules and plug-ins import from ``pebble``, ``pebble.program`` and ``pebble.testing`` only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pebble

ROOT = Path(__file__).resolve().parents[2]
DOOR = {"pebble", "pebble.program", "pebble.testing"}
FILES = sorted([*ROOT.glob("schedules/**/*.py"), *ROOT.glob("tests/plugin/src/**/*.py")])


def _imports(file: Path) -> Iterator[tuple[str, str]]:
    """Yield module and name of every import, the name empty where a module is imported whole."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield from ((node.module or "", alias.name) for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_schedules_come_in_by_the_door(file: Path) -> None:
    for module, name in _imports(file):
        if module.partition(".")[0] == "pebble":
            assert module in DOOR, f"{file}: {module}"
            assert module != "pebble" or name in ("", *pebble.__all__), f"{file}: pebble.{name}"


def test_the_door_is_wide_enough() -> None:
    from pebble.program.schedule import Schedule, fitting_tiles, registered

    assert pebble.Schedule is Schedule
    assert pebble.program.fitting_tiles is fitting_tiles
    assert [schedule.name for schedule in registered("forward", "plain")] == list(pebble.schedules())
