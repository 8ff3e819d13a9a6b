"""The memory of a game as stores, and what all games say that have more than one bounded memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, NoReturn

from pebble.common.units import fast_memory_words
from pebble.game.board import SHOWN, listed
from pebble.game.referee import Refusal
from pebble.graph.any_dag import AnyDag


class Store(dict[Any, bool]):
    """A memory: the words that take room in it, and of each whether its value is there.

    Parameters
    ----------
    name : str
        What messages call it.
    words : int, optional
        How many it has room for; any number by default.
    remedy : str
        What makes room.
    """

    def __init__(self, name: str, words: int | None = None, remedy: str = "delete one first") -> None:
        super().__init__()
        self.name, self.remedy, self.peak = name, remedy, 0
        self.words = None if words is None else fast_memory_words(words)

    def put(self, word: Any, value: bool = True) -> None:
        """Let a word in, with its value or without."""
        self[word] = value or self.get(word, False)
        if len(self) > self.peak:
            self.peak = len(self)


class StoreGame(ABC):
    """A game on a DAG whose memory is made of stores; a game says what its moves do to them.

    Attributes
    ----------
    dag : AnyDag
    moves : int
        Moves made.
    refusal : Refusal or None
        Why the last move was refused.
    """

    moves = 0

    def __init__(self, dag: AnyDag) -> None:
        self.dag = dag
        self.refusal: Refusal | None = None

    @abstractmethod
    def text(self, move: Any) -> str:
        """Return a move as a file writes it."""

    @abstractmethod
    def play(self, move: Any) -> None:
        """Make a move.

        Raises
        ------
        IllegalMove
            If a rule forbids it; nothing has changed then.
        """

    @property
    def waits(self) -> bool:
        """Whether a move that has been made may still be refused."""
        return False

    def finish(self) -> None:  # noqa: B027 (by default no move waits)
        """End the game; IllegalMove if a move that waits cannot be made."""

    @property
    @abstractmethod
    def missing(self) -> list[int]:
        """The outputs that are not where they must be at the end."""

    @property
    def complete(self) -> bool:
        """Whether all outputs are where they must be."""
        return not self.missing

    def refuse(self, move: Any, rule: str, reason: str, remedy: str, number: int | None = None) -> NoReturn:
        """Refuse a move: the next one, or one that waits."""
        self.refusal = Refusal(
            self.moves if number is None else number, self.text(move), rule, reason, remedy
        )
        raise self.refusal.error()

    def need_room(
        self, move: Any, store: Store, word: Any, more: int = 0, remedy: str = "", number: int | None = None
    ) -> None:
        """Refuse a move that brings a word to a store without room for it beside those there, and as many more."""
        held = len(store) + more
        if store.words is not None and word not in store and held >= store.words:
            reason = f"{store.name} holds {held} of {store.words} words"
            self.refuse(move, "memory-full", reason, remedy or store.remedy, number)

    def refuse_lacking(
        self, move: Any, store: Store, lacking: Collection[str], operands: str, remedy: str
    ) -> NoReturn:
        """Refuse a computation without all its operands."""
        names = listed([*lacking][:SHOWN], len(lacking))
        reason = f"{store.name} lacks {len(lacking)} of {operands}: {names}"
        self.refuse(move, "compute-needs-predecessors", reason, f"{remedy} first")
