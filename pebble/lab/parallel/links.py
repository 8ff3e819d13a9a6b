"""The wires between devices: how fast, and which devices are near each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.units import bytes_per_word

if TYPE_CHECKING:
    from pebble.program.parallel import ExchangeTraffic, SharedProblem

__all__ = ["Links", "Wire"]


@dataclass(frozen=True)
class Links:
    """How fast a device receives and computes.

    Parameters
    ----------
    bandwidth : float
        Bytes per second that a device receives; with nodes, from devices of other nodes.
    flops : float
        Arithmetic operations per second of a device.
    dtype : str
        What a word is.
    node : int
        Devices a node: p and q are in one node where p // node = q // node.
    node_bandwidth : float, optional
        Bytes per second that a device receives from devices of its node; ``bandwidth`` by default.

    Raises
    ------
    InvalidInput
        For an unknown data type, or amounts that are not positive.
    """

    bandwidth: float
    flops: float
    dtype: str = "bf16"
    node: int = 1
    node_bandwidth: float | None = None

    def __post_init__(self) -> None:
        bytes_per_word(self.dtype)
        if min(self.bandwidth, self.flops, self.node, self.node_bandwidth or 1) <= 0:
            raise InvalidInput("bandwidths, arithmetic and the devices a node must be positive")

    def received_seconds(self, between: float, inside: float) -> float:
        """Return how long it takes to receive so many words, from other nodes and at the same time within the node."""
        size = bytes_per_word(self.dtype)
        return size * max(between / self.bandwidth, inside / (self.node_bandwidth or self.bandwidth))

    def wire(self, problem: SharedProblem, traffic: ExchangeTraffic) -> Wire:
        """Time an exchange.

        The wire's time is that of the busiest device for all it receives; the arithmetic's is Σ over supersteps of that
        of the device with the most pairs.
        """
        P = problem.P
        node = np.arange(P) // self.node
        same = node[:, None] == node[None, :]
        inside = (traffic.links * same).sum(axis=0) if self.node > 1 else np.zeros(P, np.int64)
        between = traffic.links.sum(axis=0) - inside
        seconds = max(
            self.received_seconds(far, near)
            for far, near in zip(between.tolist(), inside.tolist(), strict=True)
        )
        return Wire(
            wire_seconds=seconds,
            arithmetic_seconds=traffic.work_sum * pair_flops(problem) / self.flops,
            inside_max=int(inside.max()),
            between_max=int(between.max()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "link_bytes_per_second": self.bandwidth,
            "flops_per_second": self.flops,
            "dtype": self.dtype,
            "node": self.node,
            "node_link_bytes_per_second": self.node_bandwidth,
        }


@dataclass(frozen=True)
class Wire:
    """How long an exchange takes on the wires and in arithmetic, and where its words come from."""

    wire_seconds: float
    arithmetic_seconds: float
    inside_max: int
    between_max: int

    @property
    def ratio(self) -> float:
        """Wire time over arithmetic time: at most 1 where it can be hidden."""
        return self.wire_seconds / self.arithmetic_seconds

    @property
    def seconds(self) -> float:
        """The greater of the two: the time, if all that can be is hidden."""
        return max(self.wire_seconds, self.arithmetic_seconds)


def pair_flops(problem: SharedProblem) -> int:
    """Return the multiplications and additions of one pair: two products forward, five backward.

    >>> from pebble.program.parallel import SharedProblem
    >>> pair_flops(SharedProblem(8, 128, 2)), pair_flops(SharedProblem(8, 128, 2, pass_name="backward"))
    (512, 1280)
    """
    if problem.pass_name == "forward":
        return 2 * (problem.d + problem.width)
    return 2 * (3 * problem.d + 2 * problem.width)
