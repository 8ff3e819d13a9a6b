"""Writing a file so that it appears whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from pebble.common.errors import InvalidInput


@contextmanager
def atomic_writer(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    r"""Open a temporary file beside ``path`` and put it in its place when the block ends well.

    If the block is left by an exception, such as that of Ctrl-C, the temporary file is removed and whatever was at
    ``path`` stays as it was. Text is UTF-8 with ``\n`` line ends on every system. An
    existing file keeps its permissions; a new one gets what the umask leaves of read and write for all. A symbolic
    link is followed: the file it points to is replaced, not the link.

    Parameters
    ----------
    path : path
        Where the file is to be.
    mode : {"w", "wb"}
        Text or bytes.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with atomic_writer(path) as stream:
    ...     _ = stream.write("one")
    >>> path.read_text()
    'one'
    """
    if mode not in ("w", "wb"):
        raise InvalidInput(f"mode must be 'w' or 'wb', not {mode!r}")
    target = check_target(path)
    text: dict[str, Any] = {} if mode == "wb" else {"encoding": "utf-8", "newline": "\n"}
    try:
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name[:80]}.", suffix=".part"
        )
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, mode, **text) as stream:
            yield stream
        _put_in_place(path, temporary, target)
    finally:
        with suppress(OSError):  # it is gone once it is in place
            os.unlink(temporary)


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return where a file will be written, links followed; refuse before the work a path that cannot be."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InvalidInput(f"cannot write {path}: it is a folder; give a file name")
    if target.exists() and not target.is_file():
        raise InvalidInput(f"cannot write {path}: it is not a regular file")
    if not target.parent.is_dir():
        raise InvalidInput(f"cannot write {path}: the folder {target.parent} does not exist; create it first")
    return target


def _put_in_place(path: str | os.PathLike[str], temporary: str, target: Path) -> None:
    try:
        os.chmod(temporary, _permissions(target))
        os.replace(temporary, target)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from error


def _permissions(target: Path) -> int:
    """Permissions of the file that is replaced, or what any new file gets."""
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
