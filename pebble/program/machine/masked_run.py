"""Running a program under a mask, and what the run counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import Violation
from pebble.computations.family import Family
from pebble.program.machine.masked_machine import Machine
from pebble.program.machine.memo import InductiveMachine, LaterOverflow
from pebble.program.machine.run import LOCATE_LIMIT, Run
from pebble.program.nodes import Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MaskedRun", "run_masked"]

STEP_LIMIT = 600_000
"""Operations run one by one, each of which takes some tens of microseconds under a mask."""


@dataclass(frozen=True)
class MaskedRun(Run):
    """What a verified run under a mask counted; see :class:`pebble.program.machine.run.Run`."""

    _machine: Machine | None = field(default=None, repr=False, compare=False)

    def final_state(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Progress of every element of an array at the end, in fast and in slow memory (small sizes only).

        Where a mask leaves an element out, or had it not begun, that is 0; else the progress of a masked chain is the
        index of its last allowed step so far, plus one.
        """
        assert self._machine is not None
        family = self._machine.family
        shape = tuple(family.extents[axis] for axis in family[name].axes)
        both = np.zeros((2, *shape), dtype=np.int64)
        for box, state in self._machine.fields[name].boxes():
            both[(slice(None), *(slice(a, b) for a, b in box))] = state.reshape(2, *(1 for _ in box))
        exists = family.exists(name)
        chain = family[name].chain
        if chain not in ("i", "j"):
            both[:, ~(exists if chain is None else exists.any(axis=-1))] = 0
            return both[0], both[1]
        steps = np.where(exists, np.arange(1, exists.shape[-1] + 1), 0)
        upto = np.concatenate(
            [np.zeros((*shape, 1), dtype=np.int64), np.maximum.accumulate(steps, axis=-1)], axis=-1
        )
        fast, slow = (np.take_along_axis(upto, level[..., None], axis=-1)[..., 0] for level in both)
        return fast, slow


def run_masked(program: Program, family: Family, M: int | None, induction: bool) -> MaskedRun:
    """Run a program of a family under a mask; see :func:`pebble.program.machine.run.run`."""
    machine = (InductiveMachine if induction else Machine)(program, family, M, STEP_LIMIT)
    try:
        machine.execute()
    except LaterOverflow as overflow:
        _locate(program, family, M)
        raise Violation(str(overflow), "memory-full") from None
    return MaskedRun(
        family=family,
        M=M,
        reads=machine.counts["load"],
        writes=machine.counts["store"],
        computes=machine.counts["compute"],
        peak=machine.peak,
        peak_words={name: words for name, words in machine.peak_words.items() if words},
        steps=machine.steps,
        unrolled=(),
        _grid=None,  # type: ignore[arg-type]
        _fast={},
        _slow={},
        _machine=machine,
    )


def _locate(program: Program, family: Family, M: int | None) -> None:
    """Run every iteration to raise the violation at its exact place, where that is affordable."""
    from pebble.common.errors import InvalidInput

    try:
        Machine(program, family, M, LOCATE_LIMIT).execute()
    except InvalidInput:
        return
