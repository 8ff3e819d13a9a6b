"""Schedules that are compiled and run: what a C program moves and computes, beside the machine's count and numpy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from pebble.common.errors import InvalidInput, PebbleError
from pebble.common.tables import Table, TableResult, tiles_text
from pebble.computations.problem import Problem
from pebble.computations.values import outputs_of
from pebble.lab.c_memory import ExplicitMemory
from pebble.lab.c_program import c_program
from pebble.lab.pebblings import Pebbling, moves
from pebble.program.schedule import Schedule, Tiles

_TOLERANCE = 1e-5


def compiled(
    schedule: str | Schedule, problem: Problem, M: int | None = None, tiles: Tiles | str | None = None
) -> tuple[Pebbling, str]:
    """Return a verified schedule and its C file: fast memory is a buffer of M words, loads and stores are copies.

    Parameters
    ----------
    schedule, problem, M, tiles
        As for :func:`pebble.moves`.

    Raises
    ------
    CacheTooSmall
        If the tiles (or any tiles) do not fit M words.
    """
    name = schedule if isinstance(schedule, str) else schedule.name
    made = moves(schedule, problem, M, tiles)
    header = " ".join(
        [made.family.name, *(f"{key}={value}" for key, value in made.family.parameters.items())]
    )
    sizes = f", {tiles_text(made.tiles)}" if made.tiles else ""
    about = f"{name}{sizes}: {header}; {made.io} words moved with {made.M} words of fast memory".replace(
        "*/", ""
    )
    return made, c_program(made.program, made.family, ExplicitMemory(made.family, made.M), about)


@dataclass(frozen=True)
class CompiledRun(TableResult):
    """What a compiled schedule did.

    The counts are words loaded, words stored, vertices computed and peak: of the C program, and as the machine
    counted them; the error is the largest difference of an output from numpy's, over the largest output.
    """

    KEYS = "counts expected error agrees"

    counts: dict[str, int]
    expected: dict[str, int]
    error: float

    @property
    def agrees(self) -> bool:
        """Whether all counts are equal, and the numbers are numpy's up to 1e-5."""
        return self.counts == self.expected and self.error <= _TOLERANCE

    def parts(self) -> Sequence[str | Table]:
        """Return what is printed: the counts, and how far the outputs are from numpy's."""
        columns = {"": str, "in C": self.counts.__getitem__, "counted": self.expected.__getitem__}
        note = f"outputs differ from numpy's by at most {self.error:.1e} of the largest value"
        return [Table.of(self.expected, columns, notes=[note])]


def run_compiled(made: Pebbling, text: str, seed: int = 0) -> CompiledRun:
    """Compile the C file of a schedule, run it on random numbers, and compare it with the machine and with numpy."""
    family, rng = made.family, np.random.default_rng(seed)
    inputs = {array.name: _random(rng, made, array.name) for array in family.inputs}
    with TemporaryDirectory() as folder:
        program, given, found = (str(Path(folder, name)) for name in ("kernel", "in", "out"))
        compile_c(text, program)
        np.concatenate([values.ravel() for values in inputs.values()]).tofile(given)
        counts = json.loads(done([program, given, found], "the compiled program failed"))
        numbers = np.fromfile(found)
    run, expected = made.run, outputs_of(family, inputs)
    wanted = np.concatenate([values.ravel() for values in expected.values()])
    numbers = np.where(np.isnan(numbers) & (wanted == 0), 0.0, numbers)
    if not (np.isfinite(numbers).all() and np.isfinite(wanted).all()):
        raise PebbleError("some output is not a finite number for random inputs between 0.5 and 1")
    error = float(np.max(np.abs(numbers - wanted)) / max(float(np.max(np.abs(wanted))), 1e-300))
    machine = {"loads": sum(run.reads.values()), "stores": sum(run.writes.values())}
    return CompiledRun(counts, {**machine, "computes": made.computes, "peak": run.peak}, error)


def _random(rng: np.random.Generator, made: Pebbling, name: str) -> Any:
    """Return random numbers between 0.5 and 1 for an input, such that no row sum vanishes."""
    array = made.family[name]
    return rng.uniform(0.5, 1.0, tuple(made.family.extents[axis] for axis in array.axes))


def compile_c(text: str, program: str) -> None:
    """Compile a C file with the compiler that CC names, or cc."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise InvalidInput("no C compiler was found: install one, or name it in the environment variable CC")
    source = f"{program}.c"
    Path(source).write_text(text, encoding="utf-8")
    done([compiler, "-O1", "-o", program, source, "-lm"], "the C file does not compile")


def done(command: list[str], wrong: str) -> str:
    """Run a command and return what it prints; raise PebbleError if it fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise PebbleError(f"{wrong}: {result.stderr.strip() or f'exit status {result.returncode}'}")
    return result.stdout
