"""A second checker of certificates in less than four hundred lines; shares no code with the package.

Written from the description of the game, of the file and of the bounds alone: python check_certificate.py FILE. Every
field is verified, or the file is refused. The exit status is 0 if all of it was confirmed, 1 if anything is wrong, and
2 if the bound is one that this program cannot compute: cuts, spectra, sums, nests, T2-4, B1-4, S.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from itertools import islice, product
from math import isqrt, prod
from pathlib import Path
from typing import Any

FIELDS = {
    "": {"format", "version", "dag", "M", "rules", "pebbling", "reads", "writes", "io", "bound", "gap"},
    "dag": {"hash", "name", "vertices", "edges", "outputs"},
    "rules": {"recomputation", "sliding"},
    "bound": {"name", "value", "rules", "source", "inputs"},
}
ANY = "recomputation allowed, sliding allowed"
COMPULSORY = {"rules": ANY, "source": "docs/proofs/graphs.md, compulsory"}
BUTTERFLY = {"rules": ANY, "source": "docs/proofs/graphs.md, butterflies", "inputs": {}}
SEARCH = {"source": "docs/proofs/graphs.md, exhaustive search"}
STATES = 50_000
Sizes = dict[str, int]
Vertices = Iterator[tuple[set[int], bool]]
Predecessors = dict[str, set[str]]


class CannotVerify(ValueError):
    """The certificate may be right, but this program cannot tell."""


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


def reached(start: set[str], rows: Predecessors) -> set[str]:
    """Return some vertices and all that is reached from them."""
    seen, todo = set(start), list(start)
    while todo:
        new = rows[todo.pop()] - seen
        seen |= new
        todo += new
    return seen


def searched(before: Predecessors, outputs: set[str], M: int, rules: dict[str, bool], below: int) -> int:
    """Count the states of the game that are cheaper than ``below``; ValueError if one of them is an end.

    Cheaper: the I/O so far and the outputs still to be stored are less than ``below`` together. It is enough to delete
    (or slide) where fast memory is full, as what stays red does no harm. At most STATES states are looked at.
    """
    needed = reached(outputs, before)
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
    bound: dict[str, Any], before: Predecessors, outputs: set[str], M: int, rules: dict[str, bool]
) -> None:
    """Repeat an exhaustive search, and compare all that is said of it."""
    below = bound["inputs"]["below"]
    require(all(type(value) is int for value in bound["inputs"].values()), "an input is no number")
    found = {"below": below, "states": searched(before, outputs, M, rules, below)}
    require(0 <= bound["value"] <= below, "the search goes not so far")
    require(found | bound["inputs"] == found, f"right is {found}")
    held = (f"{rule} {'allowed' if rules[rule] else 'forbidden'}" for rule in ("recomputation", "sliding"))
    require(bound | SEARCH | {"rules": ", ".join(held)} == bound, "the bound is not as it says")


ARRAYS = {
    "attention": "Q[ik] K[jk] V[je] S[ij,k]=Q,K P[ij]=S l[i,j]=P U[ie,j]=P,V O[ie]=U,l",
    "backward": "Q[ik] K[jk] V[je] dO[ie] O[ie] l[i] S[ij,k]=Q,K P[ij]=S,l D[i,e]=dO,O dP[ij,e]=dO,V dS[ij]=P,dP,D "
    "dV[je,i]=P,dO dK[jk,i]=dS,Q dQ[ik,j]=dS,K",
    "fma-matmul": "A[ik] B[kj] C[ij,k]=A,B",
}
"""Arrays of vertices: the letters of their indices, that of a chain of sums after a comma, what every element reads."""
OUTPUTS = {"attention": ("O",), "backward": ("dV", "dK", "dQ"), "fma-matmul": ("C",)}


def sizes_in(name: str) -> Sizes:
    """Read the sizes in the name of a DAG, which must be written in the one right way."""
    kind, _, text = name.partition(":")
    found = dict(part.partition("=")[::2] if "=" in part else (part, part) for part in text.split(","))
    values = [part.rpartition("=")[2] for part in text.split(",")]
    require(all(re.fullmatch("[1-9][0-9]{0,9}", value) for value in values), f"no DAG is called {name}")
    if kind == "fft":
        n = int(values[0])
        require(name == f"fft:{n}" and n > 1 and not n & (n - 1), f"no DAG is called {name}")
        return {"n": n}
    if kind in ("matmul", "fma-matmul"):
        m, n, k = map(int, values)
        require(name == f"{kind}:{m},{n},{k}", f"no DAG is called {name}")
        return {"m": m, "n": n, "k": k, "i": m, "j": n}
    require(kind in ARRAYS, f"no DAG that bounds speak of is called {name}")
    Nq, Nk = (int(found[key] if key in found else found["N"]) for key in ("Nq", "Nk"))
    d, stats = int(found["d"]), int(found.get("stats", 0))
    dv = int(found.get("dv", d))
    right = f"{kind}:N={Nq},d={d}" if Nq == Nk else f"{kind}:Nq={Nq},Nk={Nk},d={d}"
    right += f",dv={dv}" * (dv != d) + ",stats=1" * (stats and kind == "attention")
    require(name == right, f"no DAG is called {name}, or it is written {right}")
    return {"i": Nq, "j": Nk, "k": d, "e": dv, "stats": stats}


def vertices_of(name: str) -> Vertices:
    """Yield, vertex by vertex, its predecessors and whether it is an output, for a DAG with a name."""
    kind, size = name.partition(":")[0], sizes_in(name)
    if kind == "fft":
        n = size["n"]
        yield from ((set(), False) for _ in range(n))
        for level, i in product(range(n.bit_length() - 1), range(n)):
            yield {n * level + i, n * level + (i ^ 1 << level)}, n == 2 << level
    elif kind == "matmul":
        m, n, k = (size[key] for key in "mnk")
        yield from ((set(), False) for _ in range(m * k + k * n))
        for i, j, t in product(range(m), range(n), range(k)):
            last = m * k + k * n + (i * n + j) * (2 * k - 1) + max(0, 2 * t - 2)
            yield {i * k + t, m * k + t * n + j}, k == 1
            if t:
                yield {last, last + 1}, t == k - 1
    else:
        outputs = OUTPUTS[kind] + ("l",) * size.get("stats", 0)
        yield from vertices_of_arrays(ARRAYS[kind].split(), size, outputs)


def vertices_of_arrays(arrays: list[str], size: Sizes, outputs: tuple[str, ...]) -> Vertices:
    """The same for arrays of vertices: an element reads those that share its indices, and of a chain the last one."""
    known: dict[str, tuple[int, str, int]] = {}
    first = 0

    def element(array: str, index: dict[str, int]) -> int:
        begin, axes, steps = known[array]
        place = 0
        for axis in axes:
            place = place * size[axis] + index[axis]
        return begin + place * steps + steps - 1

    for text in arrays:
        name, axes, chain, operands = re.findall(r"(\w+)\[(\w+),?(\w?)\]=?(.*)", text)[0]
        steps = size[chain] if chain else 1
        known[name] = first, axes, steps
        for number, at in enumerate(product(*(range(size[axis]) for axis in axes + chain)), first):
            index = dict(zip(axes + chain, at, strict=True))
            step = index[chain] if chain else 0
            row = {element(operand, index) for operand in operands.split(",") if operand}
            yield row | ({number - 1} if step else set()), name in outputs and step == steps - 1
        first += prod(size[axis] for axis in axes) * steps


def check_name(name: str, n_vertices: int, edges: list[tuple[int, int]], outputs: list[int]) -> None:
    """Build the DAG of a name, and compare."""
    found = list(islice(vertices_of(name), n_vertices + 1))
    right = [(p, v) for v, (row, _) in enumerate(found) for p in sorted(row)]
    ends = [v for v, (_, is_output) in enumerate(found) if is_output]
    require(len(found) == n_vertices and (right, ends) == (edges, outputs), f"the DAG is not {name}")


def most_moves(W: int, M: int, events: Callable[[int], int]) -> int:
    """Return how many moves a pebbling with W events has at least, cut into segments: see docs/proofs/forward.md.

    A segment that reaches T words holds at most ``events(T)`` events, the first one has M + X moves and all others X,
    whatever X is; or all events are in one segment.
    """
    T, best = 0, 0
    while events(T) < W:
        if T > M and events(T):
            best = max(best, M + 1 + (T - M) * (-(-W // events(T)) - 1))
        T += 1
    return max(best, T)


def box(T: int) -> int:
    """At most so many products of T entries of three matrices, by Loomis and Whitney: (T/3)^(3/2)."""
    return isqrt(T**3 // 27)


def is_proved(name: str, value: int, size: Sizes, M: int) -> bool:
    """Tell whether a bound for a family with these sizes proves so many words; see docs/proofs/forward.md."""
    if name == "FFT":  # F(T): twice the number of one-bits in 0, ..., T - 1
        n, levels = size["n"], size["n"].bit_length() - 1
        ones = [0]
        while ones[-1] < n * levels:
            ones.append(ones[-1] + 2 * (len(ones) - 1).bit_count())
        return value <= n + most_moves(n * levels, M, lambda T: ones[min(T, len(ones) - 1)])
    if name == "T1":
        d, W = size["k"], size["i"] * size["j"] * size["e"]
        found = most_moves(W, M, lambda T: max(box(T), T * T // (16 * d)))
        return value <= found + size["i"] * size["stats"]
    if name == "D":
        q, n, d, v = (size[key] for key in "ijke")
        once = (q + n) * (d + v) + q * size["stats"]
        twice = (
            min((q - t + 1) * (v + s), (q - t) * s + t * (n - s), (t + v) * (n - s))
            for t in range(1, min(d, q) + 1)
            for s in range(1, min(d, n - 1) + 1)
        )
        return value <= once - M + max(twice, default=0)
    m, n, k = (size[key] for key in "mnk")
    apart = name == "matmul, products apart"
    return value <= most_moves(m * n * k, M, lambda T: max(T * apart, box(T)))


FAMILY_BOUNDS = {
    "FFT": ("fft", ANY, "docs/proofs/forward.md, FFT"),
    "T1": ("attention", ANY, "docs/proofs/forward.md, T1"),
    "D": ("attention", ANY, "docs/proofs/large-cache.md"),
    "matmul": ("fma-matmul", ANY, "docs/proofs/forward.md, matrix multiplication"),
    "matmul, products apart": ("matmul", ANY, "docs/proofs/graphs.md, matrix product"),
}
"""For which family a bound is proved, under which rules, and where."""


def check_family_bound(bound: dict[str, Any], name: str | None, M: int, rules: dict[str, bool]) -> None:
    family, held, source = FAMILY_BOUNDS[bound["name"]]
    require(name and name.partition(":")[0] == family, f"the bound is one for DAGs called {family}:...")
    require(bound["inputs"] == {"family": name}, "the bound is one of another DAG")
    require((bound["rules"], bound["source"]) == (held, source), "the bound is not as it says")
    require(all(f"{rule} allowed" in held or not rules[rule] for rule in rules), f"it holds with {held}")
    proved = is_proved(bound["name"], bound["value"], sizes_in(name or ""), M)
    require(proved, f"less than {bound['value']} is proved")


def compulsory(before: Predecessors, outputs: set[str]) -> dict[str, int]:
    """Count the inputs that outputs depend on, and the outputs that are no inputs."""
    computed = {v for v in outputs if before[v]}
    needed = reached(computed, before)
    return {"loads": sum(not before[v] for v in needed), "stores": len(computed)}


def butterfly_points(before: Predecessors, outputs: set[str]) -> int:
    """Return on how many points a DAG is the FFT, by the inputs below each vertex and the ends above it (as bits)."""
    order = list(TopologicalSorter(before).static_order())
    inputs, ends = {v for v in order if not before[v]}, set(before).difference(*before.values())
    up, down = ({v: (v in some) << at for at, v in enumerate(order)} for some in (inputs, ends))
    edges = [(p, v) for v in order for p in before[v]]
    for p, v in edges:
        up[v] |= up[p]
    for p, v in reversed(edges):
        down[p] |= down[v]
    n, size = len(inputs), {v: up[v].bit_count() for v in order}
    fits = all(size[v] * down[v].bit_count() == n and len(before[v]) == 2 * (size[v] > 1) for v in order)
    fits &= all(2 * size[p] == size[v] for p, v in edges)
    fits &= len(set(up.values())) == len(set(down.values())) == 2 * n - 1
    fits &= len({(up[v], down[v]) for v in order}) == len(order) == n * n.bit_length()
    require(fits and ends <= outputs and n > 1, "the DAG is no butterfly")
    return n


def check_bound(certificate: dict[str, Any], before: Predecessors, outputs: set[str]) -> None:
    """Compute the bound again, and compare all that is said of it."""
    bound, M, rules, dag = (certificate[key] for key in ("bound", "M", "rules", "dag"))
    if bound["name"] == "exhaustive search":
        repeat_search(bound, before, outputs, M, rules)
    elif bound["name"] in FAMILY_BOUNDS:
        check_family_bound(bound, dag["name"], M, rules)
    elif bound["name"] == "compulsory":
        least = compulsory(before, outputs)
        require(bound["value"] <= sum(least.values()), f"{sum(least.values())} words are compulsory")
        require(bound | COMPULSORY == bound, "the bound is not as it says")
        require(least | bound["inputs"] == least, "the bound is not as it says")
        require(all(type(value) is int for value in bound["inputs"].values()), "an input is no number")
    elif bound["name"] == "butterfly":
        size = {"n": butterfly_points(before, outputs)}
        require(is_proved("FFT", bound["value"], size, M), f"less than {bound['value']} is proved")
        require(bound | BUTTERFLY == bound, "the bound is not as it says")
    else:
        raise CannotVerify(f"the bound {bound['name']!r}")


def check(certificate: dict[str, Any]) -> str:
    """Return what has been confirmed; ValueError (or another exception) if anything is wrong."""
    require_fields(certificate)
    dag, M, rules, bound = (certificate[key] for key in ("dag", "M", "rules", "bound"))
    names, outputs = dag["vertices"], sorted(set(dag["outputs"]))
    before: Predecessors = {name: set() for name in names if name.split() == [name]}
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
        op, v, *slide = re.split("[ \t\n]+", line.strip(" \t\n"))  # no other white space is a blank
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
    if dag["name"] is not None:
        check_name(dag["name"], len(names), edges, outputs)
    check_bound(certificate, before, {names[v] for v in outputs})
    return f"{total} I/O and the bound {bound['value']} ({bound['name']}) confirmed"


EXAMPLE = """
{"format": "pebble-certificate", "version": 1, "M": 3, "rules": {"recomputation": true, "sliding": false},
"dag": {"hash": "8fdcf52a15c669d6e6c9a4f893e2229b770aed0e277d90dc95755bf845ccb8cc", "name": null,
"vertices": ["a", "b", "sum"], "edges": [[0, 2], [1, 2]], "outputs": [2]},
"pebbling": ["load a", "load b", "compute sum", "store sum"], "reads": 2, "writes": 1, "io": 3, "gap": 0,
"bound": {"name": "compulsory", "value": 3, "inputs": {"loads": 2, "stores": 1},
"rules": "recomputation allowed, sliding allowed", "source": "docs/proofs/graphs.md, compulsory"}}
"""

if __name__ == "__main__":
    try:
        source = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else EXAMPLE
        print(check(json.loads(source, object_pairs_hook=once)))
    except CannotVerify as error:
        print(f"cannot be verified by this program: {error}", file=sys.stderr)
        sys.exit(2)
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        sys.exit(f"not valid: {error!r}")
