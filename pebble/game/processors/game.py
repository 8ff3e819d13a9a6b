"""The elementary game of several devices: its rules, played move by move, and what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pebble.common.errors import InvalidInput
from pebble.game.board import Status, Tally
from pebble.game.processors.moves import ProcessorMove, ProcessorOp
from pebble.game.processors.settings import Processors, owners
from pebble.game.processors.tallies import DeviceTally, ProcessorTally
from pebble.game.processors.words import Word, WordNames, array_of
from pebble.game.stores import Store, StoreGame
from pebble.graph.any_dag import AnyDag


class _DeviceMemory(Store):
    """The memory of a device, which knows what partial sums it holds of each free sum."""

    def __init__(self, name: str, words: int | None, remedy: str) -> None:
        super().__init__(name, words, remedy)
        self.sums: dict[int, set[Word]] = {}

    def put(self, word: Word, value: bool = True) -> None:
        super().put(word, value)
        if word.terms:
            self.sums.setdefault(word.vertex, set()).add(word)

    def __delitem__(self, word: Word) -> None:
        super().__delitem__(word)
        if word.terms:
            self.sums[word.vertex].remove(word)


class ProcessorGame(StoreGame):
    """A game on a DAG by several devices, each with a memory of its own and inside it a fast memory.

    At the start the inputs are in the memories of their owners; at the end the outputs must be. In a
    superstep each device works for itself: ``load``, ``store``, ``delete`` and ``compute`` as in the game of
    one device, ``merge`` two partial sums, ``accumulate`` one to that in its memory, ``discard`` a word of
    its memory. At the end of a superstep all sends happen at once: every word is fetched, then all are
    placed, then the words go that were discarded in the superstep and sent in it. A send is announced before
    its word is discarded.

    Attributes
    ----------
    memory, fast : list of Store
        What each device holds, in the order in which it came.
    tally : ProcessorTally

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
        super().__init__(dag)
        self.processors = processors
        self.names = WordNames(dag, processors.sums)
        self.owner = owners(dag, processors.layout, processors.devices)
        devices = range(processors.devices)
        words = processors.memory
        self.memory = [
            _DeviceMemory(f"the memory of device {p}", words, "discard one first") for p in devices
        ]
        self.fast = [Store(f"the fast memory of device {p}", processors.fast) for p in devices]
        for v in dag.inputs.tolist():
            self.memory[self.owner[v]].put(Word(v))
        self.tally = ProcessorTally([DeviceTally(memory_peak=len(held)) for held in self.memory])
        self._work: list[Counter[str]] = [Counter() for _ in devices]
        self._working = self.memory if processors.fast is None else self.fast
        self._sends: dict[ProcessorMove, int] = {}
        self._sent: set[tuple[Word, int]] = set()
        self._leaving: set[tuple[Word, int]] = set()
        self._begun = False
        for p, held in enumerate(self.memory):
            if words is not None and len(held) > words:
                raise InvalidInput(
                    f"device {p} owns {len(held)} inputs, but its memory has only {words} words; "
                    "increase H, or choose another layout"
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
        counts = {
            name: self.tally.total(name) for name in ("reads", "writes", "computes", "deletes", "redundant")
        }
        tally = Tally(moves=self.moves, peak=max(self.tally.counts("fast_peak")), **counts)
        red, missing = sum(map(len, self.fast)), tuple(self.missing)
        return Status(**vars(tally), M=self.processors.fast or 0, red=red, missing=missing, dag=self.dag)

    @property
    def waits(self) -> bool:
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

    def text(self, move: ProcessorMove) -> str:
        """Return a move as a file writes it."""
        return move.text(self.names)

    def play(self, move: ProcessorMove) -> None:
        """Make a move; IllegalMove if a rule forbids it, and nothing has changed then."""
        if move.op == ProcessorOp.SUPERSTEP:
            if self.processors.strict and not self._begun:
                reason = "nothing has happened since the last one"
                self.refuse(move, "no-effect", reason, "leave the move out")
            self._end_superstep()
        else:
            self._check_device(move, move.device)
            self._check_word(move)
            _PLAY[move.op](self, move)
            self._begun = True
        self.moves += 1

    def _load(self, move: ProcessorMove) -> None:
        known = move.word in self.fast[move.device]
        remedy = "it is in fast memory already" if known else "compute it, or let it be sent"
        self._need_held(move, self.memory, "load-needs-blue", remedy)
        self._place(move, self.fast[move.device], move.word)
        self.tally.devices[move.device].reads += 1

    def _store(self, move: ProcessorMove) -> None:
        remedy = f"{'load' if move.word in self.memory[move.device] else 'compute'} it first"
        self._need_held(move, self.fast, "store-needs-red", remedy)
        self._place(move, self.memory[move.device], move.word)
        self.tally.devices[move.device].writes += 1

    def _accumulate(self, move: ProcessorMove) -> None:
        """Add a partial sum to the one that the device's memory holds; one word is written, and none is read."""
        memory, (vertex, terms) = self.memory[move.device], move.word
        if not terms:
            self.refuse(move, "accumulate-needs-sum", "only a partial sum of a free sum is added", "store it")
        self._need_held(move, self.fast, "accumulate-needs-red", "compute it first")
        held = [word for word in memory.sums.get(vertex, ()) if word != move.word]
        if len(held) > 1:
            reason = f"{memory.name} holds {len(held)} partial sums of it"
            self.refuse(move, "one-partial-result", reason, "discard all but one")
        if move.word in memory or (held and held[0].terms & terms):
            both = self.names.text(Word(vertex, held[0].terms & terms if held else terms))
            reason = f"{memory.name} has {both} already"
            self.refuse(move, "term-counted-twice", reason, "add the terms that it lacks")
        if held:
            del memory[held[0]]
        self._place(move, memory, Word(vertex, terms | (held[0].terms if held else 0)))
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
            self.refuse(move, "discard-needs-held", reason, "leave the move out")
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
                reason = "an input cannot be computed"
                self.refuse(move, "compute-input", reason, "load it, or let its owner send it")
            self._need(move, needs)
        else:
            if not 0 <= move.term < len(found.terms):
                self.refuse(move, "unknown-term", f"{found.name} has no such term", "name one that it has")
            needs = [self.names.full(v) for v in found.operands[move.term]]
            self._need(move, [made, *needs] if made.terms else needs)
            if made.terms >> move.term & 1:
                reason = f"the term {found.terms[move.term]} is in {found.text(made.terms)} already"
                self.refuse(move, "term-counted-twice", reason, "leave the move out")
            made = Word(made.vertex, made.terms | 1 << move.term)
        self._place(move, self._working[move.device], made)
        array = array_of(self.dag.name(made.vertex))
        self.tally.devices[move.device].computes += 1
        self.tally.devices[move.device].computes_of[array] += 1
        self._work[move.device][array] += 1

    def _merge(self, move: ProcessorMove) -> None:
        one, other = move.word, move.other or Word(-1)
        if not one.terms or one.vertex != other.vertex:
            self.refuse(
                move, "merge-needs-one-sum", "only partial sums of one element are merged", "name two"
            )
        self._need(move, [one, other])
        if one.terms & other.terms:
            both = self.names.text(Word(one.vertex, one.terms & other.terms))
            self.refuse(move, "term-counted-twice", f"both have {both}", "merge sums that share no term")
        self._place(move, self._working[move.device], Word(one.vertex, one.terms | other.terms))
        self.tally.devices[move.device].merges += 1

    def _send(self, move: ProcessorMove) -> None:
        self._check_device(move, move.to)
        if move.device == move.to:
            self.refuse(move, "send-to-itself", "sender and receiver are one device", "leave the move out")
        if move in self._sends:
            self.refuse(
                move, "send-twice", "it is sent there in this superstep already", "leave the move out"
            )
        self._sends[move] = self.moves
        self._sent.add((move.word, move.device))

    # -- the end of a superstep

    def _end_superstep(self) -> None:
        for send, number in self._sends.items():
            if send.word not in self.memory[send.device]:
                reason = f"at the end of the superstep device {send.device} does not hold it"
                self.refuse(send, "send-needs-held", reason, self._how_held(send), number)
        arriving: dict[tuple[Word, int], None] = {}
        more: Counter[int] = Counter()
        for send, number in self._sends.items():
            word, to = send.word, send.to
            if word in self.memory[to] or (word, to) in arriving:
                if self.processors.strict:
                    reason = f"device {to} has it already"
                    self.refuse(send, "no-effect", reason, "leave the move out", number)
                self.tally.devices[to].redundant += 1
                continue
            remedy = "discard one there in an earlier superstep"
            self.need_room(send, self.memory[to], word, more[to], remedy, number)
            arriving[word, to] = None
            more[to] += 1
        for word, to in arriving:
            self.memory[to].put(word)
            self._note_peak(to)
        for word, p in self._leaving:
            del self.memory[p][word]
        self.tally.add_exchange([(send.device, send.to) for send in self._sends])
        self.tally.work.append(self._work)
        self._work = [Counter() for _ in self.memory]
        self._sends, self._sent, self._leaving, self._begun = {}, set(), set(), False

    def _how_held(self, move: ProcessorMove) -> str:
        if move.word in self.fast[move.device]:
            return "store it first"
        return "what arrives is sent on in the next superstep; announce a send before its word is discarded"

    # -- what moves share

    def _need(self, move: ProcessorMove, needs: list[Word]) -> None:
        held = self._working[move.device]
        lacking = [word for word in needs if word not in held]
        if not lacking:
            return
        partial = (
            (word, one) for word in lacking for one in held if word.terms and word.vertex == one.vertex
        )
        word, found = next(partial, (lacking[0], None))
        if found and move.op == ProcessorOp.COMPUTE and word == self.names.full(word.vertex):
            rest = self.names.text(Word(word.vertex, word.terms & ~found.terms))
            reason = f"device {move.device} has {self.names.text(found)}; left out: {rest}"
            self.refuse(move, "term-left-out", reason, "absorb or merge the other terms first")
        slow = self.memory[move.device]
        remedy = "load or compute" if any(word in slow for word in lacking) else "compute or receive"
        names = [self.names.text(word) for word in lacking]
        remedy += " it" if len(lacking) == 1 else " them"
        self.refuse_lacking(move, held, names, f"{len(needs)} operands", remedy)

    def _place(self, move: ProcessorMove, store: Store, word: Word) -> None:
        """Put a word into a memory of the device that moves, where it is not yet."""
        if word in store:
            if self.processors.strict:
                self.refuse(move, "no-effect", "it is there already", "leave the move out")
            self.tally.devices[move.device].redundant += 1
            return
        self.need_room(move, store, word)
        store.put(word)
        self._note_peak(move.device)

    def _note_peak(self, p: int) -> None:
        one = self.tally.devices[p]
        one.memory_peak, one.peak = self.memory[p].peak, self.fast[p].peak

    def _need_held(self, move: ProcessorMove, stores: Sequence[Store], rule: str, remedy: str) -> None:
        """Refuse a move between the two memories of a device that has one, or does not hold the word there."""
        if self.processors.fast is None:
            reason = "only communication is played: a device computes in its memory"
            self.refuse(
                move, "communication-only", reason, "leave the move out, or say '# M WORDS' in the header"
            )
        if move.word not in stores[move.device]:
            self.refuse(move, rule, f"{stores[move.device].name} does not hold it", remedy)

    def _check_device(self, move: ProcessorMove, p: int) -> None:
        if not 0 <= p < self.processors.devices:
            last = self.processors.devices - 1
            self.refuse(move, "unknown-device", f"there is no device {p}", f"they are 0 to {last}")

    def _check_word(self, move: ProcessorMove) -> None:
        v, terms = move.word
        if (
            not 0 <= v < self.dag.n_vertices
            or v in self.names.inner
            or (terms and v not in self.names.sum_at)
        ):
            self.refuse(move, "unknown-vertex", "there is no such word", "check the name")


_PLAY = {
    ProcessorOp.LOAD: ProcessorGame._load,
    ProcessorOp.STORE: ProcessorGame._store,
    ProcessorOp.ACCUMULATE: ProcessorGame._accumulate,
    ProcessorOp.DELETE: ProcessorGame._delete,
    ProcessorOp.DISCARD: ProcessorGame._discard,
    ProcessorOp.COMPUTE: ProcessorGame._compute,
    ProcessorOp.MERGE: ProcessorGame._merge,
    ProcessorOp.SEND: ProcessorGame._send,
}
