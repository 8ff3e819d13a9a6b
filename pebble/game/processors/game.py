"""The elementary game of several devices: its rules, played move by move, and what it counts."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, NoReturn

from pebble.game.processors.memories import DeviceMemories
from pebble.game.processors.moves import ProcessorMove, ProcessorOp
from pebble.game.processors.settings import Processors
from pebble.game.processors.words import Word
from pebble.graph.any_dag import AnyDag

__all__ = ["ProcessorGame"]


class _Send(NamedTuple):
    """A send that waits for the end of the superstep."""

    number: int
    move: ProcessorMove


class ProcessorGame(DeviceMemories):
    """A game on a DAG by several devices, each with a memory of its own and inside it a fast memory.

    At the start the inputs are in the memories of their owners; at the end the outputs must be. In a superstep each
    device works for itself: ``load``, ``store``, ``delete`` and ``compute`` as in the game of one device, ``merge`` two
    partial sums, ``discard`` a word of its memory. At the end of a superstep all sends happen at once: every word is
    fetched, then all are placed, then the words go that were discarded in the superstep and sent in it. A send is
    announced before its word is discarded.

    Parameters
    ----------
    dag : AnyDag
    processors : Processors

    Examples
    --------
    >>> from pebble.game.processors.moves import parse_processor_move
    >>> from pebble.graph.dag import Dag
    >>> dag = Dag.from_edges([("A[0]", "C[0]"), ("A[1]", "C[1]"), ("C[0]", "C[1]")])
    >>> game = ProcessorGame(dag, Processors(2, sums=("C",)))
    >>> for line in ["send A[1] 1 0", "superstep", "0 compute C+1", "0 compute C{1}+0", "send C{0-1} 0 1"]:
    ...     game.play(parse_processor_move(line, game.names))
    >>> game.finish()
    >>> game.complete, game.tally.counts("received"), game.tally.counts("computes")
    (True, [1, 1], [2, 0])
    """

    def __init__(self, dag: AnyDag, processors: Processors) -> None:
        super().__init__(dag, processors)
        self._sends: dict[tuple[Word, int, int], _Send] = {}
        self._sent: set[tuple[Word, int]] = set()
        self._leaving: set[tuple[Word, int]] = set()
        self._begun = False

    # -- the end

    @property
    def complete(self) -> bool:
        """Whether every output is with its owner, and, of a strict game, nothing is left over."""
        return not self.missing and not (self.processors.strict and self.left_over)

    @property
    def sends_wait(self) -> bool:
        """Whether sends have been announced in this superstep."""
        return bool(self._sends)

    def finish(self) -> None:
        """End the last superstep, if anything has happened in it.

        Raises
        ------
        IllegalMove
            If what was announced to be sent is not held.
        """
        if self._begun:
            self._end_superstep()

    # -- moves

    def play(self, move: ProcessorMove) -> None:
        """Make a move.

        Raises
        ------
        IllegalMove
            If a rule forbids it; nothing has changed then.
        """
        op = move.op
        if op == ProcessorOp.SUPERSTEP:
            if self.processors.strict and not self._begun:
                self._refuse(
                    move, "no-effect", "nothing has happened since the last one", "leave the move out"
                )
            self._end_superstep()
        else:
            self._check_device(move, move.device)
            self._check_word(move)
            _PLAY[op](self, move)
            self._begun = True
        self.tally.moves += 1

    def _load(self, move: ProcessorMove) -> None:
        self._need_two_memories(move)
        slow, fast = self.memory[move.device], self.fast[move.device]
        if move.word not in slow:
            remedy = "it is in fast memory already" if move.word in fast else "compute it, or let it be sent"
            self._refuse(
                move, "load-needs-blue", f"the memory of device {move.device} does not hold it", remedy
            )
        self._place(move, self.fast, move.word, slow[move.word])
        self.tally.devices[move.device].reads += 1

    def _store(self, move: ProcessorMove) -> None:
        self._need_two_memories(move)
        fast = self.fast[move.device]
        if move.word not in fast:
            remedy = f"{'load' if move.word in self.memory[move.device] else 'compute'} it first"
            reason = f"the fast memory of device {move.device} does not hold it"
            self._refuse(move, "store-needs-red", reason, remedy)
        self._place(move, self.memory, move.word, fast[move.word])
        self.tally.devices[move.device].writes += 1

    def _delete(self, move: ProcessorMove) -> None:
        self._need_two_memories(move)
        if move.word not in self.fast[move.device]:
            reason = f"the fast memory of device {move.device} does not hold it"
            self._refuse(move, "delete-needs-red", reason, "leave the move out")
        del self.fast[move.device][move.word]
        self.tally.devices[move.device].deletes += 1

    def _discard(self, move: ProcessorMove) -> None:
        place = (move.word, move.device)
        if move.word not in self.memory[move.device] or place in self._leaving:
            known = "it was discarded in this superstep" if place in self._leaving else "it does not hold it"
            reason = f"device {move.device}: {known}"
            self._refuse(move, "discard-needs-held", reason, "leave the move out")
        if place in self._sent:
            self._leaving.add(place)
        else:
            del self.memory[move.device][move.word]
        self.tally.devices[move.device].discards += 1

    def _compute(self, move: ProcessorMove) -> None:
        found = self.names.sum_at.get(move.word.vertex)
        if found is None:
            self._compute_vertex(move)
            return
        if not 0 <= move.term < len(found.terms):
            self._refuse(move, "unknown-term", f"{found.name} has no such term", "name one that it has")
        bit, before = 1 << move.term, move.word
        needs = [self.names.full(v) for v in found.operands[move.term]]
        self._need(move, [before, *needs] if before.terms else needs)
        if before.terms & bit:
            reason = f"the term {found.terms[move.term]} is in {found.text(before.terms)} already"
            self._refuse(move, "term-counted-twice", reason, "leave the move out")
        self._make(move, Word(before.vertex, before.terms | bit), [before, *needs] if before.terms else needs)
        self._count_compute(move)

    def _compute_vertex(self, move: ProcessorMove) -> None:
        v = move.word.vertex
        needs = [self.names.full(p) for p in self.dag.predecessors_of(v).tolist()]
        if not needs:
            reason = "an input has nothing to be computed from"
            self._refuse(move, "compute-input", reason, "load it, or let its owner send it")
        self._need(move, needs)
        self._make(move, move.word, needs)
        self._count_compute(move)

    def _merge(self, move: ProcessorMove) -> None:
        one, other = move.word, move.other or Word(-1)
        if not one.terms or one.vertex != other.vertex:
            self._refuse(
                move, "merge-needs-one-sum", "only partial sums of one element are merged", "name two"
            )
        self._need(move, [one, other])
        if one.terms & other.terms:
            both = self.names.text(Word(one.vertex, one.terms & other.terms))
            self._refuse(move, "term-counted-twice", f"both have {both}", "merge sums that share no term")
        self._make(move, Word(one.vertex, one.terms | other.terms), [one, other])
        self.tally.devices[move.device].merges += 1

    def _send(self, move: ProcessorMove) -> None:
        self._check_device(move, move.to)
        if move.device == move.to:
            self._refuse(move, "send-to-itself", "sender and receiver are one device", "leave the move out")
        key, place = (move.word, move.device, move.to), (move.word, move.device)
        if key in self._sends:
            self._refuse(
                move, "send-twice", "it is sent there in this superstep already", "leave the move out"
            )
        self._sends[key] = _Send(self.tally.moves, move)
        self._sent.add(place)

    # -- the end of a superstep

    def _end_superstep(self) -> None:
        fetched = [(send, self._fetched(send)) for send in self._sends.values()]
        arriving: dict[tuple[Word, int], int] = {}
        counts = Counter({p: len(held) for p, held in enumerate(self.memory)})
        for send, vertex in fetched:
            word, to = send.move.word, send.move.to
            if word in self.memory[to] or (word, to) in arriving:
                if self.processors.strict:
                    self._refuse_send(send, "no-effect", f"device {to} has it already", "leave the move out")
                self.tally.devices[to].redundant += 1
                continue
            if self.processors.memory is not None and counts[to] >= self.processors.memory:
                reason = f"the memory of device {to} holds {counts[to]} of {self.processors.memory} words"
                self._refuse_send(send, "memory-full", reason, "discard one there in an earlier superstep")
            arriving[word, to] = vertex
            counts[to] += 1
        for (word, to), vertex in arriving.items():
            self.memory[to][word] = vertex
            self._note_peak(to)
        for word, p in self._leaving:
            del self.memory[p][word]
        self.tally.add_exchange([(send.move.device, send.move.to) for send, _ in fetched])
        self.tally.work.append(self._work)
        self._work = [Counter() for _ in self.memory]
        self._sends, self._sent, self._leaving, self._begun = {}, set(), set(), False

    def _fetched(self, send: _Send) -> int:
        vertex = self.memory[send.move.device].get(send.move.word)
        if vertex is None:
            reason = f"at the end of the superstep device {send.move.device} does not hold it"
            self._refuse_send(send, "send-needs-held", reason, self._how_held(send.move))
        return vertex

    def _refuse_send(self, send: _Send, rule: str, reason: str, remedy: str) -> NoReturn:
        self._refuse(send.move, rule, reason, remedy, send.number)

    def _how_held(self, move: ProcessorMove) -> str:
        if move.word in self.fast[move.device]:
            return "store it first"
        return "what arrives is sent on in the next superstep; announce a send before its word is discarded"


_PLAY = {
    ProcessorOp.LOAD: ProcessorGame._load,
    ProcessorOp.STORE: ProcessorGame._store,
    ProcessorOp.DELETE: ProcessorGame._delete,
    ProcessorOp.DISCARD: ProcessorGame._discard,
    ProcessorOp.COMPUTE: ProcessorGame._compute,
    ProcessorOp.MERGE: ProcessorGame._merge,
    ProcessorOp.SEND: ProcessorGame._send,
}
