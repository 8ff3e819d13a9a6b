"""The elementary game of several devices: its rules, played move by move, and what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from pebble.common.errors import InvalidInput
from pebble.game.board import SHOWN, Status, listed
from pebble.game.processors.layouts import owners
from pebble.game.processors.moves import ProcessorMove, ProcessorOp
from pebble.game.processors.settings import Processors
from pebble.game.processors.tallies import DeviceTally, ProcessorTally
from pebble.game.processors.words import Word, WordNames, array_of
from pebble.game.referee import Refusal
from pebble.graph.any_dag import AnyDag

__all__ = ["ProcessorGame"]


class _Send(NamedTuple):
    """A send that waits for the end of the superstep."""

    number: int
    move: ProcessorMove


class ProcessorGame:
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

    Attributes
    ----------
    memory, fast : list of dict of Word to None
        What each device holds, in the order in which it came.
    tally : ProcessorTally
    refusal : Refusal or None
        Why the last move was refused.

    Raises
    ------
    InvalidInput
        If the inputs of a device do not fit into its memory, or the layout or the sums do not fit the DAG.

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
        self.dag = dag
        self.processors = processors
        self.names = WordNames(dag, processors.sums)
        self.owner = owners(dag, processors.layout, processors.devices)
        devices = range(processors.devices)
        self.memory: list[dict[Word, None]] = [{} for _ in devices]
        self.fast: list[dict[Word, None]] = [{} for _ in devices]
        for v in dag.inputs.tolist():
            self.memory[self.owner[v]][Word(v)] = None
        self.tally = ProcessorTally([DeviceTally(memory_peak=len(held)) for held in self.memory])
        self.refusal: Refusal | None = None
        self._work: list[Counter[str]] = [Counter() for _ in devices]
        self._working = self.memory if processors.fast is None else self.fast
        self._sends: dict[tuple[Word, int, int], _Send] = {}
        self._sent: set[tuple[Word, int]] = set()
        self._leaving: set[tuple[Word, int]] = set()
        self._begun = False
        for p, held in enumerate(self.memory):
            if processors.memory is not None and len(held) > processors.memory:
                raise InvalidInput(
                    f"device {p} owns {len(held)} inputs, and its memory has {processors.memory} words; "
                    "make H larger, or choose another layout"
                )

    # -- the end

    @property
    def missing(self) -> list[int]:
        """The outputs that are not in the memory of their owner."""
        full = self.names.full
        return [v for v in self.dag.outputs.tolist() if full(v) not in self.memory[self.owner[v]]]

    @property
    def left_over(self) -> list[tuple[int, Word]]:
        """Words of a device other than its own inputs and outputs, and all of its fast memory."""
        own = {self.names.full(v): p for v, p in self.owner.items()}
        slow = [(p, word) for p, held in enumerate(self.memory) for word in held if own.get(word) != p]
        return slow + [(p, word) for p, held in enumerate(self.fast) for word in held]

    @property
    def complete(self) -> bool:
        """Whether every output is with its owner, and, of a strict game, nothing is left over."""
        return not self.missing and not (self.processors.strict and self.left_over)

    def status(self) -> Status:
        """Return the counts of all devices together; M and the peak are those of a fast memory."""
        tally = self.tally
        return Status(
            M=self.processors.fast or 0,
            moves=tally.moves,
            reads=tally.total("reads"),
            writes=tally.total("writes"),
            computes=tally.total("computes"),
            deletes=tally.total("deletes"),
            slides=0,
            redundant=tally.total("redundant"),
            peak=max(tally.counts("fast_peak")),
            red=sum(map(len, self.fast)),
            missing=tuple(self.missing),
            dag=self.dag,
        )

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
        known = move.word in self.fast[move.device]
        remedy = "it is in fast memory already" if known else "compute it, or let it be sent"
        self._need_held(move, self.memory, "load-needs-blue", remedy)
        self._place(move, self.fast, move.word)
        self.tally.devices[move.device].reads += 1

    def _store(self, move: ProcessorMove) -> None:
        remedy = f"{'load' if move.word in self.memory[move.device] else 'compute'} it first"
        self._need_held(move, self.fast, "store-needs-red", remedy)
        self._place(move, self.memory, move.word)
        self.tally.devices[move.device].writes += 1

    def _delete(self, move: ProcessorMove) -> None:
        self._need_held(move, self.fast, "delete-needs-red", "leave the move out")
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
        found, made = self.names.sum_at.get(move.word.vertex), move.word
        if found is None:
            needs = [self.names.full(p) for p in self.dag.predecessors_of(made.vertex).tolist()]
            if not needs:
                reason = "an input has nothing to be computed from"
                self._refuse(move, "compute-input", reason, "load it, or let its owner send it")
            self._need(move, needs)
        else:
            if not 0 <= move.term < len(found.terms):
                self._refuse(move, "unknown-term", f"{found.name} has no such term", "name one that it has")
            needs = [self.names.full(v) for v in found.operands[move.term]]
            self._need(move, [made, *needs] if made.terms else needs)
            if made.terms >> move.term & 1:
                reason = f"the term {found.terms[move.term]} is in {found.text(made.terms)} already"
                self._refuse(move, "term-counted-twice", reason, "leave the move out")
            made = Word(made.vertex, made.terms | 1 << move.term)
        self._place(move, self._working, made)
        array = array_of(self.dag.name(made.vertex))
        self.tally.devices[move.device].computes += 1
        self.tally.devices[move.device].computes_of[array] += 1
        self._work[move.device][array] += 1

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
        self._place(move, self._working, Word(one.vertex, one.terms | other.terms))
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
        for send in self._sends.values():
            if send.move.word not in self.memory[send.move.device]:
                reason = f"at the end of the superstep device {send.move.device} does not hold it"
                self._refuse_send(send, "send-needs-held", reason, self._how_held(send.move))
        arriving: dict[tuple[Word, int], None] = {}
        counts = [len(held) for held in self.memory]
        for send in self._sends.values():
            word, to = send.move.word, send.move.to
            if word in self.memory[to] or (word, to) in arriving:
                if self.processors.strict:
                    self._refuse_send(send, "no-effect", f"device {to} has it already", "leave the move out")
                self.tally.devices[to].redundant += 1
                continue
            if self.processors.memory is not None and counts[to] >= self.processors.memory:
                reason = f"the memory of device {to} holds {counts[to]} of {self.processors.memory} words"
                self._refuse_send(send, "memory-full", reason, "discard one there in an earlier superstep")
            arriving[word, to] = None
            counts[to] += 1
        for word, to in arriving:
            self.memory[to][word] = None
            self._note_peak(to)
        for word, p in self._leaving:
            del self.memory[p][word]
        self.tally.add_exchange([(device, to) for _, device, to in self._sends])
        self.tally.work.append(self._work)
        self._work = [Counter() for _ in self.memory]
        self._sends, self._sent, self._leaving, self._begun = {}, set(), set(), False

    def _refuse_send(self, send: _Send, rule: str, reason: str, remedy: str) -> NoReturn:
        self._refuse(send.move, rule, reason, remedy, send.number)

    def _how_held(self, move: ProcessorMove) -> str:
        if move.word in self.fast[move.device]:
            return "store it first"
        return "what arrives is sent on in the next superstep; announce a send before its word is discarded"

    # -- what moves share

    def _need(self, move: ProcessorMove, needs: Sequence[Word]) -> None:
        held = self._working[move.device]
        lacking = [word for word in needs if word not in held]
        if not lacking:
            return
        partial = [
            (word, other) for word in lacking for other in held if word.terms and word.vertex == other.vertex
        ]
        if (
            partial
            and move.op == ProcessorOp.COMPUTE
            and partial[0][0] == self.names.full(partial[0][0].vertex)
        ):
            word, other = partial[0]
            rest = self.names.text(Word(word.vertex, word.terms & ~other.terms))
            reason = f"device {move.device} has {self.names.text(other)}; left out: {rest}"
            self._refuse(move, "term-left-out", reason, "absorb or merge the other terms first")
        where = "memory" if self.processors.fast is None else "fast memory"
        names = listed([self.names.text(word) for word in lacking[:SHOWN]], len(lacking))
        reason = f"the {where} of device {move.device} lacks {len(lacking)} of {len(needs)} operands: {names}"
        slow = self.memory[move.device]
        remedy = "load or compute" if any(word in slow for word in lacking) else "compute or receive"
        self._refuse(
            move,
            "compute-needs-predecessors",
            reason,
            f"{remedy} {'it' if len(lacking) == 1 else 'them'} first",
        )

    def _place(self, move: ProcessorMove, memories: list[dict[Word, None]], word: Word) -> None:
        """Put a word into a memory of the device that moves, where it is not yet."""
        held, p = memories[move.device], move.device
        if word in held:
            if self.processors.strict:
                self._refuse(move, "no-effect", "it is there already", "leave the move out")
            self.tally.devices[p].redundant += 1
            return
        slow = memories is self.memory
        words = self.processors.memory if slow else self.processors.fast
        if words is not None and len(held) >= words:
            name = "memory" if slow else "fast memory"
            remedy = "discard one first" if slow else "delete one first"
            reason = f"the {name} of device {p} holds {len(held)} of {words} words"
            self._refuse(move, "memory-full", reason, remedy)
        held[word] = None
        self._note_peak(p)

    def _note_peak(self, p: int) -> None:
        one = self.tally.devices[p]
        one.memory_peak = max(one.memory_peak, len(self.memory[p]))
        one.fast_peak = max(one.fast_peak, len(self.fast[p]))

    def _need_held(
        self, move: ProcessorMove, memories: list[dict[Word, None]], rule: str, remedy: str
    ) -> None:
        """Refuse a move between the two memories of a device that has one, or does not hold the word there."""
        if self.processors.fast is None:
            reason = "only communication is played: a device computes in its memory"
            self._refuse(
                move, "communication-only", reason, "leave the move out, or say '# M WORDS' in the header"
            )
        if move.word not in memories[move.device]:
            name = "memory" if memories is self.memory else "fast memory"
            self._refuse(move, rule, f"the {name} of device {move.device} does not hold it", remedy)

    def _check_device(self, move: ProcessorMove, p: int) -> None:
        if not 0 <= p < self.processors.devices:
            last = self.processors.devices - 1
            self._refuse(move, "unknown-device", f"there is no device {p}", f"they are 0 to {last}")

    def _check_word(self, move: ProcessorMove) -> None:
        v, terms = move.word
        if (
            not 0 <= v < self.dag.n_vertices
            or v in self.names.inner
            or (terms and v not in self.names.sum_at)
        ):
            self._refuse(move, "unknown-vertex", "there is no such word", "check the name")

    def _refuse(
        self, move: ProcessorMove, rule: str, reason: str, remedy: str, number: int | None = None
    ) -> NoReturn:
        at = self.tally.moves if number is None else number
        self.refusal = Refusal(at, move.text(self.names), rule, reason, remedy)
        raise self.refusal.error()


_PLAY = {
    ProcessorOp.LOAD: ProcessorGame._load,
    ProcessorOp.STORE: ProcessorGame._store,
    ProcessorOp.DELETE: ProcessorGame._delete,
    ProcessorOp.DISCARD: ProcessorGame._discard,
    ProcessorOp.COMPUTE: ProcessorGame._compute,
    ProcessorOp.MERGE: ProcessorGame._merge,
    ProcessorOp.SEND: ProcessorGame._send,
}
