"""The family of arrays that attention is, of any form, from its text."""

from __future__ import annotations

import math
from dataclasses import replace

from pebble.common.errors import InvalidInput
from pebble.computations.attention_texts import HEADS, TEXTS
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.computations.text import family_of_text, text_parameter

_NAMES = {
    "plain": "attention-forward",
    "safe": "attention-forward-safe",
    "online": "attention-forward-online",
    "linear": "linear-attention",
    **{form: f"linear-attention-{form}" for form in ("recurrent", "gated", "chunked")},
    **{f"{form} backward": f"linear-attention-{form}-backward" for form in ("recurrent", "chunked")},
}


def attention_family(problem: Problem) -> Family:
    """Attention as arrays of vertices: softmax as the papers write it, without subtracting the maximum.

    Axes: ``i`` queries, ``j`` keys, ``k`` head dimension of Q and K, ``e`` head dimension of V. For a problem of any
    kind see :func:`pebble.family_of`; :func:`pebble.run` takes the problem itself.

    Raises
    ------
    InvalidInput
        If the problem asks for more than the sizes and ``stats``: a mask, several heads, another pass or softmax, …

    Examples
    --------
    >>> family = attention_family(Problem.square(2, 2))
    >>> family
    <Family attention-forward Nq=2 Nk=2 d=2 dv=2: 40 vertices, 58 edges>
    >>> family.predecessors("O", (0, 1))
    [('U', (0, 1, 1)), ('l', (0, 1))]
    """
    if problem != Problem(problem.Nq, problem.Nk, problem.d, problem.dv, problem.stats):
        raise InvalidInput(
            "attention_family is the forward pass of one head, with plain softmax and without a mask; "
            f"this is {problem.describe()}. Pass the problem itself to pebble.run, or use "
            "pebble.family_of"
        )
    return form_family(problem)


def form_family(problem: Problem) -> Family:
    """Return the family of a problem's pass and form, without a mask and with sums in the order of the indices.

    Examples
    --------
    >>> form_family(Problem(2, 2, 2, 2, pass_name="backward")).predecessors("dS", (0, 1))
    [('P', (0, 1)), ('dP', (0, 1, 1)), ('D', (0, 1))]
    >>> online = form_family(Problem.square(2, 2, softmax="online"))
    >>> online.predecessors("a", (0, 1)), online.predecessors("P", (0, 0))
    ([('m', (0, 0)), ('S', (0, 1, 1))], [('S', (0, 0, 1)), ('m', (0, 0))])
    >>> form_family(Problem(2, 3, 3, 2, shared_values=True))
    <Family attention-latent Nq=2 Nk=3 d=3 dv=2: 61 vertices, 104 edges>
    """
    form = problem.pass_name if problem.pass_name != "forward" else problem.form
    if problem.attention == "linear" and form == "backward":
        form = f"{problem.form} backward"
    text = TEXTS[form] if problem.computation is None else problem.computation
    written = text if isinstance(text, str) else text(problem)
    if _sharing(problem) == 1:
        written = written.replace("[g,", "[")
    return family_of_text(
        _NAMES.get(form, f"attention-{form}"),
        written,
        _extents(problem),
        _symbols(problem),
        _parameters(problem),
        outputs=("l", "m") if problem.stats else (),
        constants={"scale": 1.0 / math.sqrt(problem.d)},
    )


def heads_family(problem: Problem, query_heads: int, key_heads: int) -> Family:
    """Attention forward of several heads, as arrays of vertices.

    Axes: those of one head, and ``g`` key heads, ``r`` the query heads that share one: query head ``h`` is
    ``(g, r) = divmod(h, query_heads / key_heads)``. ``Q[i,g,r,k]``, ``K[j,g,k]``, ``V[j,g,e]``, ``O[i,g,r,e]``: the
    token comes first, so that a layout of tokens says which device owns what.

    Parameters
    ----------
    problem : Problem
        One head; its mask is that of all.
    query_heads, key_heads : int

    Examples
    --------
    >>> heads_family(Problem.square(2, 1), 4, 2)
    <Family attention-heads Nq=2 Nk=2 d=1 dv=1 Hq=4 Hk=2: 88 vertices, 128 edges>
    """
    if key_heads < 1 or query_heads < 1 or query_heads % key_heads:
        raise InvalidInput(f"{query_heads} query heads cannot share {key_heads} key heads evenly")
    one = attention_family(replace(problem, mask=None))
    family = family_of_text(
        "attention-heads",
        HEADS,
        {**one.extents, "g": key_heads, "r": query_heads // key_heads},
        {**one.symbols, "g": "Hk", "r": "Hq/Hk"},
        {**one.parameters, "Hq": str(query_heads), "Hk": str(key_heads)},
        outputs=("l",) if problem.stats else (),
        constants={"scale": 1.0 / math.sqrt(problem.d)},
    )
    return family if problem.mask is None else family.under(problem.allowed)


def _sharing(problem: Problem) -> int:
    """Return how many query heads share the state of causal linear attention."""
    return problem.Nq // problem.Nk if problem.attention == "linear" and problem.mask is not None else 1


def _extents(problem: Problem) -> dict[str, int]:
    """Return the lengths of all axes that the texts know."""
    rope = problem.shared_rope or problem.d - problem.dv
    chunks, size, rest = problem.chunk_sizes
    tokens = {"i": problem.Nq, "j": problem.Nk, "n": problem.Nk}
    vectors = {
        "a": problem.d,
        "k": problem.d - problem.shared_rope,
        "b": problem.d,
        "e": problem.dv,
        "r": rope,
    }
    parts = {"c": chunks, "p": size, "q": size, "s": rest, "t": rest}
    if problem.pass_name == "backward":
        parts["c"] += 1  # no chunk has arrays of its own
    return {"g": _sharing(problem), "h": problem.heads, **tokens, **parts, **vectors}


def _symbols(problem: Problem) -> dict[str, str]:
    """How formulas write the axes: N where there are as many keys as queries, d where dv = d."""
    same = problem.Nq == problem.Nk
    found = {"g": "G", "h": "H", "i": "N" if same else "Nq", "j": "N" if same else "Nk", "n": "N"}
    found |= {"c": "n", "p": "C", "q": "C", "s": "R", "t": "R", "k": "d", "r": "(d − dv)", "a": "d", "b": "d"}
    if problem.shared_rope:
        found |= {"k": "(d − r)", "r": "r"}
    return {**found, "e": "d" if problem.d == problem.dv and not problem.shared_rope else "dv"}


def _parameters(problem: Problem) -> dict[str, str]:
    """Return what the header of a pebbling file says of a computation, its mask aside."""
    found = {"N": problem.Nk, "d": problem.d, "dv": problem.dv}
    if problem.pass_name == "weights":
        del found["dv"]
    elif _sharing(problem) > 1:
        found["group"] = _sharing(problem)
    elif problem.attention != "linear" or problem.mask is None:
        del found["N"]
        found = {"Nq": problem.Nq, "Nk": problem.Nk, **found}
    if problem.stats:
        found["stats"] = 1
    if problem.shared_rope:
        found |= {"heads": problem.heads, "rope": problem.shared_rope}
    if problem.chunk is not None:
        found |= {"chunk": problem.chunk, **({"gate": 1} if problem.gate else {})}
    own = {} if problem.computation is None else {"text": text_parameter(problem.computation)}
    return {name: str(value) for name, value in found.items()} | own
