"""Programs with sums in any order, executed element by element on plain sets of terms."""

from __future__ import annotations

import itertools
from collections import Counter

from tests.program.names import Array, Family, Program
from tests.program.program_reference import executions

__all__ = ["Found", "refer_to_sets"]

Element = tuple[str, tuple[int, ...]]
Tiles = dict[str, tuple[int, int]]
Found = tuple[str, dict[str, int]]
"""The broken rule, or the counts and the peak of a legal run."""


class _Refused(Exception):
    pass


class _Sets:
    """What both memories hold: of each word the set of terms that are in."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.fast: dict[Element, frozenset[int]] = {}
        self.slow = {
            element: frozenset([0]) for array in family.inputs for element in self.elements(array, {})
        }
        self.counts: Counter[str] = Counter()
        self.peak = 0

    def range(self, axis: str, tiles: Tiles) -> range:
        return range(*tiles.get(axis, (0, self.family.extents[axis])))

    def elements(self, array: Array, tiles: Tiles) -> list[Element]:
        ranges = [self.range(axis, tiles) for axis in array.axes]
        return [(array.name, index) for index in itertools.product(*ranges)]

    def load(self, array: Array, box: list[Element]) -> None:
        self.need(all(one in self.slow for one in box), "load-needs-blue")
        self.need(
            all(self.fast.get(one, self.slow[one]) == self.slow[one] for one in box), "one-partial-result"
        )
        self.fast |= {one: self.slow[one] for one in box}

    def store(self, array: Array, box: list[Element]) -> None:
        self.need(all(one in self.fast for one in box), "store-needs-red")
        for one in box:
            new, old = self.fast[one], self.slow.get(one, frozenset())
            self.need(array.sum is None or new <= old or old <= new, "one-partial-result")
        for one in box:
            self.slow[one] = max(self.fast[one], self.slow.get(one, frozenset()), key=len)

    def delete(self, array: Array, box: list[Element]) -> None:
        self.need(all(one in self.fast for one in box), "delete-needs-red")
        for one in box:
            del self.fast[one]

    def complete(self, one: Element, memory: dict[Element, frozenset[int]]) -> bool:
        return len(memory.get(one, ())) == self.family.chain_length(one[0])

    def compute(self, array: Array, box: list[Element], tiles: Tiles, replacing: str | None) -> None:
        for read in array.reads:
            operand = self.elements(self.family[read.array], tiles)
            self.need(all(self.complete(one, self.fast) for one in operand), "compute-needs-predecessors")
        terms = range(1) if array.chain is None else self.range(array.chain, tiles)
        if array.sum is not None:
            overlap = any(set(terms) & self.fast.get(one, frozenset()) for one in box)
            self.need(not overlap, "term-counted-twice")
        elif array.chain is not None:
            rule = "compute-needs-predecessors" if terms.start else "one-partial-result"
            self.need(all(len(self.fast.get(one, ())) == terms.start for one in box), rule)
        replaced: list[Element] = []
        if replacing:
            at = [array.axes.index(axis) for axis in self.family[replacing].axes]
            replaced = [(replacing, tuple(index[place] for place in at)) for _, index in box]
        if replacing:
            new = [one not in self.fast for one in box]
            self.need(array.chain is not None or all(new) or not any(new), "whole-box")
            self.need(all(one in self.fast for one in replaced), "delete-needs-red")
        for number, one in enumerate(box):
            for term in terms:
                begun = one in self.fast
                if array.chain is not None or not begun:
                    self.peak = max(self.peak, len(self.fast) + 1)
                self.fast[one] = self.fast.get(one, frozenset()) | {term}
            if replaced:
                del self.fast[replaced[number]]
        self.counts[f"compute {array.name}"] += len(box) * len(terms)

    def need(self, holds: bool, rule: str) -> None:
        if not holds:
            raise _Refused(rule)


def refer_to_sets(program: Program, family: Family) -> Found:
    """The first rule that is broken, or what a legal run counts."""
    sets = _Sets(family)
    try:
        for step in executions(program, family):
            op = step.operation
            array = family[op.array]
            box = sets.elements(array, step.tiles)
            if op.action == "compute":
                sets.compute(array, box, step.tiles, op.replacing)
            else:
                getattr(sets, op.action)(array, box)
                if op.action != "delete":
                    sets.counts[f"{op.action} {array.name}"] += len(box)
            sets.peak = max(sets.peak, len(sets.fast))
        outputs = [one for array in family.outputs for one in sets.elements(array, {})]
        sets.need(all(sets.complete(one, sets.slow) for one in outputs), "output-missing")
    except _Refused as refused:
        return str(refused), {}
    return "", {**sets.counts, "peak": sets.peak}
