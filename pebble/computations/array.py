"""An array of vertices: its axes, what it reads, and what it computes on numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, cast

from pebble.common.errors import InvalidInput


class Operand(NamedTuple):
    """What one array reads of another.

    Attributes
    ----------
    array : str
        The array's name.
    step : {"last", "after", "before", "later"}
        Which element of its chain: the last one; the one at the reader's own index of the chain's axis; or the one
        before that (under a mask: at the allowed index before), of which there is none at the first index. Of an
        operand that is no chain, "later": the element at the reader's indices, but at the first step of the reader's
        chain nothing.
    """

    array: str
    step: Literal["last", "after", "before", "later"] = "last"

    @property
    def at_step(self) -> bool:
        """Whether it is read at a step of its chain."""
        return self.step in ("after", "before")

    def __str__(self) -> str:
        return self.array if self.step == "last" else f"{self.array}@{self.step}"


@dataclass(frozen=True)
class Array:
    """An array of vertices.

    Parameters
    ----------
    name : str
    axes : tuple of str
        Index axes: one word of memory per element.
    chain : str, optional
        Axis of the reduction. The array then has one vertex per element and step of the chain, and only the
        last is what consumers read that do not say otherwise.
    sum : str, optional
        In place of ``chain``: axis of a reduction whose terms may be added in any order. A word is then an element
        with the set of terms it has absorbed, and consumers read the full set. As a vertex of the explicit DAG, and
        on numbers, the array is the chain that adds in the order of the indices.
    operands : tuple of str
        Names of the arrays read by every vertex; none for an input. If the operand is a chain and its axis is one of
        the reader's indices, ``"m@after"`` reads the chain's element at that index, and ``"m@before"`` the one
        before it, if there is one. ``"G@later"`` is read at every step of the reader's own chain but the first.
    output : bool
        Whether the (last) vertices must be in slow memory at the end.
    function : callable, optional
        What a vertex computes on numbers, given the operands' values. A chain without a function adds the
        product of its operands.
    meaning : str
        A description in one line.
    step : callable, optional
        For a chain that does not add: what a vertex computes on numbers, given the result before it and the
        operands' values.
    initial : float
        For a chain: the result before its first step, on numbers.
    positions : tuple of str
        Axes of which ``function`` is given the indices too, before the operands' values.
    accumulated : bool
        Whether partial sums may be added in slow memory: a load that is written with ``resume`` costs nothing, as it
        begins a new partial sum in the room of the old, and the next store adds that.
    width : int
        Words that an element takes, and that a load or a store of it moves.
    backward : tuple of (str, str), optional
        An input and one of its axes: this array is not another one, but that input with the places along the axis
        from the last to the first. So a chain along the axis reads the input from its end.

    Examples
    --------
    >>> import numpy as np
    >>> m = Array("m", ("i",), chain="j", operands=("S",), step=np.maximum, initial=-np.inf)
    >>> Array("P", ("i", "j"), operands=("S", "m@after")).reads
    (Operand(array='S', step='last'), Operand(array='m', step='after'))
    """

    name: str
    axes: tuple[str, ...]
    chain: str | None = None
    operands: tuple[str, ...] = ()
    output: bool = False
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    meaning: str = ""
    step: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    initial: float = field(default=0.0, compare=False, repr=False)
    positions: tuple[str, ...] = field(default=(), compare=False, repr=False)
    sum: str | None = None
    accumulated: bool = False
    width: int = 1
    backward: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        if self.sum is None:
            return
        if self.chain not in (None, self.sum):
            raise InvalidInput(
                f"array {self.name}: give a chain or a sum, not chain={self.chain!r} and sum={self.sum!r}"
            )
        if self.step is not None:
            raise InvalidInput(f"array {self.name}: a chain that defines its own step is not a sum")
        object.__setattr__(self, "chain", self.sum)

    def cost(self, action: str, resumes: bool = False) -> int:
        """Return what an operation on one element counts: words moved, or 1 for a computation."""
        if resumes and self.accumulated:
            return 0
        return 1 if action == "compute" else self.width

    @cached_property
    def reads(self) -> tuple[Operand, ...]:
        """The operands, and at which step of its chain each is read."""
        return tuple(map(_operand, self.operands))

    @property
    def is_input(self) -> bool:
        """Whether the vertices are sources: given in slow memory."""
        return not self.operands

    @property
    def indices(self) -> tuple[str, ...]:
        """All index names of a vertex, the chain's last."""
        return self.axes if self.chain is None else (*self.axes, self.chain)


def _operand(text: str) -> Operand:
    """Return what an operand's text says; Family checks the step."""
    name, _, step = text.partition("@")
    return Operand(name, cast(Literal["last", "after", "before", "later"], step or "last"))
