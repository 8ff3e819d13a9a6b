"""DAGs in files: one module per format, chosen by the file's ending or by name.

Each module has ``read(text, source, keep_isolated) -> Dag`` and, unless its format is only read, ``write(dag) ->
iterator of str``.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.graph.dag import Dag

__all__ = [
    "FORMATS",
    "READ_ONLY",
    "dag_from_bytes",
    "dag_from_text",
    "format_of",
    "read_dag",
    "text_of",
    "write_dag",
]

FORMATS = {
    "edgelist": (".txt", ".edges", ".edgelist", ".el"),
    "dot": (".dot", ".gv"),
    "graphml": (".graphml", ".xml"),
    "json": (".json",),
    "mtx": (".mtx",),
    "hdag": (".hdag",),
    "lhdag": (".lhdag",),
}
"""The formats by name, with the endings by which a file is known."""

READ_ONLY = {
    "named": (),
    "csv": (".csv", ".tsv"),
    "adjlist": (".adjlist",),
    "multiline-adjlist": (".multiline_adjlist",),
}
"""Formats that are read and not written."""


def _module(name: str) -> Any:
    homes = {
        "json": "json_graph",
        "lhdag": "hdag",
        "named": "named_edges",
        "csv": "csv_edges",
        "multiline-adjlist": "multiline_adjlist",
    }
    return importlib.import_module(f"pebble.graph.formats.{homes.get(name, name)}")


def format_of(path: str | os.PathLike[str], format: str | None = None) -> str:
    """Return the format's name: the one given, checked, or the one of the file's ending.

    >>> format_of("a/b/fft.dot"), format_of("whatever", "mtx")
    ('dot', 'mtx')
    """
    import difflib

    known = FORMATS | READ_ONLY
    if format is not None:
        if format not in known:
            close = difflib.get_close_matches(format, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise InvalidInput(f"unknown format {format!r}{hint}; known: {', '.join(known)}")
        return format
    ending = Path(path).suffix.lower()
    for name, endings in known.items():
        if ending in endings:
            return name
    all_endings = ", ".join(ending for endings in known.values() for ending in endings)
    raise InvalidInput(
        f"{path}: cannot tell the format by the ending {ending!r} (known: {all_endings}); "
        f"name it: {', '.join(known)}"
    )


def _written_format(path: str | os.PathLike[str], format: str | None) -> str:
    """Return the name of a format that can be written."""
    name = format_of(path, format)
    if name in READ_ONLY:
        raise InvalidInput(f"the format {name} is only read; write one of {', '.join(FORMATS)}")
    return name


def dag_from_text(text: str, format: str, source: str = "", keep_isolated: bool = False) -> Dag:
    r"""Read a DAG from text in a named format.

    Examples
    --------
    >>> dag_from_text("3 2\n0 2\n1 2\n", "edgelist")
    Dag(3 vertices, 2 edges, 2 inputs, 1 output)
    """
    name = format_of(source, format)
    dag: Dag = _module(name).read(text, source or name, keep_isolated)
    return dag


def text_of(dag: Dag, format: str) -> str:
    r"""Return a DAG as text in a named format.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> text_of(Dag.from_edges([(0, 2), (1, 2)]), "edgelist")
    '3 2\n0 2\n1 2\n'
    """
    name = _written_format("", format)
    module = _module(name)
    return "".join(module.write_list(dag) if name == "lhdag" else module.write(dag))


def read_dag(path: str | os.PathLike[str], format: str | None = None, keep_isolated: bool = False) -> Dag:
    """Read a DAG from a file.

    Parameters
    ----------
    path : path
    format : str, optional
        A name in :data:`FORMATS` or :data:`READ_ONLY`; by the file's ending if not given.
    keep_isolated : bool
        Accept vertices without any edge, which usually mean that the file is wrong.

    Raises
    ------
    InvalidInput
        If the file cannot be read, is not UTF-8, or is no DAG in its format; with the line.
    """
    name = format_of(path, format)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from error
    return dag_from_bytes(data, name, str(path), keep_isolated)


def write_dag(dag: Dag, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a DAG to a file, whole or not at all.

    Raises
    ------
    InvalidInput
        If the file cannot be written, or its ending says no format and none is named.
    """
    from pebble.common.files import atomic_writer

    text = text_of(dag, _written_format(path, format))
    with atomic_writer(path) as stream:
        stream.write(text)


def dag_from_bytes(data: bytes, format: str, source: str, keep_isolated: bool = False) -> Dag:
    """Read a DAG from the bytes of a file in a named format, UTF-8; a byte order mark is passed over."""
    return dag_from_text(_decoded(data, source), format, source, keep_isolated)


def _decoded(data: bytes, source: str) -> str:
    """Decode a file's bytes as UTF-8, or say where they are not; a byte order mark is dropped."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise InvalidInput(
            f"{source}, line {line}: byte {column}, 0x{data[error.start]:02x}, is not UTF-8; is this a text file?"
        ) from error
