"""Whole numbers."""

from __future__ import annotations

from typing import Any

__all__ = ["ceil_div"]


def ceil_div(a: Any, b: Any) -> Any:
    """Return ⌈a/b⌉, for whole numbers or arrays of them (as floats, exact below 2⁵³)."""
    return -(-a // b)
