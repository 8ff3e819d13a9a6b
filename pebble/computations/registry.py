"""The family of a problem or of a pebbling file's header; random inputs and reference outputs on numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.attention import attention, attention_family, plain_problem
from pebble.computations.backward import attention_gradients, backward_family
from pebble.computations.family import Family
from pebble.computations.heads import heads_family
from pebble.computations.latent import latent_family, latent_inputs, latent_matrices
from pebble.computations.linear_attention import (
    chunked_family,
    linear_inputs,
    linear_outputs,
    recurrent_family,
    right_product_family,
)
from pebble.computations.matmul import matmul_family
from pebble.computations.nests.header import NEST_NAME, nest_from_parameters
from pebble.computations.nests.nest_family import family_of_nest
from pebble.computations.problem import Problem
from pebble.computations.safe_softmax import online_family, safe_attention, safe_family
from pebble.computations.shared_rope import (
    shared_rope_family,
    shared_rope_inputs,
    shared_rope_outputs,
)
from pebble.computations.weights import weights_family, weights_gradient

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FAMILY_NAMES", "family_from_header", "family_of", "random_inputs", "reference_outputs"]

_SIZES = ("Nq", "Nk", "d", "dv")
_TOKENS = ("N", "d", "dv")
_PARAMETERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "attention-forward": (_SIZES, ("stats", "mask")),
    "attention-forward-safe": (_SIZES, ("stats", "mask")),
    "attention-forward-online": (_SIZES, ("stats", "mask")),
    "attention-backward": (_SIZES, ("mask",)),
    "attention-latent": (_SIZES, ("stats", "mask")),
    "attention-heads": ((*_SIZES, "Hq", "Hk"), ("stats", "mask")),
    "attention-shared-rope": ((*_SIZES, "heads", "rope"), ("stats", "mask")),
    "attention-weights": (("N", "d"), ()),
    "linear-attention": (_SIZES, ()),
    "linear-attention-recurrent": (_TOKENS, ("group",)),
    "linear-attention-gated": (_TOKENS, ("group",)),
    "linear-attention-chunked": ((*_TOKENS, "chunk"), ("group",)),
    "matmul": (("m", "n", "k"), ()),
}


_COMPUTATIONS: dict[str, dict[str, Any]] = {
    "attention-forward": {},
    "attention-forward-safe": {"softmax": "safe"},
    "attention-forward-online": {"softmax": "online"},
    "attention-backward": {"pass_name": "backward"},
    "attention-latent": {"shared_values": True},
}


FAMILY_NAMES = (*_PARAMETERS, NEST_NAME)
"""Names that a header gives to families."""


_FORWARD: dict[str, Callable[[Problem], Family]] = {
    "plain": lambda problem: attention_family(plain_problem(problem)),
    "latent": latent_family,
    "shared-rope": shared_rope_family,
    "linear": right_product_family,
    "recurrent": recurrent_family,
    "gated": recurrent_family,
    "chunked": chunked_family,
    "safe": safe_family,
    "online": online_family,
}


def family_of(problem: Problem) -> Family:
    """Return the computation that a problem asks for, of one head: the others are copies of it.

    >>> family_of(Problem.square(2, 2))
    <Family attention-forward Nq=2 Nk=2 d=2 dv=2: 40 vertices, 58 edges>
    """
    if problem.pass_name == "both":
        raise InvalidInput(
            "a training step is two computations: take the forward and the backward pass one by one"
        )
    family = _maker(problem)(problem)
    if problem.sums == "free":
        family = family.with_free_sums()
    masked = problem.mask is not None and problem.attention != "linear"
    return family.under(problem.allowed) if masked else family


def _maker(problem: Problem) -> Callable[[Problem], Family]:
    """Return the function that makes the family of a problem's pass and form."""
    makers = {"forward": _FORWARD.get(problem.form), "backward": backward_family, "weights": weights_family}
    maker = makers[problem.pass_name]
    if maker is None:
        raise InvalidInput(f"{problem.describe()}: this computation is not known")
    return maker


