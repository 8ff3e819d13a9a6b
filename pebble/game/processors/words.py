"""Words of the game of several devices: vertices of a DAG, and partial sums of terms taken in any order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pebble.common.errors import InvalidInput
from pebble.graph.any_dag import AnyDag

_VERTEX = re.compile(r"([^\[\]{}+]+)\[(\d+(?:,\d+)*)\]")
_PARTIAL = re.compile(r"([^{}+]+)\{([0-9,-]+)\}")
_RUN = re.compile(r"(0|[1-9][0-9]{0,17})(?:-([1-9][0-9]{0,17}))?")


class Word(NamedTuple):
    """What takes one word of a memory.

    Attributes
    ----------
    vertex : int
        A vertex of the DAG; of a sum with free order, the last vertex of its chain.
    terms : int
        Which terms a partial sum has absorbed: bit t for the t-th. 0 for every other word.
    """

    vertex: int
    terms: int = 0


@dataclass(frozen=True)
class FreeSum:
    """A sum whose terms are added in any order.

    Attributes
    ----------
    name : str
        The element, ``U[0,1]``.
    vertex : int
        The last vertex of its chain, which is what is read of it.
    terms : tuple of int
        The indices of its terms, ascending.
    operands : tuple of tuple of int
        The vertices that each term is made of.
    """

    name: str
    vertex: int
    terms: tuple[int, ...]
    operands: tuple[tuple[int, ...], ...]

    @cached_property
    def rank_of(self) -> dict[int, int]:
        """Which bit stands for a term."""
        return {term: rank for rank, term in enumerate(self.terms)}

    @property
    def full(self) -> int:
        """All terms."""
        return (1 << len(self.terms)) - 1

    def text(self, terms: int) -> str:
        """Return the element with the terms in braces, runs of neighbours as ``0-3``."""
        return self.name + braces(t for rank, t in enumerate(self.terms) if terms >> rank & 1)


class WordNames:
    """How words are written, and which sums of a DAG are free.

    An array of names ``U[0,1,0]``, ``U[0,1,1]``, … is free if it is named here: its last index counts the terms,
    the vertices of one element form a chain, and only the last of them is read by others.

    Parameters
    ----------
    dag : AnyDag
    sums : sequence of str
        The arrays whose sums are free.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> edges = [("a", "C[0]"), ("b", "C[1]"), ("C[0]", "C[1]")]
    >>> names = WordNames(Dag.from_edges(edges), ["C"])
    >>> names.word("C{0-1}"), names.text(Word(3, 2)), names.text(Word(0))
    (Word(vertex=3, terms=3), 'C{1}', 'a')
    """

    def __init__(self, dag: AnyDag, sums: Sequence[str] = ()) -> None:
        self.dag = dag
        self.sums = tuple(sums)
        self.sum_at: dict[int, FreeSum] = {}
        """The sum of which a vertex is the last."""
        self.sum_called: dict[str, FreeSum] = {}
        self.inner: dict[int, FreeSum] = {}
        """The sum inside of whose chain a vertex lies: no word."""
        if self.sums:
            self._find_sums()

    def full(self, vertex: int) -> Word:
        """Return the word that readers of a vertex need: of a free sum, the one with all terms."""
        found = self.sum_at.get(vertex)
        return Word(vertex) if found is None else Word(vertex, found.full)

    def text(self, word: Word) -> str:
        """Return a word as a file writes it."""
        found = self.sum_at.get(word.vertex)
        if found is not None:
            return found.text(word.terms)
        return (
            self.dag.name(word.vertex) if 0 <= word.vertex < self.dag.n_vertices else f"vertex {word.vertex}"
        )

    def word(self, text: str) -> Word:
        """Return the word of a text."""
        match = _PARTIAL.fullmatch(text)
        if match is None:
            return Word(self._plain_vertex(text))
        found = self.sum_of(match[1])
        terms = 0
        for term in _read_runs(match[2], text):
            terms |= 1 << self.rank(found, term)
        if found.text(terms) != text:
            raise InvalidInput(
                f"write {text!r} as {found.text(terms)!r}: ascending, with consecutive terms joined"
            )
        return Word(found.vertex, terms)

    def sum_of(self, name: str) -> FreeSum:
        """Return the free sum of an element, ``U[0,1]``."""
        try:
            return self.sum_called[name]
        except KeyError:
            free = (
                f"free are those of {', '.join(self.sums)}" if self.sums else "the file has no line '# sums'"
            )
            raise InvalidInput(f"there is no free sum {name!r}; {free}") from None

    def rank(self, found: FreeSum, term: int) -> int:
        """Return which bit stands for a term of a sum."""
        try:
            return found.rank_of[term]
        except KeyError:
            raise InvalidInput(
                f"the sum {found.name} has no term {term}; it has {found.text(found.full)}"
            ) from None

    def _plain_vertex(self, text: str) -> int:
        vertex = self.dag.vertex(text)
        found = self.inner.get(vertex) or self.sum_at.get(vertex)
        if found is not None:
            raise InvalidInput(
                f"{text!r} is not a word, because the sum {found.name} is free; with all its terms it is "
                f"{found.text(found.full)!r}"
            )
        return vertex

    def _find_sums(self) -> None:
        chains: dict[str, list[tuple[int, int]]] = {}
        wanted = set(self.sums)
        for v in range(self.dag.n_vertices):
            name = self.dag.name(v)
            match = _VERTEX.fullmatch(name)
            if match is not None and match[1] in wanted:
                indices = match[2].split(",")
                element = f"{match[1]}[{','.join(indices[:-1])}]" if indices[:-1] else match[1]
                chains.setdefault(element, []).append((int(indices[-1]), v))
        missing = wanted - {array_of(element) for element in chains}
        if missing:
            raise InvalidInput(f"the DAG has no array {', '.join(sorted(missing))} whose sums could be free")
        for element, steps in chains.items():
            self._add_sum(element, sorted(steps))
        self._check_readers()

    def _add_sum(self, element: str, steps: list[tuple[int, int]]) -> None:
        operands = []
        before: int | None = None
        for _, v in steps:
            row = self.dag.predecessors_of(v).tolist()
            if (before is not None and before not in row) or not row:
                raise InvalidInput(
                    f"{element} is not a sum: {self.dag.name(v)} does not add to the term before it"
                )
            operands.append(tuple(p for p in row if p != before))
            before = v
        last = steps[-1][1]
        found = FreeSum(element, last, tuple(term for term, _ in steps), tuple(operands))
        self.sum_at[last] = self.sum_called[element] = found
        self.inner.update((v, found) for _, v in steps[:-1])

    def _check_readers(self) -> None:
        outputs = set(self.dag.outputs.tolist())
        for v in range(self.dag.n_vertices):
            own = self.inner.get(v) or self.sum_at.get(v)
            for p in self.dag.predecessors_of(v).tolist():
                if p in self.inner and self.inner[p] is not own:
                    raise InvalidInput(
                        f"the order of {self.inner[p].name} is not free: {self.dag.name(v)} reads {self.dag.name(p)}"
                    )
            if v in self.inner and v in outputs:
                raise InvalidInput(
                    f"the order of {self.inner[v].name} is not free: {self.dag.name(v)} is an output"
                )


def array_of(name: str) -> str:
    """Return the array of a name: what stands before its indices.

    >>> array_of("S[0,1,3]"), array_of("a")
    ('S', 'a')
    """
    return name.partition("[")[0]


def indices_of(name: str) -> tuple[int, ...]:
    """Return the indices in a name, none if it has no brackets.

    >>> indices_of("S[0,1,3]"), indices_of("a")
    ((0, 1, 3), ())
    """
    match = _VERTEX.fullmatch(name)
    return tuple(map(int, match[2].split(","))) if match else ()


def braces(terms: Iterable[int]) -> str:
    """Return terms as a file writes them.

    >>> braces({5, 0, 1, 2})
    '{0-2,5}'
    """
    found: list[list[int]] = []
    for term in sorted(terms):
        if found and found[-1][1] == term - 1:
            found[-1][1] = term
        else:
            found.append([term, term])
    return "{" + ",".join(str(a) if a == b else f"{a}-{b}" for a, b in found) + "}"


def _read_runs(text: str, word: str) -> Iterator[int]:
    for piece in text.split(","):
        match = _RUN.fullmatch(piece)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise InvalidInput(f"{word!r}: write terms as in {{0-3,5}}, not {piece!r}")
        yield from range(first, last + 1)
