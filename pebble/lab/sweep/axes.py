"""Axes of a grid as text: ``1Ki,4Ki`` or, with logarithmic spacing, ``1Ki:1Mi:40``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from pebble.common.errors import InvalidInput
from pebble.common.units import parse_words
from pebble.common.whole_numbers import whole_number
from pebble.computations.problem import LARGEST_SIZE

__all__ = ["memories", "sizes", "spaced"]

Axis = int | str | Iterable[int]
_MOST = 1_000_000


def sizes(given: Axis, name: str) -> tuple[int, ...]:
    """Return the values of an axis of sizes, in the order given, each once.

    Parameters
    ----------
    given : int, iterable of int, or str
        As text ``64,128`` or ``1Ki:1Mi:11``, separated by commas; see :func:`spaced` for the colons.
    name : str
        What the sizes are, for error messages.

    Raises
    ------
    InvalidInput
        If there is no value, or one that is no positive whole number.

    Examples
    --------
    >>> sizes("1Ki,4Ki", "N"), sizes("64:1024:5,80", "N"), sizes(64, "d")
    ((1024, 4096), (64, 128, 256, 512, 1024, 80), (64,))
    """
    return _values(given, name, lambda text: _size(text, name))


def memories(given: Axis, dtype: str | None = None) -> tuple[int, ...]:
    """Return the values of the axis of fast memories, in words.

    Amounts in bytes need a dtype; the ends of a range are turned into words before it is divided.

    Examples
    --------
    >>> memories("48KiB:192KiB:3", "float16")
    (24576, 49152, 98304)
    """
    return _values(given, "M", lambda text: parse_words(text, dtype))


def spaced(first: int, last: int, count: int) -> tuple[int, ...]:
    """Return whole values, evenly spaced on a logarithmic scale and rounded, each once, both ends included.

    Computed with 60 digits in decimal arithmetic, so every machine gets the same values.

    Parameters
    ----------
    first, last : int
        The ends, 1 ≤ first ≤ last.
    count : int
        How many before duplicates are dropped, at least 2.

    Examples
    --------
    >>> spaced(1, 1000, 4), spaced(1, 4, 7)
    ((1, 10, 100, 1000), (1, 2, 3, 4))
    """
    if first < 1 or first > last:
        raise InvalidInput(
            f"a range goes up from its first value, at least 1, to its last: not {first:,}:{last:,}"
        )
    if not 2 <= count <= _MOST:
        raise InvalidInput(f"a range has from 2 to {_MOST:,} values, its ends included, not {count:,}")
    with localcontext() as context:
        context.prec = 60
        low, high = Decimal(first).ln(), Decimal(last).ln()
        inner = (
            (low + (high - low) * i / (count - 1)).exp().to_integral_value(ROUND_HALF_EVEN)
            for i in range(1, count - 1)
        )
        return tuple(dict.fromkeys([first, *map(int, inner), last]))


def _values(given: Axis, name: str, read: Callable[[str], int]) -> tuple[int, ...]:
    if isinstance(given, str):
        found = [value for part in given.split(",") for value in _part(part.strip(), name, read)]
    else:
        found = [given] if isinstance(given, int) else list(given)
    for value in found:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InvalidInput(f"{name} must be positive whole numbers, not {value!r}")
        if value > LARGEST_SIZE:
            raise InvalidInput(f"{name} is too large: at most {LARGEST_SIZE:,}")
    if not found:
        raise InvalidInput(f"{name} has no values: a grid needs at least one")
    return tuple(dict.fromkeys(found))


def _part(text: str, name: str, read: Callable[[str], int]) -> tuple[int, ...]:
    ends = text.split(":")
    if len(ends) == 1 and text:
        return (read(text),)
    if len(ends) != 3:
        raise InvalidInput(
            f"cannot read {text!r} as values of {name}; examples: 1Ki,4Ki or 1Ki:1Mi:40 (40 values, logarithmic)"
        )
    count = ends[2].strip()
    if not (count.isascii() and count.isdigit()) or len(count) > 9:
        raise InvalidInput(f"cannot read {ends[2]!r} in {text!r} as a number of values; example: 1Ki:1Mi:40")
    return spaced(read(ends[0].strip()), read(ends[1].strip()), int(count))


def _size(text: str, name: str) -> int:
    number = whole_number(text)
    if number is None:
        raise InvalidInput(f"{name}: {text!r} is not a whole number; examples: 4096, 4Ki, 10**6")
    if number > LARGEST_SIZE:
        raise InvalidInput(f"{name}: {text} is too large; at most {LARGEST_SIZE:,}")
    return int(number)
