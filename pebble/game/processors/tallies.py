"""What is counted in the game of several devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pebble.game.board import Tally


@dataclass
class DeviceTally(Tally):
    """What is counted on one device: loads, stores and the peak are those of its fast memory.

    Attributes
    ----------
    received, sent : int
        Words that came from and went to other devices.
    messages : int
        Messages received: pairs of a superstep and a sender.
    computes_of : Counter of str
        Vertices computed, and terms absorbed, by array.
    merges : int
        Partial sums added to one another.
    discards : int
    memory_peak : int
        The most words that its memory has held.
    """

    received: int = 0
    sent: int = 0
    messages: int = 0
    computes_of: Counter[str] = field(default_factory=Counter)
    merges: int = 0
    discards: int = 0
    memory_peak: int = 0

    @property
    def fast_peak(self) -> int:
        """The most words that its fast memory has held."""
        return self.peak


@dataclass
class ProcessorTally:
    """What is counted on all devices together.

    Attributes
    ----------
    devices : list of DeviceTally
    links : Counter of (int, int)
        Words sent from a device to another.
    messages : int
        Triples of superstep, sender and receiver.
    supersteps : int
        Supersteps that have ended.
    rounds : int
        Those in which something was sent.
    h_sum : int
        Sum over supersteps of the most words that a device received or sent in it.
    work : list of list of Counter of str
        Vertices computed by array, for each superstep and device.
    """

    devices: list[DeviceTally]
    links: Counter[tuple[int, int]] = field(default_factory=Counter)
    messages: int = 0
    supersteps: int = 0
    rounds: int = 0
    h_sum: int = 0
    work: list[list[Counter[str]]] = field(default_factory=list)

    def total(self, name: str) -> int:
        """Return the sum of a count over all devices."""
        return sum(self.counts(name))

    def counts(self, name: str) -> list[int]:
        """Return a count of each device."""
        return [getattr(one, name) for one in self.devices]

    @property
    def link_max(self) -> int:
        """The most words sent over one link."""
        return max(self.links.values(), default=0)

    def computes_of(self, array: str) -> list[int]:
        """Return how many vertices of an array each device has computed."""
        return [one.computes_of[array] for one in self.devices]

    def work_sum(self, array: str | None = None) -> int:
        """Return the sum over supersteps of the most computes of a device, of one array or of all."""
        return sum(
            max(one.total() if array is None else one[array] for one in devices) for devices in self.work
        )

    def add_exchange(self, sends: Sequence[tuple[int, int]]) -> None:
        """Count the words sent at the end of a superstep, given as pairs (sender, receiver)."""
        pairs = set(sends)
        self.links.update(sends)
        self.messages += len(pairs)
        for _, receiver in pairs:
            self.devices[receiver].messages += 1
        sent, received = Counter(p for p, _ in sends), Counter(q for _, q in sends)
        for p, one in enumerate(self.devices):
            one.sent += sent[p]
            one.received += received[p]
        self.h_sum += max([*sent.values(), *received.values()], default=0)
        self.rounds += bool(sends)
        self.supersteps += 1

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        names = (
            *("received", "sent", "messages", "reads", "writes", "io", "computes", "merges"),
            *("memory_peak", "fast_peak", "redundant"),
        )
        arrays = sorted({array for one in self.devices for array in one.computes_of})
        return {
            "received_max": max(self.counts("received")),
            "received_min": min(self.counts("received")),
            "sent_max": max(self.counts("sent")),
            "total": self.total("received"),
            "rounds": self.rounds,
            "supersteps": self.supersteps,
            "messages": self.messages,
            "messages_max": max(self.counts("messages")),
            "link_max": self.link_max,
            "h_sum": self.h_sum,
            "memory_max": max(self.counts("memory_peak")),
            "fast_max": max(self.counts("fast_peak")),
            "work": self.work_sum(),
            "by_device": {name: self.counts(name) for name in names},
            "computes_of": {array: self.computes_of(array) for array in arrays},
            "work_of": {array: self.work_sum(array) for array in arrays},
            "links": [[p, q, words] for (p, q), words in sorted(self.links.items())],
        }
