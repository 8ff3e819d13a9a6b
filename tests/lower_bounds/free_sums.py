"""Random legal runs of a small forward pass whose sums are added in any order, element by element."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Event", "FreeRun", "Presence", "random_run"]

Word = tuple[Any, ...]
"""An array's name and its indices; of a partial sum (``U``, ``l``) the set of its terms behind them."""


@dataclass(frozen=True)
class Event:
    """A move; ``sources`` are the moves that made what it uses of its own element, ``term`` what it adds."""

    time: int
    kind: str
    word: Word
    sources: tuple[int, ...] = ()
    term: int | None = None


@dataclass(frozen=True)
class Presence:
    """A longest time in which some word of an element is red: from the move ``start`` to before the move ``end``."""

    element: Word
    start: int
    end: int

    def holds(self, time: int) -> bool:
        return self.start <= time < self.end


@dataclass
class FreeRun:
    """A run under way, every move checked as it is made."""

    Nq: int
    Nk: int
    d: int
    dv: int
    events: list[Event] = field(default_factory=list)
    red: dict[Word, int] = field(default_factory=dict)
    blue: dict[Word, int] = field(default_factory=dict)
    sums: dict[Word, Word] = field(default_factory=dict)
    """Of each sum the word that slow memory holds."""

    @property
    def elements(self) -> list[Word]:
        return [("U", i, e) for i in range(self.Nq) for e in range(self.dv)]

    def products(self) -> list[tuple[Word, int]]:
        return [(one, j) for one in self.elements for j in range(self.Nk)]

    @staticmethod
    def element(word: Word) -> Word | None:
        """Return the element of U that a word is of; O is the last word of one."""
        return ("U", *word[1:3]) if word[0] in "UO" else None

    def _add(self, kind: str, word: Word, *sources: int, term: int | None = None) -> None:
        self.events.append(Event(len(self.events), kind, word, sources, term))

    def make(self, kind: str, word: Word, *needs: Word, term: int | None = None) -> None:
        """Make a word red by ``compute`` or ``merge``; all that it needs is red."""
        assert word not in self.red
        assert all(need in self.red for need in needs)
        own = [self.red[need] for need in needs if self.element(need) == self.element(word) is not None]
        self._add(kind, word, *own, term=term)
        self.red[word] = len(self.events) - 1

    def load(self, word: Word) -> None:
        assert word in self.blue
        assert word not in self.red
        self._add("load", word, self.blue[word])
        self.red[word] = len(self.events) - 1

    def store(self, word: Word) -> None:
        """Store a word; of a sum slow memory keeps the larger of two sets that contain each other."""
        self._add("store", word, self.red[word])
        at = len(self.events) - 1
        if word[0] in "Ul":
            old = self.sums.get(word[:3])
            assert old is None or old[3] <= word[3] or word[3] <= old[3]
            if old is not None and word[3] <= old[3]:
                return
            self.blue.pop(old, None) if old else None
            self.sums[word[:3]] = word
        self.blue[word] = at

    def may_store(self, word: Word) -> bool:
        old = self.sums.get(word[:3]) if word[0] in "Ul" else None
        return old is None or old[3] <= word[3] or word[3] <= old[3]

    def delete(self, word: Word) -> None:
        self._add("delete", word)
        del self.red[word]

    def red_before(self, time: int) -> set[Word]:
        found: set[Word] = set()
        for event in self.events[:time]:
            if event.kind == "delete":
                found.remove(event.word)
            elif event.kind != "store":
                found.add(event.word)
        return found

    def traced(self) -> list[Event]:
        """Return what the outputs in slow memory come from: of every product one computation."""
        found: list[Event] = []
        ways = [self.blue["O", i, e] for _, i, e in self.elements]
        while ways:
            event = self.events[ways.pop()]
            if event.kind == "compute" and event.word[0] == "U":
                found.append(event)
            ways.extend(event.sources)
        return found

    def presences(self) -> list[Presence]:
        found, count, start = [], defaultdict[Word, int](int), dict[Word, int]()
        for event in self.events:
            one = self.element(event.word)
            if one is None or event.kind == "store":
                continue
            if event.kind == "delete":
                count[one] -= 1
                if not count[one]:
                    found.append(Presence(one, start[one], event.time))
            else:
                if not count[one]:
                    start[one] = event.time
                count[one] += 1
        return found + [Presence(one, start[one], len(self.events)) for one in count if count[one]]


