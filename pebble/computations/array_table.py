"""The arrays of a computation as a table: what each is, its shape, its words."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from pebble.common.tables import Table, words
from pebble.computations.registry import family_of

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.computations.problem import Problem


def array_table(family: Family) -> Table:
    """Return a row for each array, in an order in which they can be computed.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> print(array_table(matmul_family(4, 3, 2)))
    array  what                       shape  words  vertices  computed from  meaning
    ────────────────────────────────────────────────────────────────────────────────
    A      input                      4 × 2      8         8                 left factor
    B      input                      2 × 3      6         6                 right factor
    C      output, summed over k = 2  4 × 3     12        24  A, B           product
    """
    rows = [["array", "what", "shape", "words", "vertices", "computed from", "meaning"]]
    return Table(rows + [_row(family, array) for array in family.arrays], right=(3, 4))


def _row(family: Family, array: Array) -> list[str]:
    shape = " × ".join(f"{family.extents[axis]:,}" for axis in array.axes)
    what = "input" if array.is_input else "output" if array.output else "computed"
    if array.chain:
        what += f", summed over {array.chain} = {family.chain_length(array.name):,}"
    return [
        array.name,
        what,
        shape,
        words(family.words(array.name)),
        words(family.size(array.name)),
        ", ".join(array.operands),
        array.meaning,
    ]


def problem_html(problem: Problem) -> str:
    """Return a problem as HTML: a line of description, and its arrays; those of each pass of a training step."""
    single = problem.single
    passes = [single]
    if problem.pass_name == "both":
        passes = [
            replace(single, pass_name="forward", stats=True),
            replace(single, pass_name="backward", stats=False),
        ]
    each = f"<p>Each of {problem.copies:,} copies:</p>" if problem.copies > 1 else ""
    return f"<p>{escape(problem.describe())}</p>{each}" + "".join(map(_pass_html, passes))


def _pass_html(problem: Problem) -> str:
    family = family_of(problem)
    total = f"{problem.pass_name}: {family.n_vertices:,} vertices, {family.n_edges:,} edges"
    return f"<p>{total}</p>{array_table(family)._repr_html_()}"
