"""Reading several sizes at once: ``256:1Mi:25`` or ``64,128,256``."""

from __future__ import annotations

import re

from pebble.common.errors import InvalidInput
from pebble.common.units import parse_words
from pebble.computations.problem import LARGEST_SIZE

__all__ = ["LIMIT", "sizes", "spaced"]

LIMIT = 2000
"""So many sizes at most."""


def spaced(first: int, last: int, count: int) -> tuple[int, ...]:
    """Return whole numbers from first to last, both included, each about the same multiple of the one before.

    Numbers that round to the same appear once.

    Examples
    --------
    >>> spaced(16, 1024, 4)
    (16, 64, 256, 1024)
    """
    if count == 1 or first == last:
        return (first,)
    ratio = (last / first) ** (1 / (count - 1))
    inner = (round(first * ratio**place) for place in range(1, count - 1))
    return tuple(sorted({first, *inner, last}))


def sizes(text: str, dtype: str | None = None) -> tuple[int, ...]:
    """Read sizes: one, several with commas, or ``FIRST:LAST:COUNT`` for that many at equal ratios.

    Parameters
    ----------
    text : str
        Each size as :func:`pebble.parse_words` reads it, or as a power, ``10**6`` or ``1e6``.
    dtype : str, optional
        What one word is, for sizes in bytes.

    Raises
    ------
    InvalidInput
        If the text cannot be read, FIRST is larger than LAST, or there are more than 2000.

    Examples
    --------
    >>> sizes("256:1Ki:3"), sizes("64,128")
    ((256, 512, 1024), (64, 128))
    """
    if ":" not in text:
        found = tuple(_size(part, dtype) for part in text.split(",") if part.strip())
        if not found:
            raise InvalidInput(f"there is no size in {text!r}; examples: 64,128,256 or 256:1Mi:25")
        return found
    parts = text.split(":")
    if len(parts) != 3 or not (parts[2].strip().isascii() and parts[2].strip().isdigit()):
        raise InvalidInput(f"cannot read {text!r}: FIRST:LAST:COUNT, for example 256:1Mi:25")
    first, last, count = _size(parts[0], dtype), _size(parts[1], dtype), int(parts[2])
    if not 1 <= count <= LIMIT:
        raise InvalidInput(f"{text!r}: the count must be between 1 and {LIMIT}")
    if first > last:
        raise InvalidInput(f"{text!r}: the first size is larger than the last")
    return spaced(first, last, count)


def _size(text: str, dtype: str | None) -> int:
    power = re.fullmatch(r"\s*(?:(\d{1,19})\*\*(\d{1,2})|(\d{1,19})[eE]\+?(\d{1,2}))\s*", text)
    if power is None:
        return parse_words(text, dtype)
    base, exponent, factor, zeros = power.groups()
    size: int = int(base) ** int(exponent) if base else int(factor) * 10 ** int(zeros)
    if not 1 <= size <= LARGEST_SIZE:
        raise InvalidInput(f"{text.strip()!r} must be at least 1 and at most {LARGEST_SIZE:,}")
    return size
