"""An array of vertices: its axes, what it reads, and what it computes on numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Array"]


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
        last is what consumers read.
    operands : tuple of str
        Names of the arrays read by every vertex; none for an input.
    output : bool
        Whether the (last) vertices must be in slow memory at the end.
    function : callable, optional
        What a vertex computes on numbers, given the operands' values. A chain without a function adds the
        product of its operands.
    meaning : str
        A description in one line.
    """

    name: str
    axes: tuple[str, ...]
    chain: str | None = None
    operands: tuple[str, ...] = ()
    output: bool = False
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    meaning: str = ""

    @property
    def is_input(self) -> bool:
        """Whether the vertices are sources."""
        return not self.operands

    @property
    def indices(self) -> tuple[str, ...]:
        """All index names of a vertex, the chain's last."""
        return self.axes if self.chain is None else (*self.axes, self.chain)
