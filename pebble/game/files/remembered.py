"""A bounded cache for the names and numbers of vertices while a file is read or written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["MOST_REMEMBERED", "Remembered"]

MOST_REMEMBERED = 1 << 20
"""Values in a cache before it is emptied."""

_Key = TypeVar("_Key")
_Answer = TypeVar("_Answer")


class Remembered(dict[_Key, _Answer]):
    """A cache of a function's values, which is emptied when it has grown too large.

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
        """Empty the cache if it has grown too large."""
        if len(self) > MOST_REMEMBERED:
            self.clear()
