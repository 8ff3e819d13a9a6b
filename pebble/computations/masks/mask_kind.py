"""What a kind of mask is, and the register of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from pebble.computations.masks.arguments import Arguments
from pebble.computations.masks.mask import Mask


@dataclass(frozen=True)
class MaskKind:
    """A kind of mask.

    Attributes
    ----------
    name : str
        What its text begins with.
    usage : str
        How it is written; capitals stand for numbers or names, brackets for what may be left out.
    summary : str
        Which keys a query attends to.
    source : str
        Where the pattern comes from; empty for what needs no source.
    example : str
    """

    name: str
    usage: str
    summary: str
    source: str
    example: str

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return asdict(self)


Builder = Callable[[Arguments, int, int], Mask]
KINDS: dict[str, tuple[MaskKind, Builder]] = {}
"""By name: the kind, and what makes a mask of it from its arguments and the numbers of queries and keys."""


def mask_kind(usage: str, summary: str, example: str, source: str = "") -> Callable[[Builder], Builder]:
    """Register a function as the kind of masks that has its name."""

    def noted(build: Builder) -> Builder:
        kind = MaskKind(build.__name__, usage, summary, source, example)
        KINDS[kind.name] = kind, build
        return build

    return noted
