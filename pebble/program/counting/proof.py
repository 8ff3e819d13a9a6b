"""The proof that a text is legal, for every mask or for the family's own, made once for sizes in the same order.

A proof compares sizes, and does nothing else with them: where loops and intervals begin and end, how long they are and
their tiles, the lengths of the axes, zero and one. So texts whose sizes differ, but come in one order, have one proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.program.counting.life import Here, Unproved, prove
from pebble.program.counting.texts import shape_of
from pebble.program.nodes import Operation
from pebble.program.validation import validate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pebble.computations.family import Family
    from pebble.program.nodes import Program

    Path = tuple[int, ...]
    Proof = list[dict[Path, Here]]

_MOST_KEPT = 512
_proofs: dict[object, Proof | str] = {}
"""By text, family and order of sizes: the proof for every mask, or why there is none."""


def proof(program: Program, family: Family, levels: int = 1, inclusive: bool = True) -> Proof:
    """Return what a proof of legality says of each operation at each level: for every mask, or for the family's own.

    Raises
    ------
    Unproved
        Where the proof stops.
    """
    validate(program, family, levels)
    if program.parts or any(phase.generate is not None for phase in program.phases):
        return prove(program, family, levels, inclusive)
    key = _look(program, family), levels, inclusive
    if key not in _proofs:
        if len(_proofs) >= _MOST_KEPT:
            _proofs.clear()
        try:
            _proofs[key] = prove(program, family, levels, inclusive)
        except Unproved as why:
            _proofs[key] = str(why)
    found = _proofs[key]
    if not isinstance(found, str):
        return found
    if not family.masked_axes:
        raise Unproved(found)
    return prove(program, family, levels, inclusive, own_mask=True)


def _look(program: Program, family: Family) -> object:
    """Return what a proof depends on."""
    shape, sizes = shape_of(program, family.extents)
    assert isinstance(shape, tuple)
    at = [interval[1:] for token in shape if isinstance(token, Operation) for interval in token.at]
    loops = np.array(sizes, dtype=object).reshape(-1, 3)
    tiles, ends = loops[:, 0], [*loops[:, 1:].tolist(), *map(list, at)]
    order = _ranks([0, 1, *family.extents.values(), *tiles, *(n for a, b in ends for n in (a, b, b - a))])
    return shape, order, family.arrays, family.masked_axes, family.has_free_sums


def _ranks(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return of each number how many different ones are less.

    >>> _ranks([0, 1, 40, 7, 40])
    (0, 1, 3, 2, 3)
    """
    numbers = list(numbers)
    rank = {number: at for at, number in enumerate(sorted(set(numbers)))}
    return tuple(rank[number] for number in numbers)
