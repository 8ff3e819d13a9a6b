"""Positions of a page as parts of its address, written in Python: what the page's own script must agree with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

__all__ = ["LINKS_RUNNER", "encoded", "fragment"]

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

LINKS_RUNNER = """
function runLinks({ boards, positions, texts }) {
  return {
    written: positions.map((one) => PebbleLinks.write(boards, one)),
    read: texts.map((text) => PebbleLinks.read(boards, text)),
  };
}
"""


def _width(vertices: int) -> int:
    return next(digits for digits in range(1, 99) if 64**digits >= 4 * vertices)


def encoded(moves: Iterable[tuple[int, int]], vertices: int) -> str:
    """Return moves, (operation, vertex) each, as text."""
    digits = _width(vertices)
    codes = (4 * vertex + op for op, vertex in moves)
    return "".join(_DIGITS[code >> 6 * place & 63] for code in codes for place in reversed(range(digits)))


def fragment(board: dict[str, Any], mode: str, values: Sequence[object]) -> str:
    """Return the part after #: ``values`` are M and the moves' text, or M, the pebbling's name and the place."""
    texts = [board["name"], *map(str, values)]
    keys = [mode, *(("M", "moves") if mode == "play" else ("M", "of", "at"))]
    pairs = [f"{key}={quote(text, safe=':,!*()~' + chr(39))}" for key, text in zip(keys, texts, strict=True)]
    return "&".join([*pairs, f"check={_check(board, mode, texts)}"])


def _check(board: dict[str, Any], mode: str, texts: list[str]) -> str:
    checked = [mode, texts, board["predecessors"], board["outputs"]]
    total = 0x811C9DC5
    for byte in json.dumps(checked, ensure_ascii=False, separators=(",", ":")).encode():
        total = (total ^ byte) * 0x01000193 & 0xFFFFFFFF
    folded = (total ^ total >> 18) & 0x3FFFF
    return "".join(_DIGITS[folded >> shift & 63] for shift in (12, 6, 0))
