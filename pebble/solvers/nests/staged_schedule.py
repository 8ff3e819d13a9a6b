"""Programs for a loop nest in stages: each stage a family, what begins a sum loaded when the sum begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pebble.common.errors import CacheTooSmall
from pebble.common.plain import PlainRow
from pebble.computations.nests.nest_family import NotAFamily
from pebble.computations.nests.stages import Stage, stages_of
from pebble.computations.nests.statement import LoopNest
from pebble.game.moves import Moves
from pebble.solvers.nests.family_schedule import FamilySchedule, schedule_family
from pebble.solvers.nests.staged_moves import staged_moves

__all__ = ["NestSchedule", "schedule_stages"]


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
        lambda: staged_moves(nest, found),
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
