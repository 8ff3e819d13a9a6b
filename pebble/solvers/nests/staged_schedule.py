"""Programs for a loop nest in stages: each stage a family, what begins a sum loaded when the sum begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pebble.common.errors import CacheTooSmall
from pebble.common.plain import PlainRow
from pebble.computations.nests.nest_dag import NestDag, nest_dag
from pebble.computations.nests.nest_family import NotAFamily
from pebble.computations.nests.points import affine_values
from pebble.computations.nests.stages import Stage, stages_of
from pebble.computations.nests.statement import LoopNest
from pebble.game.moves import Moves, Op
from pebble.program.lowering import lower
from pebble.solvers.nests.family_schedule import FamilySchedule, schedule_family


@dataclass(frozen=True)
class NestSchedule(PlainRow):
    """A schedule of a loop nest, its words counted by the machine or by the replay.

    Attributes
    ----------
    nest : LoopNest
    M : int
        Words of fast memory.
    reads, writes : int
        Words loaded and stored.
    peak : int
        Most words in fast memory at any time, at most M.
    program : str
        The schedule as text: a program, or how the vertices are ordered.
    """

    KEYS = "io reads writes peak program"

    nest: LoopNest
    M: int
    reads: int
    writes: int
    peak: int
    program: str
    _moves: Callable[[], Iterator[Moves]] = field(repr=False, compare=False)

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.reads + self.writes

    def moves(self) -> Iterator[Moves]:
        """Yield the moves of the elementary game on the nest's DAG, made anew each time."""
        return self._moves()


_Programs = list[tuple[Stage, FamilySchedule]]
"""Each stage with its program, as the machine has run it."""


def schedule_stages(nest: LoopNest, M: int, progress: Callable[[str], None] | None = None) -> NestSchedule:
    """Find programs for the stages of a nest, one after the other.

    Parameters
    ----------
    nest : LoopNest
    M : int
        Words of fast memory.
    progress : callable, optional
        Called with a line of text before each search.

    Raises
    ------
    NotAFamily
        If the nest has no such stages.
    CacheTooSmall
        If M words are too few for programs of this kind; ``least_M`` says how many are not.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "D[i,j] = C[i,j]; D[i,j] += A[i,k]*B[k,j]"
    >>> found = schedule_stages(loop_nest(text, {"i": 1000, "j": 1000, "k": 1000}), 200)
    >>> found.reads, found.writes, found.peak
    (150000000, 1000000, 199)
    """
    found = _programs(stages_of(nest), M, progress)
    if not all(_once(*one) for one in found):
        found = _programs(stages_of(nest, finest=True), M, progress)
    if not all(_once(*one) for one in found):
        raise NotAFamily(
            "it cannot be computed array by array: sums with initial values would be computed twice"
        )
    runs = [one.run for _, one in found]
    return NestSchedule(
        nest,
        M,
        sum(run.total_reads for run in runs) + sum(_initial_reads(stage) for stage, _ in found),
        sum(run.total_writes for run in runs)
        + sum(begun.alone for stage, _ in found for begun in stage.begun.values()),
        max(max(_room(stage), one.run.peak + stage.reserve) for stage, one in found),
        "\n".join(_text(nest, *one) for one in found),
        lambda: _staged_moves(nest, found),
    )


def _programs(stages: Sequence[Stage], M: int, progress: Callable[[str], None] | None) -> _Programs:
    found = []
    for stage in stages:
        least = max(_room(stage), stage.family.max_indegree + 1 + stage.reserve)
        if least > M:
            raise CacheTooSmall(f"a program needs at least {least} words; M is {M}", least)
        found.append((stage, schedule_family(stage.family, M - stage.reserve, progress=progress)))
    return found


def _once(stage: Stage, one: FamilySchedule) -> bool:
    """Whether every chain with an initial value is begun once."""
    return all(one.run.computes[name] == stage.family.size(name) for name in stage.begun)


