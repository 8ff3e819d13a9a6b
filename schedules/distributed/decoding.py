"""Decoding: a few queries on one device, and keys and values that are shared out over all."""

from __future__ import annotations

import numpy as np

from pebble.program import parallel


class Decode(parallel.DistributedSchedule):
    """Device 0 sends the queries to all others, and merges the partial outputs that they send back."""

    name = "decode"
    summary = "queries are sent to all devices, and all send partial outputs back"
    source = "Lin et al. 2024 (DistAttention)"
    received = "device 0: (d+1)(P−1)Hq a query; others dHq"
    decodes = True

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """The queries times own keys."""
        query = np.zeros((problem.P, 1), np.int64)
        return parallel.Placement(query, problem.tiling.of_device, np.zeros(problem.P, np.int64))


class DecodeTree(Decode):
    """The same along a binary tree: in round k each of 2ᵏ devices sends to one more, and partial outputs back."""

    name = "decode-tree"
    summary = "queries go down a tree of devices, and partial outputs are merged on the way up"
    source = "Shyam et al. 2024 (tree attention)"
    received = "device 0: (d+1)⌈log₂P⌉Hq a query"

    def rounds(self, P: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Devices below 2ᵏ send to those 2ᵏ further on."""
        found, have = [], 1
        while have < P:
            source = np.arange(min(have, P - have))
            found.append((source, source + have))
            have *= 2
        return found

    def exchange(
        self, problem: parallel.SharedProblem, shape: parallel.Shape = (), pass_on: str = "needed"
    ) -> parallel.Exchange:
        """Send the queries down, work, and send partial outputs up."""
        self.check(problem, shape)
        placement, rounds = self.placement(problem, shape), self.rounds(problem.P)
        supersteps = [
            parallel.Superstep(receives=[_receive(problem.queries.names, source, device)])
            for source, device in rounds
        ]
        last = parallel.Superstep(
            work=[
                parallel.Work(
                    np.arange(problem.P), placement.block, placement.tiles("query"), placement.tiles("key")
                )
            ]
        )
        supersteps.append(last)
        for number, (target, device) in enumerate(reversed(rounds)):
            step = last if number == 0 else parallel.Superstep()
            names = problem.sums[0].names
            step.receives.append(_receive(names, device, target, adding=True))
            step.discards.append(
                parallel.Discard(names, device, np.zeros_like(device), np.zeros_like(device))
            )
            if number:
                supersteps.append(step)
        first = np.zeros(1, np.int64)
        supersteps.append(parallel.Superstep(finish=[parallel.Finish(first, first, first)]))
        return parallel.Exchange(problem, 1, supersteps)


def _receive(
    names: tuple[str, ...], source: np.ndarray, device: np.ndarray, adding: bool = False
) -> parallel.Receive:
    return parallel.Receive(names, device, source, np.zeros_like(device), np.zeros_like(device), adding)
