"""The elementary game with several memory levels, and the rules for a single move of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pebble.common.errors import InvalidInput
from pebble.game.board import Status, Tally
from pebble.game.moves import Op
from pebble.game.stores import Store, StoreGame
from pebble.graph.any_dag import AnyDag


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


class LevelGame(StoreGame):
    """A game on a DAG with memory levels 1, 2, … of bounded size, and one beyond that has room for everything.

    ``load l`` copies a value from level l + 1 to level l; ``store l`` copies it back; ``compute`` needs the
    predecessors' values in level 1; ``delete l`` frees the word at level l. At the start the inputs are in the memory
    beyond; at the end all outputs must be.

    In an *inclusive* hierarchy each level holds all that the levels within hold: a computed vertex takes a word at
    every level, without a value farther out until it is stored there, and ``delete l`` needs level l - 1 to have let
    go. In an *exclusive* one a computed vertex takes a word in level 1 only, and copies may be anywhere.

    Parameters
    ----------
    dag : AnyDag
    capacities : sequence of int
        Words of each level, the innermost first.
    inclusive : bool

    Attributes
    ----------
    held : list of Store
        The levels, and last the memory beyond.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> game = LevelGame(Dag.from_edges([("a", "s"), ("b", "s")]), (3, 4))
    >>> for op, level, v in [(0, 2, 0), (0, 2, 2), (0, 1, 0), (0, 1, 2), (2, 1, 1), (1, 1, 1), (1, 2, 1)]:
    ...     game.play(LevelMove(Op(op), level, v))
    >>> game.complete, [(tally.io, tally.peak) for tally in game.tallies]
    (True, [(3, 3), (3, 3)])
    """

    def __init__(self, dag: AnyDag, capacities: Sequence[int], inclusive: bool = True) -> None:
        super().__init__(dag)
        if not capacities:
            raise InvalidInput("a game needs at least one memory level")
        self.capacities, self.levels, self.inclusive = tuple(capacities), len(capacities), inclusive
        self.held = [Store(f"level {level}", words) for level, words in enumerate(capacities, start=1)]
        self.held.append(Store("slow memory"))
        for v in dag.inputs.tolist():
            self.held[-1].put(v)
        self._tallies = [Tally() for _ in capacities]
        self.computes = self.deletes = 0

    @property
    def tallies(self) -> list[Tally]:
        """Of each level: loads, stores, moves that brought a value to where it is already, how full it has been."""
        for tally, store in zip(self._tallies, self.held, strict=False):
            tally.peak = store.peak
        return self._tallies

    def status(self) -> Status:
        """Return the counts, reads, writes and peak of the outermost level."""
        counts = replace(self.tallies[-1], moves=self.moves, computes=self.computes, deletes=self.deletes)
        counts.redundant = sum(tally.redundant for tally in self.tallies)
        missing, red = tuple(self.missing), len(self.held[-2])
        return Status(**vars(counts), M=self.capacities[-1], red=red, missing=missing, dag=self.dag)

    @property
    def missing(self) -> list[int]:
        """The outputs whose value is not in the memory beyond."""
        return [v for v in self.dag.outputs.tolist() if v not in self.held[-1]]

    def text(self, move: LevelMove | str) -> str:
        """Return a move as a file writes it."""
        if isinstance(move, str):
            return move
        known = 0 <= move.vertex < self.dag.n_vertices
        return move.text(self.dag.name(move.vertex)) if known else str(move)

    def play(self, move: LevelMove) -> None:
        """Make a move; IllegalMove if a rule forbids it, and nothing has changed then."""
        op, level, v = move
        if not 0 <= v < self.dag.n_vertices:
            self.refuse(
                move, "unknown-vertex", f"there is no vertex {v}", f"they are 0 to {self.dag.n_vertices - 1}"
            )
        if not 1 <= level <= self.levels:
            self.refuse(move, "unknown-level", f"there is no level {level}", f"they are 1 to {self.levels}")
        if op == Op.LOAD:
            self._copy(move, self.held[level], self.held[level - 1], "load-needs-blue")
            self._tallies[level - 1].reads += 1
        elif op == Op.STORE:
            self._copy(move, self.held[level - 1], self.held[level], "store-needs-red")
            self._tallies[level - 1].writes += 1
        elif op == Op.COMPUTE:
            self._compute(move)
        elif op == Op.DELETE:
            self._delete(move)
        else:
            self.refuse(move, "unknown-op", "unknown operation", "use load, store, compute or delete")
        self.moves += 1

    def _copy(self, move: LevelMove, source: Store, to: Store, rule: str) -> None:
        if not source.get(move.vertex):
            self.refuse(move, rule, f"{source.name} does not have its value", "bring it there first")
        self.need_room(move, to, move.vertex)
        self._tallies[move.level - 1].redundant += to.get(move.vertex, False)
        to.put(move.vertex)

    def _compute(self, move: LevelMove) -> None:
        needs = self.dag.predecessors_of(move.vertex).tolist()
        if not needs:
            self.refuse(move, "compute-input", "an input cannot be computed", "load it")
        if lacking := [self.dag.name(p) for p in needs if not self.held[0].get(p)]:
            operands = f"its {len(needs)} predecessors"
            self.refuse_lacking(move, self.held[0], lacking, operands, "load or compute them")
        placed = self.held[: self.levels if self.inclusive else 1]
        for store in placed:
            self.need_room(move, store, move.vertex)
        for store in placed:
            store.put(move.vertex, value=store is placed[0])
        self.computes += 1

    def _delete(self, move: LevelMove) -> None:
        _, level, v = move
        if v not in self.held[level - 1]:
            self.refuse(move, "delete-needs-red", f"level {level} does not hold it", "leave the move out")
        if self.inclusive and level > 1 and v in self.held[level - 2]:
            self.refuse(move, "inclusive", f"level {level - 1} still holds it", "delete it there first")
        del self.held[level - 1][v]
        self.deletes += 1
