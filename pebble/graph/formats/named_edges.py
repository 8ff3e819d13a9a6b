r"""Named edge lists: a line ``a b`` for each edge, from a predecessor to the vertex computed from it.

The vertices are numbered in the order in which their names come up; numbers are names too. This is networkx's
``write_edgelist`` as well: data after the two names, ``{'weight': 3}`` or numbers, is passed over. ``#`` begins a
comment at the beginning of a line, or after white space. Read only; ``edgelist`` holds everything a DAG has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph

__all__ = ["first_words", "numbered_lines", "read"]

_ADJLIST = "; if a line lists a vertex and all that are computed from it, say so: --format adjlist"
_COMMENT = re.compile(r"(?:^|\s)#.*")


def read(text: str, source: str = "named edge list", keep_isolated: bool = False) -> Dag:
    r"""Read a named edge list.

    Examples
    --------
    >>> dag = read("a sum\nb sum  # twice\nsum result {'weight': 1}\n")
    >>> [dag.name(v) for v in range(4)]
    ['a', 'sum', 'b', 'result']
    """
    parsed = ParsedGraph(source)
    weights: dict[str, int] = {}
    for number, line in numbered_lines(text, parsed):
        words = line.split(None, 2)
        if len(words) < 2:
            raise parsed.fail(
                number, f"expected an edge: two names, 'a b'; found {shown(line)} (a '#' begins a comment)"
            )
        if len(words) > 2 and not words[2].startswith("{"):
            if not _are_numbers(words[2]):
                raise parsed.fail(
                    number, f"expected an edge: two names, 'a b'; found {shown(line)}{_ADJLIST}"
                )
            weights.update((word, number) for word in words[2].split())
        tail, head = parsed.vertex(words[0], number), parsed.vertex(words[1], number)
        parsed.add(tail, head, number)
    if not parsed.numbers:
        raise InvalidInput(f"{source}, line 1: there is no edge in it; a line is an edge, two names 'a b'")
    for word in weights.keys() & parsed.numbers.keys():
        raise parsed.fail(weights[word], f"{word} may be a weight or a vertex: leave out weights{_ADJLIST}")
    return parsed.dag(keep_isolated)


def numbered_lines(text: str, parsed: ParsedGraph) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers and without comments.

    Raises
    ------
    InvalidInput
        At a comment ``# pebble: ...``, which belongs to the numbered formats and would be lost.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if "#" in line:
            if line.lstrip().startswith("# pebble:"):
                raise parsed.fail(
                    number,
                    "'# pebble:' notes are about numbered vertices; use them with a line 'V E', or JSON",
                )
            line = _COMMENT.sub("", line)
        if line and not line.isspace():
            yield number, line


def first_words(text: str) -> list[str]:
    """Return the words of the first line that is neither blank nor a comment."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if words := _COMMENT.sub("", text[start:end]).split():
            return words
        start = end + 1
    return []


def _are_numbers(text: str) -> bool:
    """Tell whether a text is one or more numbers, as weights of an edge are."""
    try:
        return all(float(word) is not None for word in text.split())
    except ValueError:
        return False
