"""The command as a process: interrupted, with a closed or full standard output, started without help."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import Pebble
from tests.support.processes import heed_interrupts

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals and pipes")
PEBBLE = [sys.executable, "-m", "pebble"]
COUNT = [*PEBBLE, "count", "-N", "64", "-d", "4", "-M", "100"]
SHORT = [*PEBBLE, "moves", "flash-2", "-N", "20", "-d", "8", "-M", "100", "-o", "-"]
STREAM = [*PEBBLE, "moves", "flash-2", "-N", "200", "-d", "8", "-M", "100", "-o", "-"]


def _interrupt(folder: Path, number: signal.Signals) -> subprocess.CompletedProcess[str]:
    """Begin to write a long pebbling over a file and interrupt it in the middle."""
    sizes = ["-N", "2000", "-d", "8", "-M", "1000"]
    arguments = ["moves", "flash-2", *sizes, "--force", "-o", str(folder / "keep")]
    process = subprocess.Popen(
        [*PEBBLE, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    try:
        while not any(path.stat().st_size > 100_000 for path in folder.iterdir()):
            assert process.poll() is None, "the command ended by itself"
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate()
    finally:
        process.kill()
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def test_ctrl_c_leaves_no_half_written_file(tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    keep.write_text("precious", encoding="utf-8")
    done = _interrupt(tmp_path, signal.SIGINT)
    assert done.returncode == 130
    assert done.stderr.endswith("pebble: interrupted\n")
    assert keep.read_text(encoding="utf-8") == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["keep"]


@pytest.mark.many(1)
@pytest.mark.parametrize("command", [COUNT, [*COUNT, "--json"], STREAM], ids=["count", "json", "moves"])
def test_a_reader_that_goes_away(command: list[str]) -> None:
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().strip()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait() in (0, 1)
    assert err == ""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", [COUNT, [*COUNT, "--json"], STREAM], ids=["count", "json", "moves"])
def test_a_full_disk(command: list[str]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith("pebble: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_no_standard_output_at_all() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *SHORT],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr


def test_check_reads_standard_input(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "small"
    assert pebble("moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "-o", str(path)).code == 0
    with path.open("rb") as stream:
        done = subprocess.run(
            [*PEBBLE, "check", "-"], stdin=stream, capture_output=True, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("legal, complete; ")
