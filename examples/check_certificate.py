"""A second checker of certificates in about fifty lines; shares no code with the package.

Written from the description of the game and of the file alone: python check_certificate.py FILE. It confirms the
hash, every move, the figures and the compulsory bound; other bounds are only held against the pebbling.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any


def check(certificate: dict[str, Any]) -> str:
    """Return what has been confirmed; ValueError (or another exception) if anything is wrong."""
    dag, M, rules = certificate["dag"], certificate["M"], certificate["rules"]
    names, outputs = dag["vertices"], sorted(set(dag["outputs"]))
    before: dict[str, set[str]] = {name: set() for name in names}
    edges = sorted({(p, v) for p, v in dag["edges"]}, key=lambda edge: (edge[1], edge[0]))
    require(len(edges) == len(dag["edges"]) and len(before) == len(names), "something is there twice")
    for p, v in edges:
        require(p >= 0 and v >= 0, "no vertex has a negative number")
        before[names[v]].add(names[p])
    text = f"pebble-dag 1\n{len(names)} {len(edges)}\n" + "".join(f"{p} {v}\n" for p, v in edges)
    text += f"outputs {' '.join(map(str, outputs))}\n"
    require(hashlib.sha256(text.encode()).hexdigest() == dag["hash"], "the hash is not that of the DAG")
    red: set[str] = set()
    blue, computed = {name for name in names if not before[name]}, set[str]()
    io = {"load": 0, "store": 0}
    for number, line in enumerate(certificate["pebbling"]):
        op, v, *slide = line.split()
        new = op in ("compute", "slide")
        legal = {"load": v in blue, "store": v in red, "delete": v in red}.get(op, False)
        if new:
            legal = bool(before[v]) and before[v] <= red and (rules["recomputation"] or v not in computed)
            computed.add(v)
        if op == "slide":
            legal = (
                legal and rules["sliding"] and slide[0] == "from" and slide[1] in before[v] and v not in red
            )
            red.discard(slide[1])
        require(legal and len(slide) == 2 * (op == "slide"), f"move {number}, {line}: illegal")
        (red.discard if op == "delete" else blue.add if op == "store" else red.add)(v)
        require(len(red) <= M, f"move {number}, {line}: more than {M} words")
        io[op] = io.get(op, 0) + 1
    require(all(names[v] in blue for v in outputs), "some output is not stored at the end")
    total, bound = io["load"] + io["store"], certificate["bound"]
    figures = (io["load"], io["store"], total, total - bound["value"])
    require(figures == tuple(certificate[key] for key in ("reads", "writes", "io", "gap")), "a wrong figure")
    if bound["name"] != "compulsory":
        require(bound["value"] <= total, "the bound is above the I/O of the pebbling")
        return f"{total} I/O confirmed; the bound {bound['value']} ({bound['name']}) is not checked here"
    needed, todo = set[str](), [names[v] for v in outputs]
    while todo:
        v = todo.pop()
        todo += before[v] - needed
        needed |= before[v]
    least = sum(not before[v] for v in needed) + sum(bool(before[names[v]]) for v in outputs)
    require(bound["value"] <= least, f"{least} words are compulsory, not {bound['value']}")
    return f"{total} I/O and the bound {bound['value']} (compulsory) confirmed"


def require(condition: object, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)


EXAMPLE: dict[str, Any] = {
    "dag": {
        "hash": "8fdcf52a15c669d6e6c9a4f893e2229b770aed0e277d90dc95755bf845ccb8cc",
        "vertices": ["a", "b", "sum"],
        "edges": [[0, 2], [1, 2]],
        "outputs": [2],
    },
    "M": 3,
    "rules": {"recomputation": True, "sliding": False},
    "pebbling": ["load a", "load b", "compute sum", "store sum"],
    **{"reads": 2, "writes": 1, "io": 3, "gap": 0, "bound": {"name": "compulsory", "value": 3, "inputs": {}}},
}

if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")) if len(sys.argv) > 1 else EXAMPLE
    try:
        print(check(given))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        sys.exit(f"not valid: {error!r}")
