"""The elementary game with several memory levels, and the rules for a single move of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from pebble.common.errors import InvalidInput
from pebble.common.units import fast_memory_words
from pebble.game.board import SHOWN, Status, listed
from pebble.game.moves import Op
from pebble.game.referee import Refusal
from pebble.graph.any_dag import AnyDag

__all__ = ["LevelGame", "LevelMove", "LevelTally"]


class LevelMove(NamedTuple):
    """One move on one vertex at one level; of a computation the level means nothing and is 1.

    >>> str(LevelMove(Op.LOAD, 2, 5))
    'load 2 vertex 5'
    """

    op: Op
    level: int
    vertex: int

    def __str__(self) -> str:
        return self.text(f"vertex {self.vertex}")

    def text(self, name: str) -> str:
        """Return the move as a file writes it, with the vertex's name."""
        return f"compute {name}" if self.op == Op.COMPUTE else f"{self.op.word} {self.level} {name}"


@dataclass
class LevelTally:
    """What is counted at one level: words loaded into it, words stored from it, and how full it has been.

    ``redundant`` moves bring a value to where it is already.
    """

    reads: int = 0
    writes: int = 0
    redundant: int = 0
    peak: int = 0

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.reads + self.writes


@dataclass
class LevelGame:
    """A game on a DAG with memory levels 1, 2, … of bounded size, and one beyond that has room for everything.

    ``load l`` copies a value from level l + 1 to level l; ``store l`` copies it back; ``compute`` needs the
    predecessors' values in level 1; ``delete l`` frees the word at level l. At the start the inputs are in the memory
    beyond; at the end all outputs must be.

    In an *inclusive* hierarchy each level holds all that the levels within hold: a computed vertex takes a word at
    every level, without a value farther out until it is stored there, and ``delete l`` needs level l - 1 to have let
    go. In an *exclusive* one a computed vertex takes a word in level 1 only, and copies may be anywhere.

    Parameters
    ----------
    dag : Dag
    capacities : sequence of int
        Words of each level, the innermost first.
    inclusive : bool

    Attributes
    ----------
    held : list of dict of int to bool
        Of each level the vertices that take a word there, and whether their value is there; last the memory beyond.
    tallies : list of LevelTally
    moves, computes, deletes : int
    refusal : Refusal or None
        Why the last move was refused.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> game = LevelGame(Dag.from_edges([("a", "s"), ("b", "s")]), (3, 4))
    >>> for op, level, v in [(0, 2, 0), (0, 2, 2), (0, 1, 0), (0, 1, 2), (2, 1, 1), (1, 1, 1), (1, 2, 1)]:
    ...     game.play(LevelMove(Op(op), level, v))
    >>> game.complete, [(tally.io, tally.peak) for tally in game.tallies]
    (True, [(3, 3), (3, 3)])
    """

    dag: AnyDag
    capacities: Sequence[int]
    inclusive: bool = True
    held: list[dict[int, bool]] = field(default_factory=list)
    tallies: list[LevelTally] = field(default_factory=list)
    moves: int = 0
    computes: int = 0
    deletes: int = 0
    refusal: Refusal | None = None

    def __post_init__(self) -> None:
        self.capacities = tuple(fast_memory_words(words) for words in self.capacities)
        if not self.capacities:
            raise InvalidInput("a game needs at least one memory level")
        self.held = [*({} for _ in self.capacities), dict.fromkeys(self.dag.inputs.tolist(), True)]
        self.tallies = [LevelTally() for _ in self.capacities]

    @property
    def levels(self) -> int:
        """How many bounded levels there are."""
        return len(self.capacities)

    def status(self) -> Status:
        """Return the counts, reads, writes and peak of the outermost level."""
        outermost = self.tallies[-1]
        return Status(
            M=self.capacities[-1],
            moves=self.moves,
            reads=outermost.reads,
            writes=outermost.writes,
            computes=self.computes,
            deletes=self.deletes,
            slides=0,
            redundant=sum(tally.redundant for tally in self.tallies),
            peak=outermost.peak,
            red=len(self.held[-2]),
            missing=tuple(self.missing),
            dag=self.dag,
        )

    @property
    def missing(self) -> list[int]:
        """The outputs whose value is not in the memory beyond."""
        return [v for v in self.dag.outputs.tolist() if v not in self.held[-1]]

    @property
    def complete(self) -> bool:
        """Whether the values of all outputs are in the memory beyond."""
        return not self.missing

    def play(self, move: LevelMove) -> None:
        """Make a move.

        Raises
        ------
        IllegalMove
            If a rule forbids it; nothing has changed then.
        """
        op, level, v = move
        if not 0 <= v < self.dag.n_vertices:
            self._refuse(
                move, "unknown-vertex", f"there is no vertex {v}", f"they are 0 to {self.dag.n_vertices - 1}"
            )
        if not 1 <= level <= self.levels:
            self._refuse(move, "unknown-level", f"there is no level {level}", f"they are 1 to {self.levels}")
        if op not in _PLAY:
            self._refuse(move, "unknown-op", "it is no operation", "use load, store, compute or delete")
        _PLAY[op](self, move)
        self.moves += 1

    def _load(self, move: LevelMove) -> None:
        _, level, v = move
        if not self.held[level].get(v):
            where = "slow memory" if level == self.levels else f"level {level + 1}"
            self._refuse(move, "load-needs-blue", f"{where} does not have its value", "bring it there first")
        self._copy(move, level)
        self.tallies[level - 1].reads += 1

    def _store(self, move: LevelMove) -> None:
        _, level, v = move
        if not self.held[level - 1].get(v):
            self._refuse(
                move, "store-needs-red", f"level {level} does not have its value", "bring it there first"
            )
        self._copy(move, level + 1)
        self.tallies[level - 1].writes += 1

    def _compute(self, move: LevelMove) -> None:
        needs = self.dag.predecessors_of(move.vertex).tolist()
        if not needs:
            self._refuse(move, "compute-input", "an input has nothing to be computed from", "load it")
        lacking = [self.dag.name(p) for p in needs if not self.held[0].get(p)]
        if lacking:
            names = listed(lacking[:SHOWN], len(lacking))
            reason = f"level 1 lacks {len(lacking)} of its {len(needs)} predecessors: {names}"
            self._refuse(move, "compute-needs-predecessors", reason, "load or compute them first")
        placed = range(1, self.levels + 1) if self.inclusive else (1,)
        for level in placed:
            self._need_room(move, level)
        for level in placed:
            self._place(level, move.vertex, value=level == 1)
        self.computes += 1

    def _delete(self, move: LevelMove) -> None:
        _, level, v = move
        if v not in self.held[level - 1]:
            self._refuse(move, "delete-needs-red", f"level {level} does not hold it", "leave the move out")
        if self.inclusive and level > 1 and v in self.held[level - 2]:
            self._refuse(move, "inclusive", f"level {level - 1} still holds it", "delete it there first")
        del self.held[level - 1][v]
        self.deletes += 1

    def _copy(self, move: LevelMove, to: int) -> None:
        """Bring a value to a level, or to the memory beyond."""
        self._need_room(move, to)
        self.tallies[move.level - 1].redundant += self.held[to - 1].get(move.vertex, False)
        self._place(to, move.vertex, value=True)

    def _need_room(self, move: LevelMove, level: int) -> None:
        held = self.held[level - 1]
        if level <= self.levels and move.vertex not in held and len(held) >= self.capacities[level - 1]:
            reason = f"level {level} holds {len(held)} of {self.capacities[level - 1]} words"
            self._refuse(move, "memory-full", reason, "delete one first")

    def _place(self, level: int, v: int, value: bool) -> None:
        held = self.held[level - 1]
        held[v] = value or held.get(v, False)
        if level <= self.levels:
            tally = self.tallies[level - 1]
            tally.peak = max(tally.peak, len(held))

    def _refuse(self, move: LevelMove, rule: str, reason: str, remedy: str) -> NoReturn:
        known = 0 <= move.vertex < self.dag.n_vertices
        text = move.text(self.dag.name(move.vertex)) if known else str(move)
        self.refusal = Refusal(self.moves, text, rule, reason, remedy)
        raise self.refusal.error()


_PLAY = {
    Op.LOAD: LevelGame._load,
    Op.STORE: LevelGame._store,
    Op.COMPUTE: LevelGame._compute,
    Op.DELETE: LevelGame._delete,
}
