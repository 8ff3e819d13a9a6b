"""Output that a stream cannot encode is spelled in ASCII: never a question mark, never a traceback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from pebble.cli import main

COUNT = "count -N 64 -d 8 -M 300 --schedule flash-2"


def _run(encoding: str, arguments: str, given: bytes = b"") -> tuple[int, bytes, bytes]:
    """Run the command in this process with standard streams of an encoding."""
    streams = [io.TextIOWrapper(io.BytesIO(content), encoding=encoding) for content in (given, b"", b"")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["pebble", *arguments.split()])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        for stream in streams[1:]:
            stream.flush()
    out, err = (stream.buffer.getvalue() for stream in streams[1:])
    return code, out, err


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("arguments", [COUNT, "show flash-2 -N 1000 -d 64 -M 10000", "masks", "show --help"])
def test_what_cannot_be_encoded_is_spelled(encoding: str, arguments: str) -> None:
    code, found, err = _run(encoding, arguments)
    out, right = found.decode(encoding), _run("utf-8", arguments)[1].decode("utf-8")
    assert (code, err) == (0, b"")
    assert out.count("?") == right.count("?")
    assert len(out.splitlines()) == len(right.splitlines())
    assert all(text not in out for text in ("\\u", "\\x"))
    if arguments == COUNT:
        assert "large cache (M >= d" in out
        assert "--------------" in out
    if arguments.startswith("show flash-2"):
        assert "ceil(" in out


def test_errors_are_spelled_too() -> None:
    code, out, err = _run("ascii", "check no-such-file-\u03bb\u2264\u4e2d")
    assert (code, out) == (1, b"")
    assert err == b"pebble: cannot read no-such-file-lambda<=\\u4e2d: No such file or directory\n"


def test_json_keeps_its_data() -> None:
    documents = [
        json.loads(_run(encoding, f"{COUNT} --json")[1]) for encoding in ("ascii", "cp1252", "utf-8")
    ]
    assert documents[0] == documents[1] == documents[2]
    shown = json.loads(_run("ascii", "show flash-2 -N 1000 -d 64 -M 10000 --json")[1])
    assert "\u2308" in shown["io"]["formula"]


def test_files_on_standard_output_stay_utf8() -> None:
    edges = 'digraph { a -> "\u4e2d"; b -> "\u4e2d"; }'.encode()
    for encoding in ("cp1252", "ascii"):
        code, out, _ = _run(encoding, "dag convert - - --format dot --to json", edges)
        assert code == 0
        assert "\u4e2d".encode() in out


def test_a_real_process() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "pebble", *COUNT.split()]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"(M >= d^2)" in done.stdout