def _initial_reads(stage: Stage) -> int:
    """Return how many words initial values load."""
    words = (begun.reads * (stage.family.words(name) + begun.alone) for name, begun in stage.begun.items())
    return len(stage.scalars) + sum(words)


def _room(stage: Stage) -> int:
    """Return the room for an initial value by itself."""
    return stage.reserve + 1 if stage.begun else 0


def _text(nest: LoopNest, stage: Stage, one: FamilySchedule) -> str:
    """Return a program, after remarks on its names and on what begins its sums."""
    return "".join(f"# {line}\n" for line in _remarks(nest, stage)) + str(one.program)


def _remarks(nest: LoopNest, stage: Stage) -> Iterator[str]:
    """Yield what the program's text alone does not say."""
    for name, view in stage.views.items():
        if not view.is_plain:
            cases = (
                str(access) + (f" where {condition} >= 0" if condition is not None else "")
                for condition, access in view.cases
            )
            yield f"{name}[{','.join(view.axes)}] is {', else '.join(cases)}"
    if stage.family.mask is not None:
        yield "only for j <= i, where"
    if any(not view.is_plain for view in stage.views.values()) or stage.family.mask is not None:
        yield from (_in_axes(stage, name) for name in stage.statements)
    if stage.scalars:
        verb = "stay" if len(stage.scalars) > 1 else "stays"
        yield f"{', '.join(stage.scalars)} {verb} in fast memory"
    for begun in stage.begun.values():
        first = nest.statements[begun.statement]
        loaded = ", ".join(str(access) for access in first.reads if access.places)
        yield f"when {first.target} is begun: load {loaded}; compute {first}; delete {loaded}"
        if begun.alone:
            yield f"at the end, {begun.alone:,} of these to which nothing is added"


def _in_axes(stage: Stage, name: str) -> str:
    """Return what an array is computed from, in the axes of the program."""
    array = stage.family[name]
    read = ", ".join(f"{one.array}[{','.join(stage.family[one.array].axes)}]" for one in array.reads)
    moved = [
        f"{axis} counted from {by}" for axis, by in zip(array.indices, stage.shifts[name], strict=True) if by
    ]
    over = "" if array.chain is None else f" over {array.chain}"
    text = f"{name}[{','.join(array.axes)}]{over} from {read}"
    return f"{text}; {', '.join(moved)}" if moved else text


def _staged_moves(nest: LoopNest, programs: _Programs) -> Iterator[Moves]:
    """Yield the moves of the elementary game, for nests whose DAG can be built.

    Two views of one element are one word: it is loaded anew for the second, as the program says, and stays until
    neither is needed.
    """
    found = _Vertices(nest_dag(nest))
    for stage, one in programs:
        moves = _StageMoves(found, stage)
        yield _columns(moves.scalars(Op.LOAD))
        for op, vertex in lower(one.program, stage.family):
            yield _columns(
                [move for pair in zip(op.tolist(), vertex.tolist(), strict=True) for move in moves.of(*pair)]
            )
        yield _columns([*moves.left(), *moves.scalars(Op.DELETE)])


_Pair = tuple[int, int]
"""A move: what is done, and the vertex."""


def _columns(moves: Sequence[_Pair]) -> Moves:
    pairs = np.array(moves, dtype=np.int64).reshape(-1, 2)
    return Moves(pairs[:, 0].astype(np.int8), pairs[:, 1])


class _Vertices:
    """The vertices of a nest's DAG, by element and by point."""

    def __init__(self, found: NestDag) -> None:
        self.found = found
        self.elements: dict[tuple[str, tuple[int, ...]], int] = {}
        self.points: list[dict[tuple[int, ...], int]] = []
        for number, (statement, points) in enumerate(zip(found.nest.statements, found.points, strict=True)):
            first = found.first[number]
            self.points.append({tuple(point): first + at for at, point in enumerate(points.tolist())})
            for access, vertices in zip(statement.reads, found.reads[number], strict=True):
                columns = [affine_values(place, statement.indices, points) for place in access.places]
                places = np.stack(columns, axis=1).tolist() if columns else [()] * len(points)
                self.elements.update(
                    ((access.array, tuple(place)), vertex)
                    for place, vertex in zip(places, vertices.tolist(), strict=True)
                )

    def reads(self, vertex: int, number: int) -> list[tuple[bool, int]]:
        """Return what a vertex of a statement reads, and whether it has indices."""
        row = vertex - self.found.first[number]
        reads = self.found.nest.statements[number].reads
        pairs = zip(reads, self.found.reads[number], strict=True)
        return [(bool(access.places), int(column[row])) for access, column in pairs]


