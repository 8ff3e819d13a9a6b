"""The points counted so far: a database from which an interrupted sweep goes on."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pebble.common.errors import InvalidInput, PebbleError
from pebble.lab.sweep.grid import SweepGrid
from pebble.lab.sweep.point import CountedPoints, Record, program_version

__all__ = ["IN_MEMORY", "SUFFIX", "Journal"]

SUFFIX = ".partial"
IN_MEMORY = Path(":memory:")
"""Where SQLite keeps a database that goes away with the process."""
_KIND = int.from_bytes(b"pebb")
_BEGIN = f"""
BEGIN;
PRAGMA application_id = {_KIND};
CREATE TABLE about (version, grid);
CREATE TABLE points (point INTEGER PRIMARY KEY, rows, sha256);
"""
_BEGIN_ANEW = "--restart begins anew (restart=True in Python)"


class Journal:
    """A SQLite database that keeps every counted point, and from which an interrupted sweep goes on.

    Table ``about`` has the version of the program and the grid; table ``points`` has, for each finished point, its
    rows as JSON and a checksum. Points are on the disk when :meth:`add` returns. Checksums are verified when the
    journal is opened and when rows are asked for.

    Parameters
    ----------
    path : Path
        A file, or :data:`IN_MEMORY`.
    grid : SweepGrid
    restart : bool
        Begin anew even if there is a journal, whatever its grid or version.
    """

    def __init__(self, path: Path, grid: SweepGrid, restart: bool = False) -> None:
        self.path = path
        self._counted: set[int] = set()
        self._open()
        try:
            with self._explained(InvalidInput):
                if restart and self._is_ours():
                    self.remove()
                    self._open()
                if self._is_ours():
                    self._go_on(grid)
                else:
                    self._begin(grid)
        except BaseException:
            self.close()
            raise

    def __contains__(self, index: object) -> bool:
        return index in self._counted

    def __len__(self) -> int:
        return len(self._counted)

    def add(self, counted: CountedPoints) -> None:
        """Keep the rows of some points; they are on the disk when this returns."""
        texts = [(index, json.dumps(rows, allow_nan=False)) for index, rows in counted]
        with self._explained(), self._database:
            self._database.executemany(
                "INSERT INTO points VALUES (?, ?, ?)", [(*one, _checksum(*one)) for one in texts]
            )
        self._counted.update(index for index, _ in texts)

    def rows(self, index: int) -> list[Record]:
        """Return the rows of a point."""
        with self._explained():
            found = self._ask("SELECT rows, sha256 FROM points WHERE point = ?", index)
        if found is None or found[1] != _checksum(index, found[0]):
            raise InvalidInput(
                f"{self.path} is damaged: the checksum of point {index} is not that of its rows; {_BEGIN_ANEW}"
            )
        rows: list[Record] = json.loads(found[0])
        return rows

    def close(self) -> None:
        """Let go of the file; it stays where it is."""
        self._database.close()

    def remove(self) -> None:
        """Close the file and delete it."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _open(self) -> None:
        """Open the file, and keep every other process from doing so until it is closed."""
        with self._explained(InvalidInput):
            self._database = sqlite3.connect(self.path, timeout=0)
        self._database.text_factory = lambda text: text.decode(errors="replace")
        try:
            with self._explained(InvalidInput), self._database:
                self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._database.execute("BEGIN EXCLUSIVE")
        except BaseException:
            self.close()
            raise

    def _is_ours(self) -> bool:
        """Tell whether this is a journal, not a new file; refuse a database of something else."""
        if self._ask("PRAGMA application_id") == (_KIND,):
            return True
        if self._ask("SELECT 1 FROM sqlite_master"):
            raise _foreign(self.path)
        return False

    def _begin(self, grid: SweepGrid) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        with self._database:
            self._database.executescript(_BEGIN)
            self._database.execute("INSERT INTO about VALUES (?, ?)", _about(grid))

    def _go_on(self, grid: SweepGrid) -> None:
        """Find the counted points, and verify them."""
        version, known = self._ask("SELECT version, grid FROM about") or ("", "")
        ours, wanted = _about(grid)
        begin = f"{_BEGIN_ANEW}, or give another name for the result"
        if version != ours:
            raise InvalidInput(
                f"{self.path} was started by version {version} of the program, but this is {ours}: {begin}"
            )
        if known != wanted:
            raise InvalidInput(f"{self.path} belongs to another grid{_difference(known, wanted)}: {begin}")
        self._counted = {index for (index,) in self._database.execute("SELECT point FROM points")}
        for index in self._counted:
            self.rows(index)

    def _ask(self, question: str, *values: int) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._database.execute(question, values).fetchone()
        return found

    @contextmanager
    def _explained(self, kind: type[PebbleError] = PebbleError) -> Iterator[None]:
        """Say what SQLite says in our own words."""
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            if name == "SQLITE_NOTADB":
                raise _foreign(self.path) from error
            if name == "SQLITE_BUSY":
                raise InvalidInput(
                    f"another sweep is writing {self.path}: wait for it, or choose another name for the "
                    "result"
                ) from error
            if name.startswith("SQLITE_CORRUPT"):
                raise kind(f"{self.path} is damaged: {error}; {_BEGIN_ANEW}") from error
            raise kind(f"cannot write {self.path}: {error}") from error


def _about(grid: SweepGrid) -> tuple[str, str]:
    return program_version(), json.dumps(grid.to_dict())


def _checksum(index: int, rows: str) -> str:
    return hashlib.sha256(f"{index} {rows}".encode()).hexdigest()


def _foreign(path: Path) -> InvalidInput:
    return InvalidInput(
        f"{path} is not the journal of a sweep: move it away, or choose another name for the result"
    )


def _difference(known: str, wanted: str) -> str:
    """Say in which options two grids differ, where that can be seen."""
    try:
        theirs, ours = json.loads(known), json.loads(wanted)
        names = [name for name in ours if theirs.get(name) != ours[name]]
    except (ValueError, AttributeError):
        return ""
    return f" (it differs in {', '.join(names)})" if names else ""
