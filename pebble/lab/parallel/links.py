"""The time of an exchange: how fast wires and devices are, which devices are near each other, what overlaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.plain import PlainRow
from pebble.common.units import bytes_per_word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.parallel import Exchange, Receive, SharedProblem, Work


@dataclass(frozen=True)
class Links(PlainRow):
    """How fast a device receives, sends and computes.

    Parameters
    ----------
    bandwidth : float
        Bytes per second that a device receives, and at the same time sends; with nodes, to and from other nodes.
    flops : float
        Arithmetic operations per second of a device.
    dtype : str
        What a word is.
    node : int
        Devices a node: p and q are in one node where p // node = q // node.
    node_bandwidth : float, optional
        Bytes per second that a device exchanges with devices of its node; ``bandwidth`` by default.
    memory_bandwidth : float, optional
        Bytes per second that a device reads from its own memory; without it, reading takes no time.

    Notes
    -----
    The time of an exchange is the sum of the times of its supersteps. In a superstep

    - the *work* takes W: the time of the slowest device, which is that of its arithmetic, or of reading once from its
      memory what it works on, if that takes longer;
    - *inputs* (Q, K, V, dO, l, D) are at their senders before the superstep begins. They travel while all work, and
      take a device I;
    - *sums* (U with l, O, dQ, dK, dV) are what the work makes. They travel after it and after the inputs, and take a
      device S.

    I and S are the times of the slower of what the device receives and what it sends, over the slower of its two links;
    all of these work at the same time. The superstep takes the longest max(W, I) + S of a device, and of that all but W
    is *exposed*. So what goes round a ring is hidden where a hop takes no longer than the work on a tile. A gather at
    the start goes before all work, and outputs that return go after it: they are exposed.
    """

    KEYS = (
        "link_bytes_per_second=bandwidth flops_per_second=flops dtype node node_link_bytes_per_second=node_bandwidth "
        "memory_bytes_per_second=memory_bandwidth"
    )

    bandwidth: float
    flops: float
    dtype: str = "bf16"
    node: int = 1
    node_bandwidth: float | None = None
    memory_bandwidth: float | None = None

    def __post_init__(self) -> None:
        bytes_per_word(self.dtype)
        speeds = (self.bandwidth, self.flops, self.node_bandwidth or 1, self.memory_bandwidth or 1)
        if min(*speeds, self.node) <= 0:
            raise InvalidInput("bandwidths, FLOP rates and the number of devices per node must be positive")

    def wire(self, exchange: Exchange) -> Wire:
        """Time an exchange."""
        wire = work = mean = exposed = 0.0
        total = np.zeros((2, exchange.problem.P))
        for step in exchange.supersteps:
            loads = self._loads(exchange, step.receives)
            beside, after = self._seconds(loads[0]), self._seconds(loads[1])
            busy = self._work_seconds(exchange, step.work)
            now = float(busy.max())
            wire += float((beside + after).max())
            exposed += float((np.maximum(beside - now, 0) + after).max())
            work, mean = work + now, mean + float(busy.mean())
            total += loads[:, 0].sum(axis=0)
        between, inside = total.max(axis=1)
        return Wire(wire, work, mean, exposed, inside_max=int(inside), between_max=int(between))

    def _loads(self, exchange: Exchange, receives: list[Receive]) -> NDArray[np.float64]:
        """Return words by four indices: of inputs or sums, received or sent, from other nodes or one's own, device."""
        P = exchange.problem.P
        loads = np.zeros((2, 2, 2 * P))
        for receive in receives:
            kind, words = (
                int(exchange.kind_of(receive.arrays)[0] in exchange.problem.sums),
                exchange.words_of(receive),
            )
            near = receive.device // self.node == receive.source // self.node
            for way, device in enumerate((receive.device, receive.source)):
                loads[kind, way] += np.bincount(near * P + device, weights=words, minlength=2 * P)
        return loads.reshape(2, 2, 2, P)

    def _seconds(self, loads: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how long each device receives and sends."""
        far, near = loads.max(axis=0) * bytes_per_word(self.dtype)
        inside = near / (self.node_bandwidth or self.bandwidth)
        seconds: NDArray[np.float64] = np.maximum(far / self.bandwidth, inside)
        return seconds

    def _work_seconds(self, exchange: Exchange, works: list[Work]) -> NDArray[np.float64]:
        """Return how long each device works.

        Of the words of the tiles that meet, it reads at least the share that it has of the pairs of these tiles.
        """
        problem = exchange.problem
        busy, reading = np.zeros((2, problem.P))
        a_pair = exchange.heads_of("query") * pair_flops(problem) / self.flops
        a_word = bytes_per_word(self.dtype) / self.memory_bandwidth if self.memory_bandwidth else 0
        for work in works:
            pairs = exchange.pairs_of(work.query, work.key)
            np.add.at(busy, work.device, pairs * a_pair)
            query, key = problem.query_tiling.sizes[work.query], problem.tiling.sizes[work.key]
            share = pairs / (query.sum(axis=1) * key.sum(axis=1))
            words = exchange.tile_words(problem.queries, work.query).sum(axis=1)
            words += exchange.tile_words(problem.keys, work.key).sum(axis=1)
            np.maximum.at(reading, work.device, share * words * a_word)
        seconds: NDArray[np.float64] = np.maximum(busy, reading)
        return seconds


@dataclass(frozen=True)
class Wire(PlainRow):
    """How long an exchange takes, and where the words come from that a device receives most of.

    Attributes
    ----------
    wire_seconds : float
        Receiving and sending: Σ over supersteps of the slowest device's I + S, see :class:`Links`.
    arithmetic_seconds : float
        Work: Σ over supersteps of W.
    mean_seconds : float
        Work of a device on average.
    exposed_seconds : float
        What the exchange takes longer than its work.
    inside_max, between_max : int
        Words received by a device from its own node, and from others.
    """

    KEYS = (
        "received_inside_nodes_max=inside_max received_between_nodes_max=between_max wire_seconds arithmetic_seconds "
        "exposed_seconds seconds wire_over_arithmetic=ratio hidden"
    )

    wire_seconds: float
    arithmetic_seconds: float
    mean_seconds: float
    exposed_seconds: float
    inside_max: int
    between_max: int

    @property
    def ratio(self) -> float:
        """Wire time over the mean time of a device's work, which work that is shared badly makes no smaller."""
        return self.wire_seconds / self.mean_seconds

    @property
    def hidden(self) -> bool:
        """Whether work hides all of it."""
        return self.exposed_seconds == 0

    @property
    def seconds(self) -> float:
        """The time of the exchange: its work, and what is exposed."""
        return self.arithmetic_seconds + self.exposed_seconds


def pair_flops(problem: SharedProblem) -> int:
    """Return the multiplications and additions of one pair: two products forward, five backward.

    >>> from pebble.program.parallel import SharedProblem
    >>> pair_flops(SharedProblem(8, 128, 2)), pair_flops(SharedProblem(8, 128, 2, pass_name="backward"))
    (512, 1280)
    """
    if problem.pass_name == "forward":
        return 2 * (problem.d + problem.width)
    return 2 * (3 * problem.d + 2 * problem.width)
