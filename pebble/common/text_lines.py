"""Lines of text with their numbers, read in blocks from any stream."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np

from pebble.common.errors import InvalidInput

_PIECE = 1 << 18
_LONGEST = 1 << 16
_LINE_END = ord("\n")
_FOREIGN_BLANK = re.compile(r"[^\S \t\n]")
_CONTROLS = {"\v": "vertical tab", "\f": "form feed", "\r": "carriage return", "\x85": "next line"}


class Lines:
    r"""The lines of a stream: first a head of ``#`` lines, then the rest in blocks.

    Lines end with ``\\n`` or ``\\r\\n``, which is read as ``\\n``; blanks are spaces and tabs. Other white space is
    refused when its line is reached. One byte-order mark before the first line is skipped.

    Parameters
    ----------
    stream : text or binary stream
        Read once, a quarter of a megabyte at a time; binary is decoded as UTF-8.
    """

    def __init__(self, stream: IO[Any]) -> None:
        self._stream = stream
        self._waiting = ""
        self._at = 0
        self._n_waiting = 0
        self._rest = ""
        self._bytes = b""
        self._ended = False
        self._unfinished = False
        self._complete_lines = 0
        self.number = 0
        """Number of the line handed out last, from 1."""
        self.empty = True
        """Whether nothing but white space has been seen."""

    def head(self, enough: Callable[[], bool]) -> Iterator[tuple[int, str]]:
        """Yield the lines of the head, which begin with ``#``, with their numbers; blank ones are left out.

        It ends before the first line that does not begin with ``#``; blank lines end it only once ``enough``.
        """
        while self._n_waiting or self._refill():
            end = self._waiting.index("\n", self._at)
            line = self._waiting[self._at : end]
            _refuse_foreign(line, self.number + 1)
            blank = not line.strip()
            self.empty = self.empty and blank
            if not line.startswith("#") and (not blank or enough()):
                self.number += not blank and not enough()
                return
            self._at, self._n_waiting = end + 1, self._n_waiting - 1
            self.number += 1
            if not blank:
                yield self.number, line

    def blocks(self) -> Iterator[tuple[int, str]]:
        r"""Yield the rest in blocks: the number of the first line, and the lines, each with its ``\\n``."""
        while self._n_waiting or self._refill():
            first, text = self.number + 1, self._waiting[self._at :]
            if _controls(text) != self._n_waiting and (found := _FOREIGN_BLANK.search(text)):
                begin = text.rfind("\n", 0, found.start()) + 1
                yield first, text[:begin]
                _refuse_foreign(text[begin : text.index("\n", begin)], first + text.count("\n", 0, begin))
            self.number += self._n_waiting
            self._waiting, self._at, self._n_waiting = "", 0, 0
            yield first, text

    def cut_short(self, number: int) -> bool:
        """Tell whether a line is the last one and has no line end."""
        return self._unfinished and number == self._complete_lines

    def _refill(self) -> bool:
        """Read on until at least one line is waiting; False at the end of the stream."""
        while not self._n_waiting:
            if self._ended:
                return False
            text = self._rest + self._read()
            if not self._complete_lines:
                text = text.removeprefix("\ufeff")
            if "\r" in text:
                text = text.replace("\r\n", "\n")
            if self._ended and text and not text.endswith("\n"):
                self._unfinished = True
                text += "\n"
            end = text.rfind("\n") + 1
            self._waiting, self._at, self._rest = text[:end], 0, text[end:]
            self._n_waiting = _line_ends(self._waiting)
            if len(self._rest) > _LONGEST:
                raise InvalidInput(
                    f"line {self._complete_lines + self._n_waiting + 1}: longer than {_LONGEST} characters"
                )
            self._complete_lines += self._n_waiting
        return True

    def _read(self) -> str:
        """Read one more piece of text."""
        try:
            piece = self._stream.read(_PIECE)
        except UnicodeDecodeError as error:
            raise self._no_text(error, b"") from error
        if isinstance(piece, str):
            self._ended = not piece
            return piece
        self._ended = not piece
        data = self._bytes + piece
        end = len(data) if self._ended else data.rfind(b"\n") + 1
        self._bytes = data[end:]
        if len(self._bytes) > 4 * _LONGEST:
            line = self._complete_lines + data.count(b"\n") + 1
            raise InvalidInput(f"line {line}: longer than {_LONGEST} characters")
        try:
            return str(memoryview(data)[:end], "utf-8")
        except UnicodeDecodeError as error:
            raise self._no_text(error, data) from error

    def _no_text(self, error: UnicodeDecodeError, data: bytes) -> InvalidInput:
        before = data[: error.start]
        line = self._complete_lines + before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        if not data:
            return InvalidInput(f"line {line} or later: the text is not UTF-8")
        return InvalidInput(
            f"line {line}: byte {column}, 0x{data[error.start]:02x}, is not UTF-8; is this a text file?"
        )


def _line_ends(text: str) -> int:
    r"""Count the line ends; where there are many this is several times as fast as ``count``."""
    if not text.isascii():
        return text.count("\n")
    return int(np.count_nonzero(np.frombuffer(text.encode(), dtype=np.uint8) == _LINE_END))


def _controls(text: str) -> int:
    """Count the control characters, line ends among them; -1 if there are letters that are not ASCII."""
    if not text.isascii():
        return -1
    return int(np.count_nonzero(np.frombuffer(text.encode(), dtype=np.uint8) < ord(" ")))


def foreign_blank(text: str) -> str:
    r"""Say which white space in a text is no space, tab or line feed, or nothing.

    Whether it separates words, or lines, depends on the reader; a notation that leaves that open is none.

    >>> foreign_blank("load\u00a0a"), foreign_blank("load a\f"), foreign_blank("load a")
    ('U+00A0 (no-break space)', 'U+000C (form feed)', '')
    """
    found = _FOREIGN_BLANK.search(text)
    if found is None:
        return ""
    name = _CONTROLS.get(found[0]) or unicodedata.name(found[0], "a control character").lower()
    return f"U+{ord(found[0]):04X} ({name})"


def _refuse_foreign(line: str, number: int) -> None:
    foreign = foreign_blank(line)
    if foreign:
        raise InvalidInput(
            f"line {number}: {foreign} in {shown(line)}; separate words by blanks, end lines with a line feed"
        )


def shown(text: str) -> str:
    """Quote a piece of a file for a message, shortened if it is long.

    >>> shown("load  Q[0,0] please")
    "'load  Q[0,0] please'"
    """
    text = text.strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")
