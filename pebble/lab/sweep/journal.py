"""The points counted so far: in memory, or in a journal on disk from which an interrupted sweep goes on."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

from pebble.common.errors import InvalidInput, PebbleError
from pebble.lab.sweep.grid import SweepGrid
from pebble.lab.sweep.point import COLUMNS, CountedPoints, Point, Record, program_version

__all__ = ["SUFFIX", "Journal", "RowStore", "RowsInMemory"]

SUFFIX = ".partial"
_KIND = "pebble sweep"
_BEGINNING = json.dumps({"journal": _KIND})[:-1].encode("ascii")
_SIGNATURE = b', "sha256": "%s"}\n'
_SIGNATURE_LENGTH = len(_SIGNATURE % (b"0" * 64))
_WRONG_CHECKSUM = "its checksum is not that of its content"
_BEGIN_ANEW = "--restart begins anew (restart=True in Python)"


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
    point, ``{"point": 17, "rows": [...], "sha256": "..."}``, in the order in which they were finished. Lines are on
    the disk when :meth:`add` returns. A torn last line is ignored; every other is verified when the journal is opened,
    by its checksum and against the grid, and by its checksum again when its rows are asked for. Memory holds only
    where each line starts.

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
        self._grid = grid
        self._fingerprint = grid.fingerprint
        self._starts: dict[int, int] = {}
        header = {
            "journal": _KIND,
            "version": program_version(),
            "fingerprint": self._fingerprint,
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
            line = self._signed(json.dumps({"point": index, "rows": rows}, allow_nan=False).encode("ascii"))
            starts[index] = end
            end += len(line)
            lines.append(line)
        self._append(b"".join(lines))
        self._starts.update(starts)

    def rows(self, index: int) -> list[Record]:
        """Return the rows of a point."""
        self._file.seek(self._starts[index])
        line = self._file.readline()
        if not self._is_signed(line):
            raise PebbleError(f"{self.path} has changed while it was in use; {_BEGIN_ANEW}")
        rows: list[Record] = json.loads(line)["rows"]
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
            if not line.endswith(b"\n"):
                return start  # killed while it was written
            fault = self._fault(line)
            if fault == _WRONG_CHECKSUM and not self._file.readline():
                return start  # the power may have failed while it was written
            if fault:
                raise InvalidInput(
                    f"{self.path} is damaged at line {number}: {fault}; delete that line, and its point is counted "
                    f"again, or {_BEGIN_ANEW}"
                )
            self._starts[json.loads(line)["point"]] = start
            start += len(line)
        return start

    def _fault(self, line: bytes) -> str:
        """Say why a line cannot be believed, or nothing."""
        found = _parsed(line)
        if isinstance(found, dict) and set(found) == {"point", "rows"}:
            raise InvalidInput(
                f"{self.path} was begun by an earlier pebble, whose journals have no checksums, so that its rows "
                f"cannot be verified: go on with that one, or {_BEGIN_ANEW}"
            )
        if not self._is_signed(line) or not isinstance(found, dict):
            return _WRONG_CHECKSUM
        index, rows = found.get("point"), found.get("rows")
        if type(index) is not int or not 0 <= index < len(self._grid):
            return f"the grid has no point {index!r}"
        if index in self._starts:
            return f"point {index} is there twice"
        return _fault_of_rows(rows, self._grid.point(index), index)

    def _signed(self, line: bytes) -> bytes:
        """Return a line with its checksum, which is that of the bytes before it and of the grid."""
        digest = hashlib.sha256(self._fingerprint.encode("ascii") + line).hexdigest()
        return line[:-1] + _SIGNATURE % digest.encode("ascii")

    def _is_signed(self, line: bytes) -> bool:
        return self._signed(line[:-_SIGNATURE_LENGTH] + b"}") == line

    def _check_header(self, found: Any, header: Record, restart: bool) -> None:
        if not isinstance(found, dict) or found.get("journal") != _KIND:
            raise self._foreign()
        if restart:
            return
        begin = f"{_BEGIN_ANEW}, or give another name for the result"
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


def _fault_of_rows(rows: Any, point: Point, index: int) -> str:
    """Say why rows are not those of a point, or nothing; what was counted is believed if it adds up."""
    expected = point.asked_rows()
    if not isinstance(rows, list) or len(rows) != len(expected):
        return f"point {index} should have {len(expected)} rows"
    asked = point.problem().to_dict()
    for row, which in zip(rows, expected, strict=True):
        if not isinstance(row, dict) or list(row) != list(COLUMNS):
            return f"a row of point {index} has other columns"
        for name, value in (asked | which).items():
            if row[name] != value:
                return f"a row says {name} = {row[name]}, and point {index} of the grid has {value}"
        counted = [row["reads"], row["writes"], row["io"]]
        if counted != [None] * 3 and not _adds_up(*counted):
            return f"a row of point {index} says {row['reads']} reads + {row['writes']} writes = {row['io']}"
    return ""


def _adds_up(reads: Any, writes: Any, io: Any) -> bool:
    return all(type(number) is int for number in (reads, writes, io)) and reads + writes == io


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
