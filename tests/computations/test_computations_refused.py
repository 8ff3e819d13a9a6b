"""What computations refuse, and how they say it: refusals.txt, a line for each case."""

# ruff: noqa: F401 (the table names what is imported)
from __future__ import annotations

import re

import numpy as np
import pytest

from pebble import einsum
from pebble.common.whole_numbers import LARGEST_SIZE
from pebble.computations.array import Array
from pebble.computations.attention import attention_family
from pebble.computations.family import Family
from pebble.computations.load import load_dag, named_dag
from pebble.computations.masks import causal_mask, make_mask, mask_from_predicate
from pebble.computations.masks.band_mask import FullMask
from pebble.computations.nests.header import nest_from_parameters, read_extents
from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.nest_family import family_of_nest
from pebble.computations.nests.points import points_of
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.stages import stages_of
from pebble.computations.nests.statement import LoopNest
from pebble.computations.problem import Problem
from pebble.computations.registry import family_from_header, family_of
from pebble.computations.text import family_of_text
from tests.support.refusals import check_refusal, refusals


def nest(text: str, extent: int = 4) -> LoopNest:
    """Read a loop nest whose indices are among i, j, k and l and have one extent."""
    return loop_nest(text, {name: extent for name in "ijkl" if re.search(rf"\b{name}\b", text)})


def steps(text: str) -> LoopNest:
    """Read a loop nest whose indices have extents of their own."""
    return loop_nest(
        text, {name: 2 + at for at, name in enumerate("ijkl") if re.search(rf"\b{name}\b", text)}
    )


def masked(spec: str, N: int) -> object:
    """Make a mask of N queries, in groups of 8 where the text says so."""
    return make_mask(spec, N, N // 8 if spec.startswith("group:8") else N)


def text(lines: str) -> Family:
    return family_of_text("text", lines.replace("; ", "\n"), {"i": 3, "j": 4}, constants={"half": 0.5})


SIZES = {"Nq": "4", "Nk": "4", "d": "2", "dv": "1"}
Xk, Sk = Array("x", ("k",)), Array("s", ("i",), chain="k", operands=("x",))


@pytest.mark.parametrize("line", refusals(__file__))
def test_refusals(line: str) -> None:
    check_refusal(line, globals())
