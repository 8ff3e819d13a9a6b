"""Moves of the game of several devices, and how they are written."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pebble.common.errors import InvalidInput
from pebble.game.processors.words import Word, WordNames


class ProcessorOp(Enum):
    """What a move does; the values are the words of a file."""

    LOAD = "load"
    STORE = "store"
    ACCUMULATE = "accumulate"
    COMPUTE = "compute"
    MERGE = "merge"
    DELETE = "delete"
    DISCARD = "discard"
    SEND = "send"
    SUPERSTEP = "superstep"


class ProcessorMove(NamedTuple):
    """One move of one device; ``superstep`` ends the superstep of all.

    Attributes
    ----------
    op : ProcessorOp
    device : int
        Who moves; of a send, the sender; of a superstep, -1.
    word : Word
        Of a computation in a free sum, the partial sum that is there before (no terms: a new one).
    term : int
        Of a computation in a free sum, the term's number among the terms; else -1.
    other : Word or None
        Of a merge, the second partial sum.
    to : int
        Of a send, the receiver; else -1.
    """

    op: ProcessorOp
    device: int = -1
    word: Word = Word(-1)
    term: int = -1
    other: Word | None = None
    to: int = -1

    def text(self, names: WordNames) -> str:
        """Return the move as a file writes it."""
        if self.op == ProcessorOp.SUPERSTEP:
            return "superstep"
        if self.op == ProcessorOp.SEND:
            return f"send {names.text(self.word)} {self.device} {self.to}"
        return f"{self.device} {self.op.value} {self._operand(names)}"

    def _operand(self, names: WordNames) -> str:
        if self.op == ProcessorOp.MERGE and self.other is not None:
            return f"{names.text(self.word)} {names.text(self.other)}"
        found = names.sum_at.get(self.word.vertex)
        if self.op == ProcessorOp.COMPUTE and found is not None and 0 <= self.term < len(found.terms):
            before = found.text(self.word.terms) if self.word.terms else found.name
            return f"{before}+{found.terms[self.term]}"
        return names.text(self.word)


def parse_processor_move(text: str, names: WordNames) -> ProcessorMove:
    """Read one move.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> names = WordNames(Dag.from_edges([("a", "C[0]"), ("b", "C[1]"), ("C[0]", "C[1]")]), ["C"])
    >>> for line in ["0 compute C+1", "0 compute C{1}+0", "1 merge C{0} C{1}", "send a 0 1", "superstep"]:
    ...     assert parse_processor_move(line, names).text(names) == line
    """
    words = text.split()
    if words == ["superstep"]:
        return ProcessorMove(ProcessorOp.SUPERSTEP)
    if words[:1] == ["send"]:
        if len(words) != 4:
            raise InvalidInput(f"a send is written 'send WORD FROM TO', not {text!r}")
        return ProcessorMove(
            ProcessorOp.SEND, _device(words[2], text), names.word(words[1]), to=_device(words[3], text)
        )
    if len(words) < 3 or words[1] not in _OF_ONE_DEVICE:
        raise InvalidInput(
            f"{text!r} is not a move; write 'DEVICE OPERATION WORD' ({', '.join(_OF_ONE_DEVICE)}), 'send "
            "WORD FROM TO' or 'superstep'"
        )
    device, op = _device(words[0], text), ProcessorOp(words[1])
    if len(words) != (4 if op == ProcessorOp.MERGE else 3):
        form = "DEVICE merge WORD WORD" if op == ProcessorOp.MERGE else f"DEVICE {op.value} WORD"
        raise InvalidInput(f"{text!r} is not a move; write {form!r}")
    if op == ProcessorOp.MERGE:
        return ProcessorMove(op, device, names.word(words[2]), other=names.word(words[3]))
    before, plus, term = words[2].rpartition("+")
    in_sum = op == ProcessorOp.COMPUTE and plus and (before.endswith("}") or before in names.sum_called)
    if not in_sum:
        word = names.word(words[2])
        if op == ProcessorOp.COMPUTE and word.terms:
            raise InvalidInput(
                f"{text!r}: write the sum that is there and the term that is added, as in U[0,1]{{0-2}}+3"
            )
        return ProcessorMove(op, device, word)
    if not (term.isascii() and term.isdigit() and len(term) < 19 and str(int(term)) == term):
        raise InvalidInput(f"{words[2]!r}: after the + comes the number of a term, not {term!r}")
    word = names.word(before) if before.endswith("}") else Word(names.sum_of(before).vertex)
    return ProcessorMove(op, device, word, names.rank(names.sum_at[word.vertex], int(term)))


_OF_ONE_DEVICE = tuple(op.value for op in ProcessorOp if op not in (ProcessorOp.SEND, ProcessorOp.SUPERSTEP))


def _device(text: str, line: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10 and str(int(text)) == text:
        return int(text)
    raise InvalidInput(f"{text!r} is not a device number in {line!r}")
