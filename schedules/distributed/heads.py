"""USP: every device takes some heads, of the tokens that come round."""

from __future__ import annotations

import numpy as np

from pebble.program import parallel


class Usp(parallel.DistributedSchedule):
    """Ulysses among u neighbours, and a ring of P/u such groups: device p is number p mod u of its group."""

    name = "usp"
    summary = "Ulysses among neighbouring devices, a ring of keys and values across such groups"
    source = "Fang and Zhao 2024 (USP)"
    received = "(u−1)nd(q+2k) + (P/u−1)(un)2dk + nd(Hq−q), q = Hq/u, k = max(1,Hk/u)"
    passes = ("forward", "backward")
    shape_names = ("heads", "ring")
    goes_round = True

    def blocks(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> int:
        """As many blocks of heads as devices in a group."""
        return shape[0]

    def dense_words(self, problem: parallel.SharedProblem, shape: parallel.Shape = ()) -> int:
        """The group's Q, K, V for the device's heads; the other groups' K and V; the outputs of the other heads."""
        (u, ring), (nq, n), sums = shape, problem.tokens_each, problem.sums
        q, k = problem.heads // u, max(1, problem.kv_heads // u)
        gathered = (u - 1) * (nq * q * problem.queries.words + n * k * problem.keys.words)
        came_round = (ring - 1) * u * n * k * problem.keys.words
        back = nq * sums[0].final_words * (problem.heads - q)
        if problem.pass_name == "backward":
            back += n * sums[1].words * (ring * problem.kv_heads * max(1, u // problem.kv_heads) - k)
        return gathered + came_round + back

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """The group's queries times its keys, of the device's heads; then keys go round as in the ring."""
        u, device = shape[0], np.arange(problem.P)
        group, before = device // u, (device + u if problem.layout == "zigzag" else device - u) % problem.P
        query, key = (
            tiling.of_device.reshape(problem.P // u, -1) for tiling in (problem.query_tiling, problem.tiling)
        )
        return parallel.Placement(query, key, device % u, u, before, query_set=group, key_set=group)

    def shapes(self, problem: parallel.SharedProblem) -> list[parallel.Shape]:
        """Return the shapes that cut the heads; the ring alone where none does."""
        found = super().shapes(problem)
        return [shape for shape in found if shape[0] > 1] or found
