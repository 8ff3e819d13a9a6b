"""A referee for pebbling files of attention in eighty lines; shares no code with the package.

Written from the description of the game and of the files alone. Run as a script it checks one file:
python independent_checker.py FILE
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import product

Vertex = tuple[str, tuple[int, ...]]
LENGTHS = {"i": "Nq", "j": "Nk", "k": "d", "e": "dv"}
INPUTS = {"attention-forward": "Q.ik K.jk V.je", "attention-backward": "Q.ik K.jk V.je dO.ie O.ie l.i"}
# What is computed: array, index axes, axis of the chain or -, arrays that are read.
COMPUTED = {
    "attention-forward": ["S ij k Q K", "P ij - S", "l i j P", "U ie j P V", "O ie - U l"],
    "attention-backward": [
        *("S ij k Q K", "P ij - S l", "D i e dO O", "dP ij e dO V", "dS ij - P dP D"),
        *("dV je i P dO", "dK jk i dS Q", "dQ ik j dS K"),
    ],
}
OUTPUTS = {"attention-forward": ["O"], "attention-backward": ["dQ", "dK", "dV"]}


def check(lines: Iterable[str]) -> dict[str, int]:
    """Return reads, writes, computes, deletes and peak of a legal and complete pebbling; ValueError otherwise."""
    rows = [line.split() for line in lines]
    header = {row[1]: row[2:] for row in rows[:3] if row[0] == "#"}
    name, *pairs = header["dag"]
    size = {key: int(value) for key, value in (pair.split("=") for pair in pairs)}
    M, n = int(header["M"][0]), {axis: size[key] for axis, key in LENGTHS.items()}
    arrays = {a: (axes, "-", list[str]()) for a, axes in (text.split(".") for text in INPUTS[name].split())}
    arrays |= {a: (axes, chain, read) for a, axes, chain, *read in (text.split() for text in COMPUTED[name])}

    def vertex(array: str, at: dict[str, int]) -> Vertex:
        axes, chain, _ = arrays[array]
        return array, tuple(at[axis] for axis in axes) + ((n[chain] - 1,) if chain != "-" else ())

    def predecessors(v: Vertex) -> list[Vertex]:
        axes, chain, read = arrays[v[0]]
        at = dict(zip(axes + chain, v[1], strict=chain != "-"))
        before = [(v[0], (*v[1][:-1], v[1][-1] - 1))] if at.get(chain, 0) > 0 else []
        return before + [vertex(operand, at) for operand in read]

    def all_of(array: str) -> list[Vertex]:
        axes = arrays[array][0]
        every = product(*(range(n[axis]) for axis in axes))
        return [vertex(array, dict(zip(axes, index, strict=True))) for index in every]

    red: set[Vertex] = set()
    blue = {v for text in INPUTS[name].split() for v in all_of(text.split(".")[0])}
    tally, peak = {"load": 0, "store": 0, "compute": 0, "delete": 0}, 0
    for number, row in enumerate(rows[3:], start=4):
        if not row or row[0].startswith("#"):
            continue
        operation, text = row
        array, indices = text.removesuffix("]").split("[")
        v = (array, tuple(map(int, indices.split(","))))
        axes, chain, read = arrays[array]
        shape = [n[axis] for axis in (axes + chain).removesuffix("-")]
        if len(v[1]) != len(shape) or not all(0 <= i < end for i, end in zip(v[1], shape, strict=True)):
            raise ValueError(f"line {number}: there is no {text}")
        if operation == "compute":
            legal = bool(read) and red.issuperset(predecessors(v))
        else:
            legal = v in {"load": blue, "store": red, "delete": red}[operation]
        tally[operation] += 1
        if legal:
            (red.remove if operation == "delete" else blue.add if operation == "store" else red.add)(v)
        peak = max(peak, len(red))
        if not legal or peak > M:
            raise ValueError(
                f"line {number}: {operation} {text} is illegal with {len(red)} of {M} words in use"
            )
    outputs = OUTPUTS[name] + ["l"] * size.get("stats", 0)
    if not all(blue.issuperset(all_of(array)) for array in outputs):
        raise ValueError("some output is not blue at the end")
    names = {"load": "reads", "store": "writes", "compute": "computes", "delete": "deletes"}
    return {names[key]: value for key, value in tally.items()} | {"peak": peak}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(check(file))
