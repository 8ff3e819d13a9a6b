"""Find a DAG by its name, ``matmul:8,8,8`` or ``attention:N=2,d=1``, or read it from a file."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.computations.named_dags import NAMED_DAGS, NamedDag
from pebble.computations.nests.named_kernel import KERNEL_PREFIX, kernel_dag
from pebble.graph.dag import Dag
from pebble.graph.formats import read_dag

if TYPE_CHECKING:
    from pebble.computations.problem import Problem


def load_dag(
    source: str | os.PathLike[str], format: str | None = None, *, keep_isolated: bool = False
) -> Dag:
    """Return the DAG that a name with parameters or a file stands for.

    Parameters
    ----------
    source : str or path
        A name with its parameters after a colon, ``kernel:TEXT:i=8,j=8`` for a loop nest, or a file. Where both could
        be meant, a text is a name; write ``./fft:8`` for a file that is called so.
    format : str, optional
        A file's format, if its ending does not say it; see :data:`pebble.graph.formats.FORMATS`.
    keep_isolated : bool
        Accept vertices of a file that have no edge at all.

    Raises
    ------
    InvalidInput
        If there is no such name or file, parameters are missing or no whole numbers, or a file is faulty.

    Examples
    --------
    >>> load_dag("fft:64")
    Dag(fft:64: 448 vertices, 768 edges, 64 inputs, 64 outputs)
    >>> load_dag("attention:N=2,d=1")
    Dag(attention:N=2,d=1: 24 vertices, 32 edges, 6 inputs, 2 outputs)
    >>> load_dag("piramid:5")
    Traceback (most recent call last):
    ...
    pebble.common.errors.InvalidInput: no DAG is called 'piramid'; did you mean 'pyramid'? ...
    """
    if isinstance(source, str):
        name, colon, _ = source.partition(":")
        if colon and (name in NAMED_DAGS or source.startswith(KERNEL_PREFIX)) and format is None:
            return named_dag(source)
        if not source or not Path(source).exists():
            raise _unknown(source)
    return read_dag(source, format, keep_isolated)


def named_dag(text: str) -> Dag:
    """Return the DAG of a name with parameters.

    >>> named_dag("pyramid:h=2")
    Dag(pyramid:2: 6 vertices, 6 edges, 3 inputs, 1 output)
    """
    if text.startswith(KERNEL_PREFIX):
        return kernel_dag(text)
    name, _, parameters = text.partition(":")
    entry = NAMED_DAGS.get(name)
    if entry is None:
        raise _unknown(text)
    return entry.build(**_parameters(entry, text, parameters))


def named_problem(text: str) -> Problem | None:
    """Return the problem of attention whose DAG has this name, None for a file or another DAG.

    >>> named_problem("backward:N=4,d=2")
    Problem(Nq=4, Nk=4, d=2, dv=2, pass_name='backward')
    >>> named_problem("fft:8")
    """
    name, colon, parameters = text.partition(":")
    entry = NAMED_DAGS.get(name) if colon else None
    if entry is None or entry.problem is None:
        return None
    return entry.problem(**_parameters(entry, text, parameters))


def _unknown(text: str) -> InvalidInput:
    name = text.partition(":")[0]
    known = list(NAMED_DAGS)
    if name in known and ":" in text:
        return InvalidInput(f"there is no file {text!r}; for the DAG of that name, leave out the format")
    if name in known:
        entry = NAMED_DAGS[name]
        return InvalidInput(f"{name} needs parameters: {entry.usage}, for example {entry.example}")
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    if ":" not in text and (not close or "." in name or os.sep in name):
        return InvalidInput(
            f"{text!r} is neither a file nor the name of a DAG; known names: {', '.join(known)}"
        )
    return InvalidInput(f"no DAG is called {name!r}{hint or ';'} known names: {', '.join(known)}")


def _parameters(entry: NamedDag, text: str, written: str) -> dict[str, int]:
    keys = (*entry.required, *entry.optional)
    found: dict[str, int] = {}
    named = False
    for place, part in enumerate(written.split(",") if written.strip() else []):
        key, equals, value = (piece.strip() for piece in part.rpartition("="))
        named = named or bool(equals)
        if named and not equals:
            raise InvalidInput(
                f"{text}: {part!r} needs a name too, since a parameter before it has one; usage: "
                f"{entry.usage}"
            )
        if not equals:
            if place >= len(keys):
                raise InvalidInput(f"{text}: too many parameters; usage: {entry.usage}")
            key = keys[place]
        if key not in keys:
            close = difflib.get_close_matches(key, keys, n=1, cutoff=0.4)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise InvalidInput(f"{text}: unknown parameter {key!r}{hint or ';'} usage: {entry.usage}")
        if key in found:
            raise InvalidInput(f"{text}: {key} is given twice")
        found[key] = _whole(text, key, value)
    if not entry.required and "d" not in found:
        raise InvalidInput(f"{text}: missing d; usage: {entry.usage}, for example {entry.example}")
    missing = [key for key in entry.required if key not in found]
    if missing:
        raise InvalidInput(
            f"{text}: missing {', '.join(missing)}; usage: {entry.usage}, for example {entry.example}"
        )
    return found


def _whole(text: str, key: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 10):
        raise InvalidInput(f"{text}: {key} must be a whole number, 0 or more, not {value!r}")
    return int(value)
