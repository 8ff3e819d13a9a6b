"""Counting a program: folded where its text is proved to be legal, else executed iteration by iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput, TooManyOperations, Violation
from pebble.program.counting import plain
from pebble.program.counting.counted import Run
from pebble.program.counting.effects import Fold
from pebble.program.counting.life import Here, Unproved
from pebble.program.counting.measure import in_turn
from pebble.program.counting.proof import proof
from pebble.program.counting.texts import texts_in_turn
from pebble.program.hierarchy import Hierarchy

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.counting.plain import Machine
    from pebble.program.counting.storage import Storage
    from pebble.program.nodes import Program

    Path = tuple[int, ...]

LOCATE_LIMIT = 200_000
"""Operations executed to say where fast memory overflows."""


def run(
    program: Program,
    family: Family,
    M: int | None = None,
    *,
    induction: bool = True,
    observe: Callable[[Machine], None] | None = None,
    step_limit: int | None = None,
) -> Run:
    """Count a program: :func:`pebble.run`, whose parameters and errors these are, for one family.

    Returns
    -------
    Run
    """
    if not induction:
        found = plain.execute(program, family, (M,), observe=observe, step_limit=step_limit)[0]
    elif observe is not None:
        raise InvalidInput("to observe every operation, run without induction")
    else:
        found = _verified(program, family, Hierarchy((M,)), step_limit)[0]
    for name in family.accumulated:
        if found.computes[name] > family.size(name):
            raise Violation(
                f"terms of {name} are computed more than once; added in slow memory they would count twice",
                "term-counted-twice",
            )
    return found


def run_levels(
    program: Program,
    family: Family,
    capacities: Sequence[int | None],
    *,
    inclusive: bool = True,
    induction: bool = True,
    step_limit: int | None = None,
) -> tuple[Run, ...]:
    """Count a program for several memory levels.

    Parameters
    ----------
    program : Program
    family : Family
    capacities : sequence of int or None
        Words of each level, the innermost first; beyond the last there is room for everything. None measures without
        a limit.
    inclusive : bool
        Whether each level holds all that the levels within hold, so that ``compute`` takes room at all of them;
        otherwise ``compute`` takes room in level 1, and copies may be anywhere.
    induction : bool
        Whether a program that its text proves to be legal is counted without being executed.
    step_limit : int, optional
        Most operations to execute; five million by default, 600,000 under a mask.

    Returns
    -------
    tuple of Run
        One for each level: the words that it loads from the next level out and stores to it, and its peak. The
        computations are counted at every level that they take room in.

    Raises
    ------
    Violation
        If an operation breaks a rule at any level, or an output is not beyond the last level at the end.
    InvalidInput
        If the program does not make sense for the family and the levels.
    TooManyOperations
        If the proof stops, and there would be too many operations.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, delete, load, loop, phase, program, store
    >>> sums = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"))
    >>> text = program(phase("", load("A", "B", level=2), loop("i", 1, loop("j", 1, sums, store("C"), delete("C"))),
    ...     store("C", level=2)))
    >>> [(one.io, one.peak) for one in run_levels(text, matmul_family(4, 4, 3), (4, 50))]
    [(112, 4), (40, 41)]
    """
    hierarchy = Hierarchy(tuple(capacities), inclusive)
    if family.has_free_sums or family.accumulated:
        raise InvalidInput(
            "programs for several memory levels are verified with chains, not with sums in any order"
        )
    if any(array.width > 1 for array in family.arrays):
        raise InvalidInput("programs for several memory levels are verified with words of one size")
    if not induction:
        return plain.execute(program, family, capacities, inclusive=inclusive, step_limit=step_limit)
    return _verified(program, family, hierarchy, step_limit)


def _verified(
    program: Program, family: Family, hierarchy: Hierarchy, step_limit: int | None
) -> tuple[Run, ...]:
    """Count a program where its text is proved to be legal, else execute it."""

    def execute(limit: int | None) -> tuple[Run, ...]:
        sizes, inclusive = hierarchy.capacities, hierarchy.inclusive
        return plain.execute(program, family, sizes, inclusive=inclusive, step_limit=limit)

    try:
        texts, _ = texts_in_turn(program, family)
        proofs = [proof(one.program, one.family, hierarchy.levels, hierarchy.inclusive) for one in texts]
        found = [
            _folded(program, family, [one[level - 1] for one in proofs], level, hierarchy)
            for level in range(1, hierarchy.levels + 1)
        ]
    except Unproved as why:
        try:
            return execute(step_limit)
        except TooManyOperations as error:
            raise TooManyOperations(
                f"not verified at this size: the text does not prove that it is legal ({why}), and {error}"
            ) from None
    for level, (one, M) in enumerate(zip(found, hierarchy.capacities, strict=True), start=1):
        if M is None or one.peak <= M:
            continue
        with suppress(TooManyOperations):
            execute(LOCATE_LIMIT)
        held = ", ".join(f"{words:,} of {name}" for name, words in one.peak_words.items())
        memory = "fast memory" if hierarchy.levels == 1 else f"level {level}"
        raise Violation(
            f"{memory} holds {M} words, and {one.peak} are needed at the peak ({held}); delete something first, or "
            "use smaller tiles",
            "memory-full",
        )
    return tuple(replace(one, M=M) for one, M in zip(found, hierarchy.capacities, strict=True))


def _folded(
    program: Program, family: Family, proofs: Sequence[Mapping[Path, Here]], level: int, hierarchy: Hierarchy
) -> Run:
    """Count a program at one memory level."""
    texts, order = texts_in_turn(program, family)
    inclusive = hierarchy.inclusive

    def folds(by_array: bool) -> list[Fold]:
        return [
            Fold(one, here, by_array=by_array, level=level, inclusive=inclusive)
            for one, here in zip(texts, proofs, strict=True)
        ]

    found = folds(by_array=False)
    counts = {
        action: dict.fromkeys((array.name for array in family.arrays), 0)
        for action in ("load", "store", "compute")
    }
    for one, each in zip(texts, found, strict=True):
        for path, operation in each.operations.items():
            counts[operation.action][operation.array] += int(each.moved[path][0]) * one.times

    def peak_words() -> dict[str, int]:
        words = in_turn(folds(by_array=True), order).at[:, 0].tolist()
        return dict(zip([*counts["load"], "(step)"], words, strict=True))

    def state() -> Storage:
        return plain.execute(program, family, [None] * hierarchy.levels, inclusive=inclusive)[
            level - 1
        ]._state()

    return Run(
        family=family,
        M=None,
        reads=counts["load"],
        writes=counts["store"],
        computes=counts["compute"],
        peak=int(in_turn(found, order).room[0]),
        steps=sum(one.boxes for one in found),
        proved=True,
        _peak_words=peak_words,
        _state=state,
    )
