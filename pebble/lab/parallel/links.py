"""The time of an exchange: how fast wires and devices are, which devices are near each other, what overlaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.plain import PlainRow
from pebble.common.units import bytes_per_word
from pebble.computations.masks.staircase import union

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
    latency : float
        Seconds that each message takes beside its words.
    chunks : int
        Most chunks that the heads of a device are cut into; of their numbers, the fastest is taken.

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

    A *message* is all that one device sends to another in a superstep, inputs and sums apart. A device receives its
    messages one after the other, and at the same time sends one after the other.

    In *chunks*, the heads of a device follow one another: while it works on one chunk, the next one's inputs travel,
    and the sums of the one before. Each chunk sends its own messages. A chunk begins a superstep when it has ended the
    one before; in a superstep the inputs of all chunks travel before the sums of any. If a chunk has part of the query
    heads that share keys, K and V travel with the first of them and are read from memory for each; dK and dV leave with
    the last.
    """

    KEYS = (
        "link_bytes_per_second=bandwidth flops_per_second=flops dtype node node_link_bytes_per_second=node_bandwidth "
        "memory_bytes_per_second=memory_bandwidth latency_seconds=latency chunks_most=chunks"
    )

    bandwidth: float
    flops: float
    dtype: str = "bf16"
    node: int = 1
    node_bandwidth: float | None = None
    memory_bandwidth: float | None = None
    latency: float = 0.0
    chunks: int = 1

    def __post_init__(self) -> None:
        bytes_per_word(self.dtype)
        speeds = (self.bandwidth, self.flops, self.node_bandwidth or 1, self.memory_bandwidth or 1)
        if min(*speeds, self.node, self.chunks) <= 0 or self.latency < 0:
            raise InvalidInput(
                "bandwidths, FLOP rates and the numbers of devices per node and of chunks must be positive, and the "
                "latency not negative"
            )

    def wire(self, exchange: Exchange) -> Wire:
        """Time an exchange, in the number of chunks that makes it fastest."""
        problem = exchange.problem
        of_queries, of_keys = (exchange.heads_of(side) for side in ("query", "key"))
        clocks = [
            _Clock(self, exchange, chunks, of_keys)
            for chunks in range(1, min(self.chunks, of_queries) + 1)
            if chunks == 1 or not problem.uneven
            if of_queries % chunks == 0 and (of_keys % chunks == 0 or chunks % of_keys == 0)
        ]
        received = np.zeros((2, problem.P))
        for step in exchange.supersteps:
            inputs, sums = (self._load(exchange, step.receives, of_sums) for of_sums in (False, True))
            received += (inputs.words.sum(axis=0) + sums.words.sum(axis=0))[0]
            for clock in clocks:
                clock.superstep(step.work, inputs, sums)
        between, inside = received.max(axis=1)
        best = min(clocks, key=lambda clock: clock.work + clock.exposed)
        return Wire(best.wire, best.work, best.mean, best.exposed, int(inside), int(between), best.chunks)

    def _load(self, exchange: Exchange, receives: list[Receive], of_sums: bool) -> _Load:
        """Return what devices receive and send of inputs, or of sums."""
        P, problem = exchange.problem.P, exchange.problem
        words, messages = np.zeros((2, 2, 2, 2 * P))
        links: list[NDArray[np.int64]] = []
        for kind, side in enumerate(("query", "key")):
            for receive in receives:
                arrays = exchange.kind_of(receive.arrays)[0]
                if arrays.side != side or (arrays in problem.sums) != of_sums:
                    continue
                near = receive.device // self.node == receive.source // self.node
                for way, device in enumerate((receive.device, receive.source)):
                    weights = exchange.words_of(receive)
                    words[kind, way] += np.bincount(near * P + device, weights=weights, minlength=2 * P)
                links.append(receive.source * P + receive.device)
            if links and self.latency:
                source, device = np.divmod(union(*links), P)
                near = device // self.node == source // self.node
                messages[kind] = [np.bincount(near * P + one, minlength=2 * P) for one in (device, source)]
        return _Load(words.reshape(2, 2, 2, P), messages.reshape(2, 2, 2, P))

    def _seconds(self, load: _Load, queries: float, keys: float) -> NDArray[np.float64]:
        """Return how long each device receives and sends shares of the words of queries and of keys."""
        words = (queries * load.words[0] + keys * load.words[1]) * bytes_per_word(self.dtype)
        rates = np.array([self.bandwidth, self.node_bandwidth or self.bandwidth])
        messages = load.messages[int(keys > 0)] * self.latency
        seconds: NDArray[np.float64] = (words / rates[:, None] + messages).max(axis=(0, 1))
        return seconds

    def _work_seconds(self, exchange: Exchange, works: list[Work], times: int = 1) -> NDArray[np.float64]:
        """Return how long each device works, if it reads keys a number of times.

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
            words += times * exchange.tile_words(problem.keys, work.key).sum(axis=1)
            np.maximum.at(reading, work.device, share * words * a_word)
        seconds: NDArray[np.float64] = np.maximum(busy, reading)
        return seconds


@dataclass(frozen=True)
class _Load:
    """What devices receive and send in a superstep, of inputs or of sums.

    Attributes
    ----------
    words, messages : ndarray, (2, 2, 2, P)
        By four indices: words of queries or of keys, and messages of queries alone or of all; received or sent; from
        other nodes or one's own; the device.
    """

    words: NDArray[np.float64]
    messages: NDArray[np.float64]


class _Clock:
    """The time of an exchange whose heads follow one another in chunks."""

    def __init__(self, links: Links, exchange: Exchange, chunks: int, key_heads: int) -> None:
        self.links, self.exchange, self.chunks = links, exchange, chunks
        self.wire = self.work = self.mean = self.exposed = 0.0
        self.key_chunks = min(chunks, key_heads)
        self.busy_until, self.ended = 0.0, np.zeros(chunks)
        self.wires_until = np.zeros(exchange.problem.P)

    def superstep(self, works: list[Work], inputs: _Load, sums: _Load) -> None:
        """Add a superstep."""
        times = self.chunks // self.key_chunks
        busy = self.links._work_seconds(self.exchange, works, times) / self.chunks
        # Of the chunks that share keys the first one brings them, and the last one has their sums.
        beside, after = (
            [
                self.links._seconds(load, 1 / self.chunks, (c % times == at) / self.key_chunks)
                for c in range(self.chunks)
            ]
            for load, at in ((inputs, 0), (sums, times - 1))
        )
        now = float(busy.max())
        self.wire += sum(float((one + other).max()) for one, other in zip(beside, after, strict=True))
        self.work, self.mean = self.work + now * self.chunks, self.mean + float(busy.mean()) * self.chunks
        if self.chunks == 1:
            self.exposed += float((np.maximum(beside[0] - now, 0) + after[0]).max())
        else:
            self._overlap(now, beside, after)

    def _overlap(
        self, now: float, beside: list[NDArray[np.float64]], after: list[NDArray[np.float64]]
    ) -> None:
        """Let each chunk work when it has ended the superstep before, and its words travel when the wires are free."""
        begun, worked = self.ended, np.zeros(self.chunks)
        for c in range(self.chunks):
            self.busy_until = worked[c] = max(self.busy_until, begun[c]) + now
        self.ended = worked.copy()
        for ready, loads in ((begun, beside), (worked, after)):
            for c, seconds in enumerate(loads):
                travels = seconds > 0
                arrived = np.maximum(self.wires_until, ready[c]) + seconds
                self.wires_until = np.where(travels, arrived, self.wires_until)
                self.ended[c] = max(self.ended[c], float((arrived * travels).max()))
        waited = max(self.busy_until, float(self.ended.max())) - self.work
        self.exposed = float(waited) if waited > 1e-12 * self.work else 0.0


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
    chunks : int
        Chunks that the heads of a device are cut into.
    """

    KEYS = (
        "received_inside_nodes_max=inside_max received_between_nodes_max=between_max wire_seconds arithmetic_seconds "
        "exposed_seconds seconds wire_over_arithmetic=ratio hidden chunks"
    )

    wire_seconds: float
    arithmetic_seconds: float
    mean_seconds: float
    exposed_seconds: float
    inside_max: int
    between_max: int
    chunks: int = 1

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
