"""The ordinary DAG that a run of several devices induces: a sum tree for each element whose terms are free.

A run adds the terms of each element in some order, on some devices, and merges partial sums: a tree of additions. With
each partial sum that it makes as a vertex, the run is a pebbling of an ordinary DAG by several devices, without free
sums. On one device it is a pebbling of that DAG as the referee of one device plays it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.game.processors.derivations import Derivations
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.moves import ProcessorMove, ProcessorOp
from pebble.game.processors.settings import Processors
from pebble.game.processors.words import Word
from pebble.graph.any_dag import AnyDag
from pebble.graph.dag import Dag

__all__ = ["check_sum_trees", "induced_dag", "induced_run"]


def induced_dag(game: ProcessorGame) -> Dag:
    """Return the DAG of a run that is complete: every vertex that it has made, the partial sums among them.

    A vertex is called as its word; of a word that was made in several ways, the second is called ``WORD'2``.

    Raises
    ------
    InvalidInput
        If outputs are missing, or a sum tree does not add each term once (which the rules rule out).
    """
    if game.missing:
        raise InvalidInput(f"{game.dag.name(game.missing[0])} is missing: only a complete run induces a DAG")
    made = game.derivations
    check_sum_trees(made)
    outputs = [game.memory[game.owner[v]][game.names.full(v)] for v in game.dag.outputs.tolist()]
    start = np.cumsum([0, *map(len, made.rows)])
    return Dag(start, np.array(list(chain(*made.rows)), dtype=np.int64), list(_names(made)), outputs)


def _names(made: Derivations) -> Iterator[str]:
    seen: Counter[Word] = Counter()
    for word in made.words:
        seen[word] += 1
        name = made.names.text(word)
        yield name if seen[word] == 1 else f"{name}'{seen[word]}"


def check_sum_trees(made: Derivations) -> None:
    """Check that each partial sum adds each of its terms once, and each other vertex reads what the DAG says.

    The terms are found again from the operands of the additions, not from what the words say of themselves.

    Raises
    ------
    InvalidInput
        At the first vertex that does not.
    """
    terms: list[Counter[int]] = []
    for word, row in zip(made.words, made.rows, strict=True):
        terms.append(_terms_added(made, word, row, terms))
        found = made.names.sum_at.get(word.vertex)
        if found is not None:
            said = Counter(rank for rank in range(len(found.terms)) if word.terms >> rank & 1)
            if terms[-1] != said:
                raise InvalidInput(f"{made.names.text(word)} does not add each of its terms once")
        elif row and {made.words[one] for one in row} != _operands(made, word):
            raise InvalidInput(f"{made.names.text(word)} is not computed from its predecessors")


def _operands(made: Derivations, word: Word) -> set[Word]:
    return {made.names.full(p) for p in made.names.dag.predecessors_of(word.vertex).tolist()}


def _terms_added(
    made: Derivations, word: Word, row: tuple[int, ...], terms: list[Counter[int]]
) -> Counter[int]:
    """Return the terms that a vertex adds up: those of the partial sums it reads, and the one its operands make."""
    found = made.names.sum_at.get(word.vertex)
    if found is None:
        return Counter()
    partial = [one for one in row if made.words[one].vertex == word.vertex]
    operands = {made.words[one] for one in row if one not in partial}
    added = sum((terms[one] for one in partial), Counter[int]())
    if operands:
        matching = [
            rank
            for rank, needs in enumerate(found.operands)
            if {made.names.full(p) for p in needs} == operands
        ]
        if len(matching) != 1:
            raise InvalidInput(f"{made.names.text(word)} adds what is no term of it")
        added[matching[0]] += 1
    return added


def induced_run(
    dag: AnyDag, processors: Processors, moves: Iterable[ProcessorMove]
) -> tuple[ProcessorGame, Dag, list[ProcessorMove]]:
    """Play a run, and return the game, the DAG it induces and the run as moves on that DAG.

    Moves that change nothing are left out. Computations and merges are all ``compute`` there.

    Raises
    ------
    IllegalMove, InvalidInput
        If the run is illegal or incomplete.
    """
    game = ProcessorGame(dag, processors)
    found: list[ProcessorMove] = []
    for move in moves:
        _play_and_note(game, move, found)
    _name_sent(game, found)
    game.finish()
    return game, induced_dag(game), found


def _play_and_note(game: ProcessorGame, move: ProcessorMove, found: list[ProcessorMove]) -> None:
    """Play a move and append what it does in the induced DAG; a send waits under the word's own number."""
    op, p = move.op, move.device
    if op == ProcessorOp.SUPERSTEP:
        _name_sent(game, found)
        game.play(move)
        found.append(move)
        return
    if op == ProcessorOp.SEND:
        game.play(move)
        found.append(move)
        return
    before = {place: dict(held[p]) for place, held in (("slow", game.memory), ("fast", game.fast))}
    redundant = game.tally.devices[p].redundant
    game.play(move)
    if game.tally.devices[p].redundant > redundant:
        return
    if op in (ProcessorOp.COMPUTE, ProcessorOp.MERGE):
        working = "slow" if game.processors.fast is None else "fast"
        after = (game.memory if working == "slow" else game.fast)[p]
        (vertex,) = [after[word] for word in after.keys() - before[working].keys()]
        found.append(ProcessorMove(ProcessorOp.COMPUTE, p, Word(vertex)))
    else:
        place = "slow" if op in (ProcessorOp.LOAD, ProcessorOp.DISCARD) else "fast"
        found.append(ProcessorMove(op, p, Word(before[place][move.word])))


def _name_sent(game: ProcessorGame, found: list[ProcessorMove]) -> None:
    """Put vertices of the induced DAG into the sends of the superstep that is about to end; drop useless ones."""
    first = len(found)
    while first and found[first - 1].op != ProcessorOp.SUPERSTEP:
        first -= 1
    arriving: set[tuple[Word, int]] = set()
    kept: list[ProcessorMove] = []
    for move in found[first:]:
        if move.op != ProcessorOp.SEND:
            kept.append(move)
        elif move.word not in game.memory[move.to] and (move.word, move.to) not in arriving:
            arriving.add((move.word, move.to))
            vertex = game.memory[move.device].get(move.word)
            kept.append(move if vertex is None else move._replace(word=Word(vertex)))
    found[first:] = kept
