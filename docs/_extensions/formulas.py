"""Formulas stand in the pages as plain text, ``x_{j−1}`` and ``2^s``; here their indices are lowered and raised.

Nothing else is needed to read them, so no page asks a browser to run, or the network to deliver, a formula renderer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["pieces"]

_LETTER = "A-Za-zΑ-Ωα-ω"
_INDEX = re.compile(
    rf"(?:(?<![{_LETTER}_.])[{_LETTER}]′?(?P<low>_)|(?<=[\w)])(?P<high>\^))"
    rf"(?:\{{(?P<group>[^{{}}]+)\}}|(?P<one>[{_LETTER}0-9]+(?:[₀-₉]\w*)?)(?![{_LETTER}0-9_(]))"
)


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Cut a text into plain pieces, ``""``, and indices, ``"_"`` below and ``"^"`` above.

    >>> list(pieces("t_{j−1} before 2^s"))
    [('', 't'), ('_', 'j−1'), ('', ' before 2'), ('^', 's')]
    """
    start = 0
    for match in _INDEX.finditer(text):
        mark = "low" if match["low"] else "high"
        yield "", text[start : match.start(mark)]
        yield match[mark], match["group"] or match["one"]
        start = match.end()
    if start < len(text):
        yield "", text[start:]
