"""The memories of several devices: what is held where, what a computation needs, and whether there is room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from pebble.common.errors import InvalidInput
from pebble.game.board import SHOWN, listed
from pebble.game.processors.derivations import Derivations
from pebble.game.processors.layouts import owners
from pebble.game.processors.moves import ProcessorMove, ProcessorOp
from pebble.game.processors.settings import Processors
from pebble.game.processors.tallies import DeviceTally, ProcessorTally
from pebble.game.processors.words import Word, WordNames, array_of
from pebble.game.referee import Refusal
from pebble.graph.any_dag import AnyDag

__all__ = ["DeviceMemories"]


class DeviceMemories:
    """What the devices of a game hold, and the rules that several moves share.

    Parameters
    ----------
    dag : AnyDag
    processors : Processors

    Attributes
    ----------
    memory, fast : list of dict of Word to int
        What each device holds, and which vertex of the induced DAG it is.
    tally : ProcessorTally
    derivations : Derivations
        The DAG that the run induces.
    refusal : Refusal or None
        Why the last move was refused.

    Raises
    ------
    InvalidInput
        If the inputs of a device do not fit into its memory, or the layout or the sums do not fit the DAG.
    """

    def __init__(self, dag: AnyDag, processors: Processors) -> None:
        self.dag = dag
        self.processors = processors
        self.names = WordNames(dag, processors.sums)
        self.owner = owners(dag, processors.layout, processors.devices)
        self.derivations = Derivations(self.names)
        devices = range(processors.devices)
        self.memory: list[dict[Word, int]] = [{} for _ in devices]
        self.fast: list[dict[Word, int]] = [{} for _ in devices]
        for v in dag.inputs.tolist():
            self.memory[self.owner[v]][Word(v)] = self.derivations.of_input(v)
        self.tally = ProcessorTally([DeviceTally(memory_peak=len(held)) for held in self.memory])
        self.refusal: Refusal | None = None
        self._work: list[Counter[str]] = [Counter() for _ in devices]
        self._check_inputs_fit()

    def _check_inputs_fit(self) -> None:
        for p, held in enumerate(self.memory):
            if self.processors.memory is not None and len(held) > self.processors.memory:
                raise InvalidInput(
                    f"device {p} owns {len(held)} inputs, and its memory has {self.processors.memory} words; "
                    "make H larger, or choose another layout"
                )

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

    def _working(self) -> list[dict[Word, int]]:
        """Return the memories in which devices compute."""
        return self.memory if self.processors.fast is None else self.fast

    def _need(self, move: ProcessorMove, needs: Sequence[Word]) -> None:
        held = self._working()[move.device]
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

    def _make(self, move: ProcessorMove, word: Word, needs: Sequence[Word]) -> None:
        memories = self._working()
        held = memories[move.device]
        vertex = self.derivations.computed(word, [held[one] for one in needs])
        self._place(move, memories, word, vertex)

    def _place(self, move: ProcessorMove, memories: list[dict[Word, int]], word: Word, vertex: int) -> None:
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
        held[word] = vertex
        self._note_peak(p)

    def _note_peak(self, p: int) -> None:
        one = self.tally.devices[p]
        one.memory_peak = max(one.memory_peak, len(self.memory[p]))
        one.fast_peak = max(one.fast_peak, len(self.fast[p]))

    def _count_compute(self, move: ProcessorMove) -> None:
        array = array_of(self.dag.name(move.word.vertex))
        self.tally.devices[move.device].computes += 1
        self.tally.devices[move.device].computes_of[array] += 1
        self._work[move.device][array] += 1

    def _need_two_memories(self, move: ProcessorMove) -> None:
        if self.processors.fast is None:
            reason = "only communication is played: a device computes in its memory"
            self._refuse(
                move, "communication-only", reason, "leave the move out, or say '# M WORDS' in the header"
            )

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
