"""Writing a pebbling file as a stream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import IO

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.common.files import atomic_writer
from pebble.game.files.array_rows import ArrayRows
from pebble.game.files.header import Header
from pebble.game.moves import Columns, Moves, Op, as_chunks
from pebble.graph.names import Vertices

_WORD = [f"{op.word} " for op in Op]
_CHUNK = 1 << 16


def write_pebbling(
    target: str | os.PathLike[str] | IO[str],
    header: Header,
    dag: Vertices,
    moves: Columns | Iterable[Columns],
) -> int:
    """Write a pebbling chunk by chunk, to a text stream or to a path, which appears whole or not at all.

    The moves are not judged; only vertices and operations that do not exist are refused.

    Returns
    -------
    int
        The number of moves.
    """
    rows, name, written = ArrayRows.of(dag.names), lru_cache(1 << 18)(dag.names.__getitem__), 0

    def names(vertices: NDArray[np.int64]) -> list[str]:
        return [name(v) for v in vertices.tolist()] if rows is None else rows.names(vertices)

    with _opened(target, header) as stream:
        for chunk in as_chunks(moves):
            for first in range(0, len(chunk), _CHUNK):
                part = chunk.part(first, first + _CHUNK)
                _check_writable(part, dag, written)
                stream.write(_text(part, names))
                written += len(part)
    return written


def write_lines(target: str | os.PathLike[str] | IO[str], header: Header, lines: Iterable[str]) -> int:
    """Write a pebbling whose moves are lines already, as :func:`write_pebbling` does."""
    written = 0
    with _opened(target, header) as stream:
        for line in lines:
            stream.write(f"{line}\n")
            written += 1
    return written


@contextmanager
def _opened(target: str | os.PathLike[str] | IO[str], header: Header) -> Iterator[IO[str]]:
    opened = atomic_writer(target) if isinstance(target, str | os.PathLike) else nullcontext(target)
    with opened as stream:
        stream.write(str(header))
        yield stream


def _check_writable(moves: Moves, dag: Vertices, written: int) -> None:
    op, vertex = moves.op, moves.vertex
    wrong = (op < 0) | (op > Op.SLIDE) | (vertex < 0) | (vertex >= dag.n_vertices)
    slides = op == Op.SLIDE
    if slides.any():
        source = np.full(len(moves), -1) if moves.source is None else moves.source
        wrong |= slides & ((source < 0) | (source >= dag.n_vertices))
    if wrong.any():
        at = int(wrong.argmax())
        raise InvalidInput(f"move {written + at} cannot be written: {moves[at]!r} names no move on {dag!r}")


def _text(moves: Moves, names: Callable[[NDArray[np.int64]], list[str]]) -> str:
    rows = zip(moves.op.tolist(), names(moves.vertex), strict=True)
    lines = [_WORD[op] + name for op, name in rows]
    if moves.source is not None:
        slides = np.flatnonzero(moves.op == Op.SLIDE)
        for at, source in zip(slides.tolist(), names(moves.source[slides]), strict=True):
            lines[at] += f" from {source}"
    lines.append("")
    return "\n".join(lines)
