"""What one device holds, step by step: the rules of exchanges between devices that are all alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, NoReturn

from pebble.common.errors import InvalidInput, Violation
from pebble.program.parallel.relative_steps import Box, RelativeStep, Tile, tiles_of
from pebble.program.parallel.torus_sets import TorusSets

if TYPE_CHECKING:
    from pebble.program.parallel.device_program import DeviceProgram
    from pebble.program.parallel.shared_problem import SharedProblem

__all__ = ["INPUT", "DeviceRun", "Key", "RepresentativeDevice"]

Key = tuple[tuple[str, ...], Tile, Tile]
"""Arrays that go together, a tile of tokens, a part of the heads."""

INPUT = -1
"""What is held of inputs, and of outputs that are finished: no set of terms."""


@dataclass
class DeviceRun:
    """What each device moves, of a program that has been verified.

    Attributes
    ----------
    received : int
        Words that each device receives; as many are sent.
    by_arrays : dict of tuple of str to int
        The same, by the arrays that go together.
    rounds : int
        Supersteps in which something is received.
    messages : int
        Messages that each device receives; a message is all that comes from one device in one superstep.
    memory : int
        The most words that each device holds at a time.
    pairs : int
        Pairs of a query and a key that each device computes, over all query heads.
    """

    received: int = 0
    by_arrays: dict[tuple[str, ...], int] = field(default_factory=dict)
    rounds: int = 0
    messages: int = 0
    memory: int = 0
    pairs: int = 0


class RepresentativeDevice:
    """What the device holds: inputs, and of sums the tiles whose terms are in."""

    def __init__(self, program: DeviceProgram, problem: SharedProblem, H: int | None) -> None:
        self.problem, self.H, self.sizes = problem, H, program.sizes
        self.sets = TorusSets(self.sizes)
        self.n = problem.N // problem.P
        self.heads_box: Box = tuple(
            None if place in program.own_places("h") else 0 for place in range(len(self.sizes))
        )
        self.blocks = prod(self.sizes[place] for place in program.own_places("h"))
        _check_heads(problem, self.blocks)
        self.inputs, self.all_sums, self.finished = (
            (problem.queries, problem.keys),
            problem.sums,
            problem.finished,
        )
        self.kinds = {arrays.names: arrays for arrays in (*self.inputs, *self.all_sums)}
        self.sums = {arrays.names for arrays in self.all_sums}
        self.words_known: dict[tuple[str, ...], int] = {}
        self.origin = (0,) * len(self.sizes)
        self.held: dict[Key, int] = {}
        self.gone: set[Key] = set()
        self.waiting: list[tuple[RelativeStep, list[Key]]] = []
        self.run = DeviceRun()
        self.words = 0
        for arrays in self.inputs:
            self.words += (
                self.n * arrays.words * (problem.heads if arrays.side == "query" else problem.kv_heads)
            )
            for part in tiles_of(self.heads_box, self.sizes):
                self.held[arrays.names, self.origin, part] = INPUT
        self.peak()

    # Steps

    def take(self, step: RelativeStep) -> None:
        """Take one step; receives that follow each other happen at once."""
        if step.kind == "receive":
            self.waiting.append((step, list(self.keys(step))))
            return
        if self.waiting:
            self.exchange()
        if step.kind == "work":
            self.work(step)
        elif step.kind == "finish":
            for key in self.boxes(self.all_sums[0].names, step.queries, step.heads):
                self.finish(key)
        else:
            for key in self.keys(step):
                if key not in self.held or key in self.gone:
                    self.refuse(step, f"it does not hold {_text(key)}", "discard-needs-held")
                self.gone.add(key)

    def work(self, step: RelativeStep) -> None:
        """Absorb every tile of keys into every tile of queries; backward, also the other way round."""
        for arrays, box in zip(self.inputs, (step.queries, step.keys), strict=True):
            for key in self.boxes(arrays.names, box, step.heads):
                if key not in self.held or key in self.gone:
                    self.refuse(
                        step, f"it works with {_text(key)}, which it does not hold", "work-needs-held"
                    )
        for arrays in self.all_sums:
            own, other = (step.queries, step.keys) if arrays.side == "query" else (step.keys, step.queries)
            terms = self.sets.of_box(other)
            for key in self.boxes(arrays.names, own, step.heads):
                self.absorb(step, key, terms)
        tiles = [
            prod(n for n, one in zip(self.sizes, box, strict=True) if one is None) for box in _both(step)
        ]
        self.run.pairs += tiles[0] * tiles[1] * self.n**2 * (self.problem.heads // self.blocks)
        self.peak()

    def absorb(self, step: RelativeStep, key: Key, terms: int) -> None:
        """Add terms to a sum, or begin it."""
        before = self.held.get(key, 0)
        if key in self.gone:
            self.refuse(step, f"it adds to {_text(key)}, which it has discarded", "work-needs-held")
        done = self.finished not in self.sums and (self.finished, *key[1:]) in self.held
        if before & terms or done:
            self.refuse(step, f"{_text(key)} has absorbed some of these terms already", "term-counted-twice")
        if not before:
            self.words += self.words_of(key)
        self.held[key] = before | terms

    def finish(self, key: Key) -> None:
        """Turn complete rows of U and l into O."""
        if self.held.get(key, 0) != self.sets.all:
            raise Violation(
                f"O needs all terms of {_text(key)}, and some are not in", "compute-needs-predecessors"
            )
        names = self.finished
        del self.held[key]
        self.held[names, key[1], key[2]] = INPUT
        self.words -= self.words_of(key) - self.words_of((names, key[1], key[2]))

    # Exchanges

    def exchange(self) -> None:
        """Let all receives that wait happen, then let go what is discarded."""
        sent = [[(key, *self.sent(step, key)) for key in keys] for step, keys in self.waiting]
        fetched = {source for keys in sent for _, source, _ in keys}
        for key in self.gone - fetched:
            self.release(key)
        if sent:
            self.arrive(sent)
        for key in self.gone & fetched:
            self.release(key)
        self.gone.clear()
        self.waiting.clear()

    def sent(self, step: RelativeStep, key: Key) -> tuple[Key, int]:
        """Return what the sender has of what is received, as the sender calls it, and with which terms."""
        names, tile, part = key
        if not any(step.source):
            self.refuse(step, "it would be from itself", "receive-from-itself")
        own = self.minus(tile, step.source), self.minus(part, step.source, self.heads_box)
        source = names, *own
        if source not in self.held:
            self.refuse(step, f"the sender does not hold {_text(key)}", "receive-needs-held")
        terms = self.held[source]
        return source, terms if terms == INPUT else self.sets.moved(terms, step.source)

    def arrive(self, sent: list[list[tuple[Key, Key, int]]]) -> None:
        """Take in what is received; for a moment both its room and that of what it is added to are needed."""
        arrived = 0
        for keys in sent:
            for key, _, _ in keys:
                words = self.words_of(key)
                arrived += words
                self.run.by_arrays[key[0]] = self.run.by_arrays.get(key[0], 0) + words
        self.peak(arrived)
        self.run.received += arrived
        self.run.rounds += 1
        self.run.messages += len({step.source for step, _ in self.waiting})
        for (step, _), keys in zip(self.waiting, sent, strict=True):
            for key, _, terms in keys:
                self.keep(step, key, terms)

    def keep(self, step: RelativeStep, key: Key, terms: int) -> None:
        """Put what is received into memory; add it to what is there."""
        before = self.held.get(key)
        if before is not None and (not step.adding or key[0] not in self.sums):
            self.refuse(step, f"it has {_text(key)} already", "already-held")
        if before is not None and before & terms:
            self.refuse(step, f"{_text(key)} has absorbed some of these terms already", "term-counted-twice")
        if before is None:
            self.words += self.words_of(key)
        self.held[key] = terms | (before or 0)

    def release(self, key: Key) -> None:
        """Free what is discarded."""
        del self.held[key]
        self.words -= self.words_of(key)

    def ended(self) -> DeviceRun:
        """Check that the outputs of the own tile are complete, and return the counts."""
        self.exchange()
        for number, arrays in enumerate(self.all_sums):
            final = arrays.names if number else self.finished
            for part in tiles_of(self.heads_box, self.sizes):
                found = self.held.get((final, self.origin, part), 0)
                if found not in (INPUT, self.sets.all):
                    raise Violation(
                        f"the program ends, but not all of {', '.join(final)} is complete on its owner",
                        "output-missing",
                    )
        return self.run

    # Words and places

    def peak(self, more: int = 0) -> None:
        """Note how much is held."""
        self.run.memory = max(self.run.memory, self.words + more)
        if self.H is not None and self.words + more > self.H:
            raise Violation(
                f"a device's memory holds {self.words + more:,} words, and has {self.H:,}; discard something first",
                "memory-full",
            )

    def words_of(self, key: Key) -> int:
        """Return the words of a tile of arrays that go together, of one part of the heads."""
        names = key[0]
        if names not in self.words_known:
            self.words_known[names] = self.n * self.row_words(names)
        return self.words_known[names]

    def row_words(self, names: tuple[str, ...]) -> int:
        """Return the words of a row of arrays that go together, over all heads of a part."""
        kind = self.kinds.get(names)
        words = self.all_sums[0].final_words if kind is None else kind.words
        if kind is not None and kind.side == "key":
            return words * (self.problem.kv_heads // min(self.blocks, self.problem.kv_heads))
        return words * (self.problem.heads // self.blocks)

    def keys(self, step: RelativeStep) -> Iterator[Key]:
        """Yield what a receive or a discard is of."""
        names = step.arrays
        if names == self.finished and names not in self.sums:
            return self.boxes(names, step.queries, step.heads)
        if names not in self.kinds:
            raise InvalidInput(f"the arrays {', '.join(names)} do not travel together in this problem")
        return self.boxes(names, step.queries if self.kinds[names].side == "query" else step.keys, step.heads)

    def boxes(self, names: tuple[str, ...], tokens: Box, heads: Box) -> Iterator[Key]:
        """Yield the tiles of arrays in a box."""
        return (
            (names, tile, part)
            for tile in tiles_of(tokens, self.sizes)
            for part in tiles_of(heads, self.sizes)
        )

    def minus(self, tile: Tile, distance: Tile, box: Box | None = None) -> Tile:
        """Return a tile as a device so far before this one numbers it."""
        return tuple(
            one if box is not None and box[place] is not None else (one - far) % size
            for place, (one, far, size) in enumerate(zip(tile, distance, self.sizes, strict=True))
        )

    def refuse(self, step: RelativeStep, why: str, rule: str) -> NoReturn:
        """Raise the violation, with what was to be done."""
        what = f"{step.kind} {', '.join(step.arrays)}".strip()
        where = f"queries {_box_text(step.queries)}, keys {_box_text(step.keys)}"
        far = f" from the device {_box_text(step.source)} before" if step.source else ""
        raise Violation(f"{what}{far} ({where}, numbered from the device's own tile): {why}", rule)


def _both(step: RelativeStep) -> tuple[Box, Box]:
    return step.queries, step.keys


def _box_text(box: Box) -> str:
    return ", ".join("all" if one is None else str(one) for one in box)


def _text(key: Key) -> str:
    return f"{', '.join(key[0])} of tile {_box_text(key[1])}"


def _check_heads(problem: SharedProblem, blocks: int) -> None:
    if problem.heads % blocks or (problem.kv_heads % blocks and blocks % problem.kv_heads):
        raise InvalidInput(
            f"{problem.heads} query heads and {problem.kv_heads} of keys cannot be cut into {blocks} equal parts"
        )
