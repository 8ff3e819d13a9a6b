"""Plant bugs in the shortcuts, one at a time, and see which of them the tests do not find; run by hand.

    python tests/bench/plant_bugs.py [WORD]

The bugs stand in planted_bugs.txt: below the name of a file under pebble/, lines that begin with "-" are what stands
there, at one place only, and lines with "+" what is to stand there instead; nothing, if there are none. WORD chooses
files by their names. Each bug is planted in a copy of this checkout, in which the tests of the shortcuts run until one
fails. The last line says how many were found; those that were not are shown, and make the exit status 1. All of them
take about half an hour.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("planted_bugs.txt")
TESTS = [
    f"tests/program/test_{name}.py"
    for name in (
        "segments",
        "sibling_loops",
        "bodies",
        "order",
        "stretches",
        "configuration",
        "rounds_conditions",
        "recorder",
    )
]
TESTS += [
    f"tests/program/test_{name}.py"
    for name in (
        "rounds_foretold",
        "rounds_in_blocks",
        "rounds",
        "lump",
        "pair_numbers",
        "ramps",
        "interpolation",
        "interpolation_documents",
        "plain_room",
        "shortcuts",
    )
]
TESTS += [
    "tests/program/test_machine_masks.py",
    "tests/program/test_run_levels_begun.py",
    "tests/computations/masks",
    "tests/computations/test_masks.py",
    "tests/computations/test_band_mask.py",
]
LIMIT = 600
"""Seconds for the tests of one bug; a test that does not end has found it."""


class Bug(NamedTuple):
    """A place in a file, and what is to stand there instead."""

    file: str
    old: str
    new: str

    def __str__(self) -> str:
        lines = [f"- {line}" for line in self.old.splitlines()] + [
            f"+ {line}" for line in self.new.splitlines()
        ]
        return "\n".join([self.file, *lines])


def bugs_of(table: str) -> Iterator[Bug]:
    """Yield the bugs of a table, in order."""
    file = ""
    for block in table.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if lines[0].startswith("== "):
            file = lines.pop(0).removeprefix("== ")
        old, new = ([line[2:] for line in lines if line.startswith(mark)] for mark in "-+")
        if old:
            # Where nothing takes the place of whole lines, their ends go too.
            yield Bug(file, "\n".join(old) + ("" if new else "\n"), "\n".join(new))


def is_found(bug: Bug, checkout: Path) -> bool:
    """Whether a test fails with a bug planted."""
    path = checkout / "pebble" / bug.file
    right = path.read_text(encoding="utf-8")
    if right.count(bug.old) != 1:
        raise SystemExit(f"{bug}\nstands there {right.count(bug.old)} times: mend the table")
    path.write_text(right.replace(bug.old, bug.new), encoding="utf-8")
    try:
        return tests_fail(checkout)
    finally:
        path.write_text(right, encoding="utf-8")


def tests_fail(checkout: Path) -> bool:
    """Whether a test fails, or does not end."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *TESTS]
    environment = os.environ | {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> int:
    """Plant the bugs chosen on the command line; first none, with which all tests must pass."""
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [bug for bug in bugs_of(TABLE.read_text(encoding="utf-8")) if word in bug.file]
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache"))
        if tests_fail(checkout):
            raise SystemExit("a test fails without any bug")
        for bug in chosen:
            if is_found(bug, checkout):
                found += 1
            else:
                print(f"not found: {bug}\n", flush=True)
    print(f"{found} of {len(chosen)} bugs found")
    return int(found < len(chosen))


if __name__ == "__main__":
    sys.exit(main())
