"""Several sizes in one text: ``1Ki,4Ki`` or, at equal ratios, ``1Ki:1Mi:40``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from pebble.common.errors import InvalidInput
from pebble.common.units import parse_words
from pebble.common.whole_numbers import LARGEST_SIZE, whole_number

Sizes = int | str | Iterable[int]

_COUNTS = range(2, 1_000_001)


def problem_sizes(given: Sizes, name: str, counts: range = _COUNTS) -> tuple[int, ...]:
    """Return sizes of a problem, in the order given, each once.

    Parameters
    ----------
    given : int, iterable of int, or str
        A text has commas between sizes; ``FIRST:LAST:COUNT`` stands for COUNT sizes at equal ratios, see
        :func:`spaced`.
    name : str
        What the sizes are, for error messages.
    counts : range
        Which COUNT is allowed.

    Examples
    --------
    >>> problem_sizes("1Ki,4Ki", "N"), problem_sizes("64:1024:5,80", "N"), problem_sizes(64, "d")
    ((1024, 4096), (64, 128, 256, 512, 1024, 80), (64,))
    """
    return _sizes(given, name, lambda text: _problem_size(text, name), counts)


def memory_sizes(given: Sizes, dtype: str | None = None, counts: range = _COUNTS) -> tuple[int, ...]:
    """Return sizes of fast memory in words; parameters as for :func:`problem_sizes`.

    Amounts in bytes need a dtype; the ends of a range are turned into words before it is divided.

    >>> memory_sizes("48KiB:192KiB:3", "float16"), memory_sizes("10**6,96Ki")
    ((24576, 49152, 98304), (1000000, 98304))
    """
    return _sizes(given, "M", lambda text: parse_words(text, dtype), counts)


def spaced(first: int, last: int, count: int) -> tuple[int, ...]:
    """Return whole numbers from first to last, each about the same multiple of the one before.

    Both ends are included and every number appears once. The numbers are computed with 60 digits in decimal
    arithmetic, so every machine gets the same.

    Parameters
    ----------
    first, last : int
        The ends, 1 ≤ first ≤ last.
    count : int
        How many before duplicates are dropped; for 1, the first end alone.

    Examples
    --------
    >>> spaced(1, 1000, 4), spaced(1, 4, 7)
    ((1, 10, 100, 1000), (1, 2, 3, 4))
    """
    if first < 1 or first > last:
        raise InvalidInput(
            f"a range FIRST:LAST:COUNT must go up, from at least 1: {first:,}:{last:,} does not"
        )
    if count < 1:
        raise InvalidInput(f"a range has at least one value, not {count:,}")
    if count == 1:
        return (first,)
    with localcontext() as context:
        context.prec = 60
        low, high = Decimal(first).ln(), Decimal(last).ln()
        inner = (
            (low + (high - low) * i / (count - 1)).exp().to_integral_value(ROUND_HALF_EVEN)
            for i in range(1, count - 1)
        )
        return tuple(dict.fromkeys([first, *map(int, inner), last]))


def _sizes(given: Sizes, name: str, read: Callable[[str], int], counts: range) -> tuple[int, ...]:
    if isinstance(given, str):
        found = [size for part in given.split(",") for size in _part(part.strip(), name, read, counts)]
    else:
        found = [given] if isinstance(given, int) else list(given)
    for size in found:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise InvalidInput(f"{name} must be positive whole numbers, not {size!r}")
        if size > LARGEST_SIZE:
            raise InvalidInput(f"{name} is too large: at most {LARGEST_SIZE:,}")
    if not found:
        raise InvalidInput(f"{name} has no values: give at least one")
    return tuple(dict.fromkeys(found))


def _part(text: str, name: str, read: Callable[[str], int], counts: range) -> tuple[int, ...]:
    """Read what stands between two commas: one size, or a range of them."""
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
    if int(count) not in counts:
        raise InvalidInput(
            f"a range must have {counts[0]} to {counts[-1]:,} values, including its ends, not {int(count):,}"
        )
    return spaced(read(ends[0].strip()), read(ends[1].strip()), int(count))


def _problem_size(text: str, name: str) -> int:
    number = whole_number(text)
    if number is None:
        raise InvalidInput(f"{name}: {text!r} is not a whole number; examples: 4096, 4Ki, 10**6")
    return number
