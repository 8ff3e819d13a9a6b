"""Matrix Market: a square sparse matrix; an entry in row v and column p makes p a predecessor of v.

This is the reading of a triangular solve, where row v needs the unknowns of its columns. Rows are numbered from 1.
Values are passed over, and so is the diagonal. Symmetric matrices and dense ones are refused: they are no DAGs.
Names, outputs and the like are kept in ``% pebble:`` comments.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph, data_lines, note_lines

_VALUES = {"pattern": 0, "integer": 1, "real": 1, "complex": 2}


def read(text: str, parsed: ParsedGraph) -> None:
    """Read the DAG of a sparse matrix."""
    parsed.shift = 1
    n_values = _header(text.partition("\n")[0], parsed)
    lines = data_lines(text, parsed, "%")
    size_line, words = next(lines, (0, []))
    if not size_line:
        raise parsed.fail(text.count("\n") + 1, "the file ends before the line 'rows columns entries'")
    promised = _size(words, parsed, size_line)
    found = 0
    for number, words in lines:
        found += 1
        _entry(words, n_values, parsed, number)
    parsed.check_promised(promised, found, "entries", size_line)


def _header(line: str, parsed: ParsedGraph) -> int:
    """Check the first line; return how many values an entry has."""
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise parsed.fail(
            1, f"expected '%%MatrixMarket matrix coordinate pattern general'; found {shown(line)}"
        )
    layout, values, symmetry = words[2:]
    if layout != "coordinate" or values not in _VALUES:
        raise parsed.fail(
            1, f"{shown(line)}: only coordinate matrices are DAGs, with pattern, real or integer values"
        )
    if symmetry != "general":
        raise parsed.fail(1, f"a {symmetry} matrix has edges both ways, and so cycles; write it as general")
    return _VALUES[values]


def _size(words: list[str], parsed: ParsedGraph, number: int) -> int:
    if len(words) != 3:
        raise parsed.fail(number, f"expected 'rows columns entries'; found {shown(' '.join(words))}")
    kinds = ("the rows", "the columns", "the entries")
    rows, columns, entries = (parsed.whole(*pair, number) for pair in zip(words, kinds, strict=True))
    if rows != columns:
        raise parsed.fail(number, f"the matrix is {rows} by {columns}; the matrix of a DAG must be square")
    parsed.n_vertices, parsed.size_line = rows, number
    return entries


def _entry(words: list[str], n_values: int, parsed: ParsedGraph, number: int) -> None:
    if len(words) != 2 + n_values:
        form = f"a row, a column{f' and {n_values} value(s)' if n_values else ''}"
        raise parsed.fail(number, f"expected {form}; found {shown(' '.join(words))}")
    row, column = parsed.whole(words[0], "a row", number), parsed.whole(words[1], "a column", number)
    for word in words[2:]:
        parsed.check_number(word, "a value", number)
    if not (1 <= row <= parsed.n_vertices and 1 <= column <= parsed.n_vertices):
        raise parsed.fail(number, f"entry {row} {column} is outside the matrix of {parsed.n_vertices} rows")
    if row != column:
        parsed.add(column - 1, row - 1, number)


def write(dag: Dag) -> Iterator[str]:
    """Yield the matrix, entries row by row in the order of the predecessors."""
    yield "%%MatrixMarket matrix coordinate pattern general\n"
    yield from note_lines(dag, "%", shift=1)
    yield f"{dag.n_vertices} {dag.n_vertices} {dag.n_edges}\n"
    yield from (f"{v + 1} {p + 1}\n" for p, v in dag.edges())
