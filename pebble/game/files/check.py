"""Checking a pebbling file move by move: whether it is legal and complete, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pebble.common.errors import IllegalMove, InvalidInput
from pebble.game.board import Status
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader, resolved_dag
from pebble.game.referee import Refusal
from pebble.game.replay import Replay
from pebble.game.stores import StoreGame
from pebble.graph.any_dag import AnyDag

_Game = TypeVar("_Game", bound=StoreGame)


def _counted(name: str) -> Any:
    return property(lambda result: getattr(result.status, name))


@dataclass(frozen=True)
class CheckResult:
    """The result of checking a pebbling file.

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

    Attributes
    ----------
    M, moves, reads, writes, io, computes, deletes, redundant, peak : int
        Those of the status.
    """

    M, moves, reads, writes, io, computes, deletes, redundant, peak = map(
        _counted, ("M", "moves", "reads", "writes", "io", "computes", "deletes", "redundant", "peak")
    )

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
    def missing(self) -> list[str]:
        """Names of the outputs that are not blue."""
        return self.status.missing_names()

    def __str__(self) -> str:
        if self.refusal is not None:
            return f"illegal at line {self.line}: {self.refusal.message}"
        return f"legal, {self.status}"


def check_pebbling(reader: PebblingReader, resolve: Callable[[Header], AnyDag]) -> CheckResult:
    r"""Check the moves of a file whose header has been read, in constant memory; an illegal move is in the result.

    Parameters
    ----------
    reader : PebblingReader
    resolve : callable
        Finds the DAG that a header speaks of; it raises InvalidInput if it cannot.

    Examples
    --------
    >>> import io
    >>> from pebble.graph.dag import Dag
    >>> text = "# pebbling 1\n# dag sum\n# M 2\nload a\nload b\ncompute s\nstore s\n"
    >>> reader = PebblingReader(io.StringIO(text))
    >>> print(check_pebbling(reader, lambda header: Dag.from_edges([("a", "s"), ("b", "s")])))
    illegal at line 6: move 2, compute s: fast memory holds 2 of 2 words; delete one first
    """
    header = reader.header
    replay = Replay(resolved_dag(reader, resolve), header.M, header.rules)
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


def first_illegal_line(
    reader: PebblingReader, game: _Game, move_of: Callable[[_Game, str], Any]
) -> int | None:
    """Play the lines of a file, one by one; return the number of the first that is illegal, if one is.

    Parameters
    ----------
    move_of : callable
        Reads a line; InvalidInput if it is no move.
    """
    line_of: dict[int, int] = {}
    try:
        for number, text in reader.lines():
            if not game.waits:
                line_of.clear()
            line_of[game.moves] = number
            try:
                move = move_of(game, text)
            except InvalidInput as error:
                raise InvalidInput(f"line {number}: {error}") from error
            game.play(move)
        game.finish()
    except IllegalMove as error:
        return line_of[error.move_number]
    return None
