"""Programs that put one chain through all it can go through: parked, resumed, computed again, left alone."""

from __future__ import annotations

from random import Random

from tests.program.names import (
    Array,
    Condition,
    Family,
    Node,
    Nodes,
    Operation,
    Phase,
    Program,
    compute,
    delete,
    load,
    loop,
    phase,
    store,
    when,
)

__all__ = ["chain_text", "names_read", "prepared"]


def prepared(family: Family, array: Array) -> tuple[Node, ...]:
    """Put all that an array reads into fast memory."""
    needed = names_read(array)
    for other in reversed(family.arrays):
        if other.name in needed:
            needed |= names_read(other)
    made = [other for other in family.arrays if other.name in needed]
    work: list[Nodes] = [load(o.name) if o.is_input else compute(o.name) for o in made]
    return phase("", work).body


def names_read(array: Array) -> set[str]:
    """The arrays that an array reads, at whatever step."""
    return {operand.array for operand in array.reads}


class Story:
    """What happens to a chain, step by step, and how far it has got in both memories; 0 is nowhere."""

    def __init__(self, rnd: Random, family: Family, array: Array) -> None:
        assert array.chain is not None
        self.rnd, self.family, self.name, self.axis = rnd, family, array.name, array.chain
        self.others = [axis for axis in family.extents if axis != array.chain]
        self.end = family.extents[array.chain]
        self.fast = self.slow = 0

    def step(self) -> Nodes:
        """One thing that may be done now, mostly."""
        rnd = self.rnd
        able = [self.idle]
        if self.fast < self.end:
            able += [self.advance] * 3
        if self.fast:
            able += [self.drop, self.park]
        elif self.slow:
            able += [self.resume] * 3
        nodes = rnd.choice(able)()
        if rnd.random() < 0.15:
            axis = rnd.choice(self.others or [self.axis])
            return loop(axis, rnd.choice([1, 2, self.family.extents[axis]]), nodes, label="outer")
        return nodes

    def drop(self) -> Nodes:
        self.fast = 0
        return delete(self.name)

    def park(self) -> Nodes:
        self.slow = max(self.slow, self.fast)
        return store(self.name)

    def resume(self) -> Nodes:
        self.fast = self.slow
        return load(self.name)

    def advance(self) -> Nodes:
        """Further from where it is, at once or tile by tile; tile by tile it may be parked or stored as well."""
        rnd, start = self.rnd, self.fast
        self.fast = rnd.choice([self.end, rnd.randint(start + 1, self.end)])
        draw = rnd.random()
        if draw < 0.25:
            return Operation("compute", self.name, at=((self.axis, start, self.fast),))
        body: list[Nodes] = [compute(self.name)]
        if draw < 0.6:
            when_stored = self.condition()
            body.append(when(when_stored, store(self.name)) if rnd.random() < 0.6 else store(self.name))
            self.slow = max(self.slow, self.fast)
            if rnd.random() < 0.5:
                away = Condition("chain", "last", negated=True)
                body += [when(away, store(self.name), delete(self.name))]
                body.insert(0, when(Condition("chain", "first", negated=True), load(self.name)))
        return self.around(body, start, self.fast)

    def idle(self) -> Nodes:
        """A loop over the chain's axis, or a part of it, that does not advance it."""
        rnd = self.rnd
        start = rnd.choice([0, 0, rnd.randrange(self.end)])
        stop = rnd.choice([self.end, self.end, rnd.randint(start, self.end)])
        if self.fast:
            body: list[Nodes] = [store(self.name)]
            if start < stop:
                self.slow = max(self.slow, self.fast)
                body += rnd.choice([[], [delete(self.name), load(self.name)]])
        elif self.slow:
            body = [load(self.name), delete(self.name)]
        else:
            body = [Operation("compute", self.name), delete(self.name)] if rnd.random() < 0.5 else []
            start, stop = 0, rnd.choice([0, 1])
        if rnd.random() < 0.4 and body:
            condition = self.condition()
            return self.around([when(condition, one) for one in body], start, stop)
        return self.around(list(body), start, stop)

    def condition(self) -> Condition:
        return Condition("chain", self.rnd.choice(["first", "last"]), self.rnd.random() < 0.6)

    def around(self, body: list[Nodes], start: int, stop: int) -> Nodes:
        tile = self.rnd.choice([1, 1, 1, 2, 3])
        return loop(self.axis, tile, body, start=start, stop=stop, label="chain")


def chain_text(rnd: Random, family: Family) -> Program:
    """A program about one chain of a family; its operands are there all the time."""
    array = rnd.choice([array for array in family.arrays if array.chain is not None])
    story = Story(rnd, family, array)
    steps = [story.step() for _ in range(rnd.randint(2, 6))]
    if rnd.random() < 0.5:
        return Program((Phase("", phase("", prepared(family, array), steps).body),))
    return Program((Phase("", prepared(family, array)), *(phase("", step) for step in steps)))
