"""What a command leaves behind, for the tests of all commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

SIZES = ["-N", "64", "-d", "4"]


COUNT = ["count", *SIZES, "-M", "100"]


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    def refused(self, code: int, *words: str) -> None:
        """Assert a clear refusal: exit status, one line with these words after click's hint, no traceback."""
        assert self.code == code, self
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if line and not line.startswith(("Usage:", "Try "))]
        assert len(lines) == 1, self.err
        assert lines[0].startswith(("pebble: ", "Error: "))
        for word in words:
            assert word in lines[0], f"{word!r} is not in {lines[0]!r}"


Pebble = Callable[..., Done]


def document_of(done: Done) -> Any:
    """Parse exactly one JSON document without NaN or infinities."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(done.out, parse_constant=refuse)
