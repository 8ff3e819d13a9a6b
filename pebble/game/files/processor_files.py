r"""Pebbling files of several devices: how their moves are written, and how they are checked.

A file says ``# devices 2`` and who owns which tokens; a move begins with the device that makes it, and a send names
sender and receiver::

    # pebbling 1
    # dag attention-forward Nq=2 Nk=2 d=1 dv=1
    # devices 2
    # layout contiguous
    # sums l U
    send K[1,0] 1 0
    0 compute S[0,0,0]
    superstep
    0 compute S[0,1,0]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import singular
from pebble.game.board import SHOWN, listed
from pebble.game.files.check import CheckResult, first_illegal_line
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader, resolved_dag
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.moves import parse_processor_move
from pebble.game.processors.settings import Processors
from pebble.game.processors.tallies import ProcessorTally
from pebble.graph.any_dag import AnyDag


@dataclass(frozen=True)
class ProcessorCheck(CheckResult):
    """The result of checking a pebbling file of several devices; reads, writes and computes are those of all.

    Attributes
    ----------
    tally : ProcessorTally
        What was counted on each device and between them.
    left_over : tuple of str
        Of a strict game: what is where it need not be.
    """

    tally: ProcessorTally = field(default_factory=lambda: ProcessorTally([]))
    left_over: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every move is legal, every output with its owner and, of a strict game, nothing left over."""
        return super().complete and not self.left_over

    @property
    def processors(self) -> Processors:
        """The devices."""
        assert self.header.processors is not None
        return self.header.processors

    def __str__(self) -> str:
        if self.refusal is not None:
            return super().__str__()
        tally = self.tally
        lines = [
            f"legal, {self._state()}; {self.computes:,} computes, {self.moves:,} moves, {len(tally.devices)} devices"
        ]
        lines += [
            f"words received: {_spread(tally.counts('received'))}, {tally.total('received'):,} in total; "
            f"at most {tally.link_max:,} on a link",
            f"{tally.rounds:,} rounds, {tally.messages:,} messages, sum of h {tally.h_sum:,}",
            f"computes of a device: {_spread(tally.counts('computes'))}; the largest of each superstep: "
            f"{tally.work_sum():,}",
            f"memory: peak {max(tally.counts('memory_peak')):,} {_of(self.processors.memory)}",
        ]
        if self.processors.fast is not None:
            lines.append(
                f"fast memory: {_spread(tally.counts('io'))} I/O of a device, {tally.total('io'):,} in total; "
                f"peak {max(tally.counts('fast_peak')):,} {_of(self.processors.fast)}"
            )
        return singular("\n".join(lines))

    def _state(self) -> str:
        if self.missing:
            n = len(self.missing)
            return f"incomplete: {listed(self.missing[:SHOWN], n)} {'is' if n == 1 else 'are'} not with the owner"
        if self.left_over:
            return f"incomplete: left over {listed(list(self.left_over[:SHOWN]), len(self.left_over))}"
        return "complete"


def _spread(counts: list[int]) -> str:
    return f"{min(counts):,} to {max(counts):,}" if min(counts) < max(counts) else f"{max(counts):,}"


def _of(words: int | None) -> str:
    return "words" if words is None else f"of {words:,} words"


def check_processor_pebbling(reader: PebblingReader, resolve: Callable[[Header], AnyDag]) -> ProcessorCheck:
    r"""Check the moves of a file whose header has been read, one by one.

    Examples
    --------
    >>> import io
    >>> from pebble.graph.dag import Dag
    >>> text = "# pebbling 1\n# dag sum\n# devices 2\n# sums C\nsend A[1] 1 0\nsuperstep\n0 compute C+1\n"
    >>> dag = Dag.from_edges([("A[0]", "C[0]"), ("A[1]", "C[1]"), ("C[0]", "C[1]")])
    >>> found = check_processor_pebbling(PebblingReader(io.StringIO(text)), lambda header: dag)
    >>> found.legal, found.complete, found.tally.counts("received")
    (True, False, [1, 0])
    """
    processors = reader.header.processors
    assert processors is not None
    dag = resolved_dag(reader, resolve)
    try:
        game = ProcessorGame(dag, processors)
    except InvalidInput as error:
        raise InvalidInput(f"line {reader.dag_line}: {error}") from error
    line = first_illegal_line(reader, game, lambda game, text: parse_processor_move(text, game.names))
    left_over = game.left_over if processors.strict else []
    texts = tuple(f"{game.names.text(word)} on device {p}" for p, word in left_over)
    return ProcessorCheck(reader.header, game.status(), line, game.refusal, game.tally, texts)
