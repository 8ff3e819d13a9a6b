"""Writing a pebbling file as a stream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import IO

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.files import atomic_writer
from pebble.game.files.array_text import ArrayText
from pebble.game.files.header import Header
from pebble.game.moves import Columns, Moves, Op, as_chunks
from pebble.graph.names import Vertices

__all__ = ["write_lines", "write_pebbling"]

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
    name, array_text = lru_cache(1 << 18)(dag.names.__getitem__), ArrayText.of(dag.names)
    written = 0
    with _opened(target, header) as stream:
        for chunk in as_chunks(moves):
            for first in range(0, len(chunk), _CHUNK):
                part = chunk.part(first, first + _CHUNK)
                _check_writable(part, dag, written)
                slides = part.source is not None and bool((part.op == Op.SLIDE).any())
                stream.write(_text(part, name) if array_text is None or slides else array_text.lines(part))
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


def _text(moves: Moves, name: Callable[[int], str]) -> str:
    rows = zip(moves.op.tolist(), moves.vertex.tolist(), strict=True)
    lines = [_WORD[op] + name(v) for op, v in rows]
    if moves.source is not None:
        for at in np.flatnonzero(moves.op == Op.SLIDE).tolist():
            lines[at] += f" from {name(int(moves.source[at]))}"
    lines.append("")
    return "\n".join(lines)
