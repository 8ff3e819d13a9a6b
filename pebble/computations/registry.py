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

_SIZES = ("Nq", "Nk", "d", "dv")
_TOKENS = ("N", "d", "dv")
_STATS = ("stats", "mask")
_LINEAR = {"attention": "linear", "mask": "causal"}
_BACKWARD = {"pass_name": "backward"}
_HEADERS: dict[str, tuple[tuple[str, ...], tuple[str, ...], dict[str, Any]]] = {
    "attention-forward": (_SIZES, _STATS, {}),
    "attention-forward-safe": (_SIZES, _STATS, {"softmax": "safe"}),
    "attention-forward-online": (_SIZES, _STATS, {"softmax": "online"}),
    "attention-backward": (_SIZES, ("mask",), _BACKWARD),
    "attention-latent": (_SIZES, _STATS, {"shared_values": True}),
    "attention-heads": ((*_SIZES, "Hq", "Hk"), _STATS, {}),
    "attention-shared-rope": ((*_SIZES, "heads", "rope"), _STATS, {}),
    "attention-own": ((*_SIZES, "text"), _STATS, {}),
    "attention-weights": (("N", "d"), (), {"pass_name": "weights"}),
    "linear-attention": (_SIZES, (), {"attention": "linear"}),
    "linear-attention-recurrent": (_TOKENS, ("group",), _LINEAR),
    "linear-attention-gated": (_TOKENS, ("group",), {**_LINEAR, "gate": True}),
    "linear-attention-chunked": ((*_TOKENS, "chunk"), ("group", "gate"), _LINEAR),
    "linear-attention-recurrent-backward": (_TOKENS, (), {**_LINEAR, **_BACKWARD}),
    "linear-attention-chunked-backward": ((*_TOKENS, "chunk"), (), {**_LINEAR, **_BACKWARD}),
    "matmul": (("m", "n", "k"), (), {}),
}
"""The parameters of headers, those that must be there and those that may, and what the name says of a problem."""


FAMILY_NAMES = (*_HEADERS, NEST_NAME)
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

    Examples
    --------
    >>> family_from_header("attention-forward", {"Nq": "1", "Nk": "3", "d": "2", "dv": "1"})
    <Family attention-forward Nq=1 Nk=3 d=2 dv=1: 27 vertices, 33 edges>
    """
    if name == NEST_NAME:
        return family_of_nest(nest_from_parameters(parameters))
    if name not in _HEADERS:
        raise InvalidInput(f"unknown DAG {name!r}; known: {', '.join(FAMILY_NAMES)}")
    required, optional, options = _HEADERS[name]
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
    problem = _problem(name, values, parameters, options)
    return heads_family(problem, values["Hq"], values["Hk"]) if "Hq" in values else family_of(problem)


def _problem(
    name: str, values: dict[str, int], parameters: dict[str, str], options: dict[str, Any]
) -> Problem:
    """Return the problem that a header names, of one head if its heads are copies."""
    stats, rope = values.get("stats", 0), values.get("rope")
    if stats not in (0, 1):
        raise InvalidInput(f"DAG {name}: stats must be 0 or 1, not {stats}")
    if rope == 0:
        raise InvalidInput(f"DAG {name}: rope, the words that the keys of all heads share, is at least 1")
    Nq, Nk = (values.get(key, values.get("N", 0)) for key in ("Nq", "Nk"))
    if "text" in parameters:
        options = {"computation": text_of_parameter(parameters["text"])}
    if "gate" in values:
        options = {**options, "gate": values["gate"] == 1}
    heads = values.get("heads", values.get("group", 1))
    problem = Problem(
        Nq,
        Nk,
        values["d"],
        values.get("dv", values["d"]),
        bool(stats),
        heads,
        kv_heads=1 if "group" in values else None,
        chunk=values.get("chunk"),
        shared_rope=rope or 0,
        **options,
    )
    if "mask" not in parameters:
        return problem
    # Whether queries may be left without keys was decided when the header was written.
    mask = make_mask(parameters["mask"], Nq, Nk, empty_rows="zero", run_code=False)
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
    if "G" in found:
        found["G"] = rng.uniform(0.5, 1.0, size=family.shape("G"))
    if problem.pass_name == "backward" and problem.attention != "linear":
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
