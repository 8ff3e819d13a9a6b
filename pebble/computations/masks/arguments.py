"""The arguments after a mask's name: ``256``, ``left=4,right=2``, ``causal,512,512``."""

from __future__ import annotations

import re
from decimal import Decimal

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown

_MOST_DIGITS = 18
_DECIMAL = re.compile(r"[0-9]?(\.[0-9]{1,40})?(?<=[0-9])")


class Arguments:
    """The arguments of a mask, taken one by one; whatever is left over is an error.

    An argument asked for as ``size=`` has that name in the text, others stand there without a name, in order.

    Parameters
    ----------
    text : str
        What follows the first colon of the mask's text.
    kind, usage : str
        The kind of mask and how it is written, for errors.
    """

    def __init__(self, text: str, kind: str, usage: str) -> None:
        self.source, self.kind, self.usage = text, kind, usage
        self.plain: list[str] = []
        self.named: dict[str, str] = {}
        for piece in text.split(",") if text else []:
            name, equals, value = piece.partition("=")
            if not equals:
                self.plain.append(piece)
            elif name in self.named:
                raise self.wrong(f"{name} is given twice")
            else:
                self.named[name] = value

    def wrong(self, what: str) -> InvalidInput:
        """Return the error that says what is wrong and how the mask is written."""
        return InvalidInput(f"mask {self.kind}: {what}; write {self.usage}")

    def has(self, name: str) -> bool:
        """Whether an argument is given."""
        return name[:-1] in self.named if name.endswith("=") else bool(self.plain)

    def word(self, word: str) -> bool:
        """Take a word without value, such as ``causal``; whether it was there."""
        found = word in self.plain
        if found:
            self.plain.remove(word)
        return found

    def text(self, name: str) -> str:
        """Take an argument as it stands."""
        if not self.has(name):
            raise self.wrong(f"{name} is missing")
        return self.named.pop(name[:-1]) if name.endswith("=") else self.plain.pop(0)

    def repeated(self, name: str) -> tuple[int, int]:
        """Take a whole number, and how often it stands there: ``512x8`` is eight times 512."""
        text = self.text(name)
        number, cross, times = text.partition("x")
        return self._whole(number, name, 1), self._whole(times, f"what follows {number}x", 1) if cross else 1

    def whole(self, name: str, least: int = 1, default: int | None = None) -> int:
        """Take a whole number, or the default if there is one and nothing is given."""
        if default is not None and not self.has(name):
            return default
        return self._whole(self.text(name), name.rstrip("="), least)

    def _whole(self, text: str, name: str, least: int) -> int:
        if not (text.isascii() and text.removeprefix("-").isdigit()):
            raise self.wrong(f"{name} must be a whole number, not {shown(text)}")
        digits = text.lstrip("0") or "0"
        if digits.startswith("-") or (digits == "0" and least):
            raise self.wrong(f"{name} must be at least {least}, not {shown(text)}")
        if len(digits) > _MOST_DIGITS:
            raise self.wrong(f"{name} must be less than {10**_MOST_DIGITS:,}, not {shown(text)}")
        return int(digits)

    def share(self, name: str) -> Decimal:
        """Take a number above 0 and at most 1."""
        text, name = self.text(name), name.rstrip("=")
        value = Decimal(text) if _DECIMAL.fullmatch(text) else Decimal(0)
        if not 0 < value <= 1:
            raise self.wrong(f"{name} must be a number such as 0.25, above 0 and at most 1, not {text!r}")
        return value

    def end(self) -> None:
        """Refuse what has not been taken."""
        rest = [*self.plain, *(f"{name}={value}" for name, value in self.named.items())]
        if rest:
            raise self.wrong(f"{','.join(rest)!r} is not expected here")
