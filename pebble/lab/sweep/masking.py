"""Masks in a sweep: sent to the workers as texts, made there, and checked to be the same everywhere."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from pebble.common.errors import InvalidInput
from pebble.computations.masks import BlockMask, Mask, make_mask
from pebble.computations.problem import Problem

__all__ = ["NO_MASK", "mask_content", "with_mask"]

NO_MASK = "none"
_FROM_OUTSIDE = re.compile(r"(?:^|:)(?:file|predicate):|\bfile=")
_CHUNK = 1 << 22


def with_mask(problem: Problem, mask: str, empty_rows: str, content: str) -> Problem:
    """Return the problem under a mask.

    Parameters
    ----------
    problem : Problem
        Without a mask.
    mask : str
        As the command line writes it, for one query head.
    empty_rows : {"error", "zero"}
    content : str
        What :func:`mask_content` gave where the sweep was begun.
    """
    made, here = _made(mask, problem.Nq // problem.group, problem.Nk, empty_rows)
    if here != content:
        raise InvalidInput(
            f"mask {mask} differs from the one the sweep was started with: use the same file or code"
        )
    return problem.under(made)


def mask_content(mask: str, Nq: int, Nk: int, empty_rows: str) -> str:
    """Return a hash of a mask's pairs if they come from a file or a function; ``""`` if its text says all."""
    return _made(mask, Nq, Nk, empty_rows)[1]


@lru_cache(maxsize=4)
def _made(mask: str, Nq: int, Nk: int, empty_rows: str) -> tuple[Mask | None, str]:
    made = make_mask(mask, Nq, Nk, empty_rows=empty_rows)
    return made, "" if made is None or not _FROM_OUTSIDE.search(mask) else _hash(made)


def _hash(mask: Mask) -> str:
    import numpy as np

    if isinstance(mask, BlockMask):
        return mask.digest
    digest = hashlib.sha256()
    step = max(1, _CHUNK // mask.Nk)
    for start in range(0, mask.Nq, step):
        rows = mask.matrix((start, min(start + step, mask.Nq)), (0, mask.Nk))
        digest.update(np.packbits(rows, axis=1).tobytes())
    return digest.hexdigest()
