"""How loops are executed: here, iteration by iteration; the shortcuts account for some without executing them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from pebble.common.errors import TooManyOperations
from pebble.program.nodes import Operation
from pebble.program.visits import visited

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.counting.rules import Machine
    from pebble.program.nodes import Interval, Loop, Node

__all__ = [
    "ClassesFail",
    "LastRoundFails",
    "Loops",
    "ShortcutFails",
    "ShortcutOverflow",
    "Touched",
    "touched_by",
]


class ShortcutFails(Exception):
    """A shortcut does not apply to a loop: the program is run again, and this loop iteration by iteration."""

    def __init__(self, loop: Loop, reason: str) -> None:
        super().__init__(f"loop over {loop.label} in tiles of {loop.tile}: {reason}")
        self.loop = loop


class LastRoundFails(ShortcutFails):
    """The last round of a loop is not what was foretold: the program is run again, up to an earlier one.

    ``left`` says how many rounds before the end of a stretch it was.
    """

    def __init__(self, loop: Loop, left: int) -> None:
        super().__init__(loop, "the last round does not follow from the first ones")
        self.left = left


class ShortcutOverflow(Exception):
    """Fast memory overflows in an iteration that is not executed."""


class ClassesFail(ShortcutFails):
    """A loop's tiles do not do alike what the shortcut says they do: the program is run again without it there."""


class Loops:
    """Every iteration of every loop is executed.

    Parameters
    ----------
    family : Family
    step_limit : int
        Most operations to execute.
    levels : int
        How many memory levels there are inside slow memory.

    Attributes
    ----------
    unrolled : dict of int to str
        Loops that a shortcut does not apply to, by identity, and why.
    left : dict of int to int
        How many rounds before the end of a stretch the last one must be, where it is known to be more than one.
    unclassed : set of int
        Loops of whose tiles none is to stand for others that lie alike.
    """

    def __init__(self, family: Family, step_limit: int, levels: int = 1) -> None:
        self.family, self.step_limit, self.levels = family, step_limit, levels
        self.unrolled: dict[int, str] = {}
        self.left: dict[int, int] = {}
        self.unclassed: set[int] = set()

    def lumps(self, node: Loop) -> bool:
        """Whether a long loop executes its first, second and last iteration only."""
        return False

    def execute(self, machine: Machine, node: Loop, whole: Interval) -> None:
        """Execute a loop over what is not empty."""
        for index in visited(node.axis, whole, node.tile, machine.tiles, self.family):
            machine.iteration(node, whole, index)
            machine.state.tidy(node.axis)

    def give_up(self) -> NoReturn:
        """Say that there are too many operations."""
        mask = f"under the mask {self.family.mask.spec} " if self.family.mask else ""
        reasons = f" ({'; '.join(self.unrolled.values())})" if self.unrolled else ""
        raise TooManyOperations(
            f"{mask}the program takes more than {self.step_limit:,} operations, executed one by one{reasons}; "
            "take larger tiles, or a smaller problem"
        )


@dataclass
class Touched:
    """Names of the arrays that a body uses, by what it does to them."""

    changed: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    read_at_step: set[str] = field(default_factory=set)
    moved_at: set[tuple[str, int]] = field(default_factory=set)
    """What is moved, each with the memory level inside the boundary."""

    def moved(self, level: int) -> set[str]:
        """Return what moves through the boundary outside a memory level."""
        return {name for name, at in self.moved_at if at == level}


def touched_by(nodes: tuple[Node, ...], family: Family, found: Touched | None = None) -> Touched:
    """Collect the arrays a body changes in fast memory, moves to or from slow memory, or reads as operands."""
    found = Touched() if found is None else found
    for node in nodes:
        if not isinstance(node, Operation):
            touched_by(node.body, family, found)
            continue
        found.changed.add(node.array)
        if node.replacing:
            found.changed.add(node.replacing)
        if node.action in ("load", "store"):
            found.moved_at.add((node.array, node.level))
        elif node.action == "compute":
            reads = family[node.array].reads
            found.read.update(operand.array for operand in reads)
            found.read_at_step.update(operand.array for operand in reads if operand.at_step)
    return found
