"""Certificates: a DAG, a pebbling of it and a lower bound in one file that can be verified from nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from pebble.common.clock import limited_to, tell, unlimited
from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.files import atomic_writer
from pebble.common.units import fast_memory_words
from pebble.game.board import Status
from pebble.game.moves import Columns, as_chunks
from pebble.game.referee import move_text
from pebble.game.replay import Replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.lower_bounds.graph.exhaustive import EXHAUSTIVE, LARGEST, exhaustive
from pebble.lower_bounds.graph.family_bounds import catalogue_name
from pebble.lower_bounds.graph.graph_bound_table import dag_bounds
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import FEW_STATES, optimal

if TYPE_CHECKING:
    from pebble.lower_bounds.graph.graph_bound import GraphBound

FORMAT = "pebble-certificate"
VERSION = 1
_LARGEST = 5_000_000


@dataclass(frozen=True, eq=False)
class Certificate:
    """A DAG with a pebbling that was played and a lower bound that was computed.

    Attributes
    ----------
    dag : Dag
    M : int
        Words of fast memory.
    rules : Rules
    pebbling : tuple of str
        The moves in the notation of pebbling files.
    status : Status
        What the replay counted.
    bound : GraphBound
    optimum : int or None
        The optimum, where a short search proves it and the bound is below the I/O; it is not in the file.
    """

    dag: Dag
    M: int
    rules: Rules
    pebbling: tuple[str, ...]
    status: Status
    bound: GraphBound
    optimum: int | None = None

    @property
    def lower(self) -> int:
        """The bound as a whole number of words."""
        return self.bound.least_io

    @property
    def gap(self) -> int:
        """I/O of the pebbling minus the bound; 0 if the pebbling is optimal."""
        return self.status.io - self.lower

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain data; docs/check-a-bound.md describes every field."""
        dag, status = self.dag, self.status
        heads = np.repeat(np.arange(dag.n_vertices, dtype=np.int64), dag.indegree)
        order = np.lexsort((dag.predecessors, heads))
        return {
            "format": FORMAT,
            "version": VERSION,
            "dag": {
                "hash": dag_hash(dag),
                "name": catalogue_name(dag),
                "vertices": [dag.name(v) for v in range(dag.n_vertices)],
                "edges": np.stack([dag.predecessors[order], heads[order]], axis=1).tolist(),
                "outputs": dag.outputs.tolist(),
            },
            "M": self.M,
            "rules": {"recomputation": self.rules.recomputation, "sliding": self.rules.sliding},
            "pebbling": list(self.pebbling),
            "reads": status.reads,
            "writes": status.writes,
            "io": status.io,
            "bound": {
                "name": self.bound.name,
                "value": self.lower,
                "rules": self.bound.rules,
                "source": self.bound.source,
                "inputs": dict(self.bound.inputs),
            },
            "gap": self.gap,
        }

    def write(self, target: str | os.PathLike[str] | IO[str]) -> None:
        """Write the certificate; a path is written whole or not at all."""
        if not isinstance(target, (str, os.PathLike)):
            target.write(_text(self.to_dict()))
            return
        with atomic_writer(target) as stream:
            stream.write(_text(self.to_dict()))

    def __str__(self) -> str:
        text = verdict(self.status.io, self.bound.name, self.lower)
        if self.optimum is None:
            return text
        return f"{text}; optimum {self.optimum:,} by search, certified from the file alone: {self.lower:,}"


