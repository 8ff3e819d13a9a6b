"""Every lower bound and published curve that can be shown, by its permanent name."""

from __future__ import annotations

import difflib

from pebble.common.errors import InvalidInput
from pebble.lower_bounds import levels, matmul_fft, published
from pebble.lower_bounds.attention import (
    backward,
    by_keys,
    by_parts,
    causal_triangles,
    communication,
    compulsory,
    crossing,
    documents,
    forward,
    large_cache,
    latent,
    latent_keys,
    varying_work,
)
from pebble.lower_bounds.bound import Statement
from pebble.lower_bounds.certified import backward_rows, forward_rows
from pebble.lower_bounds.graph import exhaustive, min_cut, partition, products
from pebble.lower_bounds.graph.butterfly import BUTTERFLY
from pebble.lower_bounds.graph.forced_loads import FORCED_LOADS
from pebble.lower_bounds.graph.spectral import SPECTRAL
from pebble.lower_bounds.nests import nest_bounds

_FILES = (
    *(compulsory, forward, forward_rows, backward, backward_rows, by_parts, causal_triangles, large_cache),
    *(by_keys, varying_work, latent, latent_keys, levels, communication, crossing, documents),
    *(matmul_fft, nest_bounds),
    *(min_cut, SPECTRAL, partition, FORCED_LOADS, products, BUTTERFLY, exhaustive, published),
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
