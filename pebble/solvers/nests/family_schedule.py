"""A program for a family, found from its arrays alone: phases, loop orders and tiles, verified by the machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pebble.common.errors import CacheTooSmall, InvalidInput, Violation
from pebble.common.units import fast_memory_words
from pebble.computations.family import Family
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run
from pebble.program.language import phase
from pebble.program.nodes import Program
from pebble.solvers.nests.divided_phase import DividedPhase, refined, unmasked, with_a_short_tile_first
from pebble.solvers.nests.leaf_options import LeafChoices
from pebble.solvers.nests.phase_search import SizedPhase, best_phases
from pebble.solvers.nests.placement import Group

_MOST_TOGETHER = 6
"""Most arrays computed in one phase; arrays that only pass values on count as one."""


class Fusion:
    """The cheapest division of a family's arrays into phases.

    Parameters
    ----------
    family : Family
    M : int
    pause : callable, optional
        Called between searches; it may raise to end the search.
    """

    def __init__(self, family: Family, M: int, pause: Callable[[str], None] | None = None) -> None:
        self.family, self.M, self.pause = family, M, pause
        self.computed = [array.name for array in family.arrays if not array.is_input]
        self.whole = Group(family, tuple(self.computed), frozenset())
        self.choices = LeafChoices(family)
        self.blocks = self._blocks()
        self.phases: dict[frozenset[str], list[SizedPhase]] = {}
        self.cheapest: dict[frozenset[str], tuple[float, tuple[frozenset[str], ...]]] = {}

    def division(self) -> list[SizedPhase]:
        """Return the phases of the cheapest division, in order.

        Every set of arrays that can be computed together is looked at once, small ones first: a phase for all of it
        has to beat the best division of it.
        """
        everything = frozenset(self.computed)
        self._divide_all()
        if everything not in self.cheapest:
            # In the smallest memories even what is read element by element has to be written out.
            self.blocks = [frozenset({name}) for name in self.computed]
            self._divide_all()
        if everything not in self.cheapest:
            raise InvalidInput(
                f"no loop nest for {self.family.name} was found within {self.M} words; use a few words more"
            )
        return [self.phases[names][0] for names in self.cheapest[everything][1]]

    def _divide_all(self) -> None:
        for number in range(1, len(self.blocks) + 1):
            for blocks in itertools.combinations(self.blocks, number):
                names = frozenset().union(*blocks)
                if self._is_convex(names):
                    self._divide(names)

    def refuse(self, phase: SizedPhase) -> None:
        """Leave a phase out of the choice from now on."""
        names = frozenset(phase.group.names)
        self.phases[names] = [one for one in self.phases[names] if one is not phase]
        self.cheapest.clear()

    def _blocks(self) -> list[frozenset[str]]:
        """Arrays, each together with one that is read by it alone, element by element."""
        block = {name: frozenset({name}) for name in self.computed}
        for name in self.computed:
            joined = [
                operand.array for operand in self.family[name].reads if self._passes_on(operand.array, name)
            ]
            for other in joined[:1]:
                whole = block[other] | block[name]
                block |= dict.fromkeys(whole, whole)
        return list(dict.fromkeys(block[name] for name in self.computed))

    def _passes_on(self, name: str, reader: str) -> bool:
        """Whether only the reader reads an array, each element by the same element."""
        array, other = self.family[name], self.family[reader]
        return (
            other.chain is None
            and not array.is_input
            and not array.output
            and set(array.axes) == set(other.axes)
            and self.whole.readers[name] == (reader,)
        )

    def _is_convex(self, names: frozenset[str]) -> bool:
        """Whether nothing outside lies between two of the arrays."""
        outside = [name for name in self.computed if name not in names]
        return not any(
            self.whole.ancestors[name] & names and any(name in self.whole.ancestors[one] for one in names)
            for name in outside
        )

    def _divide(self, names: frozenset[str]) -> None:
        """Find the cheapest division of some arrays."""
        best: tuple[float, tuple[frozenset[str], ...]] = (float("inf"), ())
        for first, rest in self._splits(names):
            if first not in self.phases or not self.phases[first] or rest not in self.cheapest:
                continue
            words = self.phases[first][0].words + self.cheapest[rest][0]
            if words < best[0]:
                best = words, (first, *self.cheapest[rest][1])
        if names not in self.phases:
            self.phases[names] = self._together(names, best[0])
        if self.phases[names] and self.phases[names][0].words <= best[0]:
            best = float(self.phases[names][0].words), (names,)
        if best[1]:
            self.cheapest[names] = best

    def _splits(self, names: frozenset[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
        """Yield the first phases that some arrays may begin with, each with what is left."""
        inside = [block for block in self.blocks if block <= names]
        for number in range(1, len(inside)):
            for blocks in itertools.combinations(inside, number):
                first = frozenset().union(*blocks)
                if all(self.whole.ancestors[name] & names <= first for name in first):
                    yield first, names - first

    def _together(self, names: frozenset[str], most: float) -> list[SizedPhase]:
        """Return the best phases for some arrays, if they beat the division of them."""
        blocks = [block for block in self.blocks if block <= names]
        if len(blocks) > _MOST_TOGETHER or not self._is_connected(blocks):
            return []
        order = tuple(name for name in self.computed if name in names)
        kept = frozenset(
            name for name in order if self.family[name].output or set(self.whole.readers[name]) - names
        )
        if self.pause is not None:
            self.pause(", ".join(order))
        return best_phases(Group(self.family, order, kept), self.M, self.choices, most=most)

    def _is_connected(self, blocks: list[frozenset[str]]) -> bool:
        """Whether the arrays read one another or read the same."""
        touched = [block | {o.array for name in block for o in self.family[name].reads} for block in blocks]
        reached, left = touched[0], touched[1:]
        while more := [one for one in left if one & reached]:
            reached = reached.union(*more)
            left = [one for one in left if one not in more]
        return not left


@dataclass(frozen=True)
class FamilySchedule:
    """A program that was found, and what the machine counted.

    Attributes
    ----------
    program : Program
    run : Run
        Reads, writes and peak, verified with M words of fast memory.
    """

    program: Program
    run: Run


def schedule_family(
    family: Family,
    M: int,
    *,
    progress: Callable[[str], None] | None = None,
) -> FamilySchedule:
    """Find a program that moves few words, from nothing but a family's arrays.

    Parameters
    ----------
    family : Family
        Every operand is read complete. Under a mask the program is chosen as if there were none, and run under it.
    M : int
        Words of fast memory.
    progress : callable, optional
        Called with a line of text before each search.

    Returns
    -------
    FamilySchedule

    Raises
    ------
    CacheTooSmall
        If M words hold no vertex with its operands; ``least_M`` says how many do.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> found = schedule_family(matmul_family(60, 60, 60), 200)
    >>> print(found.program)
    # C
    for i in tiles of 12:
        for j in tiles of 15:
            for each k:
                load B
                for each i (one i): load A; compute C; delete A
                delete B
            store C; delete C
    >>> found.run.io, found.run.peak
    (36000, 197)
    """
    M = fast_memory_words(M)
    _check(family)
    least = family.max_indegree + 1
    if least > M:
        raise CacheTooSmall(
            f"{family.name} needs at least {least} words, for a vertex and what it reads; M is {M}", least
        )
    fusion = Fusion(unmasked(family, family.extents), M, progress)
    division = fusion.division()
    better = [refined(fusion.phases[frozenset(one.group.names)], M) for one in division]
    # Formulas only propose; what the machine refuses is never shown.
    proposals: list[Sequence[SizedPhase | DividedPhase]] = [better, division]
    if family.masked_axes:
        proposals.append([with_a_short_tile_first(one, family.masked_axes[0], M) for one in division])
    while True:
        found = _first_or_best(proposals, family, M)
        if found is not None:
            return found
        fusion.refuse(_refused(division, family, M))
        division = fusion.division()
        proposals = [division]


def _first_or_best(
    proposals: Sequence[Sequence[SizedPhase | DividedPhase]], family: Family, M: int
) -> FamilySchedule | None:
    """Return the first proposal that the machine accepts; under a mask, of which formulas know nothing, the best."""
    best: FamilySchedule | None = None
    for text in dict.fromkeys(map(_program, proposals)):
        with suppress(Violation):
            found = FamilySchedule(text, run(text, family, M))
            if best is None or found.run.io < best.run.io:
                best = found
            if not family.masked_axes:
                return best
    return best


def _check(family: Family) -> None:
    for array in family.arrays:
        for operand in array.reads:
            if operand.step != "last":
                raise InvalidInput(
                    f"{array.name} reads {operand}, a partial result; loop nests are found only for "
                    "complete operands"
                )


def _program(phases: Sequence[SizedPhase | DividedPhase]) -> Program:
    return Program(tuple(phase(", ".join(one.group.names), *one.nodes()) for one in phases))


def _refused(division: list[SizedPhase], family: Family, M: int) -> SizedPhase:
    """Return the first phase that the machine refuses."""
    for number in range(1, len(division)):
        try:
            run(_program(division[:number]), family, M)
        except Violation as violation:
            if violation.rule != "output-missing":
                return division[number - 1]
    return division[-1]
