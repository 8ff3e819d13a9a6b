"""Numbers as people write them."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

_PREFIXES = {
    "k": 10**3,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "ki": 2**10,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
}
_PREFIXED = re.compile(r"(.*\d)\s*([kKMG]i?)", re.DOTALL)
_ONE_OF = re.compile(
    r"(?<![\w,.])(?<!\bof )(?<!\bits )(?<![+−-] )1 "
    r"((?:block|byte|chunk|column|compute|cut|DAG|device|edge|element|head|input|key|level|line|load|message|move|"
    r"name|node|operation|output|pair|part|point|predecessor|read|round|row|schedule|segment|state|step|store|sum|"
    r"superstep|term|tile|token|word|write)s|vertices|queries|boxes)\b"
)
_SINGULARS = {"vertices": "vertex", "queries": "query", "boxes": "box"}
LARGEST_SIZE = 10**18
"""Sizes of computations and of memories go up to here."""

MOST_DIGITS = 60
"""Numbers from ten to this power on are not read exactly."""


def written_number(text: str) -> Fraction | None:
    """Read a number exactly: ``4096``, ``1_000``, ``10**9``, ``1e9``, ``4Ki``, ``98k`` or ``1.5``.

    Returns
    -------
    Fraction or None
        None if the text is no number. For one of 10⁶⁰ and more, or nearer to zero than 10⁻⁶⁰, some such number.

    Examples
    --------
    >>> [str(written_number(text)) for text in ("4Ki", "1e3", "2**10", "1.5", "1.5k")]
    ['4096', '1000', '1024', '3/2', '1500']
    >>> written_number("many") is None
    True
    """
    prefixed = _PREFIXED.fullmatch(text)
    digits, prefix = prefixed.groups() if prefixed else (text, "")
    base, power, exponent = digits.replace("_", "").replace(",", "").partition("**")
    if power and not (exponent.isascii() and exponent.isdigit()):
        return None
    try:
        decimal = Decimal(base)
    except ArithmeticError:
        return None
    if not decimal.is_finite():
        return None
    if decimal:
        nearest = max(-MOST_DIGITS, min(MOST_DIGITS, decimal.adjusted()))
        decimal = decimal if nearest == decimal.adjusted() else Decimal((decimal.is_signed(), (1,), nearest))
    number = Fraction(decimal)
    if power:
        number **= min(int(exponent.lstrip("0")[:6] or 0), 1000)
    return number * _PREFIXES.get(prefix, 1)


def whole_number(text: str) -> int | None:
    """Read a whole number as :func:`written_number` does; None if the text is none.

    >>> [whole_number(text) for text in ("4Ki", "1e3", "2**10", "1.5k", "1.5")]
    [4096, 1000, 1024, 1500, None]
    """
    number = written_number(text)
    return number.numerator if number is not None and number.denominator == 1 else None


def singular(text: str) -> str:
    """Put the nouns of a text that are counted once into the singular.

    >>> singular("1 I/O (1 reads, 0 writes), 11 moves, 1 vertices; peak 1 of 1 words")
    '1 I/O (1 read, 0 writes), 11 moves, 1 vertex; peak 1 of 1 words'
    """
    return _ONE_OF.sub(lambda found: f"1 {_SINGULARS.get(found[1], found[1][:-1])}", text)
