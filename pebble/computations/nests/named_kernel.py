"""Kernels as people name them: assignments, an einsum, or a kernel of the table, with the extents of their indices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pebble.common.errors import InvalidInput
from pebble.computations.nests.einsum import einsum_text
from pebble.computations.nests.header import read_extents
from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.polybench import KERNELS
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest

if TYPE_CHECKING:
    from pebble.graph.dag import Dag

KERNEL_PREFIX = "kernel:"
"""What a DAG's name begins with that is given as a kernel."""


def read_kernel(text: str, extents: Mapping[str, int], outputs: Iterable[str] = ()) -> LoopNest:
    """Return the loop nest that a text stands for.

    Parameters
    ----------
    text : str
        Assignments, as :func:`~pebble.computations.nests.read_text.loop_nest` reads them; an einsum such as
        ``ik,kj->ij``; or the name of a kernel.
    extents : mapping of str to int
    outputs : iterable of str
        Arrays that are outputs although they are read.

    Examples
    --------
    >>> print(read_kernel("ik,kj->ij", {"i": 4, "j": 4, "k": 4}).statements[0])
    C[i,j] += A[i,k]*B[k,j]
    """
    known = KERNELS.get(text.strip())
    if known is not None:
        return loop_nest(known.text, {**known.extents, **extents}, tuple(outputs) or known.outputs)
    if re.fullmatch(r"[\w-]+", text.strip()):
        raise InvalidInput(f"no kernel is called {text.strip()!r}{_meant(text.strip())}")
    return loop_nest(einsum_text(text) if "->" in text else text, extents, outputs)


def _meant(name: str) -> str:
    close = get_close_matches(name, KERNELS, n=1)
    return f"; did you mean {close[0]!r}?" if close else "; pebble kernel --list lists them"


def kernel_dag(name: str) -> Dag:
    """Return the DAG of a kernel that is given as :func:`kernel_nest` reads it.

    >>> kernel_dag("kernel:C[i,j] += A[i,k]*B[k,j]:i=2,j=2,k=3")
    Dag(kernel:C[i,j] += A[i,k]*B[k,j]:i=2,j=2,k=3: 24 vertices, 32 edges, 12 inputs, 4 outputs)
    """
    return nest_dag(kernel_nest(name), unquote(name)).dag


def kernel_nest(name: str) -> LoopNest:
    """Return the nest of ``kernel:TEXT:EXTENTS``, or ``kernel:TEXT:EXTENTS:OUTPUTS``; ``%20`` may stand for a blank.

    >>> print(kernel_nest("kernel:ij,j->i:i=2,j=2").statements[0])
    C[i] += A[i,j]*B[j]
    """
    plain = unquote(name)
    text, *rest = plain.removeprefix(KERNEL_PREFIX).split(":")
    if not 1 <= len(rest) <= 2:
        raise InvalidInput(
            f"{plain}: write kernel:TEXT:EXTENTS, for example kernel:C[i,j]+=A[i,k]*B[k,j]:i=8,j=8,k=8; "
            "optionally followed by a colon and arrays that are outputs although they are read"
        )
    outputs = [part.strip() for part in rest[1].split(",")] if len(rest) == 2 else []
    return read_kernel(text, read_extents(rest[0]), outputs)


def header_name(name: str) -> str:
    """Return a DAG's name as the header of a pebbling file can hold it: blanks of a kernel's text as ``%20``.

    >>> header_name("kernel:C[i] += A[i,k]:i=2,k=2"), header_name("fft:8")
    ('kernel:C[i]%20+=%20A[i,k]:i=2,k=2', 'fft:8')
    """
    return "%20".join(name.split()) if name.startswith(KERNEL_PREFIX) else name