def certify(
    dag: Dag,
    M: int,
    rules: Rules | None = None,
    moves: Columns | Iterable[Columns] | None = None,
    order: str = "auto",
    bound: str | None = None,
    seed: int = 0,
    time_budget: float | None = None,
) -> Certificate:
    """Play a pebbling, compute the bounds, and put the best one beside it.

    Parameters
    ----------
    dag : Dag
        At most five million edges.
    M : int
        Words of fast memory.
    rules : Rules, optional
        The game that is played; the bound holds under the same rules.
    moves : moves in columns, optional
        The pebbling, at most five million moves; by default an automatic schedule (which never computes a
        vertex twice and never slides, so that it is legal under all rules).
    order : str
        Of the automatic schedule; see :func:`~pebble.solvers.heuristic.dag_schedule.schedule_dag`.
    bound : str, optional
        The name of the bound; by default the greatest that is proved, for tiny DAGs also by an exhaustive search that
        a checker can repeat.
    seed, time_budget
        For the automatic schedule; the search for the optimum takes no longer either.

    Raises
    ------
    IllegalMove, IncompletePebbling
        If the pebbling is not a legal and complete one.
    CacheTooSmall
        If there is none with M words.
    BoundDoesNotApply
        If the bound that was asked for does not hold here.
    InvalidInput
        If M is not a positive whole number, a name is unknown, or the DAG or pebbling is too large.

    Examples
    --------
    >>> certificate = certify(Dag.from_edges([("a", "sum"), ("b", "sum")]), 3)
    >>> print(certificate)
    3 I/O, optimal: no pebbling has fewer than 3 (compulsory)
    """
    M, rules = fast_memory_words(M), Rules() if rules is None else rules
    if dag.n_edges > _LARGEST:
        raise InvalidInput(f"the DAG has {dag.n_edges:,} edges; a certificate can hold at most {_LARGEST:,}")
    if moves is None:
        moves = schedule_dag(dag, M, order, seed=seed, time_budget=time_budget, progress=_told).moves()
    replay, texts = Replay(dag, M, rules), list[str]()
    for text in _played(replay, dag, moves):
        texts.append(text)
        if len(texts) > _LARGEST:
            raise InvalidInput(f"the pebbling has more moves than a certificate can hold, {_LARGEST:,}")
    status = replay.result()
    status.require_complete()
    with unlimited():  # A checker computes the bound again and has no limit.
        chosen = _chosen(dag, M, rules, bound, status.io)
    with limited_to(time_budget):
        optimum = _optimum(dag, M, rules) if chosen.least_io < status.io else None
    return Certificate(dag, M, rules, tuple(texts), status, chosen, optimum)


def _told(*progress: object) -> None:
    tell("searching: " + ", ".join(map(str, progress)))


def _played(replay: Any, dag: Dag, moves: Columns | Iterable[Columns]) -> Iterator[str]:
    for number, chunk in enumerate(as_chunks(moves), 1):
        tell(f"playing part {number:,} of the pebbling")
        replay.play(chunk)
        for move in chunk:
            yield move_text(dag, move)


def _chosen(dag: Dag, M: int, rules: Rules, name: str | None, io: int) -> GraphBound:
    """Return the bound of a name, or the greatest; ``io`` is what the pebbling costs."""
    if name == EXHAUSTIVE.name:
        return exhaustive(dag, M, rules, io)
    found = dag_bounds(dag, M, rules)
    if name is None and found.best.least_io < io:
        with suppress(BoundDoesNotApply):
            return max(exhaustive(dag, M, rules, io), found.best, key=lambda bound: bound.least_io)
    for bound in found:
        if name in (None, bound.name):
            return bound
    if name in found.refused:
        raise BoundDoesNotApply(found.refused[name])
    known = "; ".join((*(bound.name for bound in found), EXHAUSTIVE.name))
    raise InvalidInput(f"the bound {name!r} does not apply to this DAG; these do: {known}")


def _optimum(dag: Dag, M: int, rules: Rules) -> int | None:
    """Return the optimum of a small DAG if a short search proves it."""
    if np.count_nonzero(dag.ancestors_of_outputs) > LARGEST:
        return None
    found = optimal(dag, M, rules, None, _told, most_states=FEW_STATES)
    return found.io if found.proved else None


def _text(document: dict[str, Any]) -> str:
    """Write JSON with one move and one edge a line, so that a difference can be seen."""
    big = {"edges": document["dag"]["edges"], "vertices": document["dag"]["vertices"]}
    big["pebbling"] = document["pebbling"]
    slim = document | {"dag": document["dag"] | {key: key for key in ("edges", "vertices")}}
    text = json.dumps(slim | {"pebbling": "pebbling"}, indent=2, ensure_ascii=False)
    for key, rows in big.items():
        lines = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in rows)
        text = text.replace(
            f'"{key}": "{key}"', f'"{key}": [\n    {lines}\n  ]' if rows else f'"{key}": []', 1
        )
    return text + "\n"


def verdict(io: int, name: str, lower: int) -> str:
    """Return one line: the I/O of a pebbling, and the bound that it is held against."""
    if io == lower:
        return f"{io:,} I/O, optimal: no pebbling has fewer than {lower:,} ({name})"
    return f"{io:,} I/O, gap {io - lower:,}: no pebbling has fewer than {lower:,} ({name})"
