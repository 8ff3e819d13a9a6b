"""Moves of the elementary game: one at a time, or as columns of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pebble.common.errors import InvalidInput


class Op(IntEnum):
    """What a move does; the numbers are the codes of the ``op`` column of :class:`Moves`.

    >>> Op.LOAD, Op.STORE, Op.COMPUTE, Op.DELETE, Op.SLIDE
    (<Op.LOAD: 0>, <Op.STORE: 1>, <Op.COMPUTE: 2>, <Op.DELETE: 3>, <Op.SLIDE: 4>)
    """

    LOAD = 0
    STORE = 1
    COMPUTE = 2
    DELETE = 3
    SLIDE = 4

    @property
    def word(self) -> str:
        """The word a pebbling file writes: ``load``, ``store``, ..."""
        return self.name.lower()


class Move(NamedTuple):
    """One move on one vertex.

    Parameters
    ----------
    op : Op
        What is done.
    vertex : int
        The number of the vertex it is done to: for a slide, the one that is computed.
    source : int
        For a slide, the predecessor whose red pebble moves to ``vertex``; -1 for every other move.

    Examples
    --------
    >>> Move(Op.SLIDE, 5, 3)
    Move(Op.SLIDE, 5, 3)
    """

    op: Op
    vertex: int
    source: int = -1

    def __repr__(self) -> str:
        op = f"Op.{self.op.name}" if isinstance(self.op, Op) else repr(self.op)
        return f"Move({op}, {self.vertex}{f', {self.source}' if self.source != -1 else ''})"


def vertex_number(value: Any) -> int:
    """Return a vertex given as a number; whether it exists is not looked at here."""
    index: Callable[[], int] | None = getattr(value, "__index__", None)
    if index is None or isinstance(value, bool):
        raise InvalidInput(f"a vertex is a number or a name, not {value!r}")
    return index()


def as_move(move: tuple[Any, ...]) -> Move:
    """Normalise a move given as a bare tuple; an unknown code is left to the referee."""
    if not isinstance(move, tuple) or len(move) not in (2, 3):
        raise InvalidInput(f"a move is a Move or a tuple (op, vertex[, source]), not {move!r}")
    code, *vertices = (vertex_number(number) for number in move)
    op = Op(code) if Op.LOAD <= code <= Op.SLIDE else code
    return Move(op, vertices[0], vertices[1] if op == Op.SLIDE and len(vertices) == 2 else -1)  # type: ignore[arg-type]


Columns: TypeAlias = "Moves | tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike | None]"
"""A chunk of moves: :class:`Moves`, or a bare tuple (op, vertex) or (op, vertex, source)."""


class Moves:
    """A run of moves as columns; an unknown code or vertex is an illegal move, and is reported in its place.

    Parameters
    ----------
    op : array of int8, shape (n,)
        Codes of :class:`Op`.
    vertex : array of int64, shape (n,)
        Numbers of the vertices.
    source : array of int64, shape (n,), optional
        For slides, the predecessor given up; anything elsewhere. None if no move is a slide.

    Examples
    --------
    >>> moves = Moves([0, 3], [7, 7])
    >>> list(moves)
    [Move(Op.LOAD, 7), Move(Op.DELETE, 7)]
    >>> len(moves), moves[-1]
    (2, Move(Op.DELETE, 7))
    """

    __slots__ = ("op", "source", "vertex")

    def __init__(self, op: ArrayLike, vertex: ArrayLike, source: ArrayLike | None = None) -> None:
        self.op: NDArray[np.int8] = _op_column(op)
        self.vertex: NDArray[np.int64] = _column(vertex, "vertex")
        self.source: NDArray[np.int64] | None = None if source is None else _column(source, "source")
        lengths = {len(column) for column in (self.op, self.vertex, self.source) if column is not None}
        if len(lengths) != 1:
            raise InvalidInput(f"the columns of a run of moves must be equally long, not {sorted(lengths)}")

    @classmethod
    def of(cls, moves: Iterable[tuple[int, int] | tuple[int, int, int]]) -> Moves:
        """Gather single moves, or bare tuples (op, vertex[, source]), into columns.

        >>> Moves.of([Move(Op.LOAD, 0), (Op.COMPUTE, 2), (Op.SLIDE, 3, 2)])
        Moves(op=[0, 2, 4], vertex=[0, 2, 3], source=[-1, -1, 2])
        """
        rows = [Move(*move) for move in moves]
        op = np.array([move.op for move in rows], dtype=np.int64)
        vertex = np.array([move.vertex for move in rows], dtype=np.int64)
        source = np.array([move.source for move in rows], dtype=np.int64)
        return cls(op, vertex, source if np.any(source != -1) or Op.SLIDE in op else None)

    def __len__(self) -> int:
        return len(self.op)

    def __getitem__(self, index: int) -> Move:
        code = int(self.op[index])
        source = -1 if self.source is None or code != Op.SLIDE else int(self.source[index])
        return Move(Op(code) if code in _CODES else code, int(self.vertex[index]), source)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Move]:
        return (self[index] for index in range(len(self)))

    def part(self, first: int, stop: int) -> Moves:
        """Return moves ``first`` to ``stop - 1``, sharing memory."""
        source = None if self.source is None else self.source[first:stop]
        return Moves(self.op[first:stop], self.vertex[first:stop], source)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moves):
            return NotImplemented
        return len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if len(self) > 10:
            return f"<{len(self)} moves>"
        source = "" if self.source is None else f", source={self.source.tolist()}"
        return f"Moves(op={self.op.tolist()}, vertex={self.vertex.tolist()}{source})"


_CODES = frozenset(int(op) for op in Op)


def as_chunks(moves: Columns | Iterable[Columns]) -> Iterator[Moves]:
    """Yield runs of moves from one chunk or from an iterable of chunks.

    A list is an iterable of chunks; a tuple whose first element is an array or a list is one chunk.

    >>> [len(chunk) for chunk in as_chunks([([0], [1]), Moves([0, 3], [1, 1])])]
    [1, 2]
    """
    if isinstance(moves, Moves):
        yield moves
    elif isinstance(moves, tuple) and moves and isinstance(moves[0], (np.ndarray, list)):
        yield _one_chunk(moves)
    else:
        for chunk in moves:
            yield chunk if isinstance(chunk, Moves) else _one_chunk(chunk)


def _one_chunk(chunk: Any) -> Moves:
    if not isinstance(chunk, (tuple, list)) or len(chunk) not in (2, 3):
        raise InvalidInput("a chunk of moves must be a Moves or a tuple of columns (op, vertex[, source])")
    return Moves(*chunk)


def _column(values: ArrayLike, what: str) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInput(
            f"column {what} must be whole numbers in one dimension, not {array.dtype}{array.shape}"
        )
    return array.astype(np.int64, copy=False)


def _op_column(values: ArrayLike) -> NDArray[np.int8]:
    """Codes as int8; a code that does not fit becomes -1, which is no code either."""
    array = np.asarray(values)
    if array.dtype == np.int8 and array.ndim == 1:
        return array
    wide = _column(values, "op")
    return np.where((wide < 0) | (wide > 127), -1, wide).astype(np.int8)
