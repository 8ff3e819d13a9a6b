"""Certificates: a DAG, a pebbling of it and a lower bound in one file that can be verified from nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import BoundDoesNotApply, IllegalMove, InvalidInput
from pebble.game.board import Status
from pebble.game.files.check import CheckResult
from pebble.game.files.header import Header
from pebble.game.referee import Refusal
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.graph.names import is_writable

if TYPE_CHECKING:
    from pebble.game.moves import Columns
    from pebble.lower_bounds.graph.graph_bound import GraphBound

__all__ = ["Certificate", "CertificateResult", "certify", "check_certificate"]

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
    """

    dag: Dag
    M: int
    rules: Rules
    pebbling: tuple[str, ...]
    status: Status
    bound: GraphBound

    @property
    def lower(self) -> int:
        """The bound as a whole number of words."""
        return self.bound.least_io

    @property
    def gap(self) -> int:
        """I/O of the pebbling minus the bound; 0 if the pebbling is optimal."""
        return self.status.io - self.lower

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain data; docs/certificates.md describes every field."""
        from pebble.lower_bounds.graph.family_bounds import catalogue_name

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
        """Write the certificate; a path is written whole or not at all.

        Raises
        ------
        InvalidInput
            If the target cannot be written.
        """
        from pebble.common.files import atomic_writer

        if not isinstance(target, (str, os.PathLike)):
            target.write(_text(self.to_dict()))
            return
        with atomic_writer(target) as stream:
            stream.write(_text(self.to_dict()))

    def __str__(self) -> str:
        return _summary(self.status.io, self.bound.name, self.lower)


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
        The name of the bound; by default the greatest that is proved.
    seed, time_budget
        For the automatic schedule.

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
    3 I/O, optimal: no pebbling has less than 3 (compulsory)
    """
    from pebble.game.replay import Replay

    rules = Rules() if rules is None else rules
    if dag.n_edges > _LARGEST:
        raise InvalidInput(f"the DAG has {dag.n_edges:,} edges; a certificate holds at most {_LARGEST:,}")
    if moves is None:
        from pebble.solvers.heuristic.dag_schedule import schedule_dag

        moves = schedule_dag(dag, M, order, seed=seed, time_budget=time_budget).moves()
    replay, texts = Replay(dag, M, rules), list[str]()
    for text in _played(replay, dag, moves):
        texts.append(text)
        if len(texts) > _LARGEST:
            raise InvalidInput(f"the pebbling has more than {_LARGEST:,} moves, the most a certificate holds")
    status = replay.result()
    status.require_complete()
    return Certificate(dag, M, rules, tuple(texts), status, _chosen(dag, M, rules, bound))


def _played(replay: Any, dag: Dag, moves: Columns | Iterable[Columns]) -> Iterator[str]:
    from pebble.game.moves import as_chunks
    from pebble.game.referee import move_text

    for chunk in as_chunks(moves):
        replay.play(chunk)
        for move in chunk:
            yield move_text(dag, move)


def _chosen(dag: Dag, M: int, rules: Rules, name: str | None) -> GraphBound:
    from pebble.lower_bounds.graph.graph_bound_table import dag_bounds

    found = dag_bounds(dag, M, rules)
    for bound in found:
        if name in (None, bound.name):
            return bound
    if name in found.refused:
        raise BoundDoesNotApply(found.refused[name])
    raise InvalidInput(f"no bound {name!r} holds here; known: {', '.join(bound.name for bound in found)}")


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


# -- checking


@dataclass(frozen=True)
class CertificateResult(CheckResult):
    """What a check of a certificate found: what its pebbling does, and every false claim.

    Parameters
    ----------
    header, status, line, refusal
        As for a pebbling file; ``line`` is None, the move number is in the refusal.
    faults : tuple of str
        What is wrong, empty for a valid certificate.
    bound_name : str
    lower : int
        The bound as claimed.
    """

    faults: tuple[str, ...] = field(default=())
    bound_name: str = ""
    lower: int = 0

    @property
    def complete(self) -> bool:
        """Whether the certificate is valid: its pebbling legal and complete, its bound and figures right."""
        return not self.faults

    @property
    def gap(self) -> int:
        """I/O of the pebbling minus the bound."""
        return self.io - self.lower

    def __str__(self) -> str:
        if self.faults:
            return f"not valid: {'; '.join(self.faults)}"
        return f"valid certificate: {_summary(self.io, self.bound_name, self.lower)}"


def _summary(io: int, name: str, lower: int) -> str:
    if io == lower:
        return f"{io:,} I/O, optimal: no pebbling has less than {lower:,} ({name})"
    return f"{io:,} I/O, gap {io - lower:,}: no pebbling has less than {lower:,} ({name})"


