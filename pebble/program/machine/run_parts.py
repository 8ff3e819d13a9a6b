"""Running a program for each part of a mask in turn: of equal parts one is executed, and what it counts is multiplied.

docs/induction.md proves that part after part would have given the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import InvalidInput, Violation
from pebble.program.counting.counted import Run
from pebble.program.parts_in_turn import check_parts, family_of_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.computations.masks.mask import Mask
    from pebble.computations.masks.mask_parts import MaskParts
    from pebble.program.nodes import Program

__all__ = ["Execute", "Ran", "run_parts"]


class Ran(NamedTuple):
    """A run, and the words of each array that it left in fast memory."""

    run: Run
    left: dict[str, int]


Execute = Callable[["Program", "Family", "int | None"], Ran]
"""Runs a program for a family with so many words of fast memory."""


def run_parts(program: Program, family: Family, M: int | None, execute: Execute) -> Run:
    """Run a program for each part of a mask in turn.

    Parameters
    ----------
    program : Program
    family : Family
    M : int or None
    execute : callable

    Raises
    ------
    Violation
        Where the first part that breaks a rule does.
    InvalidInput
        If the program makes no sense for the family, or for a part.
    """
    parts = check_parts(program, family)
    ran = _RunOfParts(program, family, M, parts, execute)
    ran.execute_all()
    return ran.summed()


class _RunOfParts:
    """What is known of the different parts so far, and the words that those before have left."""

    def __init__(
        self, program: Program, family: Family, M: int | None, parts: MaskParts, execute: Execute
    ) -> None:
        self.program, self.family, self.M, self.parts, self.execute = program, family, M, parts, execute
        self.ran: list[Ran] = []
        self.leaving: dict[int, dict[str, int]] = {}
        self._needs = np.zeros((len(parts.masks), 2), dtype=np.int64)  # words left, and words at the peak
        self.peak = 0
        self.peak_words: dict[str, int] = {}

    def execute_all(self) -> None:
        """Execute the first part of every kind; of the others see that they fit beside what was left before."""
        kinds = self.parts.kinds
        firsts = np.unique(kinds, return_index=True)[1].tolist()
        left: Counter[str] = Counter()
        for kind, (first, behind) in enumerate(zip(firsts, [*firsts[1:], len(kinds)], strict=True)):
            self.ran.append(self._executed(kind, first, sum(left.values())))
            if any(self.ran[kind].left.values()):
                self.leaving[kind] = self.ran[kind].left
            self._needs[kind] = sum(self.ran[kind].left.values()), self.ran[kind].run.peak
            self._follow(first, behind, left)

    def _follow(self, first: int, behind: int, left: Counter[str]) -> None:
        """Account for successive parts whose kinds are known; ``left`` is what those before left, and then these."""
        kinds = self.parts.kinds[first:behind]
        grows, peaks = self._needs[kinds].T
        before = sum(left.values()) + np.cumsum(grows) - grows
        tops = before + peaks
        if self.M is not None and tops.max() > self.M:
            at = int((tops > self.M).argmax())
            self._refuse(int(kinds[at]), first + at, int(before[at]))
        if tops.max() > self.peak:
            at = int(tops.argmax())
            self.peak = int(tops[at])
            around = left + self._left_by(kinds[:at])
            self.peak_words = dict(around + Counter(self.ran[kinds[at]].run.peak_words))
        left += self._left_by(kinds)

    def _left_by(self, kinds: NDArray[np.int64]) -> Counter[str]:
        """Return the words that some parts leave in fast memory, by array."""
        found: Counter[str] = Counter()
        for kind, left in self.leaving.items():
            times = int(np.count_nonzero(kinds == kind))
            for name, words in left.items():
                found[name] += words * times
        return found

    def _refuse(self, kind: int, place: int, before: int) -> None:
        """Say what a part, which fits where fewer words were left before, breaks here."""
        self._executed(kind, place, before)
        raise AssertionError("a part that needs more words than there are is not refused")

    def _executed(self, kind: int, place: int, before: int) -> Ran:
        """Execute a part beside some words."""
        mask, text = self.parts.masks[kind], self.program.parts[kind].program
        room = None if self.M is None else self.M - before
        try:
            for family in families(self.family, mask):
                try:
                    return self.execute(text, family, room)
                except (InvalidInput, Violation):
                    if family.mask is not None:
                        raise
        except Violation as violation:
            queries = self.parts.places["i"]
            where = f"in the part of queries {queries[place]}:{queries[place + 1]}"
            beside = f" (beside {before} words left by those before it)" if before else ""
            raise Violation(f"{where}{beside}: {violation}", violation.rule) from None
        raise AssertionError("a part is executed under its mask at last")

    def summed(self) -> Run:
        """Return what all parts count."""
        runs, times = [ran.run for ran in self.ran], self.parts.times

        def total(counts: Iterable[dict[str, int]]) -> dict[str, int]:
            found: dict[str, int] = {array.name: 0 for array in self.family.arrays}
            for one, often in zip(counts, times, strict=True):
                for name, number in one.items():
                    found[name] += number * often
            return found

        return Run(
            family=self.family,
            M=self.M,
            reads=total(run.reads for run in runs),
            writes=total(run.writes for run in runs),
            computes=total(run.computes for run in runs),
            peak=self.peak,
            steps=sum(run.steps for run in runs),
            proved=False,
            _peak_words=lambda: self.peak_words,
            _state=lambda: _StateOfParts(self.family, self.parts, runs),
        )


def families(family: Family, part: Mask) -> list[Family]:
    """Return the computation of a part, where nothing is masked out without the mask first, which is quicker.

    What is legal without the mask is legal under one that allows every pair, and counts the same. What is not may
    be: a chain that has not begun has nothing to be moved there.
    """
    masked = family_of_part(family, part)
    if part.pairs < part.Nq * part.Nk:
        return [masked]
    return [family_of_part(family, None, (part.Nq, part.Nk)), masked]


class _StateOfParts:
    """The final state of all parts together."""

    def __init__(self, family: Family, parts: MaskParts, runs: list[Run]) -> None:
        self.family, self.parts, self.runs = family, parts, runs

    def final(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the progress of every element of an array in fast and in slow memory (small sizes only)."""
        array = self.family[name]
        shape = tuple(self.family.extents[axis] for axis in array.axes)
        both = np.zeros((2, *shape), dtype=np.int64)
        for kind, at in self.parts.intervals():
            box = tuple(slice(*at[axis]) if axis in at else slice(None) for axis in array.axes)
            before = at[array.chain][0] if array.chain in at else 0
            for memory, progress in zip(both, self.runs[kind].final_state(name), strict=True):
                memory[box] = np.where(progress > 0, progress + before, 0)
        return both[0], both[1]
