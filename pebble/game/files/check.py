"""Checking a pebbling file move by move: whether it is legal and complete, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pebble.common.errors import IllegalMove
from pebble.game.board import Status
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader, resolved_dag
from pebble.game.referee import Refusal
from pebble.game.replay import Replay
from pebble.graph.any_dag import AnyDag

__all__ = ["CheckResult", "check_pebbling"]


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


def check_pebbling(reader: PebblingReader, resolve: Callable[[Header], AnyDag]) -> CheckResult:
    r"""Check the moves of a file whose header has been read, in constant memory.

    Parameters
    ----------
    reader : PebblingReader
    resolve : callable
        Finds the DAG that a header speaks of; it raises InvalidInput if it cannot.

    Raises
    ------
    InvalidInput
        If the file is no pebbling file: the message has the line number. An illegal move is no error here, it is in the
        result; if it comes before a malformed line, it is what is reported.

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
