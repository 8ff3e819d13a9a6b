"""Heads whose keys have their rotary words in common: multi-head latent attention as it is trained."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.array import Array
from pebble.computations.attention import attention_parameters
from pebble.computations.family import Family
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["shared_rope_family", "shared_rope_inputs", "shared_rope_outputs"]


def shared_rope_family(problem: Problem) -> Family:
    """Attention of several heads at once, the last words of whose keys are the same for all of them.

    Axes: ``h`` heads, ``i`` queries, ``j`` keys, ``k`` the words that each head has for itself, ``r`` the rotary ones,
    ``e`` head dimension of V. A score is the sum of two products, which P adds (DeepSeek-AI 2024, arXiv 2405.04434,
    section 2.1.3: the decoupled key is shared).

    Examples
    --------
    >>> family = shared_rope_family(Problem(2, 3, 3, 2, heads=2, shared_rope=1))
    >>> family
    <Family attention-shared-rope Nq=2 Nk=3 d=3 dv=2 heads=2 rope=1: 131 vertices, 208 edges>
    >>> family.predecessors("S2", (1, 0, 2, 0))
    [('Qr', (1, 0, 0)), ('Kr', (2, 0))]
    """
    scale = 1.0 / math.sqrt(problem.d)

    def weight(own: NDArray[np.float64], rotary: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.exp(scale * (own + rotary)))

    pair = ("h", "i", "j")
    arrays = (
        Array("Qc", ("h", "i", "k"), meaning="queries, but for their rotary part"),
        Array("Qr", ("h", "i", "r"), meaning="queries, rotary part"),
        Array("Kc", ("h", "j", "k"), meaning="keys, the head's own part"),
        Array("Kr", ("j", "r"), meaning="keys, rotary part, the same for all heads"),
        Array("V", ("h", "j", "e"), meaning="values"),
        Array("S1", pair, chain="k", operands=("Qc", "Kc"), meaning="scores, the head's own part"),
        Array("S2", pair, chain="r", operands=("Qr", "Kr"), meaning="scores, rotary part"),
        Array("P", pair, operands=("S1", "S2"), function=weight, meaning="exp(scale · (S1 + S2))"),
        Array("l", ("h", "i"), chain="j", operands=("P",), output=problem.stats, meaning="row sums"),
        Array("U", ("h", "i", "e"), chain="j", operands=("P", "V"), meaning="unnormalised output"),
        Array("O", ("h", "i", "e"), operands=("U", "l"), output=True, function=np.divide, meaning="output"),
    )
    same = problem.Nq == problem.Nk
    rope = problem.shared_rope
    return Family(
        "attention-shared-rope",
        arrays,
        extents={
            **{"h": problem.heads, "i": problem.Nq, "j": problem.Nk},
            **{"k": problem.d - rope, "r": rope, "e": problem.dv},
        },
        symbols={
            **{"h": "H", "i": "N" if same else "Nq", "j": "N" if same else "Nk"},
            **{"k": "(d − r)", "r": "r", "e": "dv"},
        },
        parameters={**attention_parameters(problem), "heads": str(problem.heads), "rope": str(rope)},
    )


def shared_rope_inputs(problem: Problem, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Return random inputs by name."""
    rope, heads = problem.shared_rope, problem.heads
    shapes = {
        "Qc": (heads, problem.Nq, problem.d - rope),
        "Qr": (heads, problem.Nq, rope),
        "Kc": (heads, problem.Nk, problem.d - rope),
        "Kr": (problem.Nk, rope),
        "V": (heads, problem.Nk, problem.dv),
    }
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def shared_rope_outputs(
    problem: Problem, inputs: dict[str, NDArray[np.float64]], allowed: NDArray[np.bool_]
) -> dict[str, NDArray[np.float64]]:
    """Return the outputs computed for all heads at once, each with a copy of the rotary keys."""
    Q = np.concatenate([inputs["Qc"], inputs["Qr"]], axis=2)
    rotary = np.broadcast_to(inputs["Kr"], (problem.heads, *inputs["Kr"].shape))
    K = np.concatenate([inputs["Kc"], rotary], axis=2)
    weights = np.where(allowed, np.exp(Q @ K.transpose(0, 2, 1) / math.sqrt(problem.d)), 0.0)
    row_sums = weights.sum(axis=2)
    output = (weights @ inputs["V"]) / np.where(row_sums == 0, 1.0, row_sums)[..., None]
    return {"O": output, "l": row_sums} if problem.stats else {"O": output}
