"""What an exchange costs: words received and sent, links, messages, rounds, memory, and each device's pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.staircase import union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ExchangeTraffic:
    """Counts of an exchange that its referee has found legal.

    Attributes
    ----------
    received, sent : tuple of int
        Words, by device.
    rounds : int
        Supersteps in which something is received.
    messages : tuple of int
        By device, the greater of the messages received and sent; a message is all that goes from one device to
        another in one superstep.
    link_max : int
        Words over the busiest link, from one device to another.
    h_sum : int
        Sum over supersteps of the most words that a device receives or sends.
    memory : tuple of int
        The most words that each device holds at a time.
    pairs : tuple of int
        Pairs of a query and a key that each device computes, over all query heads.
    work_sum : int
        Sum over supersteps of the most pairs that a device computes.
    links : dict of tuple of int to int
        Words over each link, by (sender, receiver).
    """

    received: tuple[int, ...]
    sent: tuple[int, ...]
    rounds: int
    messages: tuple[int, ...]
    link_max: int
    h_sum: int
    memory: tuple[int, ...]
    pairs: tuple[int, ...]
    work_sum: int
    links: NDArray[np.int64]

    @property
    def total(self) -> int:
        """Words received by all devices."""
        return sum(self.received)


class TrafficTally:
    """Counts while an exchange is played."""

    def __init__(self, P: int) -> None:
        self.P = P
        self.received, self.sent = np.zeros(P, np.int64), np.zeros(P, np.int64)
        self.messages_in, self.messages_out = np.zeros(P, np.int64), np.zeros(P, np.int64)
        self.links = np.zeros(P * P, np.int64)
        self.memory, self.peak = np.zeros(P, np.int64), np.zeros(P, np.int64)
        self.pairs = np.zeros(P, np.int64)
        self.rounds = self.h_sum = self.work_sum = 0

    def worked(self, pairs: Numbers) -> None:
        """Note the pairs of one superstep, by device."""
        self.pairs += pairs
        self.work_sum += int(pairs.max())

    def held(self, more: Numbers | int = 0) -> None:
        """Note how much every device holds now, with more that is there for this moment."""
        np.maximum(self.peak, self.memory + more, out=self.peak)

    def exchanged(self, device: Numbers, source: Numbers, words: Numbers) -> Numbers:
        """Note the transfers of one superstep; return the words that every device receives."""
        received = np.zeros(self.P, np.int64)
        if not len(device):
            return received
        sent = np.zeros(self.P, np.int64)
        np.add.at(received, device, words)
        np.add.at(sent, source, words)
        link = source * self.P + device
        np.add.at(self.links, link, words)
        used = union(link)
        self.messages_in += np.bincount(used % self.P, minlength=self.P)
        self.messages_out += np.bincount(used // self.P, minlength=self.P)
        self.received += received
        self.sent += sent
        self.rounds += 1
        self.h_sum += int(np.maximum(received, sent).max())
        return received

    def traffic(self, heads: int) -> ExchangeTraffic:
        """Return the counts; pairs are multiplied by the query heads of a block."""
        return ExchangeTraffic(
            received=tuple(self.received.tolist()),
            sent=tuple(self.sent.tolist()),
            rounds=self.rounds,
            messages=tuple(np.maximum(self.messages_in, self.messages_out).tolist()),
            link_max=int(self.links.max()),
            h_sum=self.h_sum,
            memory=tuple(self.peak.tolist()),
            pairs=tuple(pairs * heads for pairs in self.pairs.tolist()),
            work_sum=self.work_sum * heads,
            links=self.links.reshape(self.P, self.P),
        )
