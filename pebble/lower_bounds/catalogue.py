"""Every lower bound and published curve that can be shown, by its permanent name."""

from __future__ import annotations

import difflib

from pebble.common.errors import InvalidInput
from pebble.lower_bounds import levels, matmul_fft
from pebble.lower_bounds.attention import (
    b1,
    b2,
    by_parts,
    causal_triangles,
    communication,
    compulsory,
    large_cache,
    latent,
    linear,
    safe_softmax,
    shared_rope,
    t1,
    t2,
    weights_gradient,
    wide_sums,
)
from pebble.lower_bounds.certified import b3, b4, t3, t4
from pebble.lower_bounds.graph import exhaustive, min_cut, partition, parts, products
from pebble.lower_bounds.graph.butterfly import BUTTERFLY
from pebble.lower_bounds.graph.spectral import SPECTRAL
from pebble.lower_bounds.nests import statements
from pebble.lower_bounds.published import attention as published_attention
from pebble.lower_bounds.published import matmul_fft as published_matmul_fft
from pebble.lower_bounds.statement import Statement

__all__ = ["STATEMENTS", "statement"]

_FILES = (
    *(
        compulsory,
        t1,
        t2,
        t3,
        t4,
        b1,
        b2,
        b3,
        b4,
        by_parts,
        causal_triangles,
        large_cache,
        wide_sums,
        weights_gradient,
        safe_softmax,
    ),
    *(latent, shared_rope, levels, linear, communication, matmul_fft, statements),
    *(
        min_cut,
        SPECTRAL,
        parts,
        partition,
        products,
        BUTTERFLY,
        exhaustive,
        published_matmul_fft,
        published_attention,
    ),
)
"""Attention first, then other computations, any DAG, and what others publish."""


def _statements() -> tuple[Statement, ...]:
    """Return the statements of all files, in their order there; one that a file imports counts where it stands."""
    listed = ([file] if isinstance(file, Statement) else vars(file).values() for file in _FILES)
    values = (getattr(value, "statement", value) for values in listed for value in values)
    return tuple({value.name: value for value in values if isinstance(value, Statement)}.values())


STATEMENTS = _statements()


def statement(name: str) -> Statement:
    """Return the statement of a name; case, spaces and punctuation do not matter.

    Raises
    ------
    InvalidInput
        If there is none; the message has the known names and the closest one.

    Examples
    --------
    >>> statement("t1").source, statement("li-et-al-worst-pattern").authors
    ('docs/proofs/forward.md, T1', 'Li et al. 2024')
    """
    known = {_plain(one.name): one for one in STATEMENTS}
    if (found := known.get(_plain(name))) is not None:
        return found
    close = difflib.get_close_matches(_plain(name), known, n=1)
    hint = f"; did you mean {known[close[0]].name!r}?" if close else "."
    names = "; ".join(one.name for one in STATEMENTS)
    raise InvalidInput(f"no bound is called {name!r}{hint} Known: pebble (the program itself); {names}")


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
