"""All-gather: every device fetches all keys and values, as context parallelism does in the training of Llama 3."""

from __future__ import annotations

import numpy as np

from pebble.program import parallel

__all__ = ["AllGather"]


class AllGather(parallel.DistributedSchedule):
    """Queries stay; keys and values come from all other devices in one round, as far as the mask needs them."""

    name = "all-gather"
    summary = "every device fetches the keys and values that its queries need; backward, gradients go back"
    source = "Grattafiori et al. 2024 (Llama 3, context parallelism)"
    received = "2nd(P−1)Hk; backward 4nd(P−1)Hk"
    passes = ("forward", "backward")

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """Own queries times all keys."""
        all_tiles = np.arange(problem.tiling.tiles)[None, :].repeat(problem.P, axis=0)
        return parallel.Placement(problem.tiling.of_device, all_tiles, np.zeros(problem.P, np.int64))
