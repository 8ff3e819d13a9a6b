"""Which computation a problem asks for: plain, safe or online softmax, values that are part of the keys, linear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import singular
from pebble.computations.own_attention import check_own_attention

if TYPE_CHECKING:
    from pebble.computations.masks import Mask

SOFTMAXES = ("plain", "safe", "online")
"""How the exponentials of softmax are taken."""

SUMS = ("chain", "free", "accumulate")
"""How sums over queries and keys are added: in the order of the indices, in any, or in any and also in slow memory."""

ATTENTIONS = ("softmax", "linear")
"""Kinds of attention."""

FORMS = (*SOFTMAXES, "latent", "shared-rope", "linear", "recurrent", "gated", "chunked", "own")
"""The computations a pass may be: each has a family, schedules and bounds of its own. A text gives ``own``."""


class Form:
    """What of a problem tells its computation, and what that must fit to; see :class:`pebble.Problem`."""

    Nq: int
    Nk: int
    d: int
    dv: int
    stats: bool
    pass_name: str
    mask: Mask | None
    group: int
    softmax: str
    attention: str
    gate: bool
    chunk: int | None
    shared_values: bool
    shared_rope: int
    sums: str
    sum_width: int
    computation: str | None

    @property
    def form(self) -> str:
        """Which computation the pass is: one of :data:`~pebble.computations.problem_form.FORMS`.

        >>> from pebble import Problem
        >>> Problem.square(8, 2, softmax="online").form, Problem.square(8, 2, attention="linear").form
        ('online', 'linear')
        """
        if self.computation is not None:
            return "own"
        if self.attention == "linear":
            if self.chunk is not None:
                return "chunked"
            return "linear" if self.mask is None else "gated" if self.gate else "recurrent"
        if self.shared_values:
            return "latent"
        if self.shared_rope:
            return "shared-rope"
        return self.softmax if self.pass_name == "forward" else "plain"


def check_form(problem: Form) -> None:
    """Check that the options which choose a computation fit together."""
    for name, value, known in (
        ("softmax", problem.softmax, SOFTMAXES),
        ("attention", problem.attention, ATTENTIONS),
        ("sums", problem.sums, SUMS),
    ):
        if value not in known:
            raise InvalidInput(f"unknown {name} {value!r}; known: {', '.join(known)}")
    if problem.softmax != "plain" and problem.pass_name == "weights":
        raise InvalidInput("the gradient of the weights (--pass weights) is defined only with plain softmax")
    if problem.sums != "chain" and (problem.form != "plain" or problem.pass_name == "weights"):
        moved = problem.sums == "accumulate" and problem.softmax != "plain"
        raise InvalidInput(
            "sums in any order (sums='free', --sums free), or added in slow memory (--accumulate), are supported only "
            "with plain softmax, forward or backward"
            + ("; what has been added cannot be rescaled when the maximum moves" if moved else "")
        )
    if isinstance(problem.sum_width, bool) or problem.sum_width not in range(1, 9):
        raise InvalidInput(f"sum_width is a whole number of words from 1 to 8, not {problem.sum_width!r}")
    if problem.sum_width > 1 and (problem.form != "plain" or problem.pass_name == "weights"):
        raise InvalidInput("wide sums (--sum-width) are counted with plain softmax, forward or backward")
    if problem.computation is not None:
        _check_own(problem, problem.computation)
    if problem.shared_values:
        _check_latent(problem)
    if problem.shared_rope != 0:
        _check_shared_rope(problem)
    if problem.attention == "linear":
        _check_linear(problem)
    elif problem.gate or problem.chunk is not None:
        raise InvalidInput(
            "gate and chunk are for linear attention: add attention='linear' (--attention linear)"
        )


def _check_own(problem: Form, text: str) -> None:
    if {**form_options(problem), "pass_name": problem.pass_name} != {
        "computation": text,
        "pass_name": "forward",
    }:
        raise InvalidInput(
            "computation defines its own forward pass: leave out pass, softmax, attention, gate, chunk, "
            "sums, shared_values and shared_rope"
        )
    check_own_attention(text)


def _check_latent(problem: Form) -> None:
    if problem.attention == "linear" or problem.softmax != "plain" or problem.pass_name != "forward":
        raise InvalidInput(
            "shared_values, values that are part of the keys, is supported only in the forward pass "
            "with plain softmax"
        )
    if problem.dv >= problem.d:
        raise InvalidInput(
            "with shared_values the values are the first dv of the d words of a key, so dv = "
            f"{problem.dv} must be less than d = {problem.d}"
        )


def _check_shared_rope(problem: Form) -> None:
    rope = problem.shared_rope
    if isinstance(rope, bool) or not isinstance(rope, int) or not 0 < rope < problem.d:
        raise InvalidInput(
            f"shared_rope is how many of the d = {problem.d} words of a key all heads share: a whole number from 1 to "
            f"{problem.d - 1}, not {rope!r}"
        )
    if problem.attention == "linear" or problem.softmax != "plain" or problem.pass_name != "forward":
        raise InvalidInput(
            "shared_rope, keys whose rotary words all heads share, is supported only in the forward "
            "pass with plain softmax"
        )
    if problem.shared_values or problem.group > 1:
        raise InvalidInput(
            "with shared_rope every head has its own values and its own other words of a key: leave out "
            "shared_values, and give kv_heads equal to heads or not at all"
        )


def _check_linear(problem: Form) -> None:
    if problem.softmax != "plain":
        raise InvalidInput(
            f"linear attention has no softmax: leave out softmax={problem.softmax!r} (--softmax)"
        )
    if problem.pass_name not in ("forward", "backward") or problem.stats:
        raise InvalidInput("linear attention has a forward and a backward pass, without row sums (stats)")
    if problem.mask is None:
        if problem.gate or problem.chunk is not None:
            raise InvalidInput(
                "gate and chunk are for causal linear attention: add mask='causal' (--mask causal)"
            )
    elif problem.Nq % problem.Nk or problem.mask.spec != _causal(problem.Nq // problem.Nk):
        raise InvalidInput(
            "linear attention supports no mask, or the causal mask with as many queries per head as "
            f"keys; here the mask is {problem.mask.spec}, Nq = {problem.Nq:,} and Nk = {problem.Nk:,}"
        )
    chunk = 1 if problem.chunk is None else problem.chunk
    if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1:
        raise InvalidInput(f"chunk must be a positive whole number, not {chunk!r}")
    if problem.pass_name == "backward":
        _check_linear_backward(problem, chunk)


def _check_linear_backward(problem: Form, chunk: int) -> None:
    if problem.mask is None:
        raise InvalidInput(
            "the gradients of linear attention are supported under the causal mask (--mask causal); without a mask "
            "count them as a loop nest (pebble kernel)"
        )
    for found, what in (
        (problem.gate, "gates"),
        (problem.Nq > problem.Nk, "query heads that share keys and values"),
        (problem.Nk % chunk, f"chunks of {chunk:,} of {problem.Nk:,} tokens; the last one must be full"),
    ):
        if found:
            raise InvalidInput(f"the gradients of linear attention are not supported with {what}")


def _causal(sharing: int) -> str:
    """Return how the causal mask of ``sharing`` query heads with common keys and values is written."""
    return "causal" if sharing == 1 else f"group:{sharing}:causal"


_PLAIN: dict[str, str | bool | int | None] = {
    "softmax": "plain",
    "attention": "softmax",
    "gate": False,
    "chunk": None,
    "shared_values": False,
    "shared_rope": 0,
    "sums": "chain",
    "sum_width": 1,
    "computation": None,
}


def all_form_options(problem: Form) -> dict[str, str | bool | int | None]:
    """Return the options that choose a problem's computation, for a table; ``attention`` says if a text gives it."""
    own = {} if problem.computation is None else {"attention": "own"}
    return {name: getattr(problem, name) for name in _PLAIN if name != "computation"} | own


def form_options(problem: Form) -> dict[str, str | bool | int | None]:
    """Return the options that choose a problem's computation, those that are not as for plain softmax."""
    return {name: getattr(problem, name) for name, plain in _PLAIN.items() if getattr(problem, name) != plain}


def form_text(problem: Form) -> str:
    """Return what a description says before "attention": nothing for plain softmax."""
    if problem.computation is not None:
        return "own "
    if problem.attention == "linear":
        return "gated linear " if problem.gate else "linear "
    if problem.shared_values:
        return "latent "
    if problem.shared_rope:
        return singular(f"shared-rope ({problem.shared_rope:,} words) ")
    wide = f"sums of {problem.sum_width} words, " if problem.sum_width > 1 else ""
    if problem.sums != "chain":
        return wide + ("sums in any order, " if problem.sums == "free" else "sums added in slow memory, ")
    return wide if problem.softmax == "plain" else f"{problem.softmax} softmax, "