@dataclass
class _Player:
    """Plays at random towards every output; what a move still needs is pinned, all else may be stored or deleted."""

    run: FreeRun
    rng: random.Random
    litter: float
    pinned: list[Word] = field(default_factory=list)

    def disturb(self) -> None:
        for word in list(self.run.red):
            if self.rng.random() < self.litter and self.run.may_store(word) and word[0] not in "QKV":
                self.run.store(word)
            if self.rng.random() < self.litter and word not in self.pinned:
                self.run.delete(word)

    def need(self, word: Word) -> None:
        """Make a word red and pin it."""
        if word not in self.run.red:
            if word in self.run.blue and (word[0] in "QKV" or self.rng.random() < 0.6):
                self.run.load(word)
            else:
                getattr(self, f"_{word[0]}")(*word[1:])
        self.pinned.append(word)
        self.disturb()

    def _compute(self, word: Word, *needs: Word, term: int | None = None) -> None:
        for need in needs:
            self.need(need)
        if word not in self.run.red:
            self.run.make("compute", word, *needs, term=term)
        for _ in needs:
            self.pinned.pop()

    def _S(self, i: int, j: int, k: int) -> None:
        chain = [("S", i, j, k - 1)] if k else []
        self._compute(("S", i, j, k), ("Q", i, k), ("K", j, k), *chain)

    def _P(self, i: int, j: int) -> None:
        self._compute(("P", i, j), ("S", i, j, self.run.d - 1))

    def _O(self, i: int, e: int) -> None:
        full = frozenset(range(self.run.Nk))
        self._compute(("O", i, e), ("U", i, e, full), ("l", i, 0, full))

    def _U(self, i: int, e: int, terms: frozenset[int]) -> None:
        self._sum(("U", i, e), terms, lambda j: (("P", i, j), ("V", j, e)))

    def _l(self, i: int, _: int, terms: frozenset[int]) -> None:
        self._sum(("l", i, 0), terms, lambda j: (("P", i, j),))

    def _sum(self, element: Word, terms: frozenset[int], operands: Any) -> None:
        """Make the sum of a set of terms: load a part, begin, add, or merge two, in a random order."""
        red = self.run.red
        while (*element, terms) not in red:
            own = [word for word in red if word[:3] == element and word[3] < terms]
            stored = self.run.sums.get(element)
            apart = [(a, b) for a, b in itertools.combinations(own, 2) if not a[3] & b[3]]
            if stored and stored not in red and stored[3] <= terms and self.rng.random() < 0.5:
                self.run.load(stored)
            elif apart and self.rng.random() < 0.5:
                a, b = self.rng.choice(apart)
                if (*element, a[3] | b[3]) not in red:
                    self.run.make("merge", (*element, a[3] | b[3]), a, b)
            else:
                into = self.rng.choice([*own, None]) if own and self.rng.random() < 0.8 else None
                had: frozenset[int] = into[3] if into else frozenset()
                j = self.rng.choice(sorted(terms - had))
                self._compute((*element, had | {j}), *([into] if into else []), *operands(j), term=j)
            if (*element, terms) not in red:
                self.disturb()


def random_run(rng: random.Random) -> FreeRun:
    """Return a complete run of a random shape; some hold several partial sums of an element at once."""
    Nq, Nk, d, dv = (rng.randint(1, 3), rng.randint(2, 4), rng.randint(1, 2), rng.randint(1, 2))
    run = FreeRun(Nq, Nk, d, dv)
    sizes = {"Q": (Nq, d), "K": (Nk, d), "V": (Nk, dv)}
    run.blue = {
        (name, a, b): 0
        for name, (rows, columns) in sizes.items()
        for a in range(rows)
        for b in range(columns)
    }
    player = _Player(run, rng, rng.choice((0.02, 0.05, 0.1)))
    outputs = [("O", i, e) for i in range(Nq) for e in range(dv)]
    rng.shuffle(outputs)
    for output in outputs:
        player.need(output)
        run.store(output)
        player.pinned.pop()
    return run
