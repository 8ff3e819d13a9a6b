"""The inner schedule of several devices: a one-device program whose sums go on from turn to turn.

A schedule of one device begins its sums and finishes its output. On one of several blocks of keys it has to load the
partial sums that the turns before have left, and to store them for those behind; only the last turn finishes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.program.language import delete, first, last, not_first, not_last, store, when
from pebble.program.nodes import Loop, Node, Operation, Program, When

if TYPE_CHECKING:
    from pebble.computations.family import Family

__all__ = ["InnerWork"]


@dataclass(frozen=True)
class InnerWork:
    """The loop nests of a one-device program for a block of queries and a block of keys.

    Parameters
    ----------
    program : Program
        Of attention forward.
    family : Family
        That of the program: its sums over keys are those that go on, what reads them is finished.

    Raises
    ------
    InvalidInput
        If the program yields its operations one by one.
    """

    program: Program
    family: Family

    def __post_init__(self) -> None:
        if any(part.generate is not None for part in self.program.phases):
            raise InvalidInput("a schedule that yields its operations one by one cannot be an inner one")

    @classmethod
    def of(cls, name: str, Nq: int, Nk: int, d: int, M: int) -> InnerWork:
        """Return a registered schedule for blocks of so many queries and keys, with its tiles for M words.

        Raises
        ------
        CacheTooSmall
            If it does not fit.
        """
        from pebble.computations.registry import family_of
        from pebble.program.schedule.registry import get

        schedule, problem = get(name), Problem(Nq, Nk, d, d)
        return cls(schedule.program(problem, schedule.tiles(problem, M)), family_of(problem))

    @property
    def sums(self) -> tuple[str, ...]:
        """The arrays that are summed up over the keys."""
        return tuple(array.name for array in self.family.arrays if array.chain == "j")

    @property
    def finished(self) -> tuple[str, ...]:
        """The arrays that are made of complete sums."""
        return tuple(
            array.name
            for array in self.family.arrays
            if array.chain is None and {read.array for read in array.reads} & set(self.sums)
        )

    @property
    def whole(self) -> tuple[Node, ...]:
        """The nests as they are: all keys at once."""
        return tuple(node for part in self.program.phases for node in part.body)

    @property
    def partial(self) -> tuple[Node, ...]:
        """The nests that leave partial sums, to be added to those of others."""
        return tuple(self._stored(self.whole, None))

    def over(self, label: str) -> tuple[Node, ...]:
        """Return the nests for turns over blocks of keys, in a loop of this label."""
        stored = tuple(self._stored(self.whole, label))
        return tuple(self._loaded(stored, label, ()))

    def _stored(self, nodes: tuple[Node, ...], label: str | None) -> Iterator[Node]:
        """Yield nodes with partial sums stored in place of what is finished: in all turns but the last, or always."""
        waiting: list[Operation] = []
        for node in nodes:
            if isinstance(node, Operation):
                waiting.append(node)
                continue
            yield from self._run(waiting, label)
            waiting = []
            body = tuple(self._stored(node.body, label))
            yield (
                Loop(node.axis, node.tile, body, node.start, node.stop, node.label)
                if isinstance(node, Loop)
                else When(node.condition, body)
            )
        yield from self._run(waiting, label)

    def _run(self, operations: list[Operation], label: str | None) -> Iterator[Node]:
        """Yield neighbouring operations: what the last turn does, and what the others do, where they differ."""
        partial = tuple(self._unfinished(operations))
        if partial == tuple(operations):
            yield from operations
        elif label is None:
            yield from partial
        else:
            yield when(last(label), *operations)
            yield when(not_last(label), *partial)

    def _unfinished(self, operations: list[Operation]) -> Iterator[Operation]:
        """Yield operations with the sums stored, and nothing made of them."""
        stored: set[str] = set()
        for node in operations:
            if node.array in self.finished:
                if node.action == "compute" and node.replacing:
                    yield from (*store(node.replacing), *delete(node.replacing))
                    stored.add(node.replacing)
                continue
            if node.action == "store":
                stored.add(node.array)
            if node.action == "delete" and node.array in self.sums and node.array not in stored:
                yield Operation("store", node.array, at=node.at)
            yield node

    def _loaded(self, nodes: tuple[Node, ...], label: str, around: tuple[Loop, ...]) -> Iterator[Node]:
        """Yield nodes with partial sums loaded where a block's sums begin, in all turns but the first."""
        for bare, group in itertools.groupby(nodes, key=lambda node: isinstance(node, Operation)):
            if bare:
                yield from self._after_loads(
                    [node for node in group if isinstance(node, Operation)], label, around
                )
                continue
            for node in group:
                if isinstance(node, Loop):
                    yield replace(node, body=tuple(self._loaded(node.body, label, (*around, node))))
                elif isinstance(node, When):
                    yield replace(node, body=tuple(self._loaded(node.body, label, around)))

    def _after_loads(
        self, operations: list[Operation], label: str, around: tuple[Loop, ...]
    ) -> Iterator[Node]:
        """Yield neighbouring operations, with the sums that they add to loaded before the first of these."""
        added = [node for node in operations if node.action == "compute" and node.array in self.sums]
        for node in operations:
            if added and node is added[0] and _begins(around):
                loads: tuple[Node, ...] = tuple(Operation("load", one.array, at=one.at) for one in added)
                for one in around:
                    if one.axis == "j":
                        loads = (when(first(one.label), loads),)
                yield when(not_first(label), loads)
            yield node


def _begins(around: tuple[Loop, ...]) -> bool:
    """Whether the loops over keys begin with the first key."""
    return all(one.start == 0 for one in around if one.axis == "j")
