"""The base class of schedules for several devices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from pebble.common.errors import InvalidInput
from pebble.common.layouts import LAYOUTS
from pebble.program.parallel.closed_form import ReceivedWords, exchange_form, placement_form
from pebble.program.parallel.exchange import Exchange, HeadBlocks
from pebble.program.parallel.writing import write_exchange
from pebble.program.schedule.registry import place, schedules_of, unknown

if TYPE_CHECKING:
    from pebble.computations.shared_problem import SharedProblem
    from pebble.program.parallel.placement import Placement

Shape: TypeAlias = tuple[int, ...]
"""Into how many parts heads, queries and keys are cut; their product is P."""


class DistributedSchedule(ABC):
    """A way to compute attention on several devices: which tiles meet where, and how they come there.

    A subclass sets the class attributes and implements :meth:`placement`. Those in the package ``schedules`` are
    found; another project registers its own under the entry-point group ``pebble.distributed_schedules``.

    Attributes
    ----------
    name, summary, source : str
        As used on the command line; one line; the paper.
    received : str
        The words that a device receives where P divides N, in the symbols of ``docs/parallel.md``.
    passes : tuple of str
        Passes it serves.
    layouts : tuple of str
        Layouts it serves.
    causal_only : bool
        Whether it serves the causal mask only.
    shape_names : tuple of str
        What the numbers of its shape count; empty if it has none.
    goes_round : bool
        Whether tiles go round a ring, so that ``pass_on`` matters.
    decodes : bool
        Whether it is for queries that are decoded, see :class:`~pebble.program.parallel.SharedProblem`.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    received: ClassVar[str]
    passes: ClassVar[tuple[str, ...]] = ("forward",)
    layouts: ClassVar[tuple[str, ...]] = LAYOUTS
    causal_only: ClassVar[bool] = False
    shape_names: ClassVar[tuple[str, ...]] = ()
    goes_round: ClassVar[bool] = False
    decodes: ClassVar[bool] = False

    @abstractmethod
    def placement(self, problem: SharedProblem, shape: Shape) -> Placement:
        """Return which tiles meet on which device, for a problem and a shape that :meth:`check` accepts."""

    def blocks(self, problem: SharedProblem, shape: Shape) -> int:
        """Return into how many blocks the heads are cut."""
        return 1

    def exchange(self, problem: SharedProblem, shape: Shape = (), pass_on: str = "needed") -> Exchange:
        """Write the exchange.

        Parameters
        ----------
        problem : SharedProblem
        shape : tuple of int
        pass_on : {"needed", "all"}
            Whether a tile in a ring stops where nobody further on needs it, or goes all the way round.
        """
        self.check(problem, shape)
        return write_exchange(problem, self.placement(problem, shape), pass_on)

    def closed_form(
        self, problem: SharedProblem, shape: Shape = (), pass_on: str = "needed"
    ) -> ReceivedWords:
        """Return the words that each device receives, and the rounds: by formula, or as an exchange of its own says."""
        self.check(problem, shape)
        if type(self).exchange is not DistributedSchedule.exchange:
            return exchange_form(self.exchange(problem, shape, pass_on))
        return placement_form(problem, self.placement(problem, shape), pass_on)

    def dense_words(self, problem: SharedProblem, shape: Shape = ()) -> int:
        """Return the words that a device receives without a mask where P divides N: :attr:`received` as a number.

        Shapes are compared by it first. By default, the most that a device receives by :meth:`closed_form`.
        """
        return max(self.closed_form(problem, shape).received)

    def best_shape(self, problem: SharedProblem, pass_on: str = "needed") -> Shape:
        """Return the shape with which the busiest device receives least.

        Under a mask, or where P does not divide N, the exact words of the eight best by :meth:`dense_words` decide.
        """
        shapes = self.shapes(problem)
        if len(shapes) == 1:
            return shapes[0]
        ordered = sorted(shapes, key=lambda shape: self.dense_words(problem, shape))
        if problem.mask is None and problem.tiling.equal and problem.query_tiling.equal:
            return ordered[0]

        def words(shape: Shape) -> tuple[int, int]:
            received = self.closed_form(problem, shape, pass_on).received
            return max(received), sum(received)

        return min(ordered[:8], key=words)

    def effort(self, problem: SharedProblem, shape: Shape) -> int:
        """Return about how many numbers the referee has to look at."""
        placement = self.placement(problem, shape)
        tiles = max(problem.tiling.tiles, problem.query_tiling.tiles)
        columns = int(placement.query.shape[1]) + int(placement.key.shape[1])
        looked_at = placement.length * problem.P * columns
        return looked_at * -(-tiles // 64) + problem.P * tiles * placement.blocks

    def check(self, problem: SharedProblem, shape: Shape = ()) -> None:
        """Check that the schedule applies."""
        if problem.pass_name not in self.passes:
            raise InvalidInput(f"{self.name} is a schedule for the {self.passes[0]} pass")
        if self.decodes != (problem.queries_decoded is not None):
            what = "queries that are decoded" if self.decodes else "a query for each token"
            raise InvalidInput(f"{self.name} is a schedule for {what}")
        if self.causal_only and not (problem.causal and problem.regular):
            what = " with a query for each key" if problem.causal else ": add --mask causal"
            raise InvalidInput(f"{self.name} needs the causal mask{what}")
        if problem.layout not in self.layouts:
            raise InvalidInput(
                f"{self.name} needs the {' or '.join(self.layouts)} layout, not {problem.layout}"
            )
        self.check_shape(problem, shape)
        HeadBlocks.of(problem, self.blocks(problem, shape))

    def check_shape(self, problem: SharedProblem, shape: Shape) -> None:
        """Check that a shape has the right numbers and their product is P."""
        if len(shape) != len(self.shape_names):
            wanted = " x ".join(self.shape_names) or "none"
            raise InvalidInput(f"{self.name} needs a shape {wanted}, not {shape_text(shape) or 'none'}")
        product = 1
        for part in shape:
            product *= part
        if shape and product != problem.P:
            raise InvalidInput(
                f"shape {shape_text(shape)} of {self.name} needs {product} devices, but P is {problem.P}"
            )

    def shapes(self, problem: SharedProblem) -> list[Shape]:
        """Return all shapes with which the schedule applies; one empty shape where it has none."""
        found, reason = [], None
        for shape in _products(problem.P, len(self.shape_names)) if self.shape_names else [()]:
            try:
                self.check(problem, shape)
            except InvalidInput as error:
                reason = error
            else:
                found.append(shape)
        if not found and reason is not None:
            raise reason
        return found

    def __repr__(self) -> str:
        return f"<DistributedSchedule {self.name}: {self.summary}>"


def distributed_schedules(pass_name: str | None = None) -> list[DistributedSchedule]:
    """Return the registered schedules for several devices, the built-in ones first and in a fixed order.

    Parameters
    ----------
    pass_name : str, optional
        Only those that serve this pass.

    Examples
    --------
    >>> [schedule.name for schedule in distributed_schedules("backward")]
    ['all-gather', 'ring', 'ring-q', 'lightseq', 'pass-q', 'ulysses', 'usp', 'grid', 'grid-ring', 'heads-grid']
    """
    found: list[DistributedSchedule] = schedules_of(
        DistributedSchedule, "pebble.distributed_schedules", "pebble.program.parallel.DistributedSchedule"
    )
    serving = [schedule for schedule in found if pass_name is None or pass_name in schedule.passes]
    return sorted(serving, key=lambda schedule: place(schedule.name))


def distributed_schedule(name: str) -> DistributedSchedule:
    """Return the schedule for several devices with a name.

    Examples
    --------
    >>> distributed_schedule("ring").shape_names, distributed_schedule("usp").shape_names
    ((), ('heads', 'ring'))
    """
    found = {schedule.name: schedule for schedule in distributed_schedules()}
    if name in found:
        return found[name]
    raise unknown(f"schedule for several devices {name!r}", name, found)


def shape_text(shape: Shape) -> str:
    """Return a shape as it is written.

    >>> shape_text((2, 3))
    '2x3'
    """
    return "x".join(map(str, shape))


def shape_of(text: str) -> Shape:
    """Read a shape.

    >>> shape_of("2x3")
    (2, 3)
    """
    parts = text.lower().replace("×", "x").split("x")
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise InvalidInput(f"cannot read the shape {text!r}; examples: 2x3, 2x2x2")
    return tuple(map(int, parts))


def _products(number: int, factors: int) -> Iterator[Shape]:
    """Yield all ways to write a number as an ordered product of ``factors`` factors.

    >>> list(_products(4, 2))
    [(1, 4), (2, 2), (4, 1)]
    """
    if factors == 1:
        yield (number,)
        return
    for first in range(1, number + 1):
        if number % first == 0:
            yield from ((first, *rest) for rest in _products(number // first, factors - 1))
