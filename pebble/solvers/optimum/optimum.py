"""The exact optimum of a small DAG, with a pebbling that reaches it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, Any

import numpy as np

from pebble.common.clock import TimeUp, limited_to
from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.common.whole_numbers import singular
from pebble.game.files.header import Header
from pebble.game.files.writer import write_pebbling
from pebble.game.moves import Moves, Op
from pebble.game.pictures import pebbling_svg
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.forced_loads import forced_loads
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.optimum.best_first import Progress, Proof, prove
from pebble.solvers.optimum.bit_game import BitGame, make_bit_game, members
from pebble.solvers.optimum.requirements import LateLoadSpace, RequirementSpace
from pebble.solvers.optimum.witness import moves_along

FEW_STATES = 100_000
"""What a search expands at most where the optimum is welcome but not asked for: some seconds."""

_SMALL = 20
"""Vertices up to which the search needs no known pebbling."""


@dataclass(frozen=True)
class Optimum:
    """The least I/O of any pebbling, or what is known of it.

    Attributes
    ----------
    io : int
        Loads plus stores of ``pebbling``.
    lower : int
        Proved: no pebbling under these rules costs less. Equal to ``io`` if ``proved``.
    proved : bool
        Whether ``io`` is the optimum.
    states : int
        How many states of the search for the proof were expanded (up to symmetry, in normal form).
    symmetries : int
        Number of automorphisms of the part of the DAG that its outputs need.
    seconds : float
        Wall-clock time.
    pebbling : Moves
        A legal, complete pebbling that costs ``io``; it has been replayed.
    dag : Dag
    M : int
        Words of fast memory.
    rules : Rules
    reads, writes, peak : int
        As the replay counted them.
    interrupted : bool
        Whether the search was interrupted before its end.
    """

    io: int
    lower: int
    proved: bool
    states: int
    symmetries: int
    seconds: float
    pebbling: Moves
    dag: Dag
    M: int
    rules: Rules
    reads: int
    writes: int
    peak: int
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pebbling as plain data."""
        plain = ("io", "proved", "lower", "states", "reads", "writes", "peak", "M", "symmetries")
        found: dict[str, Any] = {name: getattr(self, name) for name in plain}
        found["rules"] = {"recomputation": self.rules.recomputation, "sliding": self.rules.sliding}
        found |= {"moves": len(self.pebbling), "seconds": round(self.seconds, 3)}
        return found | ({"interrupted": True} if self.interrupted else {})

    def write(
        self,
        target: str | os.PathLike[str] | IO[str],
        name: str = "dag",
        parameters: dict[str, str] | None = None,
    ) -> int:
        """Write a pebbling file and return the number of moves; a path is written whole or not at all.

        Parameters
        ----------
        target : path or text stream
        name, parameters : str, dict of str to str
            What the header calls the DAG; no white space.
        """
        header = Header(name, parameters or {}, self.M, self.rules)
        return write_pebbling(target, header, self.dag, self.pebbling)

    def __str__(self) -> str:
        verdict = "proved optimal" if self.proved else f"not proved: the optimum is at least {self.lower:,}"
        return singular(
            f"{self.io:,} I/O ({self.reads:,} reads, {self.writes:,} writes), {verdict}; M = {self.M:,}, "
            f"{self.rules}; {self.states:,} states"
        )

    def _repr_svg_(self) -> str:
        bound = singular(f"no pebbling under these rules moves fewer than {self.lower:,} words")
        return pebbling_svg(self.dag, str(self), [*str(self).split("; "), bound], self.pebbling)


