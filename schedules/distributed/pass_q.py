"""Pass-Q: queries are sent to the keys, and partial outputs come back."""

from __future__ import annotations

import numpy as np

from pebble.program import parallel


class PassQ(parallel.DistributedSchedule):
    """Keys and values stay; queries come from all other devices, and their owners merge the partial outputs."""

    name = "pass-q"
    summary = "every device fetches the queries that need its keys, and sends partial outputs back"
    source = "Lin et al. 2024 (DistAttention); Yang et al. 2024 (pass-Q)"
    received = "n(2d+1)(P−1)Hq; backward n(3d+2)(P−1)Hq"
    passes = ("forward", "backward")

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """All queries times own keys."""
        all_tiles, one = np.arange(problem.query_tiling.tiles)[None, :], np.zeros(problem.P, np.int64)
        return parallel.Placement(all_tiles, problem.tiling.of_device, one, query_set=one)
