"""LightSeq (DistFlashAttn): devices whose queries are early help those whose queries are late."""

from __future__ import annotations

import numpy as np

from pebble.program import parallel


class LightSeq(parallel.DistributedSchedule):
    """In step r device p fetches the keys of p − r; if there are none, it helps: it fetches queries from the far end.

    Of the pairs (query tile w, key tile s) those up to T = ⌊(P−1)/2⌋ tiles apart are computed by w, those further apart
    by s, which sends partial outputs back; with P even, those P/2 apart are computed by w in a last step.
    """

    name = "lightseq"
    summary = "keys fetched from the nearer devices; far ones fetch the queries instead and send partial outputs back"
    source = "Li et al. 2023 (DistFlashAttn, LightSeq)"
    received = "2nd·(min(p,T)+[P even, p≥P/2]) + nd·max(0,T−p) + n(d+1)·max(0,T+p+1−P), T = ⌊(P−1)/2⌋"
    passes = ("forward", "backward")
    layouts = ("contiguous",)
    causal_only = True

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """Own tiles only: what is fetched changes from step to step."""
        own = problem.tiling.of_device
        return parallel.Placement(own, own, np.zeros(problem.P, np.int64))

    def exchange(
        self, problem: parallel.SharedProblem, shape: parallel.Shape = (), pass_on: str = "needed"
    ) -> parallel.Exchange:
        """Fetch for the next step while working on this one."""
        self.check(problem, shape)
        P, device = problem.P, np.arange(problem.P)
        exchange = parallel.Exchange(problem, 1, [parallel.Superstep(work=[_work(device, device, device)])])
        steps = [(device[step:], device[:step]) for step in range(1, (P - 1) // 2 + 1)]
        if P % 2 == 0:
            steps.append((device[P // 2 :], device[:0]))
        for step, (fetching, helping) in enumerate(steps, 1):
            now, then = exchange.supersteps[-1], parallel.Superstep()
            far = P + helping - step
            _fetch(now, then, problem.keys.names, fetching, fetching - step)
            _fetch(now, then, problem.queries.names, helping, far)
            then.work += [_work(fetching, fetching, fetching - step), _work(helping, far, helping)]
            _send(then, problem.sums[0].names, helping, far)
            if problem.pass_name == "backward":
                _send(then, problem.sums[1].names, fetching, fetching - step)
            exchange.supersteps.append(then)
        if problem.pass_name == "forward":
            exchange.supersteps.append(
                parallel.Superstep(finish=[parallel.Finish(device, device, np.zeros_like(device))])
            )
        return exchange


def _work(device: np.ndarray, query: np.ndarray, key: np.ndarray) -> parallel.Work:
    return parallel.Work(device, np.zeros_like(device), query[:, None], key[:, None])


def _fetch(
    now: parallel.Superstep,
    then: parallel.Superstep,
    names: tuple[str, ...],
    device: np.ndarray,
    tile: np.ndarray,
) -> None:
    """Fetch tiles from their owners, and discard them after the next work."""
    if len(device):
        now.receives.append(parallel.Receive(names, device, tile, tile, np.zeros_like(device)))
        then.discards.append(parallel.Discard(names, device, tile, np.zeros_like(device)))


def _send(step: parallel.Superstep, names: tuple[str, ...], device: np.ndarray, tile: np.ndarray) -> None:
    """Send sums to the owners of their tiles."""
    if len(device):
        step.receives.append(parallel.Receive(names, tile, device, tile, np.zeros_like(device), adding=True))
        step.discards.append(parallel.Discard(names, device, tile, np.zeros_like(device)))
