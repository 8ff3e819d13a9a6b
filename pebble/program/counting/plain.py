"""The plain machine: every iteration of every loop is executed, and every rule is checked at every operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput, Violation
from pebble.program.counting.counted import Run
from pebble.program.counting.rules import BoxRules
from pebble.program.counting.storage import SLOW, Storage
from pebble.program.hierarchy import Hierarchy
from pebble.program.nodes import Loop, Operation
from pebble.program.parts_in_turn import written_out
from pebble.program.steps import loop_range
from pebble.program.validation import validate
from pebble.program.visits import Visit, visited

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.nodes import Interval, Node, Program

STEP_LIMIT = 5_000_000
MASKED_STEP_LIMIT = 600_000


class Machine(BoxRules):
    """Memory levels that run one program: every iteration of every loop."""

    def execute(self) -> Run:
        """Run the program to its end, require the outputs in slow memory, and return what was counted.

        Raises
        ------
        Violation
            Where an operation breaks a rule.
        """
        for part in self.program.phases:
            for name, of in self.family.read_both_ways.items():
                if self.held[name]:
                    raise Violation(
                        f"phase {part.title!r} begins, but some of {name} is in fast memory: delete it first, since "
                        f"{of} is read in two directions",
                        "one-direction",
                    )
            for node in part.nodes():
                self.node(node)
        for array in self.family.outputs:
            if not self.state.part(array, self.state.levels).is_complete(SLOW):
                raise Violation(
                    f"the program ends, but not all of {array.name} is in slow memory: store it",
                    "output-missing",
                )
        return Run(
            family=self.family,
            M=self.M,
            reads=self.counts["load"],
            writes=self.counts["store"],
            computes=self.counts["compute"],
            peak=self.peak,
            steps=self.steps,
            proved=False,
            _peak_words=lambda: self.peak_words,
            _state=lambda: self.state,
        )

    def node(self, node: Node) -> None:
        """Execute a node."""
        if isinstance(node, Operation):
            self.operation(node)
        elif isinstance(node, Loop):
            self.loop(node)
        elif node.condition.holds(self.visits[node.condition.label], self.tiles, self.family):
            for inner in node.body:
                self.node(inner)

    def loop(self, node: Loop) -> None:
        """Execute a loop, unless what it runs over is empty."""
        whole = loop_range(node, self.tiles, self.family)
        if whole[0] < whole[1]:
            before, around = self.tiles.get(node.axis), self.around.get(node.label)
            visit = self.around[node.label] = self.visits.get(node.label)
            for index in visited(node.axis, whole, node.tile, self.tiles, self.family):
                self.enter(node, whole, index)
                for inner in node.body:
                    self.node(inner)
            self.around[node.label] = around
            if visit is None:
                self.visits.pop(node.label, None)
            else:
                self.visits[node.label] = visit
            self.put(node.axis, before)

    def enter(self, node: Loop, whole: Interval, index: int) -> None:
        """Make a tile of a loop the current one of its axis."""
        start, stop = whole
        count = -((start - stop) // node.tile)
        tile = start + index * node.tile, min(stop, start + (index + 1) * node.tile)
        self.visits[node.label] = Visit(node.axis, index, count, whole, tile, self.around.get(node.label))
        self.tiles[node.axis] = tile
        self.state.enter(node.axis, tile)


def execute(
    program: Program,
    family: Family,
    capacities: Sequence[int | None] = (None,),
    *,
    inclusive: bool = True,
    observe: Callable[[Machine], None] | None = None,
    step_limit: int | None = None,
) -> tuple[Run, ...]:
    """Execute a program operation by operation, once for each memory level that is counted.

    Parameters
    ----------
    program : Program
    family : Family
    capacities : sequence of int or None
        Words of each level, the innermost first; None measures without a limit. By default there is one, fast memory.
    inclusive : bool
        Whether each level holds all that the levels within hold.
    observe : callable, optional
        Called with the machine after every operation.
    step_limit : int, optional
        Most operations to execute; by default five million, 600,000 under a mask.

    Raises
    ------
    Violation
        Where an operation breaks a rule, or an output is not in slow memory at the end.
    TooManyOperations
        If the computation or the number of operations is too large.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, load, phase, program, store
    >>> text = program(phase("", load("A", "B"), compute("C"), store("C")))
    >>> [(run.io, run.peak) for run in execute(text, matmul_family(2, 2, 3))]
    [(16, 17)]
    """
    hierarchy = Hierarchy(tuple(capacities), inclusive)
    program = written_out(program, family)
    validate(program, family, hierarchy.levels)
    if family.has_free_sums and hierarchy.levels > 1:
        raise InvalidInput(
            "programs for several memory levels are verified with chains, not with sums in any order"
        )
    if family.has_free_sums and family.masked_axes:
        raise InvalidInput(
            "sums in any order are verified only without a mask: leave out the mask, or use chains"
        )
    limit = step_limit or (MASKED_STEP_LIMIT if family.masked_axes else STEP_LIMIT)
    runs = []
    for level, M in enumerate(hierarchy.capacities, start=1):
        storage = Storage(family, hierarchy.levels, inclusive, level)
        machine = Machine(program, family, M, storage, limit, observe)
        runs.append(machine.execute())
    return tuple(runs)
