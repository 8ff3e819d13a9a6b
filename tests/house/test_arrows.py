"""Imports go down the floors of the house, never up or across; so no rooms form a circle.

All imports count, under TYPE_CHECKING and within functions too. The door, ``pebble/__init__.py`` and ``__main__.py``,
is above all floors; ``from pebble import count`` is an import of the module that ``count`` comes from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pebble

ROOT = Path(__file__).resolve().parents[2]
FLOORS = [
    {"the door"},
    {"cli"},
    {"lab"},
    {"schedules", "testing"},
    {"solvers"},
    {"program", "lower_bounds"},
    {"game", "computations"},
    {"graph"},
    {"common"},
]
EXCEPTIONS: set[str] = set()
"""Arrows that still go up. One that is gone must be taken off this list."""


def room_of(module: str) -> str:
    """``pebble.lab.plots`` is in the room lab, ``schedules.flash2`` in schedules."""
    package, *inner = module.removesuffix(".__init__").split(".")
    return package if package == "schedules" else inner[0] if inner and inner[0] != "__main__" else "the door"


def imported(node: ast.AST) -> list[str]:
    """Modules that a statement imports; a public name of the door is taken from its home."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "an import names its module in full"
        homes = [f"pebble.{pebble._HOME.get(alias.name, alias.name)}" for alias in node.names]
        return homes if node.module == "pebble" else [str(node.module)]
    return []


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements, those within others too; an import is no expression."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.stmt | ast.excepthandler | ast.match_case):
            yield inner
            yield from statements(inner)


def arrows() -> Iterator[tuple[str, int, str, str]]:
    """Imports from one room to another: file, line, room, and room of what is imported."""
    for path in sorted([*ROOT.glob("pebble/**/*.py"), *ROOT.glob("schedules/**/*.py")]):
        file = path.relative_to(ROOT)
        room = room_of(".".join(file.with_suffix("").parts))
        for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
            targets = {room_of(name) for name in imported(node) if name.startswith(("pebble", "schedules"))}
            yield from ((file.as_posix(), node.lineno, room, to) for to in targets - {room})  # type: ignore[attr-defined]


def test_arrows_go_down() -> None:
    floor = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
    up = {(f"{file}: {room} -> {to}", line) for file, line, room, to in arrows() if floor[room] >= floor[to]}
    assert {f"{arrow}, line {line}" for arrow, line in up if arrow not in EXCEPTIONS} == set()
    assert EXCEPTIONS - {arrow for arrow, _ in up} == set(), "these arrows are gone: take them off the list"


def test_every_room_has_its_floor() -> None:
    files = {path.stem for path in ROOT.glob("pebble/*.py")} - {"__init__", "__main__"}
    rooms = files | {path.parent.name for path in ROOT.glob("pebble/*/__init__.py")}
    assert rooms | {"schedules", "the door"} == set.union(*FLOORS)
