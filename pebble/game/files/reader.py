"""Reading the moves of a pebbling file as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import IO, Any, TypeVar

import numpy as np

from pebble.common.clock import tell
from pebble.common.errors import IllegalMove, InvalidInput
from pebble.common.text_lines import Lines, foreign_blank, shown
from pebble.game.files.array_rows import ArrayRows
from pebble.game.files.header import Header, read_header
from pebble.game.moves import Move, Moves, Op
from pebble.game.referee import Refusal, unknown_name
from pebble.graph.any_dag import AnyDag

PIECE = 1 << 18
"""Letters to be read at a time: few enough for a processor's cache."""
_OP = {op.word: int(op) for op in Op}
_Vertices = Callable[[Iterable[str]], Iterable[int]]
_Resolved = TypeVar("_Resolved", bound=AnyDag)


class PebblingReader:
    r"""A pebbling file that is being read: the header at once, the moves as they are asked for.

    Parameters
    ----------
    stream : text or binary stream
        Read once from where it stands; need not be seekable. Binary is better: only then can the place of a
        byte that is no UTF-8 be told, and a carriage return alone is seen.

    Examples
    --------
    >>> import io
    >>> from pebble.graph.dag import Dag
    >>> reader = PebblingReader(io.StringIO("# pebbling 1\n# dag sum\n# M 3\nload a\ncompute s\n"))
    >>> reader.header
    Header(dag_name='sum', parameters={}, M=3, rules=Rules(recomputation=True, sliding=False))
    >>> list(reader.moves(Dag.from_edges([("a", "s")])))
    [Moves(op=[0, 2], vertex=[0, 1])]
    """

    def __init__(self, stream: IO[Any]) -> None:
        self._lines = Lines(stream)
        self.header, self.dag_line = read_header(self._lines)
        self.problem: MoveProblem | None = None
        self._numbers: Sequence[int] = ()
        self._first_move = 0
        self._next_line = 0

    def line_of(self, move_number: int) -> int:
        """Return the line number of a move of the chunk that was handed out last."""
        return self._numbers[move_number - self._first_move]

    def moves(self, dag: AnyDag) -> Iterator[Moves]:
        """Yield the moves in chunks; all of them before a bad line are handed out before the error.

        Raises
        ------
        IllegalMove
            If a move names a vertex that the DAG does not have: rule ``"unknown-vertex"``.
        """
        if self.header.levels:
            raise InvalidInput("this is a pebbling with several memory levels; use pebble check to play it")
        vertices_of, done = _vertices(dag), 0
        for text in self._pieces():
            texts, first = text.split("\n")[:-1], self._next_line
            self._next_line += len(texts)
            chunk, self._numbers, problem = _parse(texts, first, vertices_of, dag, done)
            self._first_move = done
            done += len(chunk)
            if len(chunk):
                yield chunk
            if problem is not None:
                self.problem = problem
                raise self._explained(problem)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines after the header that say something, with their numbers."""
        for text in self._pieces():
            for line in text.split("\n")[:-1]:
                if _says_something(line):
                    yield self._next_line, line
                self._next_line += 1

    def _pieces(self) -> Iterator[str]:
        """Yield the lines in pieces that a processor's cache holds."""
        for first, text in self._lines.blocks():
            self._next_line, begin = first, 0
            while begin < len(text):
                tell(f"line {self._next_line:,}")
                end = max(text.rfind("\n", begin, begin + PIECE), text.find("\n", begin)) + 1
                yield text[begin:end]
                begin = end

    def _explained(self, problem: MoveProblem) -> InvalidInput | IllegalMove:
        cut = " (the file ends in the middle of this line)" if self._lines.cut_short(problem.line) else ""
        if problem.refusal is None:
            return InvalidInput(f"line {problem.line}: {problem.text}{cut}")
        message = f"line {problem.line}: {problem.refusal.message}{cut}"
        return IllegalMove(message, problem.refusal.move_number, problem.refusal.rule)


def resolved_dag(reader: PebblingReader, resolve: Callable[[Header], _Resolved]) -> _Resolved:
    """Find the DAG of a header; what is wrong with it is reported with the line that names it."""
    try:
        return resolve(reader.header)
    except InvalidInput as error:
        raise InvalidInput(f"line {reader.dag_line}: {error}") from error


