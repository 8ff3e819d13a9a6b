"""Plant bugs in the shortcuts, one at a time, and see which of them the tests do not find; run by hand.

    python tests/bench/plant_bugs.py [WORD ...]

The bugs stand in planted_bugs.txt: below the name of a file under pebble/, lines that begin with "-" are what stands
there, at one place only, and lines with "+" what is to stand there instead; nothing, if there are none. Words choose
files by their names; a word with "@" before it chooses bugs by what stands there. All bugs chosen are looked for in
the files before any is planted.

The tests of a folder are imported once. For each bug a process of its own replaces the code of the file's functions by
that with the bug, and runs tests until one fails: first those that have found other bugs of the file lately, and those
named after it, then all of the folder. A bug that none finds is planted in a copy of this checkout as well, and the
tests run there, for what is imported by name elsewhere has not been replaced. The last line says how many were found,
and in how much processor time; those that were not are shown, and make the exit status 1.
"""

from __future__ import annotations

import importlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("planted_bugs.txt")
OF_THE_MACHINE = [
    f"tests/program/test_{name}.py"
    for name in (
        "bodies",
        "run_parts",
        "segments",
        "sibling_loops",
        "loop_tiles",
        "memo",
        "tile_runs",
        "order",
        "stretches",
        "configuration",
        "rounds_conditions",
        "recorder",
        "rounds_foretold",
        "rounds_in_blocks",
        "rounds_of_alike_lines",
        "lines_of_blocks",
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
    "computations/masks": [*OF_MASKS, "tests/lower_bounds/test_part_counts.py", *OF_THE_MACHINE],
    "program/closed_forms": [
        f"tests/program/test_{name}.py"
        for name in (
            "closed_forms_masks",
            "closed_forms",
            "block_cuts",
        )
    ],
    "program/schedule": [
        f"tests/program/test_{name}.py"
        for name in (
            "block_cuts",
            "masked_tiles_brute_force",
            "every_size",
            "tile_names",
        )
    ],
}
"""Tests of the shortcuts in a folder of pebble/, those first that are likely to find a bug."""
LATELY = 8
"""How many tests are kept that have found bugs of the same file lately."""
SECONDS = 20
"""Processor time that a test may take with a bug."""
MEMORY = 8 << 30
"""Bytes that the tests of one bug may ask for."""
FLAGS = ["-n", "0", "-p", "no:cacheprovider"]


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

    @property
    def named(self) -> list[str]:
        """The tests that are named after the file."""
        stem = Path(self.file).stem
        found = (ROOT / "tests" / Path(self.file).parts[0]).rglob(f"test_{stem}*.py")
        return sorted(str(path.relative_to(ROOT)) for path in found)


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


class BugPlanter:
    """A pytest plugin that plants bugs in the modules that have been imported, and runs tests until one fails."""

    def __init__(self, bugs: list[Bug]) -> None:
        self.bugs, self.missed = bugs, list[Bug]()
        self.lately: dict[str, list[str]] = {}
        self.has_run = False
        self.fails: str | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests without a bug, in which all must pass, and then with each."""
        found, self.fails = self._runs(self.bugs[0]._replace(old="", new=""), session.items)
        if found or not session.items:
            return True
        self.has_run = True
        for bug in self.bugs:
            found, test = self._runs(bug, session.items)
            if test:
                lately = self.lately.setdefault(bug.file, [])
                lately[:] = [test, *(other for other in lately if other != test)][:LATELY]
            if not found:
                self.missed.append(bug)
        return True

    def _runs(self, bug: Bug, items: list[pytest.Item]) -> tuple[bool, str | None]:
        """Whether a test fails with a bug, or does not end, and which fails."""
        read, write = os.pipe()
        child = os.fork()
        if not child:
            status = 1
            try:
                status = self._run_child(bug, self._in_order(bug, items), write)
            finally:
                os._exit(status)
        os.close(write)
        with os.fdopen(read, encoding="utf-8") as told:
            test = told.read()
        return os.waitpid(child, 0)[1] != 0, test or None

    def _run_child(self, bug: Bug, items: list[pytest.Item], write: int) -> int:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        if not replace_code(bug):
            return 0
        for item in items:
            limit_test()
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=None)):
                os.write(write, item.nodeid.encode())
                return 1
        return 0

    def _in_order(self, bug: Bug, items: list[pytest.Item]) -> list[pytest.Item]:
        """Return first the tests that have found bugs of the file lately, then those named after it."""
        lately = self.lately.get(bug.file, [])

        def place(item: pytest.Item) -> tuple[int, bool]:
            at = lately.index(item.nodeid) if item.nodeid in lately else LATELY
            return at, item.nodeid.partition("::")[0] not in bug.named

        return sorted(items, key=place)


def replace_code(bug: Bug) -> bool:
    """Replace the code of a module's functions by that with a bug; whether that can be done."""
    module = importlib.import_module("pebble." + bug.file.removesuffix(".py").replace("/", "."))
    right = Path(str(module.__file__)).read_text(encoding="utf-8")
    new = {name: value for name, value in vars(module).items() if name.startswith("__")}
    exec(compile(right.replace(bug.old, bug.new), str(module.__file__), "exec"), new)
    try:
        for name, value in list(vars(module).items()):
            _replace(module, name, value, new.get(name), module.__name__)
    except ValueError:  # a function needs other variables of the one around
        return False
    return True


def _replace(owner: Any, name: str, old: Any, new: Any, module: str) -> None:
    if isinstance(old, type) and old.__module__ == module and isinstance(new, type):
        for own, value in list(vars(old).items()):
            _replace(old, own, value, vars(new).get(own), module)
        return
    for inner in ("__func__", "fget", "func", "__wrapped__"):
        old, new = getattr(old, inner, old), getattr(new, inner, new)
    if isinstance(old, FunctionType) and isinstance(new, FunctionType):
        if old.__module__ == module:
            old.__code__, old.__defaults__ = new.__code__, new.__defaults__
    elif isinstance(old, (int, float, tuple, np.ndarray)) and not name.startswith("__"):
        setattr(owner, name, new)


def limit_test() -> None:
    """Let the test that begins take so many seconds of processor time at most; it ends the process otherwise."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time()) + SECONDS, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def is_missed(bug: Bug) -> bool:
    """Whether all tests pass in a copy of this checkout with a bug."""
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache"))
        path = checkout / bug.path
        path.write_text(path.read_text(encoding="utf-8").replace(bug.old, bug.new), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", *FLAGS, *TESTS[bug.folder]],
            cwd=checkout,
            env=os.environ | {"PYTHONPATH": f"{checkout}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
            capture_output=True,
            check=False,
        )
        return done.returncode == 0


def seconds() -> float:
    """Return the processor time of all tests that have run."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    return sum(used.ru_utime + used.ru_stime for used in both)


def main() -> int:
    """Plant the bugs chosen on the command line."""
    bugs = chosen(sys.argv[1:])
    missed: list[Bug] = []
    os.environ["HYPOTHESIS_PROFILE"] = "unshrunk"
    for folder in dict.fromkeys(bug.folder for bug in bugs):
        planter = BugPlanter([bug for bug in bugs if bug.folder == folder])
        pytest.main(["-q", "-s", *FLAGS, *TESTS[folder]], plugins=[planter])
        if not planter.has_run:
            raise SystemExit(f"tests of {folder} do not all pass without any bug: {planter.fails}")
        missed += [bug for bug in planter.missed if is_missed(bug)]
    for bug in missed:
        print(f"not found: {bug}\n")
    print(f"{len(bugs) - len(missed)} of {len(bugs)} bugs found in {seconds():,.0f} s of processor time")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
