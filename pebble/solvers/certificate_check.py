"""The check of a certificate: everything in it is verified from nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from pebble.common.clock import tell
from pebble.common.errors import BoundDoesNotApply, IllegalMove, InvalidInput
from pebble.game.board import Status
from pebble.game.files.check import CheckResult
from pebble.game.files.header import Header
from pebble.game.files.reader import parse_move
from pebble.game.moves import Moves
from pebble.game.referee import Refusal
from pebble.game.replay import Replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.graph.names import is_writable
from pebble.lower_bounds.graph.family_bounds import catalogue_name
from pebble.lower_bounds.graph.graph_bound_table import bound_from_inputs
from pebble.solvers.certificate import FORMAT, VERSION, verdict


@dataclass(frozen=True)
class CertificateCheck(CheckResult):
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
        return self.status.io - self.lower

    def __str__(self) -> str:
        if self.faults:
            return f"not valid: {'; '.join(self.faults)}"
        return f"valid certificate: {verdict(self.io, self.bound_name, self.lower)}"


def check_certificate(source: str | bytes | IO[Any]) -> CertificateCheck:
    """Verify a certificate from nothing: every field is computed again and compared, or the file is refused.

    Parameters
    ----------
    source : str, bytes or stream
        The JSON document.

    Returns
    -------
    CertificateCheck
        With all faults that were found; false claims are no errors here.

    Examples
    --------
    >>> from pebble.solvers.certificate import certify
    >>> certificate = certify(Dag.from_edges([("a", "sum"), ("b", "sum")]), 3)
    >>> document = certificate.to_dict()
    >>> document["pebbling"].remove("load b")
    >>> print(check_certificate(json.dumps(document)))
    not valid: move 1, compute sum: 1 of its 2 predecessors is not red: b (blue); load it first
    """
    document = _parsed(source if isinstance(source, (str, bytes)) else source.read())
    _check_keys(document, "the certificate", _FIELDS)
    given = _field(document, "dag", dict)
    dag = _dag(given)
    M, rules = _field(document, "M", int), _rules(document)
    name = given["name"] if given["name"] and is_writable(given["name"]) else "dag"
    header = Header(name, {}, M, rules)
    status, refusal, faults = _replayed(_field(document, "pebbling", list), dag, M, rules)
    if dag_hash(dag) != _field(given, "hash", str):
        faults.append("the hash is not that of the DAG")
    faults += _name_faults(given["name"], dag)
    for key in ("reads", "writes", "io"):
        claimed = _field(document, key, int)
        if claimed != getattr(status, key) and not faults:
            faults.append(f"{key} is {getattr(status, key):,}, not {claimed:,}")
    claim = _field(document, "bound", dict)
    _check_keys(claim, "'bound'", _BOUND_FIELDS)
    bound_name, lower = _field(claim, "name", str), _field(claim, "value", int)
    _field(claim, "inputs", dict)
    faults += _bound_faults(claim, dag, M, rules)
    if _field(document, "gap", int) != _field(document, "io", int) - lower:
        faults.append("the gap is not the I/O minus the bound")
    return CertificateCheck(header, status, None, refusal, tuple(faults), bound_name, lower)


_FIELDS = ("format", "version", "dag", "M", "rules", "pebbling", "reads", "writes", "io", "bound", "gap")
_DAG_FIELDS = ("hash", "name", "vertices", "edges", "outputs")
_BOUND_FIELDS = ("name", "value", "rules", "source", "inputs")


def _check_keys(document: dict[str, Any], what: str, known: tuple[str, ...]) -> None:
    """Refuse a key that nobody would look at."""
    for key in document:
        if key not in known:
            raise InvalidInput(
                f"not a certificate: {what} has an unknown key {key!r}; known: {', '.join(known)}"
            )


def _name_faults(name: object, dag: Dag) -> list[str]:
    return [] if name is None or catalogue_name(dag) == name else [f"the DAG is not the one called {name}"]


def _bound_faults(claim: dict[str, Any], dag: Dag, M: int, rules: Rules) -> list[str]:
    """Compute the bound again and compare all that is claimed of it; inputs that it does not need may be left out."""
    name, lower, inputs = claim["name"], claim["value"], claim["inputs"]
    try:
        again = bound_from_inputs(name, inputs, dag, M, rules)
    except (BoundDoesNotApply, InvalidInput) as error:
        return [f"the bound {name!r} cannot be confirmed: {error}"]
    faults = (
        [f"the bound {name!r} proves {again.least_io:,}, not {lower:,}"] if lower > again.least_io else []
    )
    if lower < 0:
        faults.append(f"the bound {name!r} is not a number of words: {lower:,} is negative")
    compared = [(f"input {key!r}", again.inputs.get(key), value) for key, value in inputs.items()]
    compared += [(key, getattr(again, key), claim.get(key)) for key in ("rules", "source")]
    return faults + [
        f"the {key} of the bound {name!r} is {right!r}, not {value!r}"
        for key, right, value in compared
        if not _same(right, value)
    ]


def _same(one: object, other: object) -> bool:
    """Tell whether two JSON values are equal; true is not 1, and 1.0 neither."""
    return type(one) is type(other) and one == other


def _replayed(texts: list[Any], dag: Dag, M: int, rules: Rules) -> tuple[Status, Refusal | None, list[str]]:
    replay = Replay(dag, M, rules)
    try:
        for first in range(0, len(texts), 1 << 16):
            tell(f"move {first:,} of {len(texts):,}")
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
        raise InvalidInput(f"not a certificate: not JSON ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidInput(f'no certificate: it should be a JSON object with "format": "{FORMAT}"')
    if not _same(document.get("version"), VERSION):
        raise InvalidInput(
            f"the certificate has version {document.get('version')!r}; this program reads only version "
            f"{VERSION}"
        )
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _field(document: dict[str, Any], key: str, kind: type[Any]) -> Any:
    value = document.get(key)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InvalidInput(f"not a certificate: {key!r} is missing or not a {_KINDS[kind]}")
    return value


_KINDS = {dict: "object", list: "list", str: "text", int: "whole number"}


def _rules(document: dict[str, Any]) -> Rules:
    given = _field(document, "rules", dict)
    if set(given) != {"recomputation", "sliding"} or not all(isinstance(v, bool) for v in given.values()):
        raise InvalidInput(
            "not a certificate: 'rules' must say recomputation and sliding, each true or false"
        )
    return Rules(**given)


def _dag(given: dict[str, Any]) -> Dag:
    _check_keys(given, "'dag'", _DAG_FIELDS)
    names, edges = _field(given, "vertices", list), _field(given, "edges", list)
    outputs = _field(given, "outputs", list)
    for number in (*outputs, *(v for edge in edges for v in (edge if isinstance(edge, list) else [None]))):
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(names):
            raise InvalidInput(f"not a certificate: {number!r} is not a vertex of its DAG")
    if not all(isinstance(name, str) for name in names) or any(len(edge) != 2 for edge in edges):
        raise InvalidInput(
            "not a certificate: its DAG needs names of vertices and edges [predecessor, vertex]"
        )
    if len(set(outputs)) != len(outputs):
        raise InvalidInput("not a certificate: an output of its DAG is given twice")
    description = given.get("name", 0)
    if description is not None and not isinstance(description, str):
        raise InvalidInput("not a certificate: the DAG's name must be a text or null")
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Dag.from_edges(pairs, names=names, outputs=outputs, description=description or "")
