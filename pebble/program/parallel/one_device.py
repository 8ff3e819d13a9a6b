"""One device that stands for all: a program for several devices verified and counted at a cost that N does not change.

Every device takes the same steps and, with tiles numbered relative to itself, is in the same state. So what a device
receives was held by the sender if *this* device holds it, at the tile's number relative to the sender.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.program.parallel.relative_steps import RelativeTurns, relative_steps, relative_turns
from pebble.program.parallel.representative_device import DeviceRun, RepresentativeDevice
from pebble.program.parallel.turn_induction import take_turns

if TYPE_CHECKING:
    from pebble.program.parallel.device_program import DeviceProgram
    from pebble.program.parallel.shared_problem import SharedProblem

__all__ = ["DeviceRun", "run_one_device"]


def run_one_device(
    program: DeviceProgram, problem: SharedProblem, H: int | None = None, *, induction: bool = True
) -> DeviceRun:
    """Verify a program for several devices on one of them, and count.

    Parameters
    ----------
    program : DeviceProgram
    problem : SharedProblem
        Without a mask, with equal tiles: P divides N.
    H : int, optional
        Words of each device's memory to enforce; without limit by default.
    induction : bool
        Whether turns may be accounted for without being executed.

    Raises
    ------
    InvalidInput
        If not all devices are alike: a causal mask, tiles of different sizes, heads that cannot be shared out.
    Violation
        If a step breaks a rule.

    Notes
    -----
    The cost does not depend on N. What goes round a ring costs a few turns, whatever P; what is gathered in one
    superstep some microseconds a tile. docs/processors-language.md proves that one device stands for all.
    """
    if program.P != problem.P:
        raise InvalidInput(f"the program is for {program.P} devices, and the problem for {problem.P}")
    if problem.causal:
        raise InvalidInput("under a causal mask devices are not alike: play the exchange of all of them")
    if problem.N % problem.P:
        raise InvalidInput(
            f"{problem.P} devices share {problem.N} tokens unequally: play the exchange of all of them"
        )
    device = RepresentativeDevice(program, problem, H)
    for step in relative_turns(program, problem) if induction else relative_steps(program, problem):
        if isinstance(step, RelativeTurns):
            take_turns(device, step)
        else:
            device.take(step)
    return device.ended()
