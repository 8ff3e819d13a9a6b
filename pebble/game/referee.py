"""The rules of the elementary game: the pebbles on the board, and why a move is refused.

This is the only place where the rules are spelled out for a single move. The game asks it before every move;
the batch replay asks it for the one move that its own check refuses, so that both speak with one voice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from pebble.common.errors import IllegalMove, IncompletePebbling, InvalidInput
from pebble.game.moves import Move, Op
from pebble.game.rules import Rules
from pebble.graph.dag import Dag

__all__ = ["Board", "Refusal", "Status", "Tally", "is_legal", "judge", "move_text"]

_SHOWN = 4


@dataclass
class Tally:
    """Counts that a game keeps while it is played."""

    moves: int = 0
    reads: int = 0
    writes: int = 0
    computes: int = 0
    deletes: int = 0
    slides: int = 0
    redundant: int = 0
    peak: int = 0


class Board:
    """Where the pebbles are, and what has been counted.

    Parameters
    ----------
    dag : Dag
        The computation.
    M : int
        Words of fast memory: the largest number of red pebbles at any time.
    rules : Rules
        Which variant is played.

    Raises
    ------
    InvalidInput
        If M is not a positive whole number.
    """

    __slots__ = ("M", "blue", "computed", "dag", "n_red", "red", "rules", "tally")

    def __init__(self, dag: Dag, M: int, rules: Rules) -> None:
        if isinstance(M, bool) or not isinstance(M, (int, np.integer)) or M < 1:
            raise InvalidInput(f"M must be a positive whole number of words, not {M!r}")
        self.dag = dag
        self.M = int(M)
        self.rules = rules
        self.red = bytearray(dag.n_vertices)
        self.blue = bytearray((dag.indegree == 0).tobytes())
        self.computed = bytearray(dag.n_vertices)
        self.n_red = 0
        self.tally = Tally()

    def status(self) -> Status:
        """Return the counts so far and what is still missing; costs O(number of outputs)."""
        t, outputs = self.tally, self.dag.outputs
        blue = np.frombuffer(self.blue, dtype=np.bool_)
        missing = tuple(outputs[~blue[outputs]].tolist())
        counts = (t.moves, t.reads, t.writes, t.computes, t.deletes, t.slides, t.redundant, t.peak)
        return Status(self.M, *counts, self.n_red, missing, self.dag)


@dataclass(frozen=True)
class Status:
    """The state of play: counts, how full fast memory is, which outputs are missing.

    Parameters
    ----------
    M : int
        Words of fast memory.
    moves : int
        Moves made; the sum of reads, writes, computes and deletes.
    reads, writes : int
        Loads and stores, the useless ones included.
    computes : int
        Computations, slides included.
    deletes : int
        ``delete`` moves; a slide is not one.
    slides : int
        How many of the computations were slides.
    redundant : int
        Moves that placed no pebble: loads and computations of a red vertex, stores of a blue one.
    peak : int
        The largest number of red pebbles after any move.
    red : int
        Red pebbles now.
    missing : tuple of int
        The outputs without a blue pebble, ascending.
    dag : Dag
        For the names; not part of a comparison.
    """

    M: int
    moves: int
    reads: int
    writes: int
    computes: int
    deletes: int
    slides: int
    redundant: int
    peak: int
    red: int
    missing: tuple[int, ...]
    dag: Dag = field(repr=False, compare=False)

    @property
    def io(self) -> int:
        """Reads plus writes."""
        return self.reads + self.writes

    @property
    def complete(self) -> bool:
        """Whether every output is blue."""
        return not self.missing

    def missing_names(self, at_most: int | None = None) -> list[str]:
        """Return the names of the missing outputs, or of the first few."""
        return [self.dag.name(v) for v in self.missing[:at_most]]

    def require_complete(self) -> Status:
        """Return the status itself if every output is blue.

        Raises
        ------
        IncompletePebbling
            Otherwise; the message names outputs that are missing.
        """
        if self.missing:
            raise IncompletePebbling(
                f"after {self.moves} moves {_missing_text(self)}; compute and store what is missing"
            )
        return self

    def __str__(self) -> str:
        useless = f", {self.redundant} redundant" if self.redundant else ""
        return (
            f"{'complete' if self.complete else _missing_text(self)}; {self.io} I/O "
            f"({self.reads} reads, {self.writes} writes), {self.computes} computes, {self.moves} moves"
            f"{useless}; {self.red} of {self.M} words in use, peak {self.peak}"
        )


def _missing_text(status: Status) -> str:
    n = len(status.missing)
    names = _listed(status.missing_names(_SHOWN), n)
    return f"{n} of {len(status.dag.outputs)} outputs {'is' if n == 1 else 'are'} not blue: {names}"


def _listed(names: list[str], total: int) -> str:
    more = total - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


@dataclass(frozen=True)
class Refusal:
    """Why a move is illegal.

    Parameters
    ----------
    move_number : int
        Zero-based.
    move : str
        The move as a pebbling file writes it.
    rule : str
        Short name of the rule that forbids it.
    reason : str
        What is wrong, with how full fast memory is where that matters.
    remedy : str
        What would help.
    """

    move_number: int
    move: str
    rule: str
    reason: str
    remedy: str

    @property
    def message(self) -> str:
        """One line: the move, what is wrong, what to do."""
        return f"move {self.move_number}, {self.move}: {self.reason}; {self.remedy}"

    def error(self) -> IllegalMove:
        """Return the exception to raise."""
        return IllegalMove(self.message, move_number=self.move_number, rule=self.rule)


_Verdict: TypeAlias = "tuple[str, str, str] | None"
"""Rule, reason and remedy; None for a legal move."""


def judge(board: Board, move: Move) -> Refusal | None:
    """Say why the next move is illegal, or return None if it is legal.

    The first rule broken counts, in this order: the move is known, the vertex exists, then for each operation
    as its function below tests them. The board is not changed.
    """
    verdict = _judge(board, move)
    if verdict is None:
        return None
    return Refusal(board.tally.moves, move_text(board.dag, move), *verdict)


def is_legal(board: Board, move: Move) -> bool:
    """Tell whether the next move is legal, without composing the message."""
    return _judge(board, move) is None


def _judge(board: Board, move: Move) -> _Verdict:
    op, v, _ = move
    if op not in _TESTS:
        return "unknown-op", f"{op!r} is no operation", "use " + ", ".join(o.word for o in Op)
    if not 0 <= v < board.dag.n_vertices:
        return _unknown_vertex(board, v)
    return _TESTS[op](board, move)


def _unknown_vertex(board: Board, v: int) -> _Verdict:
    return "unknown-vertex", f"there is no vertex {v}", f"the vertices are 0 to {board.dag.n_vertices - 1}"


def _judge_load(board: Board, move: Move) -> _Verdict:
    v = move.vertex
    if not board.blue[v]:
        remedy = "it is red already" if board.red[v] else "compute it"
        return "load-needs-blue", "it has no blue pebble", remedy
    return None if board.red[v] else _judge_room(board, "delete one first")


def _judge_store(board: Board, move: Move) -> _Verdict:
    v = move.vertex
    if board.red[v]:
        return None
    return "store-needs-red", "it has no red pebble", f"{'load' if board.blue[v] else 'compute'} it first"


def _judge_delete(board: Board, move: Move) -> _Verdict:
    if board.red[move.vertex]:
        return None
    return "delete-needs-red", "it has no red pebble", "leave the move out"


def _judge_compute(board: Board, move: Move) -> _Verdict:
    v = move.vertex
    verdict = _judge_input(board, v) or _judge_again(board, v) or _judge_needs(board, v)
    if verdict or board.red[v]:
        return verdict
    remedy = "delete one first, or slide from a predecessor" if board.rules.sliding else "delete one first"
    return _judge_room(board, remedy)


def _judge_slide(board: Board, move: Move) -> _Verdict:
    """Test a computation whose pebble comes from a predecessor and goes to a vertex that has none."""
    v, source = move.vertex, move.source
    if not board.rules.sliding:
        remedy = "compute it into a free word, then delete the predecessor"
        return "slide-forbidden", "the rules forbid sliding", remedy
    verdict = _judge_input(board, v)
    if verdict:
        return verdict
    if source not in board.dag.predecessors_of(v):
        name = board.dag.name(source) if 0 <= source < board.dag.n_vertices else f"vertex {source}"
        return "slide-needs-predecessor", f"{name} is not among its predecessors", "slide from one of them"
    verdict = _judge_again(board, v) or _judge_needs(board, v)
    if verdict is None and board.red[v]:
        return "slide-target-red", "it has a red pebble already", "delete the predecessor instead"
    return verdict


def _judge_input(board: Board, v: int) -> _Verdict:
    if board.dag.indegree[v]:
        return None
    return "compute-input", "an input has nothing to be computed from", "load it"


def _judge_again(board: Board, v: int) -> _Verdict:
    if board.rules.recomputation or not board.computed[v]:
        return None
    remedy = "load it instead" if board.blue[v] else "store it before it is deleted, then load it"
    if board.red[v]:
        remedy = "leave the move out: it is still red"
    return "recomputation-forbidden", "it was computed before, and the rules forbid a second time", remedy


def _judge_needs(board: Board, v: int) -> _Verdict:
    row = board.dag.predecessors_of(v).tolist()
    lacking = [p for p in row if not board.red[p]]
    if not lacking:
        return None
    blue = sum(board.blue[p] for p in lacking)
    names = [f"{board.dag.name(p)} ({'blue' if board.blue[p] else 'not blue'})" for p in lacking[:_SHOWN]]
    verb = "is" if len(lacking) == 1 else "are"
    reason = f"{len(lacking)} of its {len(row)} predecessors {verb} not red: {_listed(names, len(lacking))}"
    if 0 < blue < len(lacking):
        return "compute-needs-predecessors", reason, "load the blue ones and compute the others first"
    way, them = "load" if blue else "compute", "it" if len(lacking) == 1 else "them"
    return "compute-needs-predecessors", reason, f"{way} {them} first"


def _judge_room(board: Board, remedy: str) -> _Verdict:
    if board.n_red < board.M:
        return None
    return "memory-full", f"fast memory holds {board.n_red} of {board.M} words", remedy


_TESTS = {
    Op.LOAD: _judge_load,
    Op.STORE: _judge_store,
    Op.COMPUTE: _judge_compute,
    Op.DELETE: _judge_delete,
    Op.SLIDE: _judge_slide,
}


def move_text(dag: Dag, move: Move) -> str:
    """Return a move as a pebbling file writes it.

    >>> dag = Dag.from_edges([("a", "c"), ("b", "c")])
    >>> move_text(dag, Move(Op.LOAD, 0)), move_text(dag, Move(Op.SLIDE, 1, 0))
    ('load a', 'slide c from a')
    """
    op, v, source = move
    word = op.word if isinstance(op, Op) else f"operation {op}"
    text = f"{word} {_name_or_number(dag, v)}"
    return f"{text} from {_name_or_number(dag, source)}" if op == Op.SLIDE else text


def _name_or_number(dag: Dag, v: int) -> str:
    return dag.name(v) if 0 <= v < dag.n_vertices else f"vertex {v}"
