"""The header of a pebbling file: which DAG, how much fast memory, which rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import Lines, shown
from pebble.common.units import fast_memory_words
from pebble.game.processors.settings import Layout, Processors
from pebble.game.rules import Rules
from pebble.graph.names import is_writable

_VERSION = "1"
_YES_NO = {"yes": True, "no": False}
_RULES = ("recomputation", "sliding")
_POSITIVE, _NUMBER = r"[1-9][0-9]{0,17}", r"(?:0|[1-9][0-9]{0,17})"
_WRITTEN = {
    "M": (_POSITIVE, "M must be one positive whole number below 10^18"),
    "levels": (
        rf"{_POSITIVE}(?: {_POSITIVE})*(?: exclusive)?",
        "levels are positive whole numbers below 10^18, the innermost first, and perhaps the word exclusive",
    ),
    "devices": (rf"{_NUMBER}(?: strict)?", "'# devices' has one whole number, and perhaps the word strict"),
    "H": (_NUMBER, "'# H' has one whole number"),
}
_SIZES = {"M", "levels", "devices"}
_OF_DEVICES = ("devices", "layout", "H", "sums")
_KNOWN = ("dag", "M", "levels", "rules", *_OF_DEVICES)


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
            raise InvalidInput(f"with several {several} only the default rules are supported")
        if self.levels and self.processors:
            raise InvalidInput("a game has several memory levels or several devices, not both")
        if not re.fullmatch(_POSITIVE, str(fast_memory_words(self.M))):
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
    """Read the head of a pebbling file; return it with the number of its ``# dag`` line."""
    seen: dict[str, list[str]] = {}
    dag_line = 0
    for number, line in lines.head(lambda: "dag" in seen and bool(_SIZES & seen.keys())):
        key, *values = line[1:].split() or [""]
        with _on_line(number):
            _check(line, key, values, seen)
        dag_line = number if key == "dag" else dag_line
        seen[key] = values
    with _on_line(1 if lines.empty else lines.number):
        if lines.empty:
            raise InvalidInput(f"the file is empty; it should begin with '# pebbling {_VERSION}'")
        if not seen:
            raise InvalidInput(f"a pebbling file begins with '# pebbling {_VERSION}'")
        for key in ("dag", "M"):
            if key not in seen and (key == "dag" or not _SIZES & seen.keys()):
                raise InvalidInput(f"the header ends without a line '# {key} ...'")
        return _header(seen), dag_line


@contextmanager
def _on_line(number: int) -> Iterator[None]:
    """Say on which line something is wrong."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"line {number}: {error}") from None


def _header(seen: dict[str, list[str]]) -> Header:
    """Return the header that its lines make together."""
    if "levels" in seen and "M" in seen:
        raise InvalidInput("a header has a line '# M' or a line '# levels', not both")
    for key in () if "devices" in seen else _OF_DEVICES:
        if key in seen:
            raise InvalidInput(f"a line '# {key}' needs a line '# devices'")
    name, *parameters = seen["dag"]
    rules = Rules(**{rule: _YES_NO[value] for rule, value in map(_split, seen.get("rules", []))})
    levels = tuple(int(words) for words in seen.get("levels", ()) if words != "exclusive")
    M, H = (int(seen[key][0]) if key in seen else None for key in ("M", "H"))
    processors = None
    if "devices" in seen:
        layout = seen.get("layout", ["contiguous"])
        listed = bool(layout) and all(re.fullmatch(_NUMBER, device) for device in layout)
        owners: Layout = tuple(map(int, layout)) if listed else " ".join(layout)
        count, *strict = seen["devices"]
        sums = tuple(seen.get("sums", ()))
        processors = Processors(int(count), owners, H, M, sums, bool(strict))
    inclusive = "exclusive" not in seen.get("levels", ())
    M = levels[-1] if levels else M or 1
    return Header(name, dict(map(_split, parameters)), M, rules, levels, inclusive, processors)


def _check(line: str, key: str, values: list[str], seen: dict[str, list[str]]) -> None:
    """Check one line of a header, after those that have been seen."""
    text = shown(" ".join(values))
    if not seen and key != "pebbling":
        raise InvalidInput(f"a pebbling file begins with '# pebbling {_VERSION}', not with {shown(line)}")
    if not seen and values != [_VERSION]:
        raise InvalidInput(f"{shown(line)}: this program reads only version {_VERSION}")
    if seen and key not in _KNOWN:
        known = ", ".join(f"# {key}" for key in _KNOWN)
        raise InvalidInput(
            f"unknown header line {shown(line)}; known: {known}; comments go below the first move"
        )
    if key in seen:
        raise InvalidInput(f"there is a second line '# {key}'")
    pattern, must = _WRITTEN.get(key, (".*", ""))
    if not re.fullmatch(pattern, " ".join(values)):
        raise InvalidInput(f"{must}, not {text}")
    if key == "dag" and not values:
        raise InvalidInput("'# dag' needs a name")
    if key == "sums" and (not values or len(set(values)) < len(values)):
        raise InvalidInput("'# sums' names the arrays whose sums are free, each once")
    _check_pairs({"dag": values[1:], "rules": values}.get(key, []))
    for rule, value in map(_split, values if key == "rules" else ()):
        if rule not in _RULES or value not in _YES_NO:
            known = ", ".join(_RULES)
            raise InvalidInput(f"unknown rule {shown(f'{rule}={value}')}; known: {known}, each =yes or =no")


def _check_pairs(texts: list[str]) -> None:
    names: set[str] = set()
    for text in texts:
        name, value = _split(text)
        if not name or not value:
            raise InvalidInput(f"{shown(text)} is not of the form name=value")
        if name in names:
            raise InvalidInput(f"{shown(name)} is given twice")
        names.add(name)


def _split(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value