def check_certificate(source: str | bytes | IO[Any]) -> CertificateResult:
    """Verify a certificate from nothing: hash, moves one by one, figures, and the bound computed again.

    Parameters
    ----------
    source : str, bytes or stream
        The JSON document.

    Returns
    -------
    CertificateResult
        With all faults that were found; false claims are no errors here.

    Raises
    ------
    InvalidInput
        If it is no certificate at all: no JSON, a field missing or of the wrong kind, no DAG.

    Examples
    --------
    >>> certificate = certify(Dag.from_edges([("a", "sum"), ("b", "sum")]), 3)
    >>> document = certificate.to_dict()
    >>> document["pebbling"].remove("load b")
    >>> print(check_certificate(json.dumps(document)))
    not valid: move 1, compute sum: 1 of its 2 predecessors is not red: b (blue); load it first
    """
    document = _parsed(source if isinstance(source, (str, bytes)) else source.read())
    given = _field(document, "dag", dict)
    dag = _dag(given)
    M, rules = _field(document, "M", int), _rules(document)
    name = given["name"] if given.get("name") and is_writable(given["name"]) else "dag"
    header = Header(name, {}, M, rules)
    status, refusal, faults = _replayed(_field(document, "pebbling", list), dag, M, rules)
    if dag_hash(dag) != _field(given, "hash", str):
        faults.append("the hash is not that of the DAG")
    faults += _name_faults(given.get("name"), dag)
    for key in ("reads", "writes", "io"):
        claimed = _field(document, key, int)
        if claimed != getattr(status, key) and not faults:
            faults.append(f"{key} is {getattr(status, key):,}, not {claimed:,}")
    claim = _field(document, "bound", dict)
    bound_name, lower = _field(claim, "name", str), _field(claim, "value", int)
    faults += _bound_faults(bound_name, lower, _field(claim, "inputs", dict), dag, M, rules)
    if _field(document, "gap", int) != _field(document, "io", int) - lower:
        faults.append("the gap is not the I/O minus the bound")
    return CertificateResult(header, status, None, refusal, tuple(faults), bound_name, lower)


def _name_faults(name: object, dag: Dag) -> list[str]:
    from pebble.lower_bounds.graph.family_bounds import catalogue_name

    return [] if name is None or catalogue_name(dag) == name else [f"the DAG is not the one called {name}"]


def _bound_faults(name: str, lower: int, inputs: dict[str, Any], dag: Dag, M: int, rules: Rules) -> list[str]:
    from pebble.lower_bounds.graph.bound_from_inputs import bound_from_inputs

    try:
        again = bound_from_inputs(name, inputs, dag, M, rules).least_io
    except (BoundDoesNotApply, InvalidInput) as error:
        return [f"the bound {name!r} cannot be confirmed: {error}"]
    return [f"the bound {name!r} proves {again:,}, not {lower:,}"] if lower > again else []


def _replayed(texts: list[Any], dag: Dag, M: int, rules: Rules) -> tuple[Status, Refusal | None, list[str]]:
    from pebble.game.files.reader import parse_move
    from pebble.game.moves import Moves
    from pebble.game.replay import Replay

    replay = Replay(dag, M, rules)
    try:
        for first in range(0, len(texts), 1 << 16):
            part = []
            for number, text in enumerate(texts[first : first + (1 << 16)], first):
                try:
                    part.append(parse_move(text if isinstance(text, str) else repr(text), dag))
                except InvalidInput as error:
                    replay.play(Moves.of(part))
                    return replay.result(), None, [f"move {number}: {error}"]
            replay.play(Moves.of(part))
    except IllegalMove as error:
        return replay.result(), replay.refusal, [str(error)]
    status = replay.result()
    missing = status.missing_names()
    return status, None, [f"not stored at the end: {', '.join(missing[:4])}"] if missing else []


def _parsed(text: str | bytes) -> dict[str, Any]:
    try:
        document = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"no certificate: not JSON ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidInput(f'no certificate: it should be a JSON object with "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise InvalidInput(
            f"a certificate of version {document.get('version')!r}; only {VERSION} can be read"
        )
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _field(document: dict[str, Any], key: str, kind: type[Any]) -> Any:
    value = document.get(key)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InvalidInput(f"no certificate: {key!r} is missing or no {_KINDS[kind]}")
    return value


_KINDS = {dict: "object", list: "list", str: "text", int: "whole number"}


def _rules(document: dict[str, Any]) -> Rules:
    given = _field(document, "rules", dict)
    if set(given) != {"recomputation", "sliding"} or not all(isinstance(v, bool) for v in given.values()):
        raise InvalidInput("no certificate: 'rules' must say recomputation and sliding, each true or false")
    return Rules(**given)


def _dag(given: dict[str, Any]) -> Dag:
    names, edges = _field(given, "vertices", list), _field(given, "edges", list)
    outputs = _field(given, "outputs", list)
    for number in (*outputs, *(v for edge in edges for v in (edge if isinstance(edge, list) else [None]))):
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(names):
            raise InvalidInput(f"no certificate: {number!r} is no vertex of its DAG")
    if not all(isinstance(name, str) for name in names) or any(len(edge) != 2 for edge in edges):
        raise InvalidInput("no certificate: its DAG needs names of vertices and edges [predecessor, vertex]")
    description = given.get("name") or ""
    if not isinstance(description, str):
        raise InvalidInput("no certificate: the DAG's name must be a text or null")
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Dag.from_edges(pairs, names=names, outputs=outputs, description=description)
