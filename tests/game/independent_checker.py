"""A referee for pebbling files of attention; shares no code with the package.

Written from the description of the game and of the files alone. Run as a script it checks one file:
python independent_checker.py FILE
"""

from __future__ import annotations

import re
import sys
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


def allowed(spec: str, nq: int, nk: int) -> set[tuple[int, int]]:
    """Return the pairs of a mask that the header names: causal, a window, or an array of 0 and 1 in a file."""
    kind, _, rest = spec.partition(":")
    pairs = set(product(range(nq), range(nk)))
    if kind == "file":
        import numpy as np

        table = np.load(rest)
        return {(i, j) for i, j in pairs if table[i, j]}
    if kind not in ("", "causal", "window"):
        raise ValueError(f"the mask {spec} is not known here")
    width = int(rest) if kind == "window" else nk
    return {(i, j) for i, j in pairs if not kind or 0 <= i + nk - nq - j < width}


def lines_of(text: str) -> list[str]:
    """Return the lines of a file whose white space is blanks, tabs and line ends; ValueError otherwise."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if found := re.search(r"[^\S \t\n]", text):
        raise ValueError(f"line {text.count(chr(10), 0, found.start()) + 1}: {found[0]!r} is no blank")
    return text.split("\n")


def check(text: str) -> dict[str, int]:
    """Return reads, writes, computes, deletes and peak of a legal and complete pebbling; ValueError otherwise."""
    lines = lines_of(text)
    if lines[0].split() != ["#", "pebbling", "1"]:
        raise ValueError("line 1: no pebbling file")
    header = {row[1]: row[2:] for row in map(str.split, lines[:3]) if row[0] == "#"}
    name, *pairs = header["dag"]
    words = dict(pair.split("=", 1) for pair in pairs)
    mask, size = words.pop("mask", ""), {key: int(value) for key, value in words.items()}
    M, n = int(header["M"][0]), {axis: size[key] for axis, key in LENGTHS.items()}
    arrays = {a: (axes, "-", list[str]()) for a, axes in (text.split(".") for text in INPUTS[name].split())}
    arrays |= {a: (axes, chain, read) for a, axes, chain, *read in (text.split() for text in COMPUTED[name])}

    open_pairs = allowed(mask, n["i"], n["j"])
    keys = {i: sorted(j for j in range(n["j"]) if (i, j) in open_pairs) for i in range(n["i"])}
    queries = {j: sorted(i for i in range(n["i"]) if (i, j) in open_pairs) for j in range(n["j"])}

    def steps(chain: str, at: dict[str, int]) -> list[int]:
        """The indices that a chain runs over."""
        return keys[at["i"]] if chain == "j" else queries[at["j"]] if chain == "i" else list(range(n[chain]))

    def exists(at: dict[str, int]) -> bool:
        if "i" in at and "j" in at:
            return (at["i"], at["j"]) in open_pairs
        return bool(keys[at["i"]]) if "i" in at else bool(queries[at["j"]]) if "j" in at else True

    def vertex(array: str, at: dict[str, int]) -> Vertex:
        axes, chain, _ = arrays[array]
        return array, tuple(at[axis] for axis in axes) + ((steps(chain, at)[-1],) if chain != "-" else ())

    def predecessors(v: Vertex) -> list[Vertex]:
        axes, chain, read = arrays[v[0]]
        at = dict(zip(axes + chain, v[1], strict=chain != "-"))
        earlier = [step for step in steps(chain, at) if step < at[chain]] if chain != "-" else []
        before = [(v[0], (*v[1][:-1], earlier[-1]))] if earlier else []
        return before + [vertex(operand, at) for operand in read]

    def all_of(array: str) -> list[Vertex]:
        axes = arrays[array][0]
        every = (dict(zip(axes, at, strict=True)) for at in product(*(range(n[axis]) for axis in axes)))
        return [vertex(array, at) for at in every if exists(at)]

    red: set[Vertex] = set()
    blue = {v for text in INPUTS[name].split() for v in all_of(text.split(".")[0])}
    tally, peak = {"load": 0, "store": 0, "compute": 0, "delete": 0}, 0
    for number, line in enumerate(lines[3:], start=4):
        if not line.split() or line.startswith("#"):
            continue
        operation, text = line.split()
        array, indices = text.removesuffix("]").split("[")
        v = (array, tuple(map(int, indices.split(","))))
        if text != f"{array}[{','.join(map(str, v[1]))}]":
            raise ValueError(f"line {number}: {text} is not how a vertex is written")
        axes, chain, read = arrays[array]
        shape = [n[axis] for axis in (axes + chain).removesuffix("-")]
        inside = len(v[1]) == len(shape) and all(0 <= i < end for i, end in zip(v[1], shape, strict=True))
        if not inside or not exists(dict(zip((axes + chain).removesuffix("-"), v[1], strict=True))):
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
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        print(check(file.read()))
