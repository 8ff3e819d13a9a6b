"""A schedule's loop order on a cache that decides by itself what to keep: misses and write-backs."""

from __future__ import annotations

import heapq
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput, PebbleError
from pebble.common.plain import PlainRow
from pebble.common.tables import Table, TableResult, tiles_text
from pebble.computations.problem import Problem
from pebble.lab.c_memory import CacheMemory
from pebble.lab.c_program import c_program
from pebble.lab.cache_trace import layout, trace
from pebble.lab.compiled import compile_c, done
from pebble.lab.pebblings import Pebbling, moves
from pebble.program.schedule import Schedule, Tiles

if TYPE_CHECKING:
    from pebble.lab.cache_trace import Addresses

POLICIES = ("lru", "fifo", "opt")
_MOST_TIMES = 64
"""Largest cache tried, in multiples of M."""


@dataclass(frozen=True)
class CacheRow(PlainRow):
    """What one policy moves.

    Attributes
    ----------
    misses, write_backs : int
        Lines brought in, and dirty lines written back; at the end all of them are.
    words : int
        Words of these lines.
    ratio : float
        Words, over those of the explicit schedule.
    needed : int or None
        Words of a cache with which no more words move than in the explicit schedule, the smallest that was found; None
        if 64·M words are not enough.
    """

    KEYS = "policy misses write_backs words ratio needed"

    policy: str
    misses: int
    write_backs: int
    words: int
    ratio: float
    needed: int | None


@dataclass(frozen=True)
class CacheTable(TableResult):
    """A schedule beside the same loops on caches of as many words.

    Attributes
    ----------
    M, line, ways : int
        Words of the cache, words of a line, lines of a set.
    io, accesses : int
        What the explicit schedule moves, and the words that computations touch.
    cachegrind : int or None
        Lines that cachegrind counts as missed, beside those of ``"lru"``; None if it was not asked.
    """

    KEYS = "schedule tiles M line ways io accesses cachegrind rows"
    ROWS = "rows"

    schedule: str
    tiles: dict[str, int]
    M: int
    line: int
    ways: int
    io: int
    accesses: int
    rows: tuple[CacheRow, ...]
    cachegrind: int | None = None

    def parts(self) -> Sequence[str | Table]:
        """Return what is printed: the schedule, and what each policy moves."""
        sizes = f" {tiles_text(self.tiles)}" if self.tiles else ""
        columns = {
            "policy": "policy",
            "misses": "misses",
            "write-backs": "write_backs",
            "words": "words",
            "words ÷ explicit": "ratio:.3f",
            "cache needed": lambda row: row.needed or f"> {_MOST_TIMES * self.M:,}",
        }
        sets = self.M // (self.line * self.ways)
        shape = "" if sets == 1 else f"{sets:,} sets of "
        one = "1 word" if self.line == 1 else f"{self.line:,} words"
        heading = (
            f"{self.schedule}{sizes}: {self.io:,} words with explicit loads and stores, M = {self.M:,}\n"
            f"the same loops on a cache of {shape}{self.ways:,} lines of {one}:"
        )
        asked = self.cachegrind is not None
        notes = [f"cachegrind, an LRU cache of the same shape: {self.cachegrind:,} misses"] if asked else []
        return [Table.of(self.rows, columns, right=(1, 2, 3, 4, 5), notes=notes, heading=heading)]


