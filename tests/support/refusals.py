"""What is refused, as a text: a line for each case, ``expression => words of the message`` (a regular expression)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from tests.support.text_tables import lines_of

__all__ = ["check_refusal", "refusals"]


def refusals(test: str) -> list[str]:
    """Return the lines of the table beside a test, without comments."""
    return lines_of(Path(test).with_name("refusals.txt"))


def check_refusal(line: str, names: dict[str, Any]) -> None:
    """Evaluate the expression, which must raise InvalidInput with these words."""
    asked, told, words = line.rpartition(" => ")
    assert told, line
    with pytest.raises(InvalidInput, match=words):
        eval(asked, {**names})
