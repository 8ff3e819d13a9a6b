"""Plant bugs in the shortcuts, one at a time, and see which of them the tests do not find; run by hand.

    python tests/bench/plant_bugs.py [WORD ...]

The bugs stand in planted_bugs.txt: below the name of a file under pebble/, lines that begin with "-" are what stands
there, at one place only, and lines with "+" what is to stand there instead; nothing, if there are none. Words choose
files by their names; a word with "@" before it chooses bugs by what stands there. All bugs chosen are looked for in
the files before any is planted.

Each bug is planted in a copy of this checkout, in which the tests of its folder run until one fails: first those that
have found other bugs lately, then all of them. The last line says how many were found, and in how much processor time;
those that were not are shown, and make the exit status 1.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("planted_bugs.txt")
OF_THE_MACHINE = [
    f"tests/program/test_{name}.py"
    for name in (
        "bodies",
        "order",
        "stretches",
        "configuration",
        "rounds_conditions",
        "recorder",
        "rounds_foretold",
        "rounds_in_blocks",
        "rounds",
        "lump",
        "pair_numbers",
        "ramps",
        "interpolation",
        "interpolation_documents",
        "shortcuts",
        "machine_masks",
        "run_levels_begun",
    )
]
OF_MASKS = [
    "tests/computations/test_masks.py",
    "tests/computations/test_band_mask.py",
    "tests/computations/masks",
]
TESTS = {
    "program/machine": OF_THE_MACHINE + OF_MASKS,
    "computations/masks": OF_MASKS + OF_THE_MACHINE,
    "program/closed_forms": [
        f"tests/program/test_{name}.py"
        for name in ("closed_forms_bands", "closed_forms_masks", "closed_forms_zones", "closed_forms")
    ],
    "program/schedule": [
        f"tests/program/test_{name}.py"
        for name in ("plain_room", "masked_tiles", "masked_tiles_brute_force", "every_size", "tile_names")
    ],
}
"""Tests of the shortcuts in a folder of pebble/, those first that are likely to find a bug."""
LATELY = 10
"""How many tests are kept that have found bugs in the same folder lately."""
MEMORY = 8 << 30
"""Bytes that the tests of one bug may ask for."""


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

    @property
    def folder(self) -> str:
        """The folder whose tests are to find it."""
        return next(folder for folder in TESTS if self.file.startswith(folder))

    @property
    def path(self) -> str:
        """The file's path in a checkout."""
        return f"pebble/{self.file}"


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


def chosen(words: list[str]) -> list[Bug]:
    """Return the bugs that words choose, each of which can be planted."""
    bugs = [
        bug
        for bug in bugs_of(TABLE.read_text(encoding="utf-8"))
        if not words or any(word[1:] in bug.old if word[0] == "@" else word in bug.file for word in words)
    ]
    stale = [bug for bug in bugs if (ROOT / bug.path).read_text(encoding="utf-8").count(bug.old) != 1]
    for bug in stale:
        print(f"does not stand there once: {bug}\n")
    if stale:
        raise SystemExit(f"{len(stale)} bugs cannot be planted: mend the table")
    return bugs


class Planter:
    """Plants bugs in a copy of this checkout, and runs tests there."""

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        self.lately: dict[str, list[str]] = {folder: [] for folder in TESTS}
        self.limits: dict[str, int] = {}
        shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache"))

    def run_without_bugs(self, folder: str) -> None:
        """Run a folder's tests without any bug: all must pass, and with one they may take twice as long."""
        before = seconds()
        found, first = self._fails(TESTS[folder], resource.RLIM_INFINITY, write_bytecode=True)
        if found:
            raise SystemExit(f"a test fails without any bug: {first}")
        self.limits[folder] = int(2 * (seconds() - before)) + 10

    def is_found(self, bug: Bug) -> bool:
        """Whether a test fails with a bug planted, or does not end."""
        path = self.checkout / bug.path
        right, times = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(right.replace(bug.old, bug.new), encoding="utf-8")
        try:
            return self._find(bug.folder)
        finally:
            path.write_text(right, encoding="utf-8")
            # Python goes by the time to tell whether the compiled file is that of the right one.
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def _find(self, folder: str) -> bool:
        lately = self.lately[folder]
        for tests in (list(lately), TESTS[folder]):
            found, first = self._fails(tests, self.limits[folder]) if tests else (False, None)
            if first:
                lately[:] = [first, *(test for test in lately if test != first)][:LATELY]
            if found:
                return True
        return False

    def _fails(self, tests: list[str], limit: int, write_bytecode: bool = False) -> tuple[bool, str | None]:
        """Whether a test fails, and which; None for one that does not end."""
        flags = ["-x", "-q", "-rfE", "-n", "0", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [sys.executable, *([] if write_bytecode else ["-B"]), "-m", "pytest", *flags, *tests],
            cwd=self.checkout,
            env=os.environ
            | {"PYTHONPATH": str(self.checkout), "COLUMNS": "500", "HYPOTHESIS_PROFILE": "unshrunk"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=lambda: _limit(limit),
            check=False,
        )
        named = re.search(r"^FAILED (\S+::[^\s\[]+(?:\[.*?\])?)(?: - |$)", done.stdout, re.MULTILINE)
        return done.returncode != 0, named and named[1]


def _limit(limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def seconds() -> float:
    """Return the processor time of all tests that have run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Plant the bugs chosen on the command line; first none, with which all tests must pass."""
    bugs = chosen(sys.argv[1:])
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        planter = Planter(Path(folder) / "checkout")
        for rooms in dict.fromkeys(bug.folder for bug in bugs):
            planter.run_without_bugs(rooms)
        for bug in bugs:
            if planter.is_found(bug):
                found += 1
            else:
                print(f"not found: {bug}\n", flush=True)
    print(f"{found} of {len(bugs)} bugs found in {seconds():,.0f} s of processor time")
    return int(found < len(bugs))


if __name__ == "__main__":
    sys.exit(main())
