"""The rules of the game for a single move: whether it is legal, and if not, why.

This is the only place where the rules are spelled out for a single move. The game asks it before every move;
the batch replay asks it for the one move that its own check refuses, so that both speak with one voice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pebble.common.errors import IllegalMove, InvalidInput
from pebble.common.whole_numbers import singular
from pebble.game.board import SHOWN, Board, listed
from pebble.game.moves import Move, Op
from pebble.graph.any_dag import AnyDag


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
        return singular(f"move {self.move_number}, {self.move}: {self.reason}; {self.remedy}")

    def error(self) -> IllegalMove:
        """Return the exception that reports the refusal."""
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
        return "unknown-op", f"unknown operation {op!r}", "use " + ", ".join(o.word for o in Op)
    if not 0 <= v < board.dag.n_vertices:
        return _unknown_vertex(board, v)
    return _TESTS[op](board, move)


def unknown_name(move_number: int, text: str, error: InvalidInput, remedy: str) -> Refusal:
    """Return the refusal of a move that names a vertex the DAG does not have, from the DAG's own error."""
    reason, _, advice = str(error).partition("; ")
    return Refusal(move_number, text, "unknown-vertex", reason, advice or remedy)


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
    if board.dag.predecessors_of(v).size:
        return None
    return "compute-input", "an input cannot be computed", "load it"


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
    names = [f"{board.dag.name(p)} ({'blue' if board.blue[p] else 'not blue'})" for p in lacking[:SHOWN]]
    verb = "is" if len(lacking) == 1 else "are"
    reason = f"{len(lacking)} of its {len(row)} predecessors {verb} not red: {listed(names, len(lacking))}"
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


def move_text(dag: AnyDag, move: Move) -> str:
    """Return a move as a pebbling file writes it.

    >>> from pebble.graph.dag import Dag
    >>> dag = Dag.from_edges([("a", "c"), ("b", "c")])
    >>> move_text(dag, Move(Op.LOAD, 0)), move_text(dag, Move(Op.SLIDE, 1, 0))
    ('load a', 'slide c from a')
    """
    op, v, source = move
    word = op.word if isinstance(op, Op) else f"operation {op}"
    text = f"{word} {_name_or_number(dag, v)}"
    return f"{text} from {_name_or_number(dag, source)}" if op == Op.SLIDE else text


def _name_or_number(dag: AnyDag, v: int) -> str:
    return dag.name(v) if 0 <= v < dag.n_vertices else f"vertex {v}"