def on_a_cache(
    schedule: str | Schedule,
    problem: Problem,
    M: int,
    tiles: Tiles | str | None = None,
    *,
    policies: Iterable[str] = ("lru", "fifo", "opt"),
    line: int = 1,
    ways: int | None = None,
    cachegrind: bool = False,
) -> CacheTable:
    """Run the loops of a schedule on a cache of M words in place of its loads, stores and deletions.

    Arrays lie one after another; what the schedule never stores has places for one tile, used again and again.

    Parameters
    ----------
    schedule, problem, M, tiles
        As for :func:`pebble.moves`; the tiles fit M words of explicit memory.
    policies : iterable of str
        ``"lru"``, ``"fifo"`` or ``"opt"``: which line of a full set leaves: the one not used for longest, the one that
        came first, or the one that is used again last (Belady 1966).
    line, ways : int
        Words of a line, and lines of a set; by default all lines are one set.
    cachegrind : bool
        Whether valgrind's cachegrind is asked too, with the loops compiled by cc.
    """
    chosen = tuple(dict.fromkeys(policies))
    for name in chosen:
        if name not in POLICIES:
            raise InvalidInput(f"unknown policy {name!r}; known: {', '.join(POLICIES)}")
    ways = ways or max(M // line, 1)
    if M % (line * ways):
        raise InvalidInput(
            f"a cache of {M:,} words is not a whole number of sets of {ways:,} lines of {line:,} words; "
            f"the next smaller is {M // (line * ways) * line * ways:,}"
        )
    made = moves(schedule, problem, M, tiles)
    where = layout(made.program, made.family, line)
    parts = list(trace(made.program, made.family, where))
    address = np.concatenate([one for one, _ in parts])
    accesses = _Accesses(address // line, np.concatenate([one for _, one in parts]), M, line, ways)
    rows = [accesses.row(name, made.io) for name in chosen]
    name = schedule if isinstance(schedule, str) else schedule.name
    outside = cachegrind_misses(made, where, M, line, ways) if cachegrind else None
    return CacheTable(name, made.tiles, M, line, ways, made.io, len(address), tuple(rows), outside)


class _Accesses:
    """The lines that are touched, in order, of the same line in a row one; and the cache on which they are."""

    def __init__(
        self, lines: NDArray[np.int64], writes: NDArray[np.bool_], M: int, line: int, ways: int
    ) -> None:
        self.M, self.line, self.ways = M, line, ways
        first = np.flatnonzero(np.diff(lines, prepend=-1))
        self.lines = lines[first]
        self.writes = np.logical_or.reduceat(writes, first)
        self._found: dict[tuple[str, int, int], tuple[int, int]] = {}

    def row(self, policy: str, io: int) -> CacheRow:
        """Return what a policy moves, beside ``io`` words of the explicit schedule."""
        misses, backs = self.on(policy, self.M // (self.line * self.ways), self.ways)
        words = (misses + backs) * self.line
        return CacheRow(policy, misses, backs, words, words / io, self.needed(policy, io))

    def needed(self, policy: str, io: int) -> int | None:
        """Return the words of the smallest cache found that moves at most ``io``: by doubling and halving."""
        by_sets = self.ways * self.line < self.M
        unit = self.ways * self.line if by_sets else self.line

        def enough(units: int) -> bool:
            found = self.on(policy, units, self.ways) if by_sets else self.on(policy, 1, units)
            return sum(found) * self.line <= io

        high = self.M // unit
        while not enough(high):
            high *= 2
            if high * unit > _MOST_TIMES * self.M:
                return None
        low = high // 2 if high > self.M // unit else 0
        while high - low > max(1, high // 16):
            middle = (low + high) // 2
            low, high = (low, middle) if middle and enough(middle) else (middle, high)
        return high * unit

    def on(self, policy: str, sets: int, ways: int) -> tuple[int, int]:
        """Return how many lines a cache brings in and writes back."""
        key = policy, sets, ways
        if key not in self._found:
            self._found[key] = (
                _optimal(self.lines, self.writes, sets, ways)
                if policy == "opt"
                else _in_order(self.lines, self.writes, sets, ways, policy == "lru")
            )
        return self._found[key]


def _in_order(
    lines: NDArray[np.int64], writes: NDArray[np.bool_], sets: int, ways: int, renewed: bool
) -> tuple[int, int]:
    """Return misses and write-backs where the line at the front leaves; a use puts it to the end if ``renewed``."""
    held: list[dict[int, bool]] = [{} for _ in range(sets)]
    misses = backs = 0
    for line, write in zip(lines.tolist(), writes.tolist(), strict=True):
        own = held[line % sets]
        if line in own:
            if renewed:
                own[line] = own.pop(line) or write
            elif write:
                own[line] = True
            continue
        misses += 1
        if len(own) == ways:
            backs += own.pop(next(iter(own)))
        own[line] = write
    return misses, backs + sum(sum(own.values()) for own in held)


def _optimal(lines: NDArray[np.int64], writes: NDArray[np.bool_], sets: int, ways: int) -> tuple[int, int]:
    """Return misses and write-backs where the line that is used again last leaves."""
    order = np.lexsort((np.arange(len(lines)), lines))
    again = np.full(len(lines), len(lines))
    same = lines[order][1:] == lines[order][:-1]
    again[order[:-1][same]] = order[1:][same]
    held: list[dict[int, list[int]]] = [{} for _ in range(sets)]
    heaps: list[list[tuple[int, int]]] = [[] for _ in range(sets)]
    misses = backs = 0
    for line, write, use in zip(lines.tolist(), writes.tolist(), again.tolist(), strict=True):
        own, heap = held[line % sets], heaps[line % sets]
        if line in own:
            own[line] = [use, own[line][1] or write]
        else:
            misses += 1
            if len(own) == ways:
                while True:
                    latest, gone = heapq.heappop(heap)
                    if gone in own and own[gone][0] == -latest:
                        break
                backs += own.pop(gone)[1]
            own[line] = [use, write]
        heapq.heappush(heap, (-use, line))
    return misses, backs + sum(dirty for own in held for _, dirty in own.values())


_BYTES = 4
"""Of a word, a float."""


def cachegrind_misses(made: Pebbling, where: Addresses, words: int, line: int, ways: int) -> int:
    """Return the data misses that cachegrind counts in the loops of a schedule, compiled without loads and stores.

    The cache has ``words`` words, ``line`` in a line, and sets of ``ways`` lines; cachegrind wants powers of two,
    and lines of 8 words.
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
