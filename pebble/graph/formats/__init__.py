"""DAGs in files: one module per format, chosen by the file's ending or by name.

A reader takes a text and fills a :class:`~pebble.graph.formats.parsed_graph.ParsedGraph`; a writer takes the DAG and
yields pieces of text.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pebble.common.errors import InvalidInput
from pebble.common.files import atomic_writer
from pebble.graph.dag import Dag
from pebble.graph.formats import csv_edges, dot, edgelist, graphml, hdag, json_graph, mtx
from pebble.graph.formats.parsed_graph import ParsedGraph

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


class _Format(NamedTuple):
    endings: tuple[str, ...]
    read: Callable[[str, ParsedGraph], None]
    write: Callable[[Dag], Iterator[str]] | None = None


_KNOWN = {
    "edgelist": _Format((".txt", ".edges", ".edgelist", ".el"), edgelist.read, edgelist.write),
    "dot": _Format((".dot", ".gv"), dot.read, dot.write),
    "graphml": _Format((".graphml", ".xml"), graphml.read, graphml.write),
    "json": _Format((".json",), json_graph.read, json_graph.write),
    "mtx": _Format((".mtx",), mtx.read, mtx.write),
    "hdag": _Format((".hdag",), hdag.read, hdag.write),
    "lhdag": _Format((".lhdag",), hdag.read, hdag.write_list),
    "named": _Format((), edgelist.read_named),
    "csv": _Format((".csv", ".tsv"), csv_edges.read),
    "adjlist": _Format((".adjlist",), edgelist.read_adjlist),
    "multiline-adjlist": _Format((".multiline_adjlist",), edgelist.read_multiline_adjlist),
}

FORMATS = {name: format.endings for name, format in _KNOWN.items() if format.write}
"""The formats by name, with the endings by which a file is known."""

READ_ONLY = {name: format.endings for name, format in _KNOWN.items() if not format.write}
"""Formats that are read and not written."""


def format_of(path: str | os.PathLike[str], format: str | None = None) -> str:
    """Return the format's name: the one given, checked, or the one of the file's ending.

    >>> format_of("a/b/fft.dot"), format_of("whatever", "mtx")
    ('dot', 'mtx')
    """
    if format is not None:
        if format not in _KNOWN:
            close = difflib.get_close_matches(format, _KNOWN, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise InvalidInput(f"unknown format {format!r}{hint}; known: {', '.join(_KNOWN)}")
        return format
    ending = Path(path).suffix.lower()
    for name, known in _KNOWN.items():
        if ending in known.endings:
            return name
    all_endings = ", ".join(ending for known in _KNOWN.values() for ending in known.endings)
    raise InvalidInput(
        f"{path}: the ending {ending!r} does not tell the format (known endings: {all_endings}); give "
        f"the format: {', '.join(_KNOWN)}"
    )


def dag_from_text(text: str, format: str, source: str = "", keep_isolated: bool = False) -> Dag:
    r"""Read a DAG from text in a named format.

    Examples
    --------
    >>> dag_from_text("3 2\n0 2\n1 2\n", "edgelist")
    Dag(3 vertices, 2 edges, 2 inputs, 1 output)
    """
    name = format_of(source, format)
    parsed = ParsedGraph(source or name)
    _KNOWN[name].read(text, parsed)
    return parsed.dag(keep_isolated)


def text_of(dag: Dag, format: str) -> str:
    r"""Return a DAG as text in a named format.

    Examples
    --------
    >>> text_of(Dag.from_edges([(0, 2), (1, 2)]), "edgelist")
    '3 2\n0 2\n1 2\n'
    """
    write = _KNOWN[format_of("", format)].write
    if write is None:
        raise InvalidInput(f"the format {format} can only be read; write one of {', '.join(FORMATS)}")
    return "".join(write(dag))


def read_dag(path: str | os.PathLike[str], format: str | None = None, keep_isolated: bool = False) -> Dag:
    """Read a DAG from a file.

    Parameters
    ----------
    path : path
    format : str, optional
        A name in :data:`FORMATS` or :data:`READ_ONLY`; by the file's ending if not given.
    keep_isolated : bool
        Accept vertices without any edge, which usually mean that the file is wrong.
    """
    name = format_of(path, format)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from error
    return dag_from_bytes(data, name, str(path), keep_isolated)


def write_dag(dag: Dag, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a DAG to a file, whole or not at all."""
    text = text_of(dag, format_of(path, format))
    with atomic_writer(path) as stream:
        stream.write(text)


def dag_from_bytes(data: bytes, format: str, source: str, keep_isolated: bool = False) -> Dag:
    """Read a DAG from the bytes of a file in a named format, UTF-8; a byte order mark is passed over."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise InvalidInput(
            f"{source}, line {line}: byte {column}, 0x{data[error.start]:02x}, is not UTF-8; is this a text file?"
        ) from error
    return dag_from_text(text, format, source, keep_isolated)
