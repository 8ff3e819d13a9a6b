"""The pebblings of a class, ranked by what they move; those that are not legal and complete say why."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pebble.common.errors import InvalidInput, PebbleError
from pebble.common.plain import PlainRow, plain
from pebble.common.tables import Table, TableResult, words
from pebble.game.board import Status
from pebble.game.files.check import CheckResult, check_pebbling
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader, resolved_dag
from pebble.game.rules import Rules
from pebble.graph.any_dag import AnyDag
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.lab.pebblings import dag_of
from pebble.lower_bounds.graph import dag_bounds
from pebble.solvers.optimum import FEW_STATES, optimal


@dataclass(frozen=True)
class RankedFile(PlainRow):
    """A file of a ranking: its rank, or the fault that denies it one; its words above the least; whose moves it has.

    The game, that is a hash of the DAG and M, must be that of the others; ``moves`` is a hash, too.
    """

    KEYS = (
        "file rank reads=counts.reads writes=counts.writes io=counts.io peak=counts.peak distance same_moves_as "
        "fault line=played.line rule=played.refusal.rule"
    )

    file: str
    fault: str = ""
    header: Header | None = None
    game: tuple[str, int] = ("", 0)
    moves: str = ""
    played: CheckResult | None = None
    same_moves_as: str | None = None
    rank: int | None = None
    distance: int | None = None

    @property
    def counts(self) -> Status | None:
        """What the pebbling costs, if nothing is wrong with it."""
        return self.played.status if self.played and not self.fault else None


@dataclass(frozen=True)
class Ranking(TableResult):
    """What :func:`rank_pebblings` returns: the game of most files, and the files, those without a rank last.

    ``least`` is the optimum where it is known, else the greatest bound; ``bound`` is what proves it.
    """

    ROWS = "files"

    header: Header
    files: tuple[RankedFile, ...]
    optimum: int | None = None
    least: int | None = None
    bound: str | None = None

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        dag = {"name": self.header.dag_name, **self.header.parameters}
        game = {"dag": dag, "M": self.header.M, "rules": vars(self.header.rules)}
        return game | plain(self, "optimum least bound files")

    def parts(self) -> Sequence[str | Table | TableResult]:
        """Return what is printed: the game, and the files."""
        known, what = ("bound", "at least") if self.optimum is None else ("optimum", "optimum")
        proved = "" if self.least is None else f"; {what} {words(self.least)} I/O ({self.bound})"
        counts = {name: f"counts.{name}" for name in ("reads", "writes", "peak")}
        columns: dict[str, Any] = {"rank": "rank", "file": "file", "I/O": "counts.io", **counts}
        columns |= {f"above {known}": "distance", "note": _note}
        table = Table.of(self.files, columns, drop=("writes", "reads", "peak"))
        return [f"{_game_text(self.header)}, {self.header.rules}{proved}", table]


def rank_pebblings(folder: str | os.PathLike[str]) -> Ranking:
    """Check all files of a directory and rank the complete pebblings of one game, the cheapest first.

    The DAG, M and the rules are those of most files. Folders and names that begin with a dot are left out.
    """
    try:
        paths = sorted(path for path in Path(folder).iterdir() if path.name[0] != "." and not path.is_dir())
    except OSError as error:
        raise InvalidInput(f"cannot read the directory {folder}: {error.strerror}") from error
    dags: dict[tuple[str, int], AnyDag] = {}
    files = {path: _read(path, dags) for path in paths}
    headers = [(one.game, one.header) for one in files.values() if one.header]
    if not headers:
        faults = "; ".join(f"{one.file}: {one.fault}" for one in files.values())
        raise InvalidInput(f"no pebbling files in {folder}{faults and f': {faults}'}")
    game = Counter(game for game, _ in headers).most_common(1)[0][0]
    meant = [header for its_game, header in headers if its_game == game]
    rules = Counter(header.rules for header in meant).most_common(1)[0][0]
    header = replace(meant[0], rules=rules)
    judged = [_judged(path, one, game, dags[game], rules) for path, one in files.items()]
    costs = sorted(one.counts.io for one in judged if one.counts)
    optimum, least, bound = _least(dags[game], header, costs[0]) if costs else (None, None, None)
    first: dict[str, str] = {}
    for at, one in enumerate(judged):
        copied = first.setdefault(one.moves or f" {at}", one.file)
        one = replace(one, same_moves_as=None if copied == one.file else copied)
        if one.counts:
            io = one.counts.io
            one = replace(one, rank=1 + costs.index(io), distance=None if least is None else io - least)
        judged[at] = one
    ranked = sorted(judged, key=lambda one: one.rank or len(files) + 1)
    return Ranking(header, tuple(ranked), optimum, least, bound)


def _read(path: Path, dags: dict[tuple[str, int], AnyDag]) -> RankedFile:
    """Read what a file plays, and add its DAG to those of the other games."""
    name = path.name if path.name.isprintable() else ascii(path.name)
    if not path.is_file():
        return RankedFile(name, "not a file that can be read")
    try:
        with path.open("rb") as stream:
            reader = PebblingReader(stream)
            header = reader.header
            if header.levels or header.processors:
                return RankedFile(name, "a game of several memory levels or devices")
            dag = resolved_dag(reader, dag_of)
            game = (dag_hash(dag) if isinstance(dag, Dag) else _game_text(header), header.M)
            dags.setdefault(game, dag)
            return RankedFile(name, "", header, game, _moves(reader))
    except PebbleError as error:
        return RankedFile(name, str(error))
    except OSError as error:
        return RankedFile(name, f"cannot be read: {error.strerror}")


def _moves(reader: PebblingReader) -> str:
    """Return a hash of the moves, whatever blanks and comments are between them; empty if there are none."""
    digest = hashlib.sha256()
    with suppress(InvalidInput):  # what follows an illegal move may be anything
        for _, text in reader.lines():
            digest.update(" ".join(text.split()).encode() + b"\n")
    return "" if digest.digest() == hashlib.sha256().digest() else digest.hexdigest()


def _judged(path: Path, one: RankedFile, game: tuple[str, int], dag: AnyDag, rules: Rules) -> RankedFile:
    """Play a file by the rules of the others; say what is wrong with it."""
    if one.header is None:
        return one
    if one.game != game:
        return replace(one, fault=f"another game: {_game_text(one.header)}")
    try:
        with path.open("rb") as stream:
            reader = PebblingReader(stream)
            reader.header = replace(one.header, rules=rules)
            played = check_pebbling(reader, lambda header: dag)
    except PebbleError as error:
        return replace(one, fault=str(error))
    fault = "" if played.complete else f"not complete: {str(played.status).partition(';')[0]}"
    if refusal := played.refusal:
        fault = f"line {played.line}, {refusal.rule}: {refusal.move}: {refusal.reason}"
    return replace(one, fault=fault, played=played)


def _note(one: RankedFile) -> str:
    return "; ".join(filter(None, [one.same_moves_as and f"same moves as {one.same_moves_as}", one.fault]))


def _game_text(header: Header) -> str:
    parameters = (f"{name}={value}" for name, value in header.parameters.items())
    return f"{' '.join([header.dag_name, *parameters])}, M = {header.M:,}"


def _least(dag: AnyDag, header: Header, cheapest: int) -> tuple[int | None, int | None, str | None]:
    """Return the optimum, what no pebbling goes below, and what proves that; None where it is unknown."""
    if not isinstance(dag, Dag):
        return None, None, None
    bound = dag_bounds(dag, header.M, header.rules).best
    if bound.least_io == cheapest:
        return cheapest, cheapest, bound.name
    try:
        found = optimal(dag, header.M, header.rules, most_states=FEW_STATES)
    except InvalidInput:  # too large for a search
        return None, bound.least_io, bound.name
    if found.proved:
        return found.io, found.io, "exact search"
    return None, *max((bound.least_io, bound.name), (found.lower, "unfinished search"))
