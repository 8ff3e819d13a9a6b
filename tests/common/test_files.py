"""Files are replaced whole or stay as they were."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.common.files import atomic_writer


def test_nothing_is_visible_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with atomic_writer(path) as stream:
        stream.write("é\n")
        stream.flush()
        assert not path.exists()
    assert path.read_bytes() == "é\n".encode()
    binary: IO[bytes]
    with atomic_writer(str(path), "wb") as binary:
        binary.write(b"\r\n")
    assert path.read_bytes() == b"\r\n"


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
def test_permissions(tmp_path: Path) -> None:
    path = tmp_path / "x"
    before = os.umask(0o027)
    try:
        with atomic_writer(path) as stream:
            stream.write("1")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        with atomic_writer(path) as stream:
            stream.write("2")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    for path, text in ((tmp_path, "is a folder"), (tmp_path / "no" / "x", "does not exist; create it first")):
        with pytest.raises(InvalidInput, match=text), atomic_writer(path):
            pass
    with pytest.raises(InvalidInput, match="not a regular file"), atomic_writer("/dev/null"):
        pass
    with pytest.raises(InvalidInput, match="mode must be"), atomic_writer(tmp_path / "x", "a"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(InvalidInput, match="Permission denied"), atomic_writer(tmp_path / "x"):
        pass
    monkeypatch.undo()
    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(InvalidInput, match="Permission denied"), atomic_writer(tmp_path / "x") as stream:
        stream.write("1")
    assert list(tmp_path.iterdir()) == []
