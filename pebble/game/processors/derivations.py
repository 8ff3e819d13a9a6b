"""How each word of a game of several devices was made: the vertices of the ordinary DAG that a run induces."""

from __future__ import annotations

from collections.abc import Sequence

from pebble.game.processors.words import Word, WordNames

__all__ = ["Derivations"]


class Derivations:
    """The vertices that a run has made: a word together with what it was computed from.

    A partial sum that is made in two ways, say 0 + 1 and 1 + 0, is two vertices.

    Parameters
    ----------
    names : WordNames

    Attributes
    ----------
    words : list of Word
        The word that each vertex holds.
    rows : list of tuple of int
        The vertices that each was computed from; none of an input.
    """

    def __init__(self, names: WordNames) -> None:
        self.names = names
        self.words: list[Word] = []
        self.rows: list[tuple[int, ...]] = []
        self._number: dict[tuple[Word, tuple[int, ...]], int] = {}

    def of_input(self, vertex: int) -> int:
        """Return the vertex of an input."""
        return self.computed(Word(vertex), ())

    def computed(self, word: Word, operands: Sequence[int]) -> int:
        """Return the vertex of a word that is computed from others; the same word from the same is one vertex."""
        key = (word, tuple(operands))
        number = self._number.setdefault(key, len(self.words))
        if number == len(self.words):
            self.words.append(word)
            self.rows.append(key[1])
        return number
