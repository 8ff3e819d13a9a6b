"""Attention of several heads as one computation: query heads that share key heads, tokens first."""

from __future__ import annotations

from dataclasses import replace

from pebble.common.errors import InvalidInput
from pebble.computations.attention import attention_family
from pebble.computations.family import Family
from pebble.computations.problem import Problem

__all__ = ["heads_family"]

_ALL = ("g", "r")
_HEADS = {"Q": _ALL, "K": ("g",), "V": ("g",), "S": _ALL, "P": _ALL, "l": _ALL, "U": _ALL, "O": _ALL}


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

    Raises
    ------
    InvalidInput
        If the key heads do not divide the query heads.

    Examples
    --------
    >>> heads_family(Problem.square(2, 1), 4, 2)
    <Family attention-heads Nq=2 Nk=2 d=1 dv=1 Hq=4 Hk=2: 88 vertices, 128 edges>
    """
    if key_heads < 1 or query_heads < 1 or query_heads % key_heads:
        raise InvalidInput(f"{query_heads} query heads cannot share {key_heads} key heads evenly")
    one = attention_family(replace(problem, mask=None))
    arrays = tuple(
        replace(array, axes=(*array.axes, *_HEADS[array.name]))
        if set(array.axes) == {"i", "j"}
        else replace(array, axes=(array.axes[0], *_HEADS[array.name], *array.axes[1:]))
        for array in one.arrays
    )
    extents = {**one.extents, "g": key_heads, "r": query_heads // key_heads}
    symbols = {**one.symbols, "g": "Hk", "r": "Hq/Hk"}
    parameters = {**one.parameters, "Hq": str(query_heads), "Hk": str(key_heads)}
    family = Family("attention-heads", arrays, extents, symbols, parameters)
    return family if problem.mask is None else family.under(problem.allowed)
