"""The family of a problem or of a pebbling file's header; random inputs and reference outputs on numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.attention import form_family, heads_family
from pebble.computations.family import Family
from pebble.computations.masks import make_mask
from pebble.computations.matmul import matmul_family
from pebble.computations.nests.header import NEST_NAME, nest_from_parameters
from pebble.computations.nests.nest_family import family_of_nest
from pebble.computations.problem import Problem
from pebble.computations.text import text_of_parameter
from pebble.computations.values import outputs_of

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
    "attention-own": ((*_SIZES, "text"), ("stats", "mask")),
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


def family_of(problem: Problem) -> Family:
    """Return the computation that a problem asks for, of one head: the others are copies of it.

    >>> family_of(Problem.square(2, 2))
    <Family attention-forward Nq=2 Nk=2 d=2 dv=2: 40 vertices, 58 edges>
    """
    if problem.pass_name == "both":
        raise InvalidInput(
            "a training step is two computations: use the forward and the backward pass separately"
        )
    family = form_family(problem)
    if problem.sums == "free":
        family = family.with_free_sums()
    elif problem.sums == "accumulate":
        family = family.with_accumulation()
    if problem.sum_width > 1:
        sums = [array.name for array in family.arrays if array.chain in ("i", "j")]
        family = family.widened(sums, problem.sum_width)
    masked = problem.mask is not None and problem.attention != "linear"
    return family.under(problem.allowed) if masked else family


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
    values = {key: _whole(name, key, text) for key, text in parameters.items() if key not in ("mask", "text")}
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
    elif name == "attention-own":
        options = {"computation": text_of_parameter(parameters["text"])}
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
    mask = make_mask(spec, problem.Nq, problem.Nk, empty_rows="zero", run_code=False)
    return replace(problem, mask=mask)


def _whole(name: str, key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise InvalidInput(f"DAG {name}: {key}={text!r} is not a whole number")
    return int(text)


def random_inputs(problem: Problem, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Return random inputs of a problem; those of a backward pass that the forward pass makes are computed."""
    family = family_of(problem)
    found = {array.name: rng.normal(size=family.shape(array.name)) for array in family.inputs}
    if problem.pass_name == "weights":
        found |= {name: 0.3 * found[name] for name in ("X", "Y")}
    if problem.gate:
        found["G"] = rng.uniform(0.5, 1.0, size=family.shape("G"))
    if problem.pass_name == "backward":
        forward = outputs_of(
            family_of(replace(problem, pass_name="forward", softmax="plain", stats=True)), found
        )
        found |= {"O": forward["O"], "l": np.where(forward["l"] == 0, 1.0, forward["l"])}
    return found


def reference_outputs(
    problem: Problem, inputs: dict[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Return the outputs of a problem's computation, every array computed at once."""
    return outputs_of(family_of(problem), inputs)
