"""Live views of a game's position: the vertices with a pebble of one colour, and the legal moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import singular
from pebble.game.board import Board
from pebble.game.moves import Move, Op, as_move
from pebble.game.referee import is_legal
from pebble.graph.any_dag import AnyDag


class PebbleSet(Set[int]):
    """The vertices that carry a pebble of one colour: a live, read-only set of vertex numbers.

    ``in`` also takes a name. Membership costs O(1), length and iteration O(V).
    """

    def __init__(self, dag: AnyDag, marks: bytearray) -> None:
        self._dag = dag
        self._marks = marks

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> set[int]:  # type: ignore[override]
        return set(it)

    def __contains__(self, vertex: object) -> bool:
        try:
            return bool(self._marks[self._dag.vertex(vertex)])  # type: ignore[arg-type]
        except InvalidInput:
            return False

    def __iter__(self) -> Iterator[int]:
        v = self._marks.find(1)
        while v >= 0:
            yield v
            v = self._marks.find(1, v + 1)

    def __len__(self) -> int:
        return self._marks.count(1)

    def names(self) -> list[str]:
        """Return the names, in the order of the numbers."""
        return [self._dag.name(v) for v in self]

    def __repr__(self) -> str:
        return "{" + ", ".join(self.names()) + "}"


class LegalMoves:
    """The legal moves of a position: a live view.

    ``in`` looks at one move only; iteration goes over all vertices, O(V + E), as far as it is read.
    Useless but legal moves are included: loading or computing a red vertex, storing a blue one.

    Examples
    --------
    >>> from pebble.game.game import Game
    >>> from pebble.graph.dag import Dag
    >>> game = Game(Dag.from_edges([("a", "sum"), ("b", "sum")]), M=3)
    >>> [game.notation(move) for move in game.legal_moves()]
    ['load a', 'load b']
    >>> Move(Op.STORE, 0) in game.legal_moves()
    False
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    def __contains__(self, move: object) -> bool:
        return isinstance(move, tuple) and len(move) in (2, 3) and is_legal(self._board, as_move(move))

    def __iter__(self) -> Iterator[Move]:
        for v in range(self._board.dag.n_vertices):
            for op in (Op.LOAD, Op.STORE, Op.COMPUTE, Op.DELETE):
                if is_legal(self._board, Move(op, v)):
                    yield Move(op, v)
            if self._board.rules.sliding:
                yield from self._slides(v)

    def _slides(self, v: int) -> Iterator[Move]:
        """Yield the slides to one vertex: legal from every predecessor or from none."""
        slides = [Move(Op.SLIDE, v, u) for u in self._board.dag.predecessors_of(v).tolist()]
        if slides and is_legal(self._board, slides[0]):
            yield from slides

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __repr__(self) -> str:
        return singular(f"<{len(self)} legal moves>")
