"""A bounded memory of names and numbers of vertices that were looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["MOST_REMEMBERED", "Remembered"]

MOST_REMEMBERED = 1 << 20
"""Answers kept while a file is read or written; beyond that all are forgotten and begun again."""

_Key = TypeVar("_Key")
_Answer = TypeVar("_Answer")


class Remembered(dict[_Key, _Answer]):
    """The answers of a function, each asked for once.

    >>> lengths = Remembered(len)
    >>> lengths["abc"], dict(lengths)
    (3, {'abc': 3})
    """

    def __init__(self, look_up: Callable[[_Key], _Answer]) -> None:
        super().__init__()
        self._look_up = look_up

    def __missing__(self, key: _Key) -> _Answer:
        answer = self._look_up(key)
        self[key] = answer
        return answer

    def forget(self) -> None:
        """Drop everything if it has grown too large."""
        if len(self) > MOST_REMEMBERED:
            self.clear()
