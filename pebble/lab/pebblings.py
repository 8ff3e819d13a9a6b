"""Pebblings move by move: those of schedules, and files of them that are written, checked or certified."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import IO, Any

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.common.plain import plain
from pebble.common.svg import as_image
from pebble.common.tables import SCHEMA_VERSION, Table, tiles_text, words
from pebble.common.units import fast_memory_words
from pebble.common.whole_numbers import singular
from pebble.computations.family import Family, dag_to_play
from pebble.computations.load import load_dag
from pebble.computations.nests.header import NEST_NAME, nest_from_parameters
from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.nest_family import as_family
from pebble.computations.problem import Problem
from pebble.computations.registry import FAMILY_NAMES, family_from_header
from pebble.game.files.check import CheckResult, check_pebbling
from pebble.game.files.header import Header
from pebble.game.files.level_files import LevelCheck, check_level_pebbling
from pebble.game.files.processor_files import ProcessorCheck, check_processor_pebbling
from pebble.game.files.reader import PebblingReader
from pebble.game.files.writer import write_lines, write_pebbling
from pebble.game.pictures import pebbling_svg
from pebble.game.processors.settings import Processors
from pebble.game.rules import Rules
from pebble.graph.any_dag import AnyDag
from pebble.graph.dag import Dag
from pebble.graph.drawing import MOST_VERTICES
from pebble.lab.asked_schedules import asked_schedule
from pebble.program.accumulated import accumulated_lines
from pebble.program.counting.counted import Run
from pebble.program.lowering import Columns, lower
from pebble.program.nodes import Program, pseudo_code_html
from pebble.program.schedule import Schedule, Tiles, resolve_tiles
from pebble.solvers.certificate import Certificate, certify
from pebble.solvers.certificate_check import check_certificate

_EDGE_LIMIT = 300_000_000
_MOVE_LIMIT = 10_000_000_000


@dataclass(frozen=True)
class Pebbling:
    """The elementary moves of a schedule, generated as they are read and never held all at once.

    Attributes
    ----------
    M : int
        Words of fast memory; the machine has verified that they suffice.
    io, computes, peak : int
        As the machine counted them.
    reads, writes : dict of str to int
        Words loaded and stored, by array.
    run : Run
        All that the machine counted.
    """

    family: Family
    program: Program
    M: int
    tiles: dict[str, int]
    io: int
    computes: int
    peak: int
    reads: dict[str, int] = field(repr=False)
    writes: dict[str, int] = field(repr=False)
    run: Run = field(repr=False)

    def __iter__(self) -> Iterator[Columns]:
        return lower(self.program, self.family)

    @property
    def header(self) -> Header:
        """Header of the pebbling file."""
        if not self.family.accumulated:
            return Header(self.family.name, self.family.parameters, self.M)
        one = Processors(1, fast=self.M, sums=tuple(sorted(self.family.accumulated)))
        return Header(self.family.name, self.family.with_chains().parameters, processors=one)

    def size(self) -> tuple[int, int]:
        """Return about how many moves and bytes the file has; raise InvalidInput if there are too many moves."""
        return text_size([self.run])

    @property
    def names_its_dag(self) -> bool:
        """Whether the header says which DAG it is; it cannot if the mask is an array or made by code."""
        return not self.family.parameters.get("mask", "").startswith(("predicate:", "array:"))

    def write(self, target: str | os.PathLike[str] | IO[str]) -> int:
        """Write the pebbling file and return the number of moves.

        Parameters
        ----------
        target : path or text stream
            A path is written whole or not at all.
        """
        self.size()
        if self.family.accumulated:
            return write_lines(target, self.header, accumulated_lines(self.program, self.family))
        return write_pebbling(target, self.header, self.family, self)

    def _repr_html_(self) -> str:
        tiles = f", {tiles_text(self.tiles)}" if self.tiles else ""
        parameters = (f"{name}={value}" for name, value in self.family.parameters.items())
        title = singular(
            f"{' '.join([self.family.name, *parameters])}{tiles}: {self.io:,} I/O, {self.computes:,} computes; "
            f"peak {self.peak:,} of {self.M:,} words"
        )
        if self.family.accumulated:
            return f"<p>{title}</p>"
        return pebbling_html(self.family, self.program, title, self.reads, self.writes, self)


def moves(
    schedule: str | Schedule, problem: Problem, M: int | None = None, tiles: Tiles | str | None = None
) -> Pebbling:
    """Lower a schedule to elementary moves.

    Parameters
    ----------
    schedule : str or Schedule
    problem : Problem
        One copy; heads and batch are ignored.
    M : int, optional
        Words of fast memory; with tile sizes given, by default what they need.
    tiles : mapping or str, optional
        Tile sizes, or the name of a preset.

    Raises
    ------
    CacheTooSmall
        If the tiles (or any tiles) do not fit M words.

    Examples
    --------
    >>> pebbling = moves("flash-2", Problem.square(2, 2), M=12)
    >>> sum(len(op) for op, vertex in pebbling), pebbling.io
    (100, 24)
    """
    M = None if M is None else fast_memory_words(M)
    made = asked_schedule(schedule, problem)
    sizes = resolve_tiles(made, problem, M, tiles)
    run = made.measure(problem, sizes)
    if M is not None and run.peak > M:
        raise CacheTooSmall(
            f"with these tiles {made.name} needs {run.peak} words of fast memory, but M is {M}", run.peak
        )
    program = made.program(problem, sizes)
    return Pebbling(
        made.family(problem),
        program,
        M or run.peak,
        dict(sizes),
        run.io,
        sum(run.computes.values()),
        run.peak,
        run.reads,
        run.writes,
        run,
    )


def text_size(runs: Sequence[Run], inclusive: bool = True) -> tuple[int, int]:
    """Return about how many moves a pebbling file has, and how many bytes.

    The moves are counted for a program that leaves nothing in fast memory, the bytes with names of mean length. The
    runs are of each memory level, the innermost first; an inclusive one holds what those within hold.
    """
    moves, letters, prefix = 0, 0.0, 2 * (len(runs) > 1)
    for at, run in enumerate(runs):
        for array in run.family.arrays:
            name = len(array.name) + 2.0 + sum(map(_mean_letters, run.family.shape(array.name)))
            reads, writes, computes = (kind[array.name] for kind in (run.reads, run.writes, run.computes))
            deletes = reads + computes + (runs[at - 1].writes[array.name] if at and not inclusive else 0)
            moves += reads + writes + deletes
            letters += (name + prefix) * (reads + writes + deletes) + 5 * reads + 6 * writes + 7 * deletes
            if at == 0:
                moves += computes
                letters += (name + len("compute ")) * computes
    if moves > _MOVE_LIMIT:
        raise InvalidInput(
            f"the pebbling has about {moves:,} moves; the limit for a file is {_MOVE_LIMIT:,}: use "
            "smaller sizes"
        )
    return moves, round(letters)


def _mean_letters(extent: int) -> float:
    """Return how long an index is on average, with the comma or bracket after it."""
    return float(2 + sum((extent - 10**n) / extent for n in range(1, len(str(extent - 1)))))


def check(source: str | os.PathLike[str] | IO[Any]) -> CheckResult:
    """Play a pebbling file move by move: legal, complete, counts and peak, or the first fault.

    A certificate, recognised by its content, is verified from nothing; the result is then a
    :class:`~pebble.solvers.certificate_check.CertificateCheck`, which also knows the bound and what is wrong. Of a
    pebbling with several memory levels it is a :class:`~pebble.game.files.level_files.LevelCheck`, of one of several
    devices a :class:`~pebble.game.files.processor_files.ProcessorCheck`.

    Parameters
    ----------
    source : path or stream
    """
    if not isinstance(source, (str, os.PathLike)):
        return _check_stream(source)
    try:
        with open(source, "rb") as stream:
            return _check_stream(stream)
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror}") from error
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from error


def _check_stream(stream: IO[Any]) -> CheckResult:
    peek = getattr(stream, "peek", None)
    if peek is not None:
        start = peek(64)[:64]
    elif stream.seekable():
        place = stream.tell()
        start = stream.read(64)
        stream.seek(place)
    else:
        start = ""
    if start.lstrip()[:1] in ("{", b"{"):
        return check_certificate(stream)
    reader = PebblingReader(stream)
    if reader.header.levels:
        return check_level_pebbling(reader, dag_of)
    if reader.header.processors:
        return check_processor_pebbling(reader, dag_of)
    return check_pebbling(reader, dag_of)


def dag_of(header: Header) -> AnyDag:
    """Find the DAG that a header names: a family with its parameters, a name of the catalogue, or a file."""
    if header.dag_name not in FAMILY_NAMES and not header.parameters:
        return load_dag(header.dag_name)
    if header.dag_name == NEST_NAME:
        nest = nest_from_parameters(header.parameters)
        if as_family(nest) is None:
            return nest_dag(nest).dag
    family = family_from_header(header.dag_name, header.parameters)
    if family.n_edges > _EDGE_LIMIT:
        raise InvalidInput(
            f"{family!r} is too large to play move by move; the limit is {_EDGE_LIMIT:,} edges"
        )
    return dag_to_play(family)


def check_document(result: CheckResult) -> dict[str, Any]:
    """Return what :func:`check` found as plain data with a schema version, ready for JSON."""
    dag = {"name": result.header.dag_name, **result.header.parameters}
    counts = "M legal complete moves reads writes io computes deletes redundant peak"
    document: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "dag": dag, **plain(result, counts)}
    document["missing"] = result.missing[:20]
    if isinstance(result, LevelCheck):
        document["hierarchy"] = "inclusive" if result.header.inclusive else "exclusive"
        document["levels"] = result.levels()
    if isinstance(result, ProcessorCheck):
        document |= plain(result.processors, "M=fast H=memory layout devices")
        document |= {"communication": result.tally.to_dict(), "left_over": list(result.left_over[:20])}
    certificate: Any = result
    if hasattr(certificate, "faults"):
        document["certificate"] = {
            "valid": certificate.complete,
            "faults": list(certificate.faults),
            "bound": {"name": certificate.bound_name, "value": certificate.lower},
            "gap": certificate.gap,
        }
    if result.refusal is not None:
        refusal = plain(result.refusal, "move_number move rule reason remedy")
        document["fault"] = {"line": result.line, **refusal}
    return document


def certify_file(dag: Dag, path: str, M: int | None, rules: Rules, bound: str | None) -> Certificate:
    """Certify a DAG with the pebbling in a file; M and the rules are the file's.

    ``rules`` are what the caller expects of the file; the default rules, and no M, expect nothing.
    """
    try:
        with open(path, "rb") as stream:
            reader = PebblingReader(stream)
            header = reader.header
            if M not in (None, header.M):
                raise InvalidInput(f"the pebbling is for M = {header.M:,}, not {M:,}")
            if rules not in (Rules(), header.rules):
                raise InvalidInput(f"the pebbling uses other rules: {header.rules}")
            return certify(dag, header.M, header.rules, reader.moves(dag), bound=bound)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from error


def pebbling_html(
    family: Family,
    program: Program,
    title: str,
    reads: Mapping[str, int],
    writes: Mapping[str, int],
    moves: Iterable[Columns],
) -> str:
    """Return the program and the counts; the board is drawn up to as many vertices as any DAG is."""
    table = _by_array(family, reads, writes)._repr_html_()
    parts = [f"<p>{escape(title)}</p>", pseudo_code_html(program), table]
    if family.n_vertices <= MOST_VERTICES:
        parts.append(f"<p>{as_image(pebbling_svg(family.dag(), title, [title], moves), title)}</p>")
    return "".join(parts)


def _by_array(family: Family, reads: Mapping[str, int], writes: Mapping[str, int]) -> Table:
    rows = [["array", "reads", "writes"]]
    for array in family.arrays:
        both = reads.get(array.name, 0), writes.get(array.name, 0)
        if any(both):
            rows.append([array.name, *map(words, both)])
    totals = (sum(counts.values()) for counts in (reads, writes))
    return Table([*rows, ["all", *map(words, totals)]])
