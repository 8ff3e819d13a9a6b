"""A small pebbling file for tests."""

from __future__ import annotations

import io
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.game.files.check import CheckResult, check_pebbling
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader
from pebble.game.files.writer import write_pebbling
from pebble.graph.dag import Dag

SUM = Dag.from_edges([("a", "s"), ("b", "s")])


HEAD = "# pebbling 1\n# dag sum\n# M 3\n"


GOOD = HEAD + "load a\nload b\ncompute s\nstore s\n"


def resolve(header: Header) -> Dag:
    if header.dag_name != "sum":
        raise InvalidInput(f"no DAG is called {header.dag_name!r}; known: sum")
    return SUM


def check(text: str | bytes) -> CheckResult:
    data = text.encode() if isinstance(text, str) else text
    result = check_pebbling(PebblingReader(io.BytesIO(data)), resolve)
    if data.isascii() and b"\r" not in data:
        assert check_pebbling(PebblingReader(io.StringIO(data.decode())), resolve) == result
    return result


def written(header: Header, dag: Dag, moves: Any) -> str:
    stream = io.StringIO()
    write_pebbling(stream, header, dag, moves)
    return stream.getvalue()
