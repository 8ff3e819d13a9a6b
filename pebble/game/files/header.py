"""The header of a pebbling file: which DAG, how much fast memory, which rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import Lines, shown
from pebble.common.units import fast_memory_words
from pebble.game.files.processor_header import PROCESSOR_LINES, processors_of
from pebble.game.processors.settings import Processors
from pebble.game.rules import Rules
from pebble.graph.names import is_writable

__all__ = ["Header", "read_header"]

_VERSION = "1"
_YES_NO = {"yes": True, "no": False}
_RULES = ("recomputation", "sliding")
_POSITIVE = re.compile(r"[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Header:
    """The header of a pebbling file.

    Parameters
    ----------
    dag_name : str
        Which DAG the moves are played on: the name of a family, or of a file.
    parameters : dict of str to str
        Its parameters, in the order they are written.
    M : int
        Words of fast memory.
    rules : Rules
        Which variant is played; only what differs from the ordinary rules is written.
    levels : tuple of int
        Words of each of several memory levels, the innermost first; then M is the outermost. Empty for one.
    inclusive : bool
        Whether each of several levels holds what those within hold.
    processors : Processors or None
        The devices, if several play; M is then the fast memory of each, and means nothing if they have none.

    Raises
    ------
    InvalidInput
        If M is not a positive whole number below 10^18, or a name or value is empty or has white space (a
        name of a parameter also ``=``) and so could not be read back.

    Examples
    --------
    >>> print(Header("matmul", {"m": "2", "n": "3"}, 12, Rules(recomputation=False)), end="")
    # pebbling 1
    # dag matmul m=2 n=3
    # M 12
    # rules recomputation=no
    """

    dag_name: str
    parameters: dict[str, str] = field(default_factory=dict)
    M: int = 1
    rules: Rules = field(default_factory=Rules)
    levels: tuple[int, ...] = field(default=(), repr=False)
    inclusive: bool = field(default=True, repr=False)
    processors: Processors | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.levels or self.processors) and self.rules != Rules():
            several = "memory levels" if self.levels else "devices"
            raise InvalidInput(f"with several {several} only the ordinary rules are played")
        if self.levels and self.processors:
            raise InvalidInput("a game has several memory levels or several devices, not both")
        if not _POSITIVE.fullmatch(str(fast_memory_words(self.M))):
            raise InvalidInput(f"M must be a positive whole number of words below 10^18, not {self.M!r}")
        for text in (self.dag_name, *self.parameters, *self.parameters.values()):
            if not is_writable(text):
                raise InvalidInput(
                    f"a pebbling header cannot hold {text!r}: it must be a text without white space"
                )
        for key in self.parameters:
            if "=" in key:
                raise InvalidInput(f"a parameter cannot be called {key!r}: '=' ends the name")

    def __str__(self) -> str:
        dag = " ".join([self.dag_name, *(f"{key}={value}" for key, value in self.parameters.items())])
        sizes = f"# M {self.M}\n"
        if self.levels:
            sizes = f"# levels {' '.join(map(str, self.levels))}{'' if self.inclusive else ' exclusive'}\n"
        if self.processors:
            sizes = str(self.processors)
        return f"# pebbling {_VERSION}\n# dag {dag}\n{sizes}{_rules_line(self.rules)}"


def _rules_line(rules: Rules) -> str:
    usual = Rules()
    changed = [
        f"{name}={'yes' if getattr(rules, name) else 'no'}"
        for name in _RULES
        if getattr(rules, name) != getattr(usual, name)
    ]
    return f"# rules {' '.join(changed)}\n" if changed else ""


def read_header(lines: Lines) -> tuple[Header, int]:
    """Read the head of a pebbling file; return it with the number of its ``# dag`` line.

    Raises
    ------
    InvalidInput
        If the header is missing, incomplete or malformed; the message begins with the line number.
    """
    seen: dict[str, list[str]] = {}
    dag_line = 0
    for number, line in lines.head(lambda: "dag" in seen and bool({"M", "levels", "devices"} & seen.keys())):
        key, *values = line[1:].split() or [""]
        if seen:
            _check_key(number, line, key, seen)
        else:
            _check_first(number, line, key, values)
        if key in _CHECKS:
            _CHECKS[key](number, values)
        if key == "dag":
            dag_line = number
        seen[key] = values
    for key in ("pebbling", "dag", "M"):
        if key not in seen and not (key == "M" and {"levels", "devices"} & seen.keys()):
            _fail_missing(lines, key)
    name, *parameters = seen["dag"]
    rules = Rules(**{rule: _YES_NO[value] for rule, value in map(_split, seen.get("rules", []))})
    inclusive = "exclusive" not in seen.get("levels", ())
    levels = tuple(int(words) for words in seen.get("levels", ()) if words != "exclusive")
    if levels and "M" in seen:
        _fail(lines.number, "a header has a line '# M' or a line '# levels', not both")
    processors = _processors(lines.number, seen)
    M = levels[-1] if levels else int(seen.get("M", ["1"])[0])
    return _made(
        lines.number, name, dict(map(_split, parameters)), M, rules, levels, inclusive, processors
    ), dag_line


def _processors(number: int, seen: dict[str, list[str]]) -> Processors | None:
    try:
        return processors_of(seen)
    except InvalidInput as error:
        _fail(number, str(error))


def _made(number: int, *parts: Any) -> Header:
    try:
        return Header(*parts)
    except InvalidInput as error:
        _fail(number, str(error))


def _check_first(number: int, line: str, key: str, values: list[str]) -> None:
    if key != "pebbling":
        _fail(number, f"a pebbling file begins with '# pebbling {_VERSION}', not with {shown(line)}")
    if values != [_VERSION]:
        _fail(number, f"{shown(line)}: only version {_VERSION} can be read")


def _check_key(number: int, line: str, key: str, seen: dict[str, list[str]]) -> None:
    if key not in _CHECKS:
        _fail(number, f"unknown header line {shown(line)}; known: {', '.join(f'# {key}' for key in _CHECKS)}")
    if key in seen:
        _fail(number, f"there is a second line '# {key}'")


def _check_M(number: int, values: list[str]) -> None:
    if len(values) != 1 or not _POSITIVE.fullmatch(values[0]):
        _fail(number, f"M must be one positive whole number below 10^18, not {shown(' '.join(values))}")


def _check_levels(number: int, values: list[str]) -> None:
    sizes = values[:-1] if values[-1:] == ["exclusive"] else values
    if not sizes or not all(_POSITIVE.fullmatch(words) for words in sizes):
        _fail(
            number,
            "levels are positive whole numbers below 10^18, the innermost first, and perhaps the word exclusive, not "
            + shown(" ".join(values)),
        )


def _check_dag(number: int, values: list[str]) -> None:
    if not values:
        _fail(number, "'# dag' needs a name")
    _check_pairs(number, values[1:])


def _check_rules(number: int, values: list[str]) -> None:
    _check_pairs(number, values)
    for text in values:
        rule, value = _split(text)
        if rule not in _RULES or value not in _YES_NO:
            _fail(number, f"unknown rule {shown(text)}; known: {', '.join(_RULES)}, each =yes or =no")


def _check_pairs(number: int, texts: list[str]) -> None:
    names: set[str] = set()
    for text in texts:
        name, value = _split(text)
        if not name or not value:
            _fail(number, f"{shown(text)} is not of the form name=value")
        if name in names:
            _fail(number, f"{shown(name)} is given twice")
        names.add(name)


_CHECKS: dict[str, Callable[[int, list[str]], None]] = {
    "dag": _check_dag,
    "M": _check_M,
    "levels": _check_levels,
    "rules": _check_rules,
    **dict.fromkeys(PROCESSOR_LINES, lambda number, values: None),
}


def _fail_missing(lines: Lines, key: str) -> NoReturn:
    if lines.empty:
        raise InvalidInput(f"line 1: the file is empty; it should begin with '# pebbling {_VERSION}'")
    if key == "pebbling":
        _fail(lines.number, f"a pebbling file begins with '# pebbling {_VERSION}'")
    _fail(lines.number, f"the header ends without a line '# {key} ...'")


def _split(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def _fail(number: int, what: str) -> NoReturn:
    raise InvalidInput(f"line {number}: {what}")
