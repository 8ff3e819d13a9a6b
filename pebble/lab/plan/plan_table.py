"""The plan: the choices of schedule and tiles, the best first, and what each constraint costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.plain import PlainRow, plain
from pebble.common.tables import Table, TableResult, tiles_text, words
from pebble.common.units import bytes_per_word, bytes_text, scaled, seconds_text
from pebble.lab.plan.memory_need import Room
from pebble.lab.plan.roofline import Roofline, inner_notes, roofline_of
from pebble.lab.plan.setting import Setting
from pebble.program.schedule import Schedule


@dataclass(frozen=True)
class Choice(PlainRow):
    """One schedule with tiles, for all copies: verified by the machine, or with a note that says why it is not.

    Attributes
    ----------
    form : str
        ``"native tiles"`` or ``"whole tiles"``, see :data:`pebble.lab.plan.verification.FORMS`; or ``"given tiles"``.
    setting : Setting
        For which it was found.
    tiles : dict of str to int, or None
        None if the search for tiles came to no end.
    reads, writes, moved : int
        Words, and bytes, by closed form.
    room : Room or None
        Words of fast memory, for one copy.
    flops : int
        FLOP of the matrix products that are executed.
    note : str
        Why it is not verified; empty if it is.
    """

    KEYS = (
        "schedule form tiles room=room.words room_parts=room reads writes io bytes=moved flops intensity ratio "
        "memory_seconds=roofline.memory_seconds compute_seconds=roofline.compute_seconds seconds=roofline.seconds "
        "limit=roofline.limit boundary=roofline.boundary"
    )

    made: Schedule = field(repr=False)
    form: str
    setting: Setting = field(repr=False, compare=False)
    tiles: dict[str, int] | None = None
    reads: int = 0
    writes: int = 0
    moved: int = 0
    room: Room | None = None
    flops: int = 0
    note: str = ""

    @property
    def schedule(self) -> str:
        """The schedule's name."""
        return self.made.name

    @property
    def io(self) -> int:
        """Words moved."""
        return self.reads + self.writes

    @property
    def order(self) -> tuple[float, ...]:
        """Sort key: fewest bytes, then fewest words, then the largest tile of scores; what has no count comes last."""
        if self.tiles is None:
            return (float("inf"),)
        return self.moved, self.io, -self.tiles.get("rows", 1) * self.tiles.get("cols", 1)

    @property
    def intensity(self) -> float | None:
        """FLOP for each byte moved; None if it is not verified."""
        return None if self.note else self.flops / self.moved

    @property
    def ratio(self) -> float | None:
        """I/O divided by the best proved bound; None if it is not verified."""
        return None if self.note else self.io / self.setting.bound.value

    @property
    def roofline(self) -> Roofline | None:
        """The least time on the setting's device; None if it is not verified."""
        device, setting = self.setting.device, self.setting
        if self.room is None or self.ratio is None:
            return None
        if device is None:
            return Roofline()
        crossing = device.crossing(setting.level, setting.dtype, self.room.words, self.ratio)
        return roofline_of(device, setting.dtype, self.moved, self.flops, crossing)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        if not self.note:
            return super().to_dict()
        known = {"io": None, "bytes": None} if self.tiles is None else plain(self, "io bytes=moved")
        return plain(self, "schedule form note tiles") | known

    def sentence(self) -> str:
        """Return in words what is moved and what room it takes, or why it is not verified."""
        if self.room is None or self.note:
            return f"{self.schedule} ({self.form}), not verified: {self.note}"
        wide, buffers = self.room.wide, self.room.buffers
        parts = [f"{words(wide)} for wide accumulators"] if wide else []
        parts += [f"{words(buffers)} for second buffers"] if buffers else []
        more = f", of which {' and '.join(parts)}" if parts else ""
        return (
            f"{self.schedule} with {tiles_text(self.tiles or {})} ({self.form}): {words(self.io)} words "
            f"({words(self.reads)} read, {words(self.writes)} written), {scaled(self.flops)}FLOP; "
            f"needs {words(self.room.words)} words of fast memory{more}"
        )


