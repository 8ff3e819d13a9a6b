"""How much of a large test runs each time, and how much only where slow tests run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

__all__ = ["examples", "first"]


def first(number: int, values: Iterable[Any]) -> list[Any]:
    """Values for ``parametrize``: this many as they are, the others marked slow."""
    return [
        value if place < number else pytest.param(value, marks=pytest.mark.slow)
        for place, value in enumerate(values)
    ]


def examples(usual: int, thorough: int) -> settings:
    """Settings for this many examples; ``thorough`` of them, or more, where HYPOTHESIS_PROFILE asks for it."""
    profile = os.environ.get("HYPOTHESIS_PROFILE", "repeatable")
    return settings(
        max_examples={"repeatable": usual, "unshrunk": usual, "thorough": thorough}.get(
            profile, 40 * thorough
        )
    )