def parse_move(text: str, dag: AnyDag) -> Move:
    """Read one move: ``load Q[0,3]``, ``slide S[0,0,1] from S[0,0,0]``.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> parse_move("compute s", Dag.from_edges([("a", "s")]))
    Move(Op.COMPUTE, 1)
    """
    words, foreign = text.split(), foreign_blank(text)
    problem = f"{foreign} in {shown(text)}; separate words by blanks" if foreign else _grammar(words, text)
    if problem:
        raise InvalidInput(problem)
    return Move(Op(_OP[words[0]]), *(dag.vertex(name) for name in words[1::2]))


@dataclass(frozen=True)
class MoveProblem:
    """A line that is no move: its number, what is wrong, and the refusal if a vertex is unknown."""

    line: int
    text: str
    refusal: Refusal | None = None


def _vertices(dag: AnyDag) -> _Vertices:
    """Return what finds the vertices of names; KeyError or ValueError if one has none."""
    rows = ArrayRows.of(dag.names)
    return partial(map, lru_cache(1 << 18)(dag.names.index)) if rows is None else rows.vertices


def _parse(
    texts: list[str], first: int, vertices_of: _Vertices, dag: AnyDag, done: int
) -> tuple[Moves, Sequence[int], MoveProblem | None]:
    """Turn lines into columns, with the line numbers of the moves.

    At the first line that is no move, return what came before and the problem.
    """
    moves = _parse_plain(texts, vertices_of)
    if moves is not None:
        return moves, range(first, first + len(texts)), None
    numbers = [first + at for at, text in enumerate(texts) if _says_something(text)]
    texts = [" ".join(texts[number - first].split()) for number in numbers]
    moves, problem = _parse_plain(texts, vertices_of), None
    if moves is None:
        moves, problem = _parse_slowly(texts, numbers, vertices_of, dag, done)
    return moves, numbers, problem


def _says_something(text: str) -> bool:
    """Tell whether a line is more than a comment or blanks."""
    return bool(text.strip()) and text[:1] != "#"


def _parse_plain(texts: list[str], vertices_of: _Vertices) -> Moves | None:
    """Read lines that are all an operation, one space, and a known vertex; None if any is not.

    Splitting all the text at once is several times as fast as line by line; putting the words together again
    shows whether each pair of them was a line.
    """
    text = "\n".join(texts)
    words = text.split()
    if "\n".join(map(" ".join, zip(words[::2], words[1::2], strict=False))) != text:
        return None
    try:
        op = np.array([_OP[word] for word in words[::2]], dtype=np.int8)
        vertex = np.fromiter(vertices_of(words[1::2]), dtype=np.int64, count=len(op))
    except (KeyError, ValueError):
        return None
    return None if (op == Op.SLIDE).any() else Moves(op, vertex)


def _parse_slowly(
    texts: list[str], numbers: list[int], vertices_of: _Vertices, dag: AnyDag, done: int
) -> tuple[Moves, MoveProblem | None]:
    moves: list[Move] = []
    for text, number in zip(texts, numbers, strict=True):
        words = text.split()
        problem = _grammar(words, text)
        if problem:
            return Moves.of(moves), MoveProblem(number, problem)
        try:
            moves.append(Move(Op(_OP[words[0]]), *vertices_of(words[1::2])))
        except (KeyError, ValueError):
            return Moves.of(moves), _unknown(words, number, dag, done + len(moves))
    return Moves.of(moves), None


def _grammar(words: list[str], text: str) -> str:
    """Say why a line is no move, or nothing."""
    if not words:
        return "an empty line is not a move"
    if words[0] not in _OP:
        return f"unknown operation {shown(words[0])} in {shown(text)}; use {', '.join(_OP)}"
    if words[0] == "slide":
        if len(words) != 4 or words[2] != "from":
            return f"a slide is written 'slide VERTEX from PREDECESSOR', not {shown(text)}"
    elif len(words) != 2:
        what = "names no vertex" if len(words) == 1 else "has more than one vertex"
        return f"{shown(text)} {what}; a move is written '{words[0]} VERTEX'"
    return ""


def _unknown(words: list[str], number: int, dag: AnyDag, move_number: int) -> MoveProblem:
    """Explain a vertex name that the DAG does not have."""
    for name in words[1::2]:
        try:
            dag.vertex(name)
        except InvalidInput as error:
            remedy = "check the spelling and the '# dag' line"
            refusal = unknown_name(move_number, " ".join(words), error, remedy)
            return MoveProblem(number, refusal.message, refusal)
    raise AssertionError(f"the names of {dag!r} do not agree about {words}")
