"""A schedule's pebbling in HTML: counts by array against its moves, the board where it is small."""

from __future__ import annotations

import base64
from collections import Counter
from xml.etree import ElementTree

import pytest

import pebble
from pebble.computations.problem import Problem
from pebble.game.moves import Op
from pebble.graph.drawing import MOST_VERTICES
from pebble.lab.pebblings import Pebbling
from tests.support.dag_pictures import read_picture

SMALL = Problem.square(2, 2)
LARGE = Problem.square(4, 2, mask="causal")


def counted(pebbling: Pebbling) -> dict[Op, Counter[int]]:
    found = {op: Counter[int]() for op in (Op.LOAD, Op.STORE)}
    for op, vertex in pebbling:
        for code, counter in found.items():
            counter.update(vertex[op == code].tolist())
    return found


@pytest.mark.parametrize("problem", [SMALL, LARGE], ids=str)
@pytest.mark.parametrize("name", ["naive", "flash-2", "standard"])
def test_the_table_counts_the_moves(name: str, problem: Problem) -> None:
    pebbling = pebble.moves(name, problem, M=16)
    root = ElementTree.fromstring(f"<div>{pebbling._repr_html_()}</div>")
    assert "".join(root[1].itertext()) == str(pebbling.program)
    shown = {row[0].text: (row[1].text, row[2].text) for row in root.iter("tr")}
    names = pebbling.family.names
    moves = counted(pebbling)
    for array in pebbling.family.arrays:
        both = [sum(n for v, n in moves[op].items() if names[v].startswith(f"{array.name}[")) for op in moves]
        assert shown.get(array.name, ("0", "0")) == tuple(f"{n:,}" for n in both)
    assert f"{pebbling.io:,} I/O" in (root[0].text or "")


def test_a_small_one_has_its_board_and_a_large_one_has_none() -> None:
    pebbling = pebble.moves("flash-2", SMALL, M=12)
    assert (
        pebbling.family.n_vertices <= MOST_VERTICES < pebble.moves("flash-2", LARGE, M=16).family.n_vertices
    )
    root = ElementTree.fromstring(f"<div>{pebbling._repr_html_()}</div>")
    (image,) = root.iter("img")
    source = image.attrib["src"].removeprefix("data:image/svg+xml;base64,")
    picture = read_picture(base64.b64decode(source).decode())
    loads = counted(pebbling)[Op.LOAD]
    for v in range(pebbling.family.n_vertices):
        noted = [note for note in picture.vertices[pebbling.family.names[v]].notes if "load" in note]
        assert noted == (["load"] if loads[v] == 1 else [f"{loads[v]} loads"] if loads[v] else [])
    assert "<img" not in pebble.moves("flash-2", LARGE, M=16)._repr_html_()