@dataclass(frozen=True)
class Cost(PlainRow):
    """What a constraint costs: the best I/O found if it alone is dropped.

    Attributes
    ----------
    constraint : str
        In words; ``"all"`` if every one is dropped.
    io, moved : int
        Words and bytes without it.
    io_more, moved_more : float
        I/O and bytes of the plan divided by these, minus one.
    tiles : dict of str to int
        With which this is reached.
    note : str
        Why it is not verified; empty if it is.
    """

    KEYS = "constraint io bytes=moved io_more bytes_more=moved_more schedule form tiles"

    constraint: str
    io: int
    moved: int
    io_more: float
    moved_more: float
    schedule: str
    form: str
    tiles: dict[str, int]
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON; a note where there is one."""
        return super().to_dict() | ({"note": self.note} if self.note else {})


PLANNED = (
    "M=setting.M dtype=setting.dtype bytes device=setting.device.key level=setting.level "
    "constraints=setting.constraints"
)


@dataclass(frozen=True, repr=False)
class Planned(TableResult):
    """What is planned for a fast memory, perhaps a device's, under constraints."""

    setting: Setting

    @property
    def bytes(self) -> int:
        """Bytes of fast memory."""
        return self.setting.M * bytes_per_word(self.setting.dtype)

    def asked(self) -> list[str]:
        """Return what was asked, in lines."""
        setting = self.setting
        where = f" ({setting.device.title}, {setting.level})" if setting.device is not None else ""
        return [
            f"fast memory: {words(setting.M)} words of {setting.dtype}, {bytes_text(self.bytes)}{where}",
            f"constraints: {setting.constraints}",
        ]


@dataclass(frozen=True, repr=False)
class Plan(Planned):
    """The schedules and tiles that keep the constraints, the best first, and what each constraint costs.

    The choices are those that are verified; ``unverified`` is what else keeps the constraints, the cheapest first.
    """

    KEYS = f"problem=setting.problem {PLANNED} bound=setting.bound.brief best=first choices unverified costs"
    ROWS = "choices"

    choices: tuple[Choice, ...]
    unverified: tuple[Choice, ...]
    costs: tuple[Cost, ...]

    @property
    def first(self) -> Choice | None:
        """The choice that moves the fewest bytes; None if none could be verified."""
        return self.choices[0] if self.choices else None

    @property
    def best(self) -> Choice:
        """The choice that moves the fewest bytes; InvalidInput if none could be verified."""
        if not self.choices:
            raise InvalidInput(f"no choice is verified: {self.unverified[0].sentence()}")
        return self.choices[0]

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: what was planned, the best choice, all choices, what constraints cost."""
        best = self.setting.bound
        bound = f"bound: {words(best.value)} words ({best.name}, {best.status})"
        asked = [self.setting.problem.describe(), *self.asked(), bound]
        costs = [self._cost_table()] if self.costs else []
        return [
            "\n".join(asked),
            (self.choices or self.unverified)[0].sentence(),
            self._choice_table(),
            *costs,
        ]

    def _choice_table(self) -> Table:
        columns: dict[str, Any] = {
            "schedule": "schedule",
            "form": lambda row: f"{row.form}{', not verified' * bool(row.note)}",
            "tiles": lambda row: tiles_text(row.tiles or {}),
            "room": "room.words",
            "I/O": lambda row: None if row.tiles is None else row.io,
            "bytes": lambda row: None if row.tiles is None else bytes_text(row.moved),
            "FLOP/byte": "intensity:.0f",
            "I/O ÷ bound": "ratio:.3f",
        }
        device = self.setting.device
        if device is not None:
            columns["roofline"] = lambda row: row.roofline and _time(row.roofline)
        drop = ("room", "FLOP/byte", "I/O", "roofline")
        found = {f"{one.schedule} ({one.form})": one.roofline for one in self.choices if one.roofline}
        notes = inner_notes(device, self.setting.level, found)
        if device is not None:
            notes += device.untimed(one.boundary for one in found.values())
        notes += [one.sentence() for one in self.unverified]
        rows = (*self.choices, *self.unverified)
        return Table.of(rows, columns, left=3, right=None, notes=notes, drop=drop)

    def _cost_table(self) -> Table:
        columns = {
            "constraint": "constraint",
            "I/O without": "io",
            "costs I/O": lambda one: f"{100 * one.io_more:+.1f} %",
            "costs bytes": lambda one: f"{100 * one.moved_more:+.1f} %",
            "reached by": lambda one: (
                f"{one.schedule} ({one.form}{', not verified' * bool(one.note)}) {tiles_text(one.tiles)}"
            ),
        }
        notes = [f"{one.constraint}, not verified: {one.note}" for one in self.costs if one.note]
        return Table.of(self.costs, columns, right=(1, 2, 3), notes=notes)


def _time(roofline: Roofline) -> str:
    if roofline.seconds is not None:
        limit = roofline.boundary if roofline.limit == "memory" else roofline.limit
        return f"{seconds_text(roofline.seconds)} ({limit})"
    memory, compute = roofline.memory_seconds, roofline.compute_seconds
    known = [f"≥ {seconds_text(memory)} ({roofline.boundary})"] if memory is not None else []
    known += [f"≥ {seconds_text(compute)} (arithmetic)"] if compute is not None else []
    return ", ".join(known) or "–"
