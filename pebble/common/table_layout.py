"""Tables in lines of limited width: long texts are folded, and the least important columns left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

_GAP = 2
_READABLE = 18
_LEAST = 10
"""Letters that a folded column has at least: while there are columns that may be left out, and after them."""

_PIECE = re.compile(r"[^ ,]*,? ?")
_MARK = re.compile(r"[/._-]")

Cells = list[list[str]]


def column_widths(cells: Cells) -> list[int]:
    """Return the width of each column; a last cell counts only in the first and the last column.

    A cell with nothing after it may run on into the columns to its right.
    """
    columns = range(len(cells[0]))
    ends = [_end(row) for row in cells]
    return [
        max(
            len(row[i])
            for row, end in zip(cells, ends, strict=True)
            if i < end or i == end == columns[-1] or i == 0
        )
        for i in columns
    ]


def _end(row: list[str]) -> int:
    return max((i for i, cell in enumerate(row) if cell), default=0)


def laid_out(
    cells: Cells, to_right: Collection[int], drop: Sequence[str] = (), width: int | None = None
) -> tuple[list[list[str]], list[str]]:
    """Return the lines of each row of a table, the header first, and the columns that were left out.

    Parameters
    ----------
    cells : list of list of str
        Row by row, the header first.
    to_right : collection of int
        Columns aligned to the right; the others may be folded, but for the first.
    drop : sequence of str
        Columns that may be left out, by their names; the first is left out first. Where that is not enough, texts are
        folded further, and then the other columns aligned to the right go, from the right, all but the last.
    width : int, optional
        Letters a line may have; any number by default.

    Examples
    --------
    >>> laid_out([["name", "about", "n"], ["a", "words of some length", "1"]], [2], ["n"], 25)
    ([['name  about'], ['a     words of some', '      length']], ['n'])
    """
    if width is None:
        return _lines(cells, to_right, column_widths(cells), None), []
    named = [cells[0].index(name) for name in drop if name in cells[0]]
    order = named + [i for i in range(1, len(cells[0])) if i in to_right and i not in named][-2::-1]
    tries = [(_READABLE, number) for number in range(len(named) + 1)]
    for least, number in tries + [(_LEAST, number) for number in range(len(named), len(order) + 1)]:
        kept = [i for i in range(len(cells[0])) if i not in order[:number]]
        shown, right = _without(cells, kept), {kept.index(i) for i in to_right if i in kept}
        widths = _narrowed(column_widths(shown), right, least, width)
        if sum(widths) + _GAP * (len(widths) - 1) <= width:
            break
    return _lines(shown, right, widths, width), _names(cells[0], order[:number])


def _names(head: list[str], columns: list[int]) -> list[str]:
    """Return the names of some columns; one without a name belongs to the one before."""
    return list(dict.fromkeys(next(filter(None, reversed(head[: i + 1])), "") for i in sorted(columns)))


def _without(cells: Cells, kept: list[int]) -> Cells:
    """Return some columns; what runs on from a column that is left out begins in the next one."""
    rows = []
    for row in cells:
        shown, end = [row[i] for i in kept], _end(row)
        if end < len(row) - 1 and end not in kept:
            place = next((n for n, i in enumerate(kept) if i > end), None)
            if place is not None:
                shown[place] = row[end]
        rows.append(shown)
    return rows


def _narrowed(widths: list[int], right: Collection[int], least: int, width: int) -> list[int]:
    """Take letters from the widest column that may be folded, one by one, as long as there are too many."""
    found = list(widths)
    foldable = [i for i in range(1, len(widths)) if i not in right]
    while sum(found) + _GAP * (len(found) - 1) > width:
        widest = max(foldable, key=lambda i: found[i], default=0)
        if not foldable or found[widest] <= least:
            break
        found[widest] -= 1
    return found


def _lines(cells: Cells, to_right: Collection[int], widths: list[int], width: int | None) -> list[list[str]]:
    return [list(_row(row, to_right, widths, width)) for row in cells]


def _row(row: list[str], to_right: Collection[int], widths: list[int], width: int | None) -> Iterator[str]:
    """Return the lines of one row; what runs on is folded where the line ends."""
    end = _end(row)
    rooms = list(widths)
    if width is not None and end < len(row) - 1:
        rooms[end] = max(widths[end], width - sum(widths[:end]) - _GAP * end)
    parts = [[cell] if width is None else fold(cell, room) for cell, room in zip(row, rooms, strict=True)]
    for number in range(max(map(len, parts))):
        line = (part[number] if number < len(part) else "" for part in parts)
        aligned = (
            cell.rjust(room) if i in to_right else cell.ljust(room)
            for i, (cell, room) in enumerate(zip(line, widths, strict=True))
        )
        yield (" " * _GAP).join(aligned).rstrip()


def fold(text: str, width: int) -> list[str]:
    """Return a text in lines of limited width, broken after spaces and commas.

    A word that is longer is broken after its last mark such as / or . that is within a line, or at the end of the line.

    >>> fold("rows=449,pinned=2 (flash-2-pinned)", 18), fold("abcdef", 4), fold("docs/proofs/t3.md", 14)
    (['rows=449,pinned=2', '(flash-2-pinned)'], ['abcd', 'ef'], ['docs/proofs/', 't3.md'])
    """
    lines = [""]
    for piece in _PIECE.findall(text):
        if lines[-1] and len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > width:
            end = max((mark.end() for mark in _MARK.finditer(lines[-1], 0, width)), default=width)
            lines[-1:] = [lines[-1][:end], lines[-1][end:]]
    return [line.rstrip() for line in lines]
