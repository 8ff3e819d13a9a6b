"""Attention whose values are the first words of its keys: multi-head latent attention, projections absorbed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.array import Array
from pebble.computations.attention import OUTPUT, attention_parameters
from pebble.computations.family import Family
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["latent_family", "latent_inputs", "latent_matrices"]


def latent_family(problem: Problem) -> Family:
    """Attention on keys whose first dv words are the values, and whose other d − dv words carry the positions.

    Axes: ``i`` queries, ``j`` keys, ``e`` the dv latent words, ``r`` the d − dv rotary ones. A score is the sum of
    two products, S1 over the latent words and S2 over the rotary ones, which P adds (DeepSeek-AI 2024,
    arXiv 2405.04434, section 2.1; decoded with absorbed projections).

    Examples
    --------
    >>> family = latent_family(Problem(2, 3, 3, 2, shared_values=True))
    >>> family
    <Family attention-latent Nq=2 Nk=3 d=3 dv=2: 61 vertices, 104 edges>
    >>> family.predecessors("U", (0, 1, 2))
    [('U', (0, 1, 1)), ('P', (0, 2)), ('Kc', (2, 1))]
    """
    scale = 1.0 / math.sqrt(problem.d)

    def weight(latent: NDArray[np.float64], rotary: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.exp(scale * (latent + rotary)))

    arrays = (
        Array("Qc", ("i", "e"), meaning="queries, latent part"),
        Array("Qr", ("i", "r"), meaning="queries, rotary part"),
        Array("Kc", ("j", "e"), meaning="keys, latent part, and values"),
        Array("Kr", ("j", "r"), meaning="keys, rotary part"),
        Array("S1", ("i", "j"), chain="e", operands=("Qc", "Kc"), meaning="scores, latent part"),
        Array("S2", ("i", "j"), chain="r", operands=("Qr", "Kr"), meaning="scores, rotary part"),
        Array("P", ("i", "j"), operands=("S1", "S2"), function=weight, meaning="exp(scale · (S1 + S2))"),
        Array("l", ("i",), chain="j", operands=("P",), output=problem.stats, meaning="row sums"),
        Array("U", ("i", "e"), chain="j", operands=("P", "Kc"), meaning="unnormalised output"),
        OUTPUT,
    )
    same = problem.Nq == problem.Nk
    return Family(
        "attention-latent",
        arrays,
        extents={"i": problem.Nq, "j": problem.Nk, "e": problem.dv, "r": problem.d - problem.dv},
        symbols={"i": "N" if same else "Nq", "j": "N" if same else "Nk", "e": "dv", "r": "(d − dv)"},
        parameters=attention_parameters(problem),
    )


def latent_inputs(problem: Problem, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Return random inputs by name."""
    widths = {"c": problem.dv, "r": problem.d - problem.dv}
    rows = {"Q": problem.Nq, "K": problem.Nk}
    return {
        matrix + part: rng.normal(size=(length, width))
        for matrix, length in rows.items()
        for part, width in widths.items()
    }


def latent_matrices(
    inputs: dict[str, NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return Q, K and V, as attention with values of their own has them, of the inputs."""
    Q, K = (np.concatenate([inputs[name + "c"], inputs[name + "r"]], axis=1) for name in ("Q", "K"))
    return Q, K, inputs["Kc"]