def optimal(
    dag: Dag,
    M: int,
    rules: Rules | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    *,
    most_states: int | None = None,
    stoppable: bool = False,
) -> Optimum:
    """Find the least I/O of any pebbling of a small DAG, and prove it.

    Parameters
    ----------
    dag : Dag
        At most 64 vertices that the outputs need (an output that is used further counts twice).
    M : int
        Words of fast memory.
    rules : Rules, optional
        By default recomputation is allowed and sliding is not.
    time_limit : float, optional
        Seconds after which to stop with the best pebbling and the best lower bound so far. The first pebbling
        is searched for in any case.
    progress : callable, optional
        Called as ``progress(lower, states)`` with a proved lower bound and the number of states expanded.
    most_states : int, optional
        Stop in the same way once this many states are expanded: on any machine after the same work.
    stoppable : bool
        Whether ``KeyboardInterrupt`` ends the search in the same way, marked as ``interrupted``; by default it is
        raised, as it is in any case while there is no pebbling yet.

    Returns
    -------
    Optimum

    Raises
    ------
    InvalidInput
        If the DAG is too large, or M or the time limit is not positive.
    CacheTooSmall
        If there is no pebbling with M words.

    Notes
    -----
    Two best-first searches, by turns, back from the end of the game, up to automorphisms of the DAG. Every rule that
    leaves something out is proved in ``docs/proofs/exact-optimum.md``. Time and memory grow exponentially with the DAG
    and with how far M is from both ends; DAGs of twenty vertices take about a second. If an automatic schedule
    of a larger one meets the bound of forced loads, as for complete trees, nothing is searched.

    References
    ----------
    J.-W. Hong and H. T. Kung, "I/O complexity: the red-blue pebble game", STOC 1981.

    Examples
    --------
    >>> diamond = Dag.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    >>> best = optimal(diamond, 3)
    >>> best.io, best.proved
    (2, True)
    >>> optimal(diamond, 2)
    Traceback (most recent call last):
    ...
    pebble.common.errors.CacheTooSmall: no pebbling exists with M = 2: computing d needs 3 words (...)
    """
    if time_limit is not None and not time_limit > 0:
        raise InvalidInput(f"the time limit must be a positive number of seconds, not {time_limit!r}")
    begin = time.monotonic()
    M, rules = fast_memory_words(M), Rules() if rules is None else rules
    game = make_bit_game(dag, M, rules)
    search = _Solver(dag, game, progress, stoppable)
    with limited_to(time_limit):
        proof, moves = search.run(most_states, hurried=time_limit is not None or most_states is not None)
    status = replay(dag, M, moves, rules).require_complete()
    lower = proof.lower + game.stores
    if status.io < lower or (proof.exact and status.io != lower):
        raise AssertionError(f"the pebbling found costs {status.io}, the search says {lower}")
    return Optimum(
        io=status.io,
        lower=lower,
        proved=status.io == lower,
        states=proof.states,
        symmetries=search.spaces[0].symmetry.order,
        seconds=time.monotonic() - begin,
        pebbling=moves,
        dag=dag,
        M=M,
        rules=rules,
        reads=status.reads,
        writes=status.writes,
        peak=status.peak,
        interrupted=search.interrupted,
    )


class _Solver:
    """First some pebbling, where the search may need one, then the proof."""

    def __init__(self, dag: Dag, game: BitGame, progress: Progress | None, stoppable: bool) -> None:
        self.dag, self.game = dag, game
        self.spaces = [RequirementSpace(game), LateLoadSpace(game)]
        self.progress, self.stoppable = progress, stoppable
        self.interrupted = False
        self.so_far = Proof(int(self.spaces[0].bound(self.spaces[0].start())[0]), False, 0)

    def run(self, most_states: int | None, hurried: bool) -> tuple[Proof, Moves]:
        if not self.game.stores:
            return Proof(0, True, 0), Moves.of([])
        known = self._known() if hurried or self.game.n > _SMALL else None
        if known is not None:
            forced = forced_loads(self.dag, self.game.M, self.game.rules).least_io - self.game.stores
            if known[0] == forced:
                return Proof(forced, True, 0), known[1]
            self.so_far = replace(self.so_far, lower=max(self.so_far.lower, forced))
        with self._ending():
            if not self.interrupted:
                cost = None if known is None else known[0]
                return self._told(prove(self.spaces, cost, most_states, self._report), known)
        return self.so_far, (known or self._known())[1]

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Leave the block when the time is up, or when someone interrupts it."""
        try:
            yield
        except TimeUp:
            pass
        except KeyboardInterrupt:
            if not self.stoppable:
                raise
            self.interrupted = True

    def _told(self, proof: Proof, known: tuple[int, Moves] | None) -> tuple[Proof, Moves]:
        """Return the proof with the moves of the path it met, or those that were known before."""
        if proof.path is not None and proof.space is not None:
            return proof, moves_along(proof.space, proof.path)
        if known is None:
            raise AssertionError("the search ended without a pebbling")
        return replace(proof, lower=max(proof.lower, self.so_far.lower)), known[1]

    def _report(self, lower: int, states: int) -> None:
        self.so_far = Proof(max(lower, self.so_far.lower), False, states)
        if self.progress is not None:
            self.progress(self.so_far.lower + self.game.stores, states)

    def _known(self) -> tuple[int, Moves]:
        """Return an automatic schedule and its cost; where only sliding has room, each vertex computed by itself."""
        try:
            schedule = schedule_dag(self.dag, self.game.M, stoppable=self.stoppable)
        except CacheTooSmall:
            return self._one_by_one()
        self.interrupted |= schedule.interrupted
        chunks = [*schedule.moves()]
        op, vertex = (np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in ("op", "vertex"))
        return schedule.io - self.game.stores, Moves(op, vertex)

    def _one_by_one(self) -> tuple[int, Moves]:
        """Return a pebbling that loads the operands of each vertex, slides it into the first and stores it."""
        game, moves = self.game, list[tuple[int, int] | tuple[int, int, int]]()
        for v, before in zip(game.vertices, game.before, strict=True):
            if before:
                first, *others = (game.vertices[p] for p in members(before))
                moves += [(Op.LOAD, p) for p in (first, *others)]
                moves += [(Op.SLIDE, v, first), (Op.STORE, v)]
                moves += [(Op.DELETE, p) for p in (*others, v)]
        io = sum(move[0] in (Op.LOAD, Op.STORE) for move in moves)
        return io - game.stores, Moves.of(moves)
