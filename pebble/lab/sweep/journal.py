"""The points counted so far: in memory, or in a journal on disk from which an interrupted sweep goes on."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

from pebble.common.errors import InvalidInput, PebbleError
from pebble.lab.sweep.grid import SweepGrid
from pebble.lab.sweep.point import COLUMNS, CountedPoints, Record, program_version

__all__ = ["SUFFIX", "Journal", "RowStore", "RowsInMemory"]

SUFFIX = ".partial"
_KIND = "pebble sweep"
_BEGINNING = json.dumps({"journal": _KIND})[:-1].encode("ascii")


class RowStore(Protocol):
    """Where the rows of counted points are kept until all are there."""

    def __contains__(self, index: object) -> bool:
        """Return whether the point with this index has been counted."""

    def __len__(self) -> int:
        """Number of points that have been counted."""

    def add(self, counted: CountedPoints) -> None:
        """Keep the rows of some points."""

    def rows(self, index: int) -> list[Record]:
        """Return the rows of a point."""


class RowsInMemory(dict[int, list[Record]]):
    """Rows by point, in memory."""

    def add(self, counted: CountedPoints) -> None:
        """Keep the rows of some points."""
        self.update(counted)

    def rows(self, index: int) -> list[Record]:
        """Return the rows of a point."""
        return self[index]


class Journal:
    """A file to which every counted point is appended, and from which an interrupted sweep goes on.

    JSON lines: first a header with the version of the program, the grid and its fingerprint, then one line a
    point, ``{"point": 17, "rows": [...]}``, in the order in which they were finished. Lines are on the disk when
    :meth:`add` returns. A torn last line is ignored. Memory holds only where each line starts.

    Parameters
    ----------
    path : Path
    grid : SweepGrid
    restart : bool
        Begin anew even if there is a journal, whatever its grid or version.

    Raises
    ------
    InvalidInput
        If the file is no journal, or one of another grid or version, or damaged, or in use, or cannot be written.
    """

    def __init__(self, path: Path, grid: SweepGrid, restart: bool = False) -> None:
        self.path = path
        self._n_rows = len(grid.schedules)
        self._n_points = len(grid)
        self._starts: dict[int, int] = {}
        header = {
            "journal": _KIND,
            "version": program_version(),
            "fingerprint": grid.fingerprint,
            "grid": grid.to_dict(),
        }
        try:
            self._file: IO[bytes] = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        except OSError as error:
            raise InvalidInput(f"cannot write {path}: {error.strerror}") from error
        try:
            self._lock()
            end = self._read(header, restart)
            self._file.truncate(end)
            self._file.seek(end)
            if end == 0:
                self._append(json.dumps(header).encode("ascii") + b"\n")
        except BaseException:
            self._file.close()
            raise

    def __contains__(self, index: object) -> bool:
        return index in self._starts

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, counted: CountedPoints) -> None:
        """Append the rows of some points; they are on the disk when this returns."""
        lines = []
        end = self._file.seek(0, os.SEEK_END)
        starts = {}
        for index, rows in counted:
            line = json.dumps({"point": index, "rows": rows}, allow_nan=False).encode("ascii") + b"\n"
            starts[index] = end
            end += len(line)
            lines.append(line)
        self._append(b"".join(lines))
        self._starts.update(starts)

    def rows(self, index: int) -> list[Record]:
        """Return the rows of a point."""
        self._file.seek(self._starts[index])
        rows: list[Record] = json.loads(self._file.readline())["rows"]
        return rows

    def close(self) -> None:
        """Let go of the file; it stays where it is."""
        with suppress(OSError):  # what could not be written has been reported
            self._file.close()

    def remove(self) -> None:
        """Close the file and delete it."""
        self.path.unlink(missing_ok=True)
        self.close()

    def _append(self, data: bytes) -> None:
        try:
            self._file.write(data)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise PebbleError(f"cannot write {self.path}: {error.strerror}") from error

    def _lock(self) -> None:
        """Refuse a journal that another process is writing, where the system can tell."""
        try:
            import fcntl
        except ImportError:  # not on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInput(
                f"another sweep is writing {self.path}: wait for it, or give another name for the result"
            ) from None
        except OSError:  # a file system without locks
            return

    def _read(self, header: Record, restart: bool) -> int:
        """Find the counted points; return where the next line goes, 0 for a new journal."""
        first = self._file.readline()
        if not first.endswith(b"\n"):
            if not (first.startswith(_BEGINNING) or _BEGINNING.startswith(first)):
                raise self._foreign()
            return 0  # killed before the header was whole
        self._check_header(_parsed(first), header, restart)
        if restart:
            return 0
        return self._read_points(len(first))

    def _read_points(self, start: int) -> int:
        for number, line in enumerate(iter(self._file.readline, b""), start=2):
            index = self._index(line)
            if index is None:
                if self._file.readline():
                    raise InvalidInput(
                        f"{self.path} is damaged at line {number}: --restart begins anew (restart=True in Python)"
                    )
                return start
            self._starts[index] = start
            start += len(line)
        return start

    def _index(self, line: bytes) -> int | None:
        """Return the point that a line is about, or None if the line is torn or damaged."""
        found = _parsed(line) if line.endswith(b"\n") else None
        if not isinstance(found, dict) or set(found) != {"point", "rows"}:
            return None
        index, rows = found["point"], found["rows"]
        if type(index) is not int or not 0 <= index < self._n_points or not isinstance(rows, list):
            return None
        whole = len(rows) == self._n_rows and all(
            isinstance(r, dict) and list(r) == list(COLUMNS) for r in rows
        )
        return index if whole else None

    def _check_header(self, found: Any, header: Record, restart: bool) -> None:
        if not isinstance(found, dict) or found.get("journal") != _KIND:
            raise self._foreign()
        if restart:
            return
        begin = "--restart begins anew (restart=True in Python), or give another name for the result"
        if found.get("version") != header["version"]:
            raise InvalidInput(
                f"{self.path} was begun by version {found.get('version')} of the program, and this is "
                f"{header['version']}: {begin}"
            )
        if found.get("fingerprint") != header["fingerprint"]:
            raise InvalidInput(f"{self.path} belongs to another grid{_difference(found, header)}: {begin}")

    def _foreign(self) -> InvalidInput:
        return InvalidInput(
            f"{self.path} is no journal of a sweep: move it away, or give another name for the result"
        )


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _difference(found: Record, header: Record) -> str:
    """Say in which options two grids differ, where that can be seen."""
    theirs, ours = found.get("grid"), header["grid"]
    if not isinstance(theirs, dict):
        return ""
    names = [name for name in ours if theirs.get(name) != ours[name]]
    return f" (it differs in {', '.join(names)})" if names else ""
