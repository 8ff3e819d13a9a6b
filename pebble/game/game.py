"""The elementary red-blue pebble game: one vertex, one move, every rule checked."""

from __future__ import annotations

from collections.abc import Iterable

from pebble.common.errors import InvalidInput
from pebble.game.board import Board, Played, Status
from pebble.game.moves import Move, Op, as_move, vertex_number
from pebble.game.pictures import position_svg
from pebble.game.referee import Refusal, is_legal, judge, move_text, unknown_name
from pebble.game.rules import Rules
from pebble.game.views import LegalMoves, PebbleSet
from pebble.graph.dag import Dag, Vertex


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
    complete; 3 I/O (2 reads, 1 write), 1 compute, 4 moves; 3 of 3 words in use, peak 3
    """

    def __init__(self, dag: Dag, M: int, rules: Rules | None = None) -> None:
        self._dag = dag
        self._board = Board(dag, M, Rules() if rules is None else rules)
        self._history: list[Played] = []

    # -- the position

    @property
    def dag(self) -> Dag:
        """The computation."""
        return self._dag

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

    def _repr_svg_(self) -> str:
        lines = [f"M = {self.M:,}; {self.rules}", *str(self.status()).split("; ")]
        return position_svg(self.dag, repr(self), lines, self.red, self.blue, self.legal_moves())

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
        move = as_move(move)
        refusal = judge(self._board, move)
        if refusal is not None:
            raise refusal.error()
        self._history.append(self._board.play(move))

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
        """Take back the last move, with all its counts, and return it."""
        if not self._history:
            raise InvalidInput("there is no move to take back")
        played = self._history.pop()
        self._board.take_back(played)
        return played.move

    def legal_moves(self) -> LegalMoves:
        """Return the legal moves of this position, as a live view that is computed while it is read."""
        return LegalMoves(self._board)

    def is_legal(self, move: Move | tuple[int, int] | tuple[int, int, int]) -> bool:
        """Tell whether a move is legal now."""
        return is_legal(self._board, as_move(move))

    def refusal(self, move: Move | tuple[int, int] | tuple[int, int, int]) -> Refusal | None:
        """Say why a move is illegal now, or return None if it is legal."""
        return judge(self._board, as_move(move))

    def notation(self, move: Move) -> str:
        """Return a move as a pebbling file writes it: ``load K[3,0]``."""
        return move_text(self.dag, move)

    def _play(self, op: Op, vertex: Vertex, source: Vertex = -1) -> None:
        self.push(Move(op, self._number(op, vertex), self._number(op, source)))

    def _number(self, op: Op, vertex: Vertex) -> int:
        """Turn a name into a number; a wrong name is an illegal move, the referee looks at a number."""
        if not isinstance(vertex, str):
            return vertex_number(vertex)
        try:
            return self.dag.vertex(vertex)
        except InvalidInput as error:
            text = f"{op.word} {vertex}"
            raise unknown_name(len(self._history), text, error, "check the spelling").error() from None
