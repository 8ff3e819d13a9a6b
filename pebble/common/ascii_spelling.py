"""Text for streams that cannot encode all of it: spelled in ASCII, ``ceil(N/16) <= d^2``, and never a question mark.

One error handler of Python's codecs does it, wherever text is printed: it is asked for what the encoding of a stream
lacks, and nothing else.
"""

from __future__ import annotations

import codecs
import io
import json
import unicodedata
from typing import IO, Any

ASCII_SPELLING = "pebble-ascii"
"""Name of the error handler, and of ASCII as an encoding of its own, which libraries do not take for a mistake."""

_SPELLINGS = {
    **{"⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "√": "sqrt", "½": "1/2", "‖": "||", "′": "'"},
    **{"≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "→": "->", "∞": "inf", "∈": "in", "−": "-", "–": "-"},
    **{"—": "-", "─": "-", "·": "*", "×": "x", "÷": "/", "∘": "o", "…": "...", "µ": "u", "ᵀ": "^T"},
    **{"±": "+-", "⁻": "^-", "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "ł": "l", "Ł": "L"},
    **{"ı": "i", "đ": "d", "Đ": "D"},
    **{"“": '"', "”": '"', "‘": "'", "’": "'", "•": "*", "│": "|", "█": "#", "\u00a0": " "},
}
_SUPERSCRIPTS, _SUBSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"


def spelled(text: str) -> str:
    """Return a text in ASCII.

    >>> spelled("⌈N/16⌉·d² ≤ 10¹⁸ − √M, Θ(log₂ N), café")
    'ceil(N/16)*d^2 <= 10^18 - sqrt M, Theta(log_2 N), cafe'
    """
    return "".join(_letter(text, at) for at in range(len(text)))


def _letter(text: str, at: int) -> str:
    letter = text[at]
    if letter.isascii():
        return letter
    for mark, digits in (("^", _SUPERSCRIPTS), ("_", _SUBSCRIPTS)):
        if letter in digits:
            goes_on = at > 0 and text[at - 1] in digits
            return ("" if goes_on else mark) + str(digits.index(letter))
    if letter == "√":
        return "sqrt" if text[at + 1 : at + 2] == "(" else "sqrt "
    if letter in _SPELLINGS:
        return _SPELLINGS[letter]
    if word := greek_name(letter):
        return word
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode("ascii")
    return plain or json.dumps(letter)[1:-1]


def greek_name(letter: str) -> str:
    """Return the name of a Greek letter, ``Omega`` or ``omega``; nothing for any other."""
    name = unicodedata.name(letter, "")
    word = name.rpartition(" ")[2].lower().replace("lamda", "lambda") if name.startswith("GREEK ") else ""
    return word.capitalize() if " CAPITAL " in name else word


def _spell_error(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object
    return "".join(_letter(text, at) for at in range(error.start, error.end)), error.end


def _ascii(name: str) -> codecs.CodecInfo | None:
    if name.replace("_", "-") != ASCII_SPELLING:
        return None
    ascii_codec = codecs.lookup("ascii")
    return codecs.CodecInfo(
        name=ASCII_SPELLING,
        encode=ascii_codec.encode,
        decode=ascii_codec.decode,
        incrementalencoder=ascii_codec.incrementalencoder,
        incrementaldecoder=ascii_codec.incrementaldecoder,
        streamreader=ascii_codec.streamreader,
        streamwriter=ascii_codec.streamwriter,
    )


codecs.register_error(ASCII_SPELLING, _spell_error)
codecs.register(_ascii)


def spell_on(stream: IO[Any] | None) -> None:
    """Make a stream spell in ASCII what its encoding lacks; one without an encoding stays as it is."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    plain = codecs.lookup(stream.encoding).name == "ascii"
    stream.reconfigure(encoding=ASCII_SPELLING if plain else None, errors=ASCII_SPELLING)


def can_encode(text: str, stream: IO[Any]) -> bool:
    """Tell whether a stream can write a text as it is."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
