"""Small problems of every computation that a schedule may serve."""

from __future__ import annotations

from typing import Any

from pebble.computations.problem import Problem
from pebble.program.schedule import Schedule

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "safe": {"softmax": "safe"},
    "online": {"softmax": "online"},
    "latent": {"shared_values": True},
    "shared-rope": {"heads": 2, "shared_rope": 1},
    "linear": {"attention": "linear"},
    "recurrent": {"attention": "linear", "mask": "causal"},
    "gated": {"attention": "linear", "mask": "causal", "gate": True},
    "chunked": {"attention": "linear", "mask": "causal", "chunk": 2},
}


def problem_for(schedule: Schedule, N: int, d: int) -> Problem:
    """A problem that a schedule serves, of the first of its computations."""
    form = schedule.forms[0]
    dv = d - 1 if form == "latent" else d
    options = OPTIONS[form] | {"pass_name": schedule.passes[0]}
    if schedule.passes[0] == "backward" and form == "chunked":
        options["chunk"] = next(size for size in (2, 3, 5, 7, 1) if N % size == 0)  # all chunks are full
    return Problem(N, N, d, dv, **options)
