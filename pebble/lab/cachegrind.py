"""Valgrind's cachegrind as a check from outside: the loops of a schedule, compiled, on the cache that it simulates."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput, PebbleError
from pebble.lab.c_memory import CacheMemory
from pebble.lab.c_program import c_program
from pebble.lab.compiled import compile_c, done
from pebble.lab.pebblings import Pebbling

if TYPE_CHECKING:
    from pebble.lab.cache_trace import Addresses

_BYTES = 4
"""Of a word, a float."""


def cachegrind_misses(made: Pebbling, where: Addresses, words: int, line: int, ways: int) -> int:
    """Return the data misses that cachegrind counts in the loops of a schedule, compiled without loads and stores.

    Parameters
    ----------
    where : Addresses
        Where elements are.
    words, line, ways : int
        Words of the cache, words of a line, lines of a set; cachegrind wants powers of two, and lines of 8 words.

    Raises
    ------
    InvalidInput
        If there is no valgrind or no C compiler, or a mask, or cachegrind has no such cache.
    """
    if made.family.mask is not None:
        raise InvalidInput("with a mask the compiled loops read the mask, too: leave out --cachegrind")
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise InvalidInput("valgrind was not found: install it, or leave out --cachegrind")
    sets = words // (line * ways)
    if line < 8 or any(number & (number - 1) for number in (line, sets)):
        raise InvalidInput(
            f"cachegrind has no cache of {sets:,} sets with lines of {line:,} words: both must be powers of two, and "
            "a line at least 8 words; see --line and --ways"
        )
    text = c_program(made.program, made.family, CacheMemory(made.family, where, words), "for cachegrind")
    with TemporaryDirectory() as folder:
        program, out = (str(Path(folder, name)) for name in ("kernel", "out"))
        compile_c(text, program)
        cache = f"{words * _BYTES},{ways},{line * _BYTES}"
        options = ["--tool=cachegrind", "--cache-sim=yes", f"--D1={cache}", f"--cachegrind-out-file={out}"]
        done([valgrind, *options, program], "cachegrind failed")
        return _misses(Path(out).read_text(encoding="utf-8"))


def _misses(report: str) -> int:
    """Return the misses of the loops in a report: data reads and writes of the first level."""
    events = re.search(r"^events: (.*)$", report, re.MULTILINE)
    own = re.search(r"^fn=schedule$((?:\n[+\-*\d].*)*)", report, re.MULTILINE)
    if events is None or own is None:
        raise PebbleError("cachegrind's report cannot be read: it does not name the function of the loops")
    names = events[1].split()
    columns = [names.index(name) + 1 for name in ("D1mr", "D1mw")]
    rows = (row.split() for row in own[1].split("\n") if row)
    return sum(int(row[column]) for row in rows for column in columns if column < len(row))
