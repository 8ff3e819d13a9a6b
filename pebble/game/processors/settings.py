"""What a game of several devices is played with: the devices, who owns what, the memories, the free sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.layouts import LAYOUTS, equal_tiles, tile_owner
from pebble.common.units import fast_memory_words
from pebble.game.processors.words import array_of, indices_of
from pebble.graph.any_dag import AnyDag

Layout: TypeAlias = "str | tuple[int, ...]"
"""A name of :data:`~pebble.common.layouts.LAYOUTS`, or the device of each token."""


def token_owners(layout: Layout, tokens: int, devices: int) -> tuple[int, ...]:
    """Return the device of each token.

    ``contiguous``: device p has the p-th of P chunks of consecutive tokens. ``zigzag``: of 2P chunks device p has
    p and 2P - 1 - p. ``striped``: token t is on device t mod P. If the chunks cannot be equal, the first ones have a
    token more.

    Examples
    --------
    >>> [token_owners(layout, 8, 2) for layout in ("contiguous", "zigzag", "striped")]
    [(0, 0, 0, 0, 1, 1, 1, 1), (0, 0, 1, 1, 1, 1, 0, 0), (0, 1, 0, 1, 0, 1, 0, 1)]
    """
    if isinstance(layout, str):
        if layout == "striped":
            return tuple(t % devices for t in range(tokens))
        owner = tile_owner(layout, devices)
        return tuple(np.repeat(owner, equal_tiles(tokens, len(owner))).tolist())
    if len(layout) != tokens:
        raise InvalidInput(f"the layout lists devices for {len(layout)} tokens, but there are {tokens}")
    if not all(0 <= p < devices for p in layout):
        raise InvalidInput(f"the layout names a device outside 0..{devices - 1}")
    return tuple(layout)


def owners(dag: AnyDag, layout: Layout, devices: int) -> dict[int, int]:
    """Return the owner of each input and each output of a DAG.

    The first index of a name is its token: ``Q[5,0]`` belongs to the device of token 5. Each array has as many tokens
    as its indices say. On one device everything is its own, whatever the names.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> dag = Dag.from_edges([("A[0]", "C[0]"), ("A[1]", "C[1]")])
    >>> {dag.name(v): p for v, p in owners(dag, "contiguous", 2).items()}
    {'A[0]': 0, 'C[0]': 0, 'A[1]': 1, 'C[1]': 1}
    """
    vertices = sorted({*dag.inputs.tolist(), *dag.outputs.tolist()})
    if devices == 1:
        return dict.fromkeys(vertices, 0)
    names = [dag.name(v) for v in vertices]
    tokens = _tokens(dag, names)
    device_of = {array: token_owners(layout, count, devices) for array, count in tokens.items()}
    return {
        v: device_of[array_of(name)][indices_of(name)[0]] for v, name in zip(vertices, names, strict=True)
    }


def _tokens(dag: AnyDag, names: Sequence[str]) -> dict[str, int]:
    """Return how many tokens each array has: its first extent if it is known, else the greatest index and one."""
    tokens: dict[str, int] = {}
    for name in names:
        indices = indices_of(name)
        if not indices:
            raise InvalidInput(
                f"{name} has no index, so the layout cannot assign it to a device; play it on one device"
            )
        tokens[array_of(name)] = max(tokens.get(array_of(name), 0), indices[0] + 1)
    for array in getattr(dag.names, "arrays", ()):
        if array.name in tokens:
            tokens[array.name] = array.shape[0]
    return tokens


MOST_DEVICES = 4096


@dataclass(frozen=True)
class Processors:
    """The devices of a game: how many, what each can hold, who owns what, and which sums are free.

    Parameters
    ----------
    devices : int
    layout : str or tuple of int
        ``contiguous``, ``zigzag``, ``striped``, or the device of each token.
    memory : int, optional
        Words of each device's memory, H; unlimited by default.
    fast : int, optional
        Words of each device's fast memory, M. None: only communication is played, and a device computes in its memory.
    sums : tuple of str
        The arrays whose terms are added in any order; a chain in its order by default.
    strict : bool
        Refuse moves that change nothing, and words left over at the end.

    Examples
    --------
    >>> print(Processors(4, "zigzag", memory=100, sums=("l", "U")), end="")
    # devices 4
    # layout zigzag
    # H 100
    # sums l U
    """

    devices: int
    layout: Layout = "contiguous"
    memory: int | None = None
    fast: int | None = None
    sums: tuple[str, ...] = ()
    strict: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.devices <= MOST_DEVICES:
            raise InvalidInput(f"the number of devices must be 1 to {MOST_DEVICES}, not {self.devices}")
        if isinstance(self.layout, str) and self.layout not in LAYOUTS:
            known = ", ".join(LAYOUTS)
            raise InvalidInput(f"unknown layout {self.layout!r}; known: {known}, or the device of each token")
        for words in (self.memory, self.fast):
            if words is not None:
                fast_memory_words(words)

    def __str__(self) -> str:
        layout = self.layout if isinstance(self.layout, str) else " ".join(map(str, self.layout))
        lines = [f"# devices {self.devices}{' strict' if self.strict else ''}", f"# layout {layout}"]
        lines += [] if self.memory is None else [f"# H {self.memory}"]
        lines += [] if self.fast is None else [f"# M {self.fast}"]
        lines += [f"# sums {' '.join(self.sums)}"] if self.sums else []
        return "".join(f"{line}\n" for line in lines)
