"""The plan: the choices of schedule and tiles, the best first, and what each constraint costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pebble.common.tables import Table, TableResult, tiles_text, words
from pebble.common.units import bytes_per_word
from pebble.computations.problem import Problem
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.memory_need import Room
from pebble.lab.plan.roofline import Roofline

if TYPE_CHECKING:
    from pebble.lab.hardware import Device
    from pebble.lower_bounds.bound import Bound

__all__ = ["Choice", "Cost", "Plan"]


@dataclass(frozen=True)
class Choice:
    """One schedule with tiles, verified by the machine.

    Attributes
    ----------
    schedule, form : str
        ``form`` is ``"own tiles"`` or ``"whole tiles"``, see :mod:`pebble.lab.plan.tile_search`.
    tiles : dict of str to int
    room : Room
        Words of fast memory, for one copy.
    reads, writes, io : int
        Words moved, for all copies.
    moved : int
        Bytes moved, for all copies.
    flops : int
        FLOP of the matrix products that are executed, for all copies.
    ratio : float
        I/O divided by the best proved bound.
    roofline : Roofline
    """

    schedule: str
    form: str
    tiles: dict[str, int]
    room: Room
    reads: int
    writes: int
    io: int
    moved: int
    flops: int
    ratio: float
    roofline: Roofline

    @property
    def intensity(self) -> float:
        """FLOP for each byte moved."""
        return self.flops / self.moved

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return {
            "schedule": self.schedule,
            "form": self.form,
            "tiles": dict(self.tiles),
            "room": self.room.words,
            "room_parts": {
                "peak": self.room.peak,
                "wide": self.room.wide,
                "steps": self.room.steps,
                "buffers": self.room.buffers,
            },
            "reads": self.reads,
            "writes": self.writes,
            "io": self.io,
            "bytes": self.moved,
            "flops": self.flops,
            "intensity": self.intensity,
            "ratio": self.ratio,
            "memory_seconds": self.roofline.memory_seconds,
            "compute_seconds": self.roofline.compute_seconds,
            "seconds": self.roofline.seconds,
            "limit": self.roofline.limit,
        }


@dataclass(frozen=True)
class Cost:
    """What a constraint costs: the best I/O found if it alone is dropped.

    Attributes
    ----------
    constraint : str
        In words; ``"all"`` if every one is dropped.
    io, moved : int
        Words and bytes without it.
    io_more, moved_more : float
        I/O and bytes of the plan divided by these, minus one.
    schedule, form : str
    tiles : dict of str to int
        With which this is reached.
    """

    constraint: str
    io: int
    moved: int
    io_more: float
    moved_more: float
    schedule: str
    form: str
    tiles: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return {
            "constraint": self.constraint,
            "io": self.io,
            "bytes": self.moved,
            "io_more": self.io_more,
            "bytes_more": self.moved_more,
            "schedule": self.schedule,
            "form": self.form,
            "tiles": dict(self.tiles),
        }


@dataclass(frozen=True)
class Plan(TableResult):
    """The schedules and tiles that keep the constraints, the best first, and what each constraint costs.

    Attributes
    ----------
    problem : Problem
    M : int
        Words of fast memory, of the inputs' data type.
    dtype : str
    device : Device or None
    level : str or None
    constraints : Constraints
    choices : tuple of Choice
        The best first.
    costs : tuple of Cost
    bound : Bound
        The greatest proved bound, for all copies.
    """

    problem: Problem
    M: int
    dtype: str
    device: Device | None
    level: str | None
    constraints: Constraints
    choices: tuple[Choice, ...]
    costs: tuple[Cost, ...]
    bound: Bound

    @property
    def best(self) -> Choice:
        """The choice that moves the fewest bytes."""
        return self.choices[0]

    def __repr__(self) -> str:
        best = self.best
        return (
            f"<Plan {self.problem!r} M={self.M}: {best.schedule} {tiles_text(best.tiles)}, {best.io} words>"
        )

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return {
            "problem": self.problem.to_dict(),
            "M": self.M,
            "dtype": self.dtype,
            "bytes": self.M * bytes_per_word(self.dtype),
            "device": None if self.device is None else self.device.key,
            "level": self.level,
            "constraints": self.constraints.to_dict(),
            "bound": {"name": self.bound.name, "value": self.bound.value, "status": self.bound.status},
            "best": self.best.to_dict(),
            "choices": [choice.to_dict() for choice in self.choices],
            "costs": [cost.to_dict() for cost in self.costs],
        }

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: what was planned, the best choice, all choices, what constraints cost."""
        where = f" ({self.device.title}, {self.level})" if self.device is not None else ""
        size = _bytes(self.M * bytes_per_word(self.dtype))
        setting = (
            self.problem.describe(),
            f"fast memory: {words(self.M)} words of {self.dtype}, {size}{where}",
            f"constraints: {self.constraints}",
            f"bound: {words(self.bound.value)} words ({self.bound.name}, {self.bound.status})",
        )
        costs = [self._cost_table()] if self.costs else []
        return ["\n".join(setting), _sentence(self.best), self._choice_table(), *costs]

    def _choice_table(self) -> Table:
        head = ["schedule", "form", "tiles", "room", "I/O", "bytes", "FLOP/byte", "I/O ÷ bound"]
        timed = self.device is not None
        cells = [[*head, "roofline"] if timed else head]
        for one in self.choices:
            row = [one.schedule, one.form, tiles_text(one.tiles), words(one.room.words), words(one.io)]
            row += [_bytes(one.moved), f"{one.intensity:.0f}", f"{one.ratio:.3f}"]
            cells.append([*row, _time(one.roofline)] if timed else row)
        return Table(cells, left=3)

    def _cost_table(self) -> Table:
        cells = [["constraint", "I/O without", "costs I/O", "costs bytes", "reached by"]]
        for one in self.costs:
            by = f"{one.schedule} ({one.form}) {tiles_text(one.tiles)}"
            more = (f"{100 * one.io_more:+.1f} %", f"{100 * one.moved_more:+.1f} %")
            cells.append([one.constraint, words(one.io), *more, by])
        return Table(cells, right=(1, 2, 3))


def _sentence(one: Choice) -> str:
    parts = [f"{words(one.room.peak)} measured"]
    parts += [f"{words(one.room.wide + one.room.steps)} for wide accumulators"] if one.room.wide else []
    parts += [f"{words(one.room.buffers)} for second buffers"] if one.room.buffers else []
    return (
        f"{one.schedule} with {tiles_text(one.tiles)} ({one.form}): {words(one.io)} words "
        f"({words(one.reads)} read, {words(one.writes)} written), {one.flops:.4g} FLOP; "
        f"room for {words(one.room.words)} words ({', '.join(parts)})"
    )


def _bytes(size: int) -> str:
    for factor, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= factor:
            return f"{size / factor:.4g} {unit}"
    return f"{size} B"


def _time(roofline: Roofline) -> str:
    if roofline.seconds is not None:
        return f"{_seconds(roofline.seconds)} ({roofline.limit})"
    memory, compute = roofline.memory_seconds, roofline.compute_seconds
    known = [f"≥ {_seconds(memory)} (memory)"] if memory is not None else []
    known += [f"≥ {_seconds(compute)} (arithmetic)"] if compute is not None else []
    return ", ".join(known) or "–"


def _seconds(value: float) -> str:
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
