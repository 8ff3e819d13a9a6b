"""Batch replay: millions of elementary moves a second, with the same verdicts as the game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pebble.common.errors import InvalidInput
from pebble.game.board import Board, Status
from pebble.game.moves import Columns, Moves, Op, as_chunks
from pebble.game.referee import Refusal, judge
from pebble.game.replay_block import BLOCK, NEVER, CheckedBlock
from pebble.game.rules import Rules
from pebble.graph.any_dag import AnyDag


class Replay:
    """A pebbling that arrives in chunks, checked as it comes.

    Memory: a few bytes a vertex and a few megabytes of work space, however many moves there are.

    Parameters
    ----------
    dag : Dag
        The computation.
    M : int
        Words of fast memory.
    rules : Rules, optional
        Which variant is played; by default recomputation is allowed and sliding is not.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> dag = Dag.from_edges([("a", "sum"), ("b", "sum")])
    >>> play = Replay(dag, M=3)
    >>> play.play([Op.LOAD, Op.LOAD], [0, 2]).play([Op.COMPUTE, Op.STORE], [1, 1]).result().io
    3
    """

    def __init__(self, dag: AnyDag, M: int, rules: Rules | None = None) -> None:
        self._board = Board(dag, M, Rules() if rules is None else rules)
        self._red = np.frombuffer(self._board.red, dtype=np.bool_)
        self._blue = np.frombuffer(self._board.blue, dtype=np.bool_)
        self._computed = np.frombuffer(self._board.computed, dtype=np.bool_)
        self._refusal: Refusal | None = None

    @property
    def dag(self) -> AnyDag:
        """The computation."""
        return self._board.dag

    @property
    def refusal(self) -> Refusal | None:
        """Why the replay stopped, or None while every move has been legal."""
        return self._refusal

    def play(
        self, op: Moves | ArrayLike, vertex: ArrayLike | None = None, source: ArrayLike | None = None
    ) -> Replay:
        """Play a chunk of moves and return the replay.

        Parameters
        ----------
        op : Moves, or array of int8, shape (n,)
            Codes of :class:`~pebble.game.moves.Op`.
        vertex : array of int32 or int64, shape (n,)
            Numbers of the vertices.
        source : array of int64, shape (n,), optional
            For slides, the predecessor given up.

        Raises
        ------
        IllegalMove
            At the first illegal move, with the message the game gives; the moves before it stay played, and
            every later call raises the same error.
        """
        if isinstance(op, Moves):
            moves = op
        elif vertex is None:
            raise InvalidInput("the column of vertices is missing")
        else:
            moves = Moves(op, vertex, source)
        if self._refusal is not None:
            raise self._refusal.error()
        first = 0
        while first < len(moves):
            first += self._play_block(moves.part(first, first + BLOCK))
        return self

    def result(self) -> Status:
        """Return the counts so far, and which outputs are missing."""
        return self._board.status()

    # -- one block

    def _play_block(self, moves: Moves) -> int:
        """Play a prefix of the block and return its length; raise at the first illegal move."""
        known = _known(moves, self._board.dag.n_vertices)
        block = self._checked(moves.part(0, known))
        if known and block.first_wrong == NEVER:
            self._commit(block)
            return block.n
        wrong = block.first_wrong if known else 0
        if wrong:
            self._commit(self._checked(moves.part(0, wrong)))
        self._refusal = judge(self._board, moves[wrong])
        if self._refusal is None:  # the two spellings of the rules disagree
            raise AssertionError(f"replay refuses {moves[wrong]}, the referee does not")
        raise self._refusal.error()

    def _checked(self, moves: Moves) -> CheckedBlock:
        return CheckedBlock(self._board, self._red, self._blue, self._computed, moves)

    def _commit(self, block: CheckedBlock) -> None:
        tally, counts = self._board.tally, np.bincount(block.op, minlength=len(Op)).tolist()
        self._red[block.touched] = block.left_red
        self._blue[block.turned_blue] = True
        self._computed[block.computed] = True
        placing = counts[Op.LOAD] + counts[Op.COMPUTE] + counts[Op.SLIDE]
        tally.moves += block.n
        tally.reads += counts[Op.LOAD]
        tally.writes += counts[Op.STORE]
        tally.computes += counts[Op.COMPUTE] + counts[Op.SLIDE]
        tally.deletes += counts[Op.DELETE]
        tally.slides += counts[Op.SLIDE]
        tally.redundant += placing - block.n_placed + counts[Op.STORE] - len(block.turned_blue)
        tally.peak = max(tally.peak, block.peak)
        self._board.n_red = block.n_red


def _known(moves: Moves, n_vertices: int) -> int:
    """Return the length of the prefix whose operations and vertices exist."""
    op, vertex = moves.op, moves.vertex
    if _within(op, Op.LOAD, Op.SLIDE) and _within(vertex, 0, n_vertices - 1):
        return len(moves)
    unknown = (op < Op.LOAD) | (op > Op.SLIDE) | (vertex < 0) | (vertex >= n_vertices)
    return int(unknown.argmax()) if unknown.any() else len(moves)


def _within(values: NDArray[Any], least: int, most: int) -> bool:
    return bool(len(values) and values.min() >= least and values.max() <= most)


def replay(dag: AnyDag, M: int, moves: Columns | Iterable[Columns], rules: Rules | None = None) -> Status:
    """Play a whole pebbling in batches, and return its counts.

    Parameters
    ----------
    dag : Dag
        The computation.
    M : int
        Words of fast memory.
    moves : Moves, tuple of columns, or iterable of either
        The pebbling; an iterable is read once, chunk by chunk, so it may stream.
    rules : Rules, optional
        Which variant is played.

    Returns
    -------
    Status
        Counts, peak and missing outputs. A legal pebbling that is not complete is returned as such; ask for
        ``.require_complete()`` to have an error instead.

    Raises
    ------
    IllegalMove
        At the first illegal move, with the message the game gives.

    Notes
    -----
    Costs O(n log n) for blocks of bounded size n, in array operations: of the order of 0.1 microseconds a
    move with two or three predecessors.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> dag = Dag.from_edges([("a", "sum"), ("b", "sum")])
    >>> print(replay(dag, 3, ([0, 0, 2, 1], [0, 2, 1, 1])))
    complete; 3 I/O (2 reads, 1 write), 1 compute, 4 moves; 3 of 3 words in use, peak 3
    >>> replay(dag, 2, ([0, 0, 2, 1], [0, 2, 1, 1]))
    Traceback (most recent call last):
    ...
    pebble.common.errors.IllegalMove: move 2, compute sum: fast memory holds 2 of 2 words; delete one first
    """
    play = Replay(dag, M, rules)
    for chunk in as_chunks(moves):
        play.play(chunk)
    return play.result()
