"""The 30 kernels of PolyBench 4.2, as assignments; they stand in ``polybench.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PolybenchKernel:
    """A kernel that has a name.

    Parameters
    ----------
    name : str
    text : str
        Its assignments, each element computed once. Factors that are constants are left out: they are no words.
    extents : mapping of str to int
        Those of PolyBench's data set LARGE.
    description : str
    outputs : tuple of str
        Arrays that are outputs although they are read.
    """

    name: str
    text: str
    extents: Mapping[str, int]
    description: str
    outputs: tuple[str, ...] = ()


_FILE = Path(__file__).with_name("polybench.json")

KERNELS: Mapping[str, PolybenchKernel] = {
    name: PolybenchKernel(
        name, "; ".join(one["text"]), one["extents"], one["description"], tuple(one.get("outputs", ()))
    )
    for name, one in json.loads(_FILE.read_text(encoding="utf-8")).items()
}
"""All 30 by name."""
