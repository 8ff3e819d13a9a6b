"""Linear attention on several devices: what exchanging its states moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import Table, TableResult, words
from pebble.lower_bounds.attention.crossing import d5_total
from pebble.program.parallel.states import STATE_SCHEDULES, check_states

if TYPE_CHECKING:
    from pebble.lower_bounds.bound import Bound
    from pebble.program.parallel import ExchangeTraffic, SharedProblem

_MOST_DEVICES = 1024


@dataclass(frozen=True)
class StateReport(TableResult):
    """What :func:`parallel_states` returns.

    Attributes
    ----------
    counted : dict of str to ExchangeTraffic
        By schedule, in states.
    bound : Bound
        What all devices receive at least.
    """

    problem: SharedProblem
    counted: dict[str, ExchangeTraffic]
    bound: Bound

    @property
    def state_words(self) -> int:
        """Words of a state, of all heads."""
        return self.problem.kv_heads * self.problem.d * self.problem.width

    def content(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "attention": "linear",
            **self.problem.to_dict(),
            "state_words": self.state_words,
            "schedules": self.records(),
            "bounds": [{**plain(self.bound, "name value status source note"), **self.bound.facts}],
        }

    def records(self) -> list[dict[str, Any]]:
        """Return a row a schedule, in words."""
        size = self.state_words
        return [
            {
                "name": name,
                "received_max": size * max(traffic.received),
                "received_min": size * min(traffic.received),
                "received": [size * count for count in traffic.received],
                "total": size * traffic.total,
                "ratio_total": size * traffic.total / self.bound.value if self.bound.value else None,
                "rounds": traffic.rounds,
                "link_max": size * traffic.link_max,
                "h_sum": size * traffic.h_sum,
            }
            for name, traffic in self.counted.items()
        ]

    def parts(self) -> list[str | Table]:
        """Return what is printed."""
        p = self.problem
        columns = {
            **{"schedule": "name", "words received, busiest": "received_max", "total": "total"},
            **{
                "rounds": "rounds:d",
                "÷ bound": "ratio_total:,.3f",
                "what": lambda row: STATE_SCHEDULES[row.name][0],
            },
        }
        rows = [SimpleNamespace(**row) for row in self.records()]
        about = (
            f"linear attention under the causal mask on {p.P:,} devices, {p.kv_heads:,} states of "
            f"{p.d:,} x {p.width:,} words on each device, for any N"
        )
        return [
            about,
            Table.of(rows, columns),
            f"{self.bound.name}: at least {words(self.bound.value)} words in total",
        ]


def parallel_states(problem: SharedProblem, schedules: Iterable[str] | None = None) -> StateReport:
    """Count what schedules of linear attention move: states, each of d·dv words a head of keys.

    Every exchange is played by a referee and held to its closed form.

    Parameters
    ----------
    problem : SharedProblem
        Sizes; a forward pass under the causal mask, tokens contiguous.
    schedules : iterable of str, optional
        ``lasp-2``, ``lasp``, ``scan``; all by default.

    Examples
    --------
    >>> from pebble.program.parallel import SharedProblem
    >>> [row["received_max"] for row in parallel_states(SharedProblem(1024, 4, 8, causal=True)).records()]
    [112, 16, 48]
    """
    regular = problem.causal and problem.regular
    if problem.pass_name != "forward" or problem.layout != "contiguous" or not regular:
        raise InvalidInput(
            "linear attention on several devices needs the forward pass, --mask causal and the "
            "contiguous layout"
        )
    if problem.P > _MOST_DEVICES:
        raise InvalidInput(
            f"{problem.P:,} devices are too many; the limit for linear attention is {_MOST_DEVICES:,}"
        )
    names = list(schedules) if schedules is not None else list(STATE_SCHEDULES)
    return StateReport(problem, {name: check_states(name, problem.P) for name in names}, d5_total(problem))
