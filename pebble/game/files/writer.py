r"""Pebbling files: a header and one move a line, written, read and checked as streams.

A file looks like this; lines end with ``\n`` (``\r\n`` is read too) and the text is UTF-8::

    # pebbling 1
    # dag attention-forward Nq=2 Nk=2 d=2 dv=2
    # M 12
    load Q[0,0]
    compute S[0,0,0]
    store O[0,0]
    delete Q[0,0]

The first line says what the file is. The header goes up to the first line that does not begin with ``#``,
once ``dag`` and ``M`` have been seen; a line ``# rules recomputation=no sliding=yes`` names the rules that
differ from the ordinary ones. After the header, blank lines and lines beginning with ``#`` mean nothing. A
slide is written ``slide S[0,0,1] from S[0,0,0]``: the first vertex is computed into the word of the second.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from pebble.common.errors import IllegalMove, InvalidInput
from pebble.common.files import atomic_writer
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader, parse_move
from pebble.game.moves import Columns, Moves, Op, as_chunks
from pebble.game.referee import Refusal, Status
from pebble.game.replay import Replay
from pebble.graph.dag import Dag
from pebble.graph.names import REMEMBERED, VertexNames, Vertices

__all__ = [
    "CheckResult",
    "Header",
    "PebblingReader",
    "check_pebbling",
    "parse_move",
    "read_pebbling",
    "write_pebbling",
    "write_pebbling_file",
]

_WORD = [f"{op.word} " for op in Op]


# -- writing


def write_pebbling(stream: IO[str], header: Header, dag: Vertices, moves: Columns | Iterable[Columns]) -> int:
    """Write a pebbling to a text stream, chunk by chunk, and return the number of moves.

    The moves are not judged; only vertices and operations that do not exist are refused.

    Raises
    ------
    InvalidInput
        If a move has no notation.
    """
    stream.write(str(header))
    names = _NameOf(dag.names)
    written = 0
    for chunk in as_chunks(moves):
        for first in range(0, len(chunk), _CHUNK):
            part = chunk.part(first, first + _CHUNK)
            _check_writable(part, dag, written)
            stream.write(_text(part, names))
            written += len(part)
            names.forget()
    return written


def write_pebbling_file(
    path: str | os.PathLike[str], header: Header, dag: Vertices, moves: Columns | Iterable[Columns]
) -> int:
    """Write a pebbling file that appears whole or not at all, and return the number of moves.

    Raises
    ------
    InvalidInput
        If the file cannot be written there, or a move has no notation.
    """
    with atomic_writer(path) as stream:
        return write_pebbling(stream, header, dag, moves)


_CHUNK = 1 << 16


class _NameOf(dict[int, str]):
    """Names by number, asked for once."""

    def __init__(self, names: VertexNames) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, vertex: int) -> str:
        name = self._names[vertex]
        self[vertex] = name
        return name

    def forget(self) -> None:
        """Keep memory bounded."""
        if len(self) > REMEMBERED:
            self.clear()


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


def _text(moves: Moves, names: _NameOf) -> str:
    rows = zip(moves.op.tolist(), moves.vertex.tolist(), strict=True)
    lines = [_WORD[op] + names[v] for op, v in rows]
    if moves.source is not None:
        for at in np.flatnonzero(moves.op == Op.SLIDE).tolist():
            lines[at] += f" from {names[int(moves.source[at])]}"
    lines.append("")
    return "\n".join(lines)


# -- reading


def read_pebbling(stream: IO[Any], resolve: Callable[[Header], Dag]) -> tuple[Header, Dag, Iterator[Moves]]:
    """Read a pebbling from a stream: the header at once, its DAG, the moves as they are asked for.

    Parameters
    ----------
    stream : text or binary stream
        Read once from where it stands.
    resolve : callable
        Finds the DAG that a header speaks of.

    Raises
    ------
    InvalidInput
        If the header is malformed or the DAG is not found; later, from the iterator, if a line is no move.
        The message begins with the line number.
    """
    reader = PebblingReader(stream)
    dag = _resolve(reader, resolve)
    return reader.header, dag, reader.moves(dag)


def _resolve(reader: PebblingReader, resolve: Callable[[Header], Dag]) -> Dag:
    """Find the DAG of a header; what is wrong with it is reported with the line that names it."""
    try:
        return resolve(reader.header)
    except InvalidInput as error:
        raise InvalidInput(f"line {reader.dag_line}: {error}") from error


# -- checking


@dataclass(frozen=True)
class CheckResult:
    """What a check of a pebbling file found.

    Parameters
    ----------
    header : Header
        What the file says about itself.
    status : Status
        Counts of the moves before the first illegal one, or of all.
    line : int or None
        Line number of the first illegal move, from 1.
    refusal : Refusal or None
        Which move it is, which rule it breaks, why, and what would help.
    """

    header: Header
    status: Status
    line: int | None = None
    refusal: Refusal | None = None

    @property
    def legal(self) -> bool:
        """Whether every move is legal."""
        return self.refusal is None

    @property
    def complete(self) -> bool:
        """Whether every move is legal and at the end every output is blue."""
        return self.legal and self.status.complete

    @property
    def M(self) -> int:
        """Words of fast memory."""
        return self.status.M

    @property
    def moves(self) -> int:
        """Legal moves made."""
        return self.status.moves

    @property
    def reads(self) -> int:
        """Loads."""
        return self.status.reads

    @property
    def writes(self) -> int:
        """Stores."""
        return self.status.writes

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.status.io

    @property
    def computes(self) -> int:
        """Computations, slides included."""
        return self.status.computes

    @property
    def deletes(self) -> int:
        """Deletions."""
        return self.status.deletes

    @property
    def redundant(self) -> int:
        """Moves that placed no pebble."""
        return self.status.redundant

    @property
    def peak(self) -> int:
        """The largest number of red pebbles at any time."""
        return self.status.peak

    @property
    def missing(self) -> list[str]:
        """Names of the outputs that are not blue."""
        return self.status.missing_names()

    def __str__(self) -> str:
        if self.refusal is not None:
            return f"illegal at line {self.line}: {self.refusal.message}"
        return f"legal, {self.status}"


def check_pebbling(source: str | os.PathLike[str] | IO[Any], resolve: Callable[[Header], Dag]) -> CheckResult:
    r"""Check a pebbling file, move by move, in constant memory.

    Parameters
    ----------
    source : path or stream
        The file; read once.
    resolve : callable
        Finds the DAG that a header speaks of; it raises InvalidInput if it cannot.

    Raises
    ------
    InvalidInput
        If the file cannot be read or is no pebbling file: the message has the line number. An illegal move is
        no error here, it is in the result; if it comes before a malformed line, it is what is reported.

    Examples
    --------
    >>> import io
    >>> text = "# pebbling 1\n# dag sum\n# M 2\nload a\nload b\ncompute s\nstore s\n"
    >>> print(check_pebbling(io.StringIO(text), lambda header: Dag.from_edges([("a", "s"), ("b", "s")])))
    illegal at line 6: move 2, compute s: fast memory holds 2 of 2 words; delete one first
    """
    if not isinstance(source, (str, os.PathLike)):
        return _check_stream(source, resolve)
    try:
        with open(source, "rb") as stream:
            return _check_stream(stream, resolve)
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror}") from error
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from error


def _check_stream(stream: IO[Any], resolve: Callable[[Header], Dag]) -> CheckResult:
    reader = PebblingReader(stream)
    header = reader.header
    replay = Replay(_resolve(reader, resolve), header.M, header.rules)
    try:
        for chunk in reader.moves(replay.dag):
            replay.play(chunk)
    except IllegalMove as error:
        if replay.refusal is not None:
            return CheckResult(header, replay.result(), reader.line_of(error.move_number), replay.refusal)
        problem = reader.problem
        if problem is not None:
            return CheckResult(header, replay.result(), problem.line, problem.refusal)
        raise
    return CheckResult(header, replay.result())