class _StageMoves:
    """What each move of a stage's family is on the whole DAG."""

    def __init__(self, vertices: _Vertices, stage: Stage) -> None:
        self._vertices, self._stage = vertices, stage
        self._names = stage.family.names
        self._known: dict[int, tuple[int, str, int]] = {}
        self._copies: dict[int, int] = {}
        self._begun: dict[str, set[int]] = {name: set() for name in stage.begun}

    def scalars(self, op: Op) -> list[_Pair]:
        """Return the loads, or deletes, of the words that initial values read all the time."""
        return [(op, self._vertices.elements[name, ()]) for name in self._stage.scalars]

    def of(self, op: int, vertex: int) -> list[_Pair]:
        """Return the moves for one move of the family."""
        known, name, before = self._vertex(vertex)
        if op == Op.COMPUTE and before >= 0:
            self._begun[name].add(before)
            return [*self._initial(name, before), (op, known), (Op.DELETE, before)]
        if name in self._stage.views:
            return self._of_copy(op, known)
        return [(op, known)]

    def _of_copy(self, op: int, vertex: int) -> list[_Pair]:
        copies = self._copies.get(vertex, 0)
        self._copies[vertex] = copies + (1 if op == Op.LOAD else -1)
        if op == Op.LOAD and copies:
            return [(Op.DELETE, vertex), (Op.LOAD, vertex)]
        if op == Op.DELETE and copies > 1:
            return []
        return [(op, vertex)]

    def _initial(self, name: str, vertex: int) -> list[_Pair]:
        """Return the moves that compute an initial value; what is in fast memory anyhow stays there."""
        reads = self._vertices.reads(vertex, self._stage.begun[name].statement)
        indexed = [one for has_indices, one in reads if has_indices]
        loads = [pair for one in indexed for pair in self._of_copy(Op.LOAD, one)]
        deletes = [pair for one in indexed for pair in self._of_copy(Op.DELETE, one)]
        return [*loads, (Op.COMPUTE, vertex), *deletes]

    def left(self) -> list[_Pair]:
        """Return the moves for initial values to which nothing is added."""
        found: list[_Pair] = []
        for name, begun in self._stage.begun.items():
            for vertex in self._vertices.points[begun.statement].values():
                if vertex not in self._begun[name]:
                    found += [*self._initial(name, vertex), (Op.STORE, vertex), (Op.DELETE, vertex)]
        return found

    def _vertex(self, vertex: int) -> tuple[int, str, int]:
        """Return the vertex of the whole DAG, the family's array, and the initial value that it begins with, or -1."""
        if vertex not in self._known:
            self._known[vertex] = self._found(*self._names.element(vertex))
        return self._known[vertex]

    def _found(self, name: str, index: tuple[int, ...]) -> tuple[int, str, int]:
        view = self._stage.views.get(name)
        if view is not None:
            return self._vertices.elements[view.element(index)], name, -1
        point = tuple(one + by for one, by in zip(index, self._stage.shifts[name], strict=True))
        number = next(at for at in self._stage.statements[name] if point in self._vertices.points[at])
        vertex = self._vertices.points[number][point]
        before = -1
        if name in self._stage.begun:
            before = int(self._vertices.found.before[number][vertex - self._vertices.found.first[number]])
            first = self._vertices.found.first[self._stage.begun[name].statement]
            count = len(self._vertices.points[self._stage.begun[name].statement])
            before = before if first <= before < first + count else -1
        return vertex, name, before
