"""Words, bytes and data types: reading an amount of fast memory."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral

from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import MOST_DIGITS, written_number

BYTES_PER_WORD: dict[str, int] = {
    "float8": 1,
    "fp8": 1,
    "int8": 1,
    "float16": 2,
    "fp16": 2,
    "half": 2,
    "bfloat16": 2,
    "bf16": 2,
    "float32": 4,
    "fp32": 4,
    "tf32": 4,
    "float64": 8,
    "fp64": 8,
}


_RATE_UNITS = {
    "B": {"B": Fraction(1), "bit": Fraction(1, 8), "b": Fraction(1, 8)},
    "FLOP": {"FLOP": Fraction(1)},
}
_RATE_EXAMPLES = {"B": "50GB/s or 50GiB/s (bytes), 400Gb/s or 400Gbit/s (bits)", "FLOP": "400TFLOP/s"}
_LARGE = {name: Fraction(size) for name, size in (("T", 10**12), ("P", 10**15), ("Ti", 2**40), ("Pi", 2**50))}


def bytes_per_word(dtype: str) -> int:
    """Bytes of one word of a data type.

    >>> bytes_per_word("float16")
    2
    """
    try:
        return BYTES_PER_WORD[dtype.lower()]
    except KeyError:
        raise InvalidInput(f"unknown dtype {dtype!r}; known: {', '.join(BYTES_PER_WORD)}") from None


def bytes_text(size: int) -> str:
    """Return a number of bytes in the largest unit that it holds once.

    >>> bytes_text(232448), bytes_text(12)
    ('227 KiB', '12 B')
    """
    for factor, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= factor:
            return f"{size / factor:.4g} {unit}"
    return f"{size} B"


def parse_rate(text: str, unit: str) -> float:
    """Read an amount per second, such as ``50GB/s``, ``400Gb/s`` or ``400TFLOP/s``.

    Parameters
    ----------
    text : str
        With or without ``/s``, and with or without the unit; prefixes k, M, G, T, P, and ki to Pi for powers of 1024.
        Bytes are ``B``; eight bits, ``b`` or ``bit``, make one.
    unit : str
        ``"B"`` or ``"FLOP"``: what is returned, and what a number without a unit counts.

    Examples
    --------
    >>> parse_rate("50GB/s", "B"), parse_rate("400Gb/s", "B"), parse_rate("400 TFLOP/s", "FLOP")
    (50000000000.0, 50000000000.0, 400000000000000.0)
    """
    amount, factor, suffix = text.strip().removesuffix("/s").rstrip(), Fraction(1), ""
    for factors in (_RATE_UNITS[unit], _LARGE):
        suffix = next((suffix for suffix in factors if amount.endswith(suffix)), "")
        amount, factor = amount.removesuffix(suffix).rstrip(), factor * factors.get(suffix, 1)
    number = None if suffix and amount[-1:].isalpha() else written_number(amount)
    if number is None or number <= 0:
        accepted = f"{_RATE_EXAMPLES[unit]}, with the prefixes k, M, G, T, P"
        raise InvalidInput(f"cannot read {text!r} as an amount per second; accepted: {accepted}")
    return float(number * factor)


def scaled(value: float) -> str:
    """Return a number with the prefix of the unit that follows.

    >>> scaled(4.295e9) + "FLOP", scaled(120) + "FLOP"
    ('4.29 GFLOP', '120 FLOP')
    """
    for size, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G")):
        if value >= size:
            return f"{value / size:,.3g} {prefix}"
    return f"{value:,.3g} "


def parse_seconds(text: str) -> float:
    """Read a time, in seconds if it has no unit.

    >>> parse_seconds("10us"), parse_seconds("0.5 ms")
    (1e-05, 0.0005)
    """
    units = {"ns": 10**9, "us": 10**6, "µs": 10**6, "ms": 10**3, "s": 1}
    amount = text.strip()
    unit = next((unit for unit in units if amount.endswith(unit)), "")
    number = written_number(amount.removesuffix(unit).rstrip())
    if number is None or number < 0:
        raise InvalidInput(f"cannot read {text!r} as a time; examples: 10us, 0.5ms, 1e-5")
    return float(number / units.get(unit, 1))


def seconds_text(value: float | None) -> str:
    """Return a time in the largest unit that it holds once; a dash where it is not known.

    >>> seconds_text(0.00347)
    '3.47 ms'
    """
    if value is None:
        return "–"
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def fast_memory_words(M: object) -> int:
    """Return M, the words of fast memory, as a whole number; what is public calls this once.

    >>> fast_memory_words(98304)
    98304
    """
    if isinstance(M, bool) or not isinstance(M, Integral) or M < 1:
        raise InvalidInput(f"M must be a positive whole number of words, not {M!r}")
    return int(M)


def parse_words(text: str, dtype: str | None = None) -> int:
    """Read an amount of fast memory in words, or in bytes if it ends in ``B`` (then a dtype is needed).

    Parameters
    ----------
    text : str
        ``98304``, ``10**5``, ``1e5``, ``96Ki`` (binary prefix), ``98k`` (decimal prefix), ``192KiB``, ``192kB``.
    dtype : str, optional
        What one word is; only used when the amount is in bytes.

    Returns
    -------
    int
        Words; a byte amount that is no multiple of the word is rounded down.

    Examples
    --------
    >>> parse_words("96Ki"), parse_words("192KiB", "float16"), parse_words("1e5")
    (98304, 98304, 100000)
    """
    written = text.strip()
    in_bytes = written.endswith("B")
    amount = written_number(written.removesuffix("B").rstrip()) if written[:1].isdigit() else None
    if amount is None:
        raise InvalidInput(f"cannot read {text!r} as an amount of memory; examples: 98304, 1e5, 96Ki, 192KiB")
    if amount >= 10**MOST_DIGITS:
        raise InvalidInput(f"{text!r} is too large for an amount of memory")
    if in_bytes:
        if dtype is None:
            raise InvalidInput(
                f"{text!r} is in bytes, so the size of a word is needed too: give a data type, such as "
                "float16 (--dtype float16)"
            )
        words = int(amount / bytes_per_word(dtype))
    elif amount.denominator != 1:
        raise InvalidInput(f"{text!r} is not a whole number of words")
    else:
        words = int(amount)
    if words < 1:
        raise InvalidInput(f"{text!r} is less than one word; fast memory needs at least one")
    return words
