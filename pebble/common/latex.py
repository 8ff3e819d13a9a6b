"""Plain text as LaTeX: special characters escaped, the signs of formulas and accents as commands."""

from __future__ import annotations

import re
import unicodedata

from pebble.common.ascii_spelling import greek_name

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': r"\textquotedbl{}",
}
_MATHEMATICS = (
    {
        "≥": r"\geq",
        "≤": r"\leq",
        "≠": r"\neq",
        "÷": r"\div",
        "·": r"\cdot",
        "×": r"\times",
        "−": "-",
        "±": r"\pm",
        "√": r"\surd",
        "∞": r"\infty",
        "→": r"\to",
        "∈": r"\in",
        "⌈": r"\lceil",
        "⌉": r"\rceil",
        "⌊": r"\lfloor",
        "⌋": r"\rfloor",
        "ᵀ": r"^{\mathsf{T}}",
        "′": "'",
    }
    | {sign: f"_{{{digit}}}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")}
    | {sign: f"^{{{digit}}}" for digit, sign in enumerate("²³⁴", 2)}
    | {"ᵢ": "_{i}", "ₖ": "_{k}"}
    | {letter: f"\\{greek_name(letter)}" for letter in "ΩΘΛΔΣΠαβγδκλμρτω"}
)
_TEXT = {
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "’": "'",
    "ß": r"\ss{}",
    "\u00a0": "~",
}
_ACCENTS = {
    "\u0301": "'",
    "\u0300": "`",
    "\u0308": '"',
    "\u0302": "^",
    "\u0303": "~",
    "\u030c": "v",
    "\u0327": "c",
}


def latex_text(text: str, keep: str = "") -> str:
    r"""Return a text that LaTeX prints as it stands, with any engine.

    Signs of formulas become ``\ensuremath{...}``, accented letters commands; line ends become spaces. A letter that
    has no command here, such as a Chinese one, stays as it is.

    Parameters
    ----------
    keep : str
        Special characters that are left alone: ``"{}"`` in a BibTeX field.

    Examples
    --------
    >>> print(latex_text("I/O ÷ bound, M/d² ≥ 1, 50 % & more_of {it}"))
    I/O \ensuremath{\div} bound, M/d\ensuremath{^{2}} \ensuremath{\geq} 1, 50 \% \& more\_of \{it\}
    >>> print(latex_text("Christopher Ré"))
    Christopher R\'{e}
    """
    return "".join(sign if sign in keep else _command(sign) for sign in re.sub(r"\s*[\r\n]\s*", " ", text))


def _command(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign in _MATHEMATICS:
        return f"\\ensuremath{{{_MATHEMATICS[sign]}}}"
    if sign.isascii() or sign in _TEXT:
        return _TEXT.get(sign, sign)
    parts = unicodedata.normalize("NFD", sign)
    if len(parts) == 2 and parts[1] in _ACCENTS:
        return f"\\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return sign
