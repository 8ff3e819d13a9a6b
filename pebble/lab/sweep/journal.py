"""The points counted so far: a database from which an interrupted sweep goes on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pebble.common.errors import InvalidInput, PebbleError
from pebble.lab.sweep.grid import SweepGrid
from pebble.lab.sweep.point import Record, program_version

IN_MEMORY = Path(":memory:")
"""Where SQLite keeps a database that goes away with the process."""
_KIND = int.from_bytes(b"pebb")
_BEGIN = f"""
PRAGMA journal_mode = WAL;
BEGIN;
PRAGMA application_id = {_KIND};
CREATE TABLE IF NOT EXISTS about (version, grid);
CREATE TABLE IF NOT EXISTS points (point INTEGER PRIMARY KEY, rows);
COMMIT;
"""


class Journal:
    """A SQLite database that keeps every counted point, and from which an interrupted sweep goes on.

    Table ``about`` has the version of the program and the grid; table ``points`` has the rows of each finished point as
    JSON. Points are on the disk when :meth:`add` returns. No other process can open the file meanwhile.

    Parameters
    ----------
    path : Path
        A file, or :data:`IN_MEMORY`.
    restart : bool
        Begin anew even if there is a journal, whatever its grid or version.
    """

    def __init__(self, path: Path, grid: SweepGrid, restart: bool = False) -> None:
        self.path = path
        with self._explained(InvalidInput):
            self._database = sqlite3.connect(path, timeout=0)
        try:
            with self._explained(InvalidInput):
                self._open(restart)
                self._check(grid)
                found = self._database.execute("SELECT point, rows FROM points")
                self._counted = {index for index, rows in found if json.loads(rows) is not None}
        except BaseException:
            self.close()
            raise

    def __contains__(self, index: object) -> bool:
        return index in self._counted

    def __len__(self) -> int:
        return len(self._counted)

    def add(self, counted: list[tuple[int, list[Record]]]) -> None:
        """Keep the rows of some points; they are on the disk when this returns."""
        texts = [(index, json.dumps(rows, allow_nan=False)) for index, rows in counted]
        with self._explained(), self._database:
            self._database.executemany("INSERT INTO points VALUES (?, ?)", texts)
        self._counted.update(index for index, _ in texts)

    def rows(self, index: int) -> list[Record]:
        """Return the rows of a point."""
        with self._explained():
            (text,) = self._ask("SELECT rows FROM points WHERE point = ?", index) or ("",)
            rows: list[Record] = json.loads(text)
        return rows

    def close(self) -> None:
        """Let go of the file; it stays where it is."""
        self._database.close()

    def remove(self) -> None:
        """Close the file and delete it."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _open(self, restart: bool) -> None:
        """Keep other processes away, and make the tables; refuse a database of something else."""
        with self._database:
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._database.execute("BEGIN EXCLUSIVE")
        ours = self._ask("PRAGMA application_id") == (_KIND,)
        if not ours and self._ask("SELECT 1 FROM sqlite_master"):
            raise self._foreign()
        if ours and restart:
            self._database.executescript("DROP TABLE about; DROP TABLE points;")
        self._database.executescript(_BEGIN)

    def _check(self, grid: SweepGrid) -> None:
        """Refuse a journal of another version or grid; say in a new one what it is about."""
        ours, wanted = program_version(), json.dumps(grid.to_dict())
        version, known = self._ask("SELECT version, grid FROM about") or (None, None)
        anew = "--restart begins anew (restart=True in Python), or give another name for the result"
        if version is None:
            with self._database:
                self._database.execute("INSERT INTO about VALUES (?, ?)", (ours, wanted))
        elif version != ours:
            raise InvalidInput(
                f"{self.path} was started by version {version} of the program, but this is {ours}: {anew}"
            )
        elif known != wanted:
            theirs, mine = json.loads(known), json.loads(wanted)
            names = ", ".join(name for name in mine if theirs.get(name) != mine[name])
            raise InvalidInput(f"{self.path} belongs to another grid (it differs in {names}): {anew}")

    def _ask(self, question: str, *values: int) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._database.execute(question, values).fetchone()
        return found

    def _foreign(self) -> InvalidInput:
        return InvalidInput(
            f"{self.path} is not the journal of a sweep: move it away, or choose another name for the result"
        )

    @contextmanager
    def _explained(self, kind: type[PebbleError] = PebbleError) -> Iterator[None]:
        """Say what SQLite says in our own words."""
        try:
            yield
        except (sqlite3.Error, json.JSONDecodeError) as error:
            name = getattr(error, "sqlite_errorname", "SQLITE_CORRUPT")
            if name == "SQLITE_NOTADB":
                raise self._foreign() from error
            if name == "SQLITE_BUSY":
                raise InvalidInput(
                    f"another sweep is writing {self.path}: wait for it, or choose another name for the result"
                ) from error
            if name.startswith("SQLITE_CORRUPT"):
                raise kind(f"{self.path} is damaged: {error}; delete it to begin anew") from error
            raise kind(f"cannot write {self.path}: {error}") from error
