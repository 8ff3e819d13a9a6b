"""Programs that move one array's lines: parts of it first, then all of them in loops that must tell the lines apart."""

from __future__ import annotations

from random import Random

from tests.program.chains import prepared
from tests.program.names import (
    Condition,
    Family,
    Node,
    Nodes,
    Operation,
    Phase,
    Program,
    compute,
    loop,
    phase,
    when,
)

__all__ = ["line_text"]


class LineStory:
    """What happens to the lines of an array along one axis, and which of them fast memory holds."""

    def __init__(self, rnd: Random, family: Family, name: str, axis: str) -> None:
        self.rnd, self.family, self.name, self.axis = rnd, family, name, axis
        self.extent = family.extents[axis]
        self.others = [other for other in family.extents if other != axis]
        self.held: set[int] = set()

    def operation(self, action: str, lines: tuple[int, int] | None = None) -> Operation:
        at = () if lines is None else ((self.axis, *lines),)
        return Operation(action, self.name, at=at)  # type: ignore[arg-type]

    def part(self) -> tuple[int, int]:
        """Some lines, mostly few and in the middle."""
        start = self.rnd.randrange(self.extent)
        stop = min(self.extent, start + self.rnd.choice([1, 1, 2, 3, self.extent]))
        return start, stop

    def step(self) -> Nodes:
        rnd = self.rnd
        draw = rnd.random()
        if draw < 0.35:
            return self.on_part()
        if draw < 0.6:
            return self.over_lines()
        return self.inside_another()

    def on_part(self) -> Nodes:
        """Load or delete some lines."""
        lines = self.part()
        if self.rnd.random() < 0.5 and set(range(*lines)) <= self.held:
            self.held -= set(range(*lines))
            return self.operation("delete", lines)
        self.held |= set(range(*lines))
        return self.operation("load", lines)

    def over_lines(self) -> Nodes:
        """A loop over all lines, or a part of them, that leaves them all held or none."""
        rnd = self.rnd
        lines = (0, self.extent) if rnd.random() < 0.6 else self.part()
        every = set(range(*lines))
        if every <= self.held or rnd.random() < 0.1:
            actions = rnd.choice([["delete"], ["store"], ["delete", "load"], ["store", "delete"]])
        else:
            actions = rnd.choice([["load"], ["load", "delete"], ["load", "store"]])
        self.held = self.held - every if actions[-1] == "delete" else self.held | every
        return self.around([self.operation(action) for action in actions], lines)

    def inside_another(self) -> Nodes:
        """A loop that loads and deletes lines again and again, inside a loop over another axis."""
        rnd = self.rnd
        self.held = set()
        body: list[Nodes] = [self.operation("load"), self.operation("delete")]
        label = rnd.choice(["line", "outer", "outer"])
        condition = Condition(label, rnd.choice(["first", "last"]), rnd.random() < 0.5)
        if rnd.random() < 0.4:
            body = [when(condition, *body)]
        elif rnd.random() < 0.3:
            body = [when(condition, self.operation("load"))]
        inner: Nodes = self.around(body, (0, self.extent))
        if rnd.random() < 0.2:
            inner = self.around([inner], (0, self.extent), rnd.choice([2, 3, 5]), "around")
        outer = rnd.choice(self.others or [self.axis])
        return loop(outer, rnd.choice([1, 1, 2, 3]), inner, label="outer")

    def around(
        self, body: list[Nodes], lines: tuple[int, int], tile: int | None = None, label: str = "line"
    ) -> Nodes:
        tile = tile or self.rnd.choice([1, 1, 1, 2, 3])
        part = {} if lines == (0, self.extent) else {"start": lines[0], "stop": lines[1]}
        return loop(self.axis, tile, body, label=label, **part)


def line_text(rnd: Random, family: Family) -> Program:
    """A program about the lines of one array of a family, which is in slow memory from the start or stored at first."""
    array = rnd.choice([array for array in family.arrays if array.axes])
    story = LineStory(rnd, family, array.name, rnd.choice(array.axes))
    made: tuple[Node, ...] = ()
    if not array.is_input:
        ready = (compute(array.name), Operation("store", array.name), Operation("delete", array.name))
        made = (*prepared(family, array), *ready)
    steps = [story.step() for _ in range(rnd.randint(2, 5))]
    return Program((Phase("", made), *(phase("", step) for step in steps)) if made else (phase("", steps),))
