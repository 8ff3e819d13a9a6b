"""The elementary red-blue pebble game: one vertex, one move, every rule checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any, NamedTuple

from pebble.common.errors import InvalidInput
from pebble.game.moves import Move, Op
from pebble.game.referee import Board, Refusal, Status, is_legal, judge, move_text
from pebble.game.rules import Rules
from pebble.graph.dag import Dag, Vertex

__all__ = ["Game", "LegalMoves", "PebbleSet"]


class _Played(NamedTuple):
    """A move with what it changed, enough to take it back."""

    move: Move
    placed: bool
    turned_blue: bool
    first_computed: bool
    redundant: bool
    peak_before: int


class Game:
    """The red-blue pebble game of Hong and Kung on one DAG, played move by move.

    At the start the inputs are blue and nothing is red. The moves, each on one vertex v:

    - ``load v``: v is blue; it becomes red. Costs one read.
    - ``store v``: v is red; it becomes blue. Costs one write.
    - ``compute v``: v is no input and all its predecessors are red; it becomes red. Free.
    - ``delete v``: v is red; it is red no longer. Free.
    - ``slide v from u``, only if the rules allow sliding: like ``compute v``, but the red pebble of u, one of
      the predecessors, moves to v, which must have none; it needs no free word.

    A new red pebble needs a free word while everything else stays: after no move are there more than M red
    pebbles. A load or compute of a red vertex and a store of a blue one are legal, counted, and place
    nothing. The pebbling is complete when every output is blue.

    Parameters
    ----------
    dag : Dag
        The computation.
    M : int
        Words of fast memory.
    rules : Rules, optional
        Which variant is played; by default recomputation is allowed and sliding is not.

    Raises
    ------
    InvalidInput
        If M is not a positive whole number.

    References
    ----------
    J.-W. Hong and H. T. Kung, "I/O complexity: the red-blue pebble game", STOC 1981.

    Examples
    --------
    >>> game = Game(Dag.from_edges([("a", "sum"), ("b", "sum")]), M=3)
    >>> game.load("b")
    >>> game.store("a")
    Traceback (most recent call last):
    ...
    pebble.common.errors.IllegalMove: move 1, store a: it has no red pebble; load it first
    >>> game.load("a"); game.compute("sum"); game.store("sum")
    >>> print(game.status())
    complete; 3 I/O (2 reads, 1 writes), 1 computes, 4 moves; 3 of 3 words in use, peak 3
    """

    def __init__(self, dag: Dag, M: int, rules: Rules | None = None) -> None:
        self._board = Board(dag, M, Rules() if rules is None else rules)
        self._history: list[_Played] = []

    # -- the position

    @property
    def dag(self) -> Dag:
        """The computation."""
        return self._board.dag

    @property
    def M(self) -> int:
        """Words of fast memory."""
        return self._board.M

    @property
    def rules(self) -> Rules:
        """Which variant is played."""
        return self._board.rules

    @property
    def red(self) -> PebbleSet:
        """The vertices in fast memory, a live view."""
        return PebbleSet(self._board.dag, self._board.red)

    @property
    def blue(self) -> PebbleSet:
        """The vertices in slow memory, a live view."""
        return PebbleSet(self._board.dag, self._board.blue)

    @property
    def history(self) -> tuple[Move, ...]:
        """The moves made so far."""
        return tuple(played.move for played in self._history)

    def status(self) -> Status:
        """Return the counts so far, how full fast memory is, and which outputs are missing."""
        return self._board.status()

    @property
    def complete(self) -> bool:
        """Whether every output is blue."""
        return self.status().complete

    def __repr__(self) -> str:
        b = self._board
        return f"<Game on {b.dag!r}: move {b.tally.moves}, {b.n_red} of {b.M} words in use>"

    # -- moves

    def load(self, vertex: Vertex) -> None:
        """Load a blue vertex into fast memory; costs one read. Raises :class:`~pebble.common.errors.IllegalMove`."""
        self._play(Op.LOAD, vertex)

    def store(self, vertex: Vertex) -> None:
        """Store a red vertex in slow memory; costs one write. Raises :class:`~pebble.common.errors.IllegalMove`."""
        self._play(Op.STORE, vertex)

    def compute(self, vertex: Vertex) -> None:
        """Compute a vertex from its red predecessors. Raises :class:`~pebble.common.errors.IllegalMove`."""
        self._play(Op.COMPUTE, vertex)

    def delete(self, vertex: Vertex) -> None:
        """Remove a vertex from fast memory. Raises :class:`~pebble.common.errors.IllegalMove`."""
        self._play(Op.DELETE, vertex)

    def slide(self, vertex: Vertex, source: Vertex) -> None:
        """Compute a vertex into the word of one of its predecessors, which is given up.

        Raises
        ------
        IllegalMove
            Also if the rules of this game forbid sliding, as they do by default.
        """
        self._play(Op.SLIDE, vertex, source)

    def push(self, move: Move | tuple[int, int] | tuple[int, int, int]) -> None:
        """Make a move given as a value.

        Raises
        ------
        IllegalMove
            If the rules forbid it; the position is unchanged, and the error carries the move number and rule.
        """
        move = _as_move(move)
        refusal = judge(self._board, move)
        if refusal is not None:
            raise refusal.error()
        self._history.append(self._apply(move))

    def play(self, moves: Iterable[Move | tuple[int, int] | tuple[int, int, int]]) -> Game:
        """Push moves one after the other and return the game; stops at the first illegal one.

        Raises
        ------
        IllegalMove
            At the first illegal move; those before it stay made.
        """
        for move in moves:
            self.push(move)
        return self

    def undo(self) -> Move:
        """Take back the last move, with all its counts, and return it.

        Raises
        ------
        InvalidInput
            If no move has been made.
        """
        if not self._history:
            raise InvalidInput("there is no move to take back")
        played = self._history.pop()
        self._take_back(played)
        return played.move

    def legal_moves(self) -> LegalMoves:
        """Return the legal moves of this position, as a live view that is computed while it is read."""
        return LegalMoves(self._board)

    def is_legal(self, move: Move | tuple[int, int] | tuple[int, int, int]) -> bool:
        """Tell whether a move is legal now."""
        return is_legal(self._board, _as_move(move))

    def refusal(self, move: Move | tuple[int, int] | tuple[int, int, int]) -> Refusal | None:
        """Say why a move is illegal now, or return None if it is legal."""
        return judge(self._board, _as_move(move))

    def notation(self, move: Move) -> str:
        """Return a move as a pebbling file writes it: ``load K[3,0]``."""
        return move_text(self.dag, move)

    # -- how

    def _play(self, op: Op, vertex: Vertex, source: Vertex = -1) -> None:
        self.push(Move(op, self._number(op, vertex), self._number(op, source)))

    def _number(self, op: Op, vertex: Vertex) -> int:
        """Turn a name into a number; a wrong name is an illegal move, the referee looks at a number."""
        if not isinstance(vertex, str):
            return _whole(vertex)
        try:
            return self.dag.vertex(vertex)
        except InvalidInput as error:
            reason, _, remedy = str(error).partition("; ")
            text, remedy = f"{op.word} {vertex}", remedy or "check the spelling"
            raise Refusal(len(self._history), text, "unknown-vertex", reason, remedy).error() from None

    def _apply(self, move: Move) -> _Played:
        board, tally, (op, v, source) = self._board, self._board.tally, move
        placed = op in _PLACING and not board.red[v]
        turned_blue = op == Op.STORE and not board.blue[v]
        first = op in _COMPUTING and not board.computed[v]
        redundant = op != Op.DELETE and not placed and not turned_blue
        played = _Played(move, placed, turned_blue, first, redundant, tally.peak)
        if op == Op.DELETE or op == Op.SLIDE:
            board.red[v if op == Op.DELETE else source] = 0
            board.n_red -= 1
        if placed:
            board.red[v] = 1
            board.n_red += 1
        if turned_blue:
            board.blue[v] = 1
        if first:
            board.computed[v] = 1
        self._count(op, redundant, 1)
        tally.peak = max(tally.peak, board.n_red)
        return played

    def _take_back(self, played: _Played) -> None:
        board, (op, v, source) = self._board, played.move
        if played.placed:
            board.red[v] = 0
            board.n_red -= 1
        if op == Op.DELETE or op == Op.SLIDE:
            board.red[v if op == Op.DELETE else source] = 1
            board.n_red += 1
        if played.turned_blue:
            board.blue[v] = 0
        if played.first_computed:
            board.computed[v] = 0
        self._count(op, played.redundant, -1)
        board.tally.peak = played.peak_before

    def _count(self, op: Op, redundant: bool, by: int) -> None:
        tally = self._board.tally
        tally.moves += by
        tally.reads += by * (op == Op.LOAD)
        tally.writes += by * (op == Op.STORE)
        tally.computes += by * (op in _COMPUTING)
        tally.deletes += by * (op == Op.DELETE)
        tally.slides += by * (op == Op.SLIDE)
        tally.redundant += by * redundant


_PLACING = frozenset({Op.LOAD, Op.COMPUTE, Op.SLIDE})
_COMPUTING = frozenset({Op.COMPUTE, Op.SLIDE})


class PebbleSet(Set[int]):
    """The vertices that carry a pebble of one colour: a live, read-only set of vertex numbers.

    ``in`` also takes a name. Membership costs O(1), length and iteration O(V).
    """

    def __init__(self, dag: Dag, marks: bytearray) -> None:
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
    >>> game = Game(Dag.from_edges([("a", "sum"), ("b", "sum")]), M=3)
    >>> [game.notation(move) for move in game.legal_moves()]
    ['load a', 'load b']
    >>> Move(Op.STORE, 0) in game.legal_moves()
    False
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    def __contains__(self, move: object) -> bool:
        return isinstance(move, tuple) and len(move) in (2, 3) and is_legal(self._board, _as_move(move))

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
        return f"<{len(self)} legal moves>"


def _whole(value: Any) -> int:
    index: Callable[[], int] | None = getattr(value, "__index__", None)
    if index is None or isinstance(value, bool):
        raise InvalidInput(f"a vertex is a number or a name, not {value!r}")
    return index()


def _as_move(move: tuple[Any, ...]) -> Move:
    """Normalise a move given as a bare tuple; an unknown code is left to the referee."""
    if not isinstance(move, tuple) or len(move) not in (2, 3):
        raise InvalidInput(f"a move is a Move or a tuple (op, vertex[, source]), not {move!r}")
    code, *vertices = (_whole(number) for number in move)
    op = Op(code) if Op.LOAD <= code <= Op.SLIDE else code
    return Move(op, vertices[0], vertices[1] if op == Op.SLIDE and len(vertices) == 2 else -1)  # type: ignore[arg-type]