def family_from_header(name: str, parameters: dict[str, str]) -> Family:
    """Build the family that the header of a pebbling file names.

    Raises
    ------
    InvalidInput
        For an unknown name, or parameters that are missing, unknown or unusable.

    Examples
    --------
    >>> family_from_header("attention-forward", {"Nq": "1", "Nk": "3", "d": "2", "dv": "1"})
    <Family attention-forward Nq=1 Nk=3 d=2 dv=1: 27 vertices, 33 edges>
    """
    if name == NEST_NAME:
        return family_of_nest(nest_from_parameters(parameters))
    if name not in _PARAMETERS:
        raise InvalidInput(f"unknown DAG {name!r}; known: {', '.join(FAMILY_NAMES)}")
    required, optional = _PARAMETERS[name]
    unknown = set(parameters) - set(required) - set(optional)
    missing = set(required) - set(parameters)
    if unknown or missing:
        raise InvalidInput(
            f"DAG {name} takes {' '.join(f'{key}=…' for key in required)}"
            + (f"; missing: {', '.join(sorted(missing))}" if missing else "")
            + (f"; unknown: {', '.join(sorted(unknown))}" if unknown else "")
        )
    values = {key: _whole(name, key, text) for key, text in parameters.items() if key != "mask"}
    if name == "matmul":
        return matmul_family(**values)
    if name == "attention-weights":
        return family_of(Problem.square(values["N"], values["d"], pass_name="weights"))
    if name.startswith("linear-attention"):
        return family_of(_linear(name, values))
    stats = values.get("stats", 0)
    if stats not in (0, 1):
        raise InvalidInput(f"DAG {name}: stats must be 0 or 1, not {stats}")
    nq, nk, d, dv = (values[key] for key in _SIZES)
    if name == "attention-shared-rope":
        options: dict[str, Any] = _shared_rope(values)
    else:
        options = _COMPUTATIONS.get(name, {})
    problem = Problem(nq, nk, d, dv, stats=bool(stats), **options)
    problem = _masked(problem, parameters.get("mask"))
    if name != "attention-heads":
        return family_of(problem)
    return heads_family(problem, values["Hq"], values["Hk"])


def _linear(name: str, values: dict[str, int]) -> Problem:
    """Return the problem of linear attention that a header names."""
    d, dv = values["d"], values["dv"]
    if name == "linear-attention":
        return Problem(values["Nq"], values["Nk"], d, dv, attention="linear")
    return Problem.square(
        values["N"],
        d,
        dv,
        attention="linear",
        mask="causal",
        gate=name.endswith("gated"),
        chunk=values.get("chunk"),
        heads=values.get("group", 1),
        kv_heads=1,
    )


def _shared_rope(values: dict[str, int]) -> dict[str, Any]:
    """Return what a header says of heads whose keys share their rotary words."""
    if not values["rope"]:
        raise InvalidInput(
            "DAG attention-shared-rope: rope, the words that the keys of all heads share, is at least 1"
        )
    return {"heads": values["heads"], "shared_rope": values["rope"]}


def _masked(problem: Problem, spec: str | None) -> Problem:
    """Add the mask that a header names; whether queries may be left without keys was decided when it was written."""
    if spec is None:
        return problem
    from dataclasses import replace

    from pebble.computations.masks import make_mask

    mask = make_mask(spec, problem.Nq, problem.Nk, empty_rows="zero", run_code=False)
    return replace(problem, mask=mask)


def _whole(name: str, key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise InvalidInput(f"DAG {name}: {key}={text!r} is not a whole number")
    return int(text)


def random_inputs(problem: Problem, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Return random inputs of a problem; those of a backward pass that the forward pass makes are computed."""
    if problem.pass_name == "weights":
        tall = {name: rng.normal(size=(problem.Nq, problem.d)) for name in ("A1", "A2", "A3", "E")}
        return tall | {name: 0.3 * rng.normal(size=(problem.d, problem.d)) for name in ("X", "Y")}
    if problem.attention == "linear":
        return linear_inputs(problem, rng)
    if problem.form == "latent":
        return latent_inputs(problem, rng)
    if problem.form == "shared-rope":
        return shared_rope_inputs(problem, rng)
    found = {
        "Q": rng.normal(size=(problem.Nq, problem.d)),
        "K": rng.normal(size=(problem.Nk, problem.d)),
        "V": rng.normal(size=(problem.Nk, problem.dv)),
    }
    if problem.pass_name == "backward":
        found["dO"] = rng.normal(size=(problem.Nq, problem.dv))
        found["O"], row_sums = attention(found["Q"], found["K"], found["V"], _allowed(problem))
        found["l"] = np.where(row_sums == 0, 1.0, row_sums)
    return found


def _allowed(problem: Problem) -> NDArray[np.bool_]:
    """Return which pairs take part, as booleans."""
    return problem.allowed.matrix((0, problem.Nq), (0, problem.Nk))


def reference_outputs(
    problem: Problem, inputs: dict[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Return the outputs computed directly in float64, in another way than any schedule does."""
    if problem.pass_name == "weights":
        return {"g": weights_gradient(inputs)}
    if problem.pass_name == "backward":
        Q, K, V, dO = (inputs[name] for name in ("Q", "K", "V", "dO"))
        dQ, dK, dV = attention_gradients(Q, K, V, dO, _allowed(problem))
        return {"dQ": dQ, "dK": dK, "dV": dV}
    if problem.attention == "linear":
        return linear_outputs(problem, inputs)
    if problem.form == "shared-rope":
        return shared_rope_outputs(problem, inputs, _allowed(problem))
    latent = problem.form == "latent"
    matrices = latent_matrices(inputs) if latent else (inputs["Q"], inputs["K"], inputs["V"])
    if problem.form in ("safe", "online"):
        output, row_sums, most = safe_attention(*matrices, _allowed(problem))
        return {"O": output, "l": row_sums, "m": most} if problem.stats else {"O": output}
    output, row_sums = attention(*matrices, _allowed(problem))
    return {"O": output, "l": row_sums} if problem.stats else {"O": output}
