"""The exact optimum of a small DAG, with a pebbling that reaches it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.game.moves import Moves
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.optimum.beam import beam
from pebble.solvers.optimum.best_first import OutOfTime, Progress, Proof, Space, prove_by
from pebble.solvers.optimum.bit_game import BitGame, make_bit_game
from pebble.solvers.optimum.bits import Words
from pebble.solvers.optimum.late_loads import LateLoadSpace
from pebble.solvers.optimum.requirements import RequirementSpace
from pebble.solvers.optimum.search_space import SearchSpace
from pebble.solvers.optimum.witness import moves_along
from pebble.solvers.optimum.witness_backwards import moves_back_along

__all__ = ["Optimum", "optimal"]

_WIDTHS = (4, 64)
_WIDTH_AGAIN = 16
_SMALL = 20


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

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pebbling as plain data."""
        plain = ("io", "proved", "lower", "states", "reads", "writes", "peak", "M", "symmetries")
        found: dict[str, Any] = {name: getattr(self, name) for name in plain}
        found["rules"] = {"recomputation": self.rules.recomputation, "sliding": self.rules.sliding}
        return found | {"moves": len(self.pebbling), "seconds": round(self.seconds, 3)}

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

        Raises
        ------
        InvalidInput
            If the target cannot be written, or the name cannot stand in a header.
        """
        from pebble.game.files.header import Header
        from pebble.game.files.writer import write_pebbling, write_pebbling_file

        header = Header(name, parameters or {}, self.M, self.rules)
        if isinstance(target, str | os.PathLike):
            return write_pebbling_file(target, header, self.dag, self.pebbling)
        return write_pebbling(target, header, self.dag, self.pebbling)

    def __str__(self) -> str:
        verdict = "proved optimal" if self.proved else f"not proved: the optimum is at least {self.lower:,}"
        return (
            f"{self.io:,} I/O ({self.reads:,} reads, {self.writes:,} writes), {verdict}; M = {self.M:,}, "
            f"{self.rules}; {self.states:,} states"
        )

    def _repr_svg_(self) -> str:
        from pebble.game.pictures import pebbling_svg

        bound = f"no pebbling under these rules moves fewer than {self.lower:,} words"
        return pebbling_svg(self.dag, str(self), [*str(self).split("; "), bound], self.pebbling)


def optimal(
    dag: Dag,
    M: int,
    rules: Rules | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
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
    A best-first search over states in normal form, up to automorphisms of the DAG, and, where recomputation is
    allowed, by turns with it two searches back from the end of the game; every rule that leaves something out is
    proved in ``docs/exact-optimum.md``. Time and memory grow exponentially with the DAG and with how far M is
    from both ends; DAGs of twenty vertices take about a second.

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
    pebble.common.errors.CacheTooSmall: no pebbling with M = 2: computing d needs 3 words (...)
    """
    if time_limit is not None and not time_limit > 0:
        raise InvalidInput(f"the time limit must be a positive number of seconds, not {time_limit!r}")
    begin = time.monotonic()
    M, rules = fast_memory_words(M), Rules() if rules is None else rules
    game = make_bit_game(dag, M, rules)
    search = _Solver(dag, game, None if time_limit is None else begin + time_limit, progress)
    proof, moves = search.run()
    status = replay(dag, M, moves, rules).require_complete()
    lower = proof.lower + game.stores
    if status.io < lower or (proof.exact and status.io != lower):
        raise AssertionError(f"the pebbling found costs {status.io}, the search says {lower}")
    return Optimum(
        io=status.io,
        lower=lower,
        proved=status.io == lower,
        states=proof.states,
        symmetries=search.space.symmetry.order,
        seconds=time.monotonic() - begin,
        pebbling=moves,
        dag=dag,
        M=M,
        rules=rules,
        reads=status.reads,
        writes=status.writes,
        peak=status.peak,
    )


class _Solver:
    """First some pebbling, then better ones while they are cheap to find, then the proof."""

    def __init__(self, dag: Dag, game: BitGame, deadline: float | None, progress: Progress | None) -> None:
        self.dag, self.game, self.deadline = dag, game, deadline
        self.space = SearchSpace(game)
        self.progress = progress

    def run(self) -> tuple[Proof, Moves]:
        if not self.game.stores:
            return Proof(0, True, 0), Moves.of([])
        spaces: list[Space] = [self.space]
        if self.game.rules.recomputation:
            spaces += [RequirementSpace(self.game), LateLoadSpace(self.game)]
        if self.deadline is None and self.game.n <= _SMALL:
            return self._told(prove_by(spaces, progress=self._report), None)
        cost, moves = self._known()
        return self._told(prove_by(spaces, cost, self.deadline, self._report), moves)

    def _told(self, proof: Proof, known: Moves | None) -> tuple[Proof, Moves]:
        """Return the proof with the moves of the path it met, or those that were known before."""
        if proof.path is not None:
            if isinstance(proof.space, RequirementSpace):
                return proof, moves_back_along(proof.space, proof.path)
            return proof, moves_along(self.space, proof.path)
        if known is None:
            raise AssertionError("the search ended without a pebbling")
        return proof, known

    def _report(self, lower: int, states: int) -> None:
        if self.progress is not None:
            self.progress(lower + self.game.stores, states)

    def _known(self) -> tuple[int, Moves]:
        """Return the cheaper of an automatic schedule and what a narrow search finds, with its cost."""
        scheduled = self._scheduled()
        if scheduled is not None and scheduled[0] <= int(self.space.bound(self.space.start())[0]):
            return scheduled
        cost, space, path = self._narrow_search()
        if scheduled is not None and scheduled[0] < cost:
            return scheduled
        return cost, moves_along(space, path)

    def _scheduled(self) -> tuple[int, Moves] | None:
        """Return an automatic schedule and its cost, or None where only sliding has room."""
        try:
            schedule = schedule_dag(self.dag, self.game.M)
        except CacheTooSmall:
            return None
        if schedule.recomputation and not self.game.rules.recomputation:
            return None
        chunks = [*schedule.moves()]
        op, vertex = (np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in ("op", "vertex"))
        return schedule.io - self.game.stores, Moves(op, vertex)

    def _narrow_search(self) -> tuple[int, SearchSpace, list[Words]]:
        """Return the cheapest pebbling that a narrow search finds; computing once always leads to one."""
        once = self.space
        if self.game.rules.recomputation:
            rules = Rules(recomputation=False, sliding=self.game.rules.sliding)
            once = SearchSpace(make_bit_game(self.dag, self.game.M, rules))
        searches = [(once, width) for width in _WIDTHS]
        if once is not self.space and self.deadline is not None:
            searches.append((self.space, _WIDTH_AGAIN))
        best: tuple[int, SearchSpace, list[Words]] | None = None
        for space, width in searches:
            try:
                found = beam(space, width, None if best is None else self.deadline)
            except OutOfTime:
                break
            if found is not None and (best is None or found[0] < best[0]):
                best = found[0], space, found[1]
        if best is None:
            raise AssertionError("no pebbling was found although one exists")
        return best
