"""A second checker of certificates in less than two hundred lines; shares no code with the package.

Written from the description of the game and of the file alone: python check_certificate.py FILE. It confirms the
hash, every move, the figures, the compulsory bound and that of an exhaustive search, which it repeats, and refuses
what it does not know. Other bounds are only held against the pebbling, and it does not look up the DAG's name; it says
so.
"""

from __future__ import annotations

import hashlib
import json
import sys
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

FIELDS = {
    "": {"format", "version", "dag", "M", "rules", "pebbling", "reads", "writes", "io", "bound", "gap"},
    "dag": {"hash", "name", "vertices", "edges", "outputs"},
    "rules": {"recomputation", "sliding"},
    "bound": {"name", "value", "rules", "source", "inputs"},
}
COMPULSORY = {"rules": "recomputation allowed, sliding allowed", "source": "docs/graph-bounds.md, compulsory"}
SEARCH = {"source": "docs/graph-bounds.md, exhaustive search"}
STATES = 50_000


def require(condition: object, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def require_fields(certificate: dict[str, Any]) -> None:
    """Refuse a field that is missing, unknown, of the wrong kind or negative."""
    for key, fields in FIELDS.items():
        require(set(certificate[key] if key else certificate) == fields, f"a field more or less {key}")
    dag, bound = certificate["dag"], certificate["bound"]
    numbers = [certificate[key] for key in ("version", "M", "reads", "writes", "io", "gap")]
    numbers += [bound["value"], *dag["outputs"], *(number for edge in dag["edges"] for number in edge)]
    require(all(type(number) is int and number >= 0 for number in numbers), "a number is none, or negative")
    require((certificate["format"], numbers[0]) == ("pebble-certificate", 1), "this format is not known here")
    require(all(type(allowed) is bool for allowed in certificate["rules"].values()), "a rule is yes or no")
    texts = [bound["name"], bound["rules"], bound["source"], *dag["vertices"]]
    texts += [] if dag["name"] is None else [dag["name"]]
    require(all(isinstance(text, str) and text.encode() for text in texts), "a text is none")
    require(certificate["M"] > 0 and 0 < len(set(dag["outputs"])) == len(dag["outputs"]), "M, or the outputs")


def searched(
    before: dict[str, set[str]], outputs: set[str], M: int, rules: dict[str, bool], below: int
) -> int:
    """Count the states of the game that are cheaper than ``below``; ValueError if one of them is an end.

    Cheaper: the I/O so far and the outputs still to be stored are less than ``below`` together. It is enough to delete
    (or slide) where fast memory is full, as what stays red does no harm. At most STATES states are looked at.
    """
    needed, todo = set(outputs), list(outputs)
    while todo:
        new = before[todo.pop()] - needed
        needed |= new
        todo += new
    outputs = {v for v in outputs if before[v]}
    State = frozenset[str]
    nothing: State = frozenset()
    start = (nothing, frozenset(v for v in needed if not before[v]), nothing)
    level, now, later, seen = len(outputs), [start], list[tuple[State, State, State]](), set[Any]()
    while level < below:
        while now:
            state = now.pop()
            if state in seen:
                continue
            seen.add(state)
            red, blue, computed = state
            require(not outputs <= blue, f"there is a pebbling with {level} I/O")
            require(len(seen) <= STATES, f"more than {STATES} states would have to be searched")
            for v in red - blue:
                (now if v in outputs else later).append((red, blue | {v}, computed))
            full = len(red) == M
            for v in needed - red:
                if v in blue:
                    later += [(red - {w} | {v}, blue, computed) for w in (red if full else [v])]
                if before[v] and before[v] <= red and (rules["recomputation"] or v not in computed):
                    given = (red if rules["sliding"] else red - before[v]) if full else [v]
                    done = computed if rules["recomputation"] else computed | {v}
                    now += [(red - {w} | {v}, blue, done) for w in given]
        level, now, later = level + 1, later, []
    return len(seen)


def repeat_search(
    bound: dict[str, Any], before: dict[str, set[str]], outputs: set[str], M: int, rules: dict[str, bool]
) -> None:
    """Repeat an exhaustive search, and compare all that is said of it."""
    below = bound["inputs"]["below"]
    require(all(type(value) is int for value in bound["inputs"].values()), "an input is no number")
    found = {"below": below, "states": searched(before, outputs, M, rules, below)}
    require(0 <= bound["value"] <= below, "the search goes not so far")
    require(found | bound["inputs"] == found, f"right is {found}")
    held = (f"{rule} {'allowed' if rules[rule] else 'forbidden'}" for rule in ("recomputation", "sliding"))
    require(bound | SEARCH | {"rules": ", ".join(held)} == bound, "the bound is not as it says")


def check(certificate: dict[str, Any]) -> str:
    """Return what has been confirmed; ValueError (or another exception) if anything is wrong."""
    require_fields(certificate)
    dag, M, rules, bound = (certificate[key] for key in ("dag", "M", "rules", "bound"))
    names, outputs = dag["vertices"], sorted(set(dag["outputs"]))
    before: dict[str, set[str]] = {name: set() for name in names if name.split() == [name]}
    edges = sorted({(p, v) for p, v in dag["edges"]}, key=lambda edge: (edge[1], edge[0]))
    require(len(edges) == len(dag["edges"]) and len(before) == len(names), "a name is none, or there twice")
    for p, v in edges:
        before[names[v]].add(names[p])
    TopologicalSorter(before).prepare()  # raises a ValueError if there is a cycle
    text = f"pebble-dag 1\n{len(names)} {len(edges)}\n" + "".join(f"{p} {v}\n" for p, v in edges)
    text += f"outputs {' '.join(map(str, outputs))}\n"
    require(hashlib.sha256(text.encode()).hexdigest() == dag["hash"], "the hash is not that of the DAG")
    red: set[str] = set()
    blue, computed = {name for name in names if not before[name]}, set[str]()
    io = {"load": 0, "store": 0}
    for number, line in enumerate(certificate["pebbling"]):
        op, v, *slide = (word.decode() for word in line.encode().split())  # blanks of ASCII only
        new = op in ("compute", "slide")
        legal = {"load": v in blue, "store": v in red, "delete": v in red}.get(op, False)
        if new:
            legal = bool(before[v]) and before[v] <= red and (rules["recomputation"] or v not in computed)
            computed.add(v)
        if op == "slide":
            legal = legal and rules["sliding"] and slide[0] == "from" and slide[1] in before[v]
            legal = legal and v not in red
            red.discard(slide[1])
        require(legal and len(slide) == 2 * (op == "slide"), f"move {number}, {line}: illegal")
        (red.discard if op == "delete" else blue.add if op == "store" else red.add)(v)
        require(len(red) <= M, f"move {number}, {line}: more than {M} words")
        io[op] = io.get(op, 0) + 1
    require(all(names[v] in blue for v in outputs), "some output is not stored at the end")
    total = io["load"] + io["store"]
    figures = {"reads": io["load"], "writes": io["store"], "io": total, "gap": total - bound["value"]}
    require(certificate | figures == certificate, f"a wrong figure; right are {figures}")
    said = "" if dag["name"] is None else f"; whether the DAG is {dag['name']} is not checked here"
    if bound["name"] == "exhaustive search":
        repeat_search(bound, before, {names[v] for v in outputs}, M, rules)
        return f"{total} I/O and the bound {bound['value']} (exhaustive search) confirmed{said}"
    if bound["name"] != "compulsory":
        return (
            f"{total} I/O confirmed; the bound {bound['value']} ({bound['name']}) is not checked here{said}"
        )
    needed, todo = set[str](), [names[v] for v in outputs]
    while todo:
        v = todo.pop()
        todo += before[v] - needed
        needed |= before[v]
    least = {
        "loads": sum(not before[v] for v in needed),
        "stores": sum(bool(before[names[v]]) for v in outputs),
    }
    require(bound["value"] <= sum(least.values()), f"{sum(least.values())} words are compulsory")
    require(bound | COMPULSORY == bound and least | bound["inputs"] == least, "the bound is not as it says")
    require(all(type(value) is int for value in bound["inputs"].values()), "an input is no number")
    return f"{total} I/O and the bound {bound['value']} (compulsory) confirmed{said}"


EXAMPLE: dict[str, Any] = {
    **{"format": "pebble-certificate", "version": 1},
    "dag": {
        "hash": "8fdcf52a15c669d6e6c9a4f893e2229b770aed0e277d90dc95755bf845ccb8cc",
        "name": None,
        "vertices": ["a", "b", "sum"],
        "edges": [[0, 2], [1, 2]],
        "outputs": [2],
    },
    "M": 3,
    "rules": {"recomputation": True, "sliding": False},
    "pebbling": ["load a", "load b", "compute sum", "store sum"],
    **{"reads": 2, "writes": 1, "io": 3, "gap": 0},
    "bound": {"name": "compulsory", "value": 3, "inputs": {"loads": 2, "stores": 1}, **COMPULSORY},
}

if __name__ == "__main__":
    try:
        source = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else json.dumps(EXAMPLE)
        print(check(json.loads(source, object_pairs_hook=once)))
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        sys.exit(f"not valid: {error!r}")
