"""A second checker of bounds: one file, written anew from docs/proofs, that shares no code with the package.

python check_certificate.py FILE, where FILE is a certificate (pebble certify) or what pebble bounds --json prints.
Every field of a certificate is verified, or the file is refused; of a table, every proved bound. The exit status is 0
if all of it was confirmed, 1 if anything is wrong, and 2 if a bound is one that this program cannot compute: sums of
products, loop nests, bounds of linear and latent attention. It names each constant that it takes on trust.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import partial, reduce
from graphlib import TopologicalSorter
from itertools import islice, product
from math import ceil, floor, isqrt, prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FIELDS = {
    "": {"format", "version", "dag", "M", "rules", "pebbling", "reads", "writes", "io", "bound", "gap"},
    "dag": {"hash", "name", "vertices", "edges", "outputs"},
    "rules": {"recomputation", "sliding"},
    "bound": {"name", "value", "rules", "source", "inputs"},
}
ANY = "recomputation allowed, sliding allowed"
ONCE = "recomputation forbidden, sliding allowed"
PLAIN = "recomputation allowed, sliding forbidden"
SEARCH = {"source": "docs/proofs/graphs.md, exhaustive search"}
STATES = 50_000
FAMILIES = {"FFT": "fft", "matmul": "fma-matmul", "matmul, products apart": "matmul", "S": "attention-safe"}
FAMILIES |= dict.fromkeys(("T1", "T2", "T3", "T4", "D"), "attention")
FAMILIES |= dict.fromkeys(("B1", "B2", "B3", "B4", "D backward"), "backward")
SOURCES = {
    "convex min-cuts of parts": "graphs.md, convex min-cuts of parts",
    "matmul": "forward.md, matrix multiplication",
    "matmul, products apart": "graphs.md, matrix product",
    "butterfly": "graphs.md, butterflies",
    "spectral, above compulsory": "graphs.md, spectral",
    "Hong-Kung": "graphs.md, partitions; Hong & Kung 1981",
    "S": "softmax.md, S",
}
SOURCES |= {name: f"forward.md, {name}" for name in ("T1", "T2", "FFT")}
SOURCES |= {name: f"backward.md, {name}" for name in ("B1", "B2")}
SOURCES |= {name: f"graphs.md, {name}" for name in ("compulsory", "convex min-cut", "forced loads")}
SOURCES |= dict.fromkeys(("D", "D backward"), "large-cache.md")
ROWS = {"T3": "t3", "T4": "t4", "B3": "b3", "B4": "b4"}
PROVER = "constants by pebble.lower_bounds.certified.prove"
SOURCES |= {name: f"{page}.md, {PROVER}_{page}" for name, page in ROWS.items()}
"""Which family of DAGs a bound is about, and where it is proved."""
Sizes = dict[str, int]
Vertices = Iterator[tuple[set[int], bool]]
Predecessors = dict[str, set[str]]
Number = Callable[[int], int]


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
    "attention-safe": "Q[ik] K[jk] V[je] S[ij,k]=Q,K m[i,j]=S P[ij]=S,m l[i,j]=P U[ie,j]=P,V O[ie]=U,l",
    "attention-online": "Q[ik] K[jk] V[je] S[ij,k]=Q,K m[i,j]=S a[ij]=S,m- P[ij]=S,m. l[i,j]=a,P "
    "U[ie,j]=a,P,V O[ie]=U,l",
    "backward": "Q[ik] K[jk] V[je] dO[ie] O[ie] l[i] S[ij,k]=Q,K P[ij]=S,l D[i,e]=dO,O dP[ij,e]=dO,V dS[ij]=P,dP,D "
    "dV[je,i]=P,dO dK[jk,i]=dS,Q dQ[ik,j]=dS,K",
    "fma-matmul": "A[ik] B[kj] C[ij,k]=A,B",
}
"""Arrays of vertices: the letters of their indices, that of a chain after a comma, and what every element reads: of a
chain the last vertex, with a dot the one of its own step, with a hyphen the one before, if there is one."""
OUTPUTS = {"attention": ("O",), "backward": ("dV", "dK", "dQ"), "fma-matmul": ("C",)}


def sizes_in(name: str) -> Sizes:
    """Read the sizes in the name of a DAG, which must be written in the one right way."""
    kind, _, text = name.partition(":")
    if kind not in (*ARRAYS, "fft", "matmul"):
        raise CannotVerify(f"which DAG is called {name}")
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
    Nq, Nk = (int(found[key] if key in found else found["N"]) for key in ("Nq", "Nk"))
    d, stats = int(found["d"]), int(found.get("stats", 0))
    dv = int(found.get("dv", d))
    right = f"{kind}:N={Nq},d={d}" if Nq == Nk else f"{kind}:Nq={Nq},Nk={Nk},d={d}"
    right += f",dv={dv}" * (dv != d) + ",stats=1" * (stats and kind != "backward")
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
        plain = kind.removesuffix("-safe").removesuffix("-online")
        sums = ("l",) if plain == kind else ("l", "m")
        outputs = OUTPUTS[plain] + sums * size.get("stats", 0)
        yield from vertices_of_arrays(ARRAYS[kind].split(), size, outputs)


def vertices_of_arrays(arrays: list[str], size: Sizes, outputs: tuple[str, ...]) -> Vertices:
    """The same for arrays of vertices: an element reads those that share its indices, and of a chain the last one."""
    known: dict[str, tuple[int, str, str]] = {}
    first = 0

    def element(operand: str, index: Sizes) -> set[int]:
        begin, axes, chain = known[operand.rstrip(".-")]
        step = index.get(chain, 0) - operand.endswith("-")
        if chain and operand.isalnum():
            step = size[chain] - 1
        place = 0
        for axis in axes:
            place = place * size[axis] + index[axis]
        return {begin + place * (size[chain] if chain else 1) + step} if step >= 0 else set()

    for text in arrays:
        name, axes, chain, operands = re.findall(r"(\w+)\[(\w+),?(\w?)\]=?(.*)", text)[0]
        steps = size[chain] if chain else 1
        known[name] = first, axes, chain
        for number, at in enumerate(product(*(range(size[axis]) for axis in axes + chain)), first):
            index = dict(zip(axes + chain, at, strict=True))
            step = index[chain] if chain else 0
            row = set[int]().union(*(element(operand, index) for operand in operands.split(",") if operand))
            yield row | ({number - 1} if step else set()), name in outputs and step == steps - 1
        first += prod(size[axis] for axis in axes) * steps


def check_name(name: str, n_vertices: int, edges: list[tuple[int, int]], outputs: list[int]) -> None:
    """Build the DAG of a name, and compare."""
    found = list(islice(vertices_of(name), n_vertices + 1))
    right = [(p, v) for v, (row, _) in enumerate(found) for p in sorted(row)]
    ends = [v for v, (_, is_output) in enumerate(found) if is_output]
    require(len(found) == n_vertices and (right, ends) == (edges, outputs), f"the DAG is not {name}")


# What is proved by cutting a pebbling into segments: docs/proofs/forward.md, two lemmas.

getcontext().prec = 80


def whole(value: Decimal) -> int:
    """Round down what was computed with 80 digits; never less than the whole part of the exact number."""
    return int(value * (1 + Decimal(10) ** -50))


def most_moves(
    M: int, work: Number, events: Number, least: int = 1, waste: int = 0, hints: Iterable[int] = ()
) -> int:
    """Return the greatest M + 1 + (n - 1)·(X - waste) that is found, n = ⌈work(M + X) / events(M + X)⌉ at least 2.

    Any X from ``least`` on will do; it is looked for near where X·work / events is greatest, and at the hints. If one
    segment does constant work, it reaches the least T with that many events.
    """

    def cuts(X: int) -> int:
        return -(-work(M + X) // max(1, events(M + X))) - 1

    def reaches(n: int, X: int) -> bool:
        return cuts(X) >= n

    def last(holds: Callable[[int], bool], low: int, high: int) -> int:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    if cuts(least) < 1:
        return 1 + last(lambda T: events(T) < work(T), -1, M + 1) if least == 1 and work(0) == work(M) else 0
    end = 2 * least
    while cuts(end) > 0:
        end *= 2
    end = last(partial(reaches, 1), least, end)
    low, high = least, end
    while high - low > 24:
        grid = sorted({low, high, *(int(low * (high / low) ** (k / 32)) for k in range(33))})
        at = max(range(len(grid)), key=lambda k: grid[k] * work(M + grid[k]) / max(1, events(M + grid[k])))
        low, high = grid[max(0, at - 1)], grid[min(len(grid) - 1, at + 1)]
    near = cuts(low)
    lengths: set[int] = {least, end, *hints, *range(low - 48, high + 49)}
    for n in {1, 2, *range(max(1, near - 48), min(cuts(least), near + 48) + 1)}:
        lengths.add(last(partial(reaches, n), least, end + 1))
    return max(int(M + 1 + cuts(X) * (X - waste)) for X in lengths if least <= X <= end)


def cube(T: int) -> int:
    """The most products of T entries of three matrices, by Loomis and Whitney: (T/3)^(3/2)."""
    return isqrt(T**3 // 27)


def one_bits(T: int) -> int:
    """Count the one-bits of the numbers 0, ..., T - 1."""
    return sum((T >> b + 1 << b) + max(0, T % (2 << b) - (1 << b)) for b in range(T.bit_length()))


def fft(n: int, M: int) -> int:
    return n + most_moves(M, lambda T: n * (n.bit_length() - 1), lambda T: 2 * one_bits(T))


def t1_events(T: int, d: int, dv: int) -> int:
    x, v = Decimal(T), Decimal(dv)
    one = x / 3 * (x / 3).sqrt() if 3 * dv * dv >= T else v * ((x + v * v).sqrt() - v) ** 2
    return whole(max(one, x * x / (16 * d) if dv >= d else v * x * x / (4 * (d + v) ** 2)))


def t2_events(T: int, d: int) -> int:
    x = Decimal(T)
    w = x / 2 if 27 * d * d <= 4 * T else 2 * x / (3 + (9 - 32 * x / (27 * d * d)).sqrt())
    return whole(w * max(Decimal(0), x - 2 * w + 4 * w * w / (27 * d * d)).sqrt())


def b1_weights(d: int, dv: int, width: int = 1) -> tuple[Decimal, Decimal]:
    """Return beta and kappa of docs/proofs/backward.md; of docs/proofs/any-order.md for wider sums and dv = d."""
    if width > 1:
        return Decimal((8 + 6 * width) * d * d), (4 + 2 * width) * d / Decimal(width).sqrt()
    kappa = min((2 * d * d + d * dv + dv * dv) // d, (2 * d + dv) ** 2 // (2 * d))
    kappa = 2 * (d + dv) if dv <= d else kappa
    return Decimal(min(4 * d, 2 * (d + dv)) * dv + 2 * kappa * d), Decimal(kappa)


def b1_events(T: int, beta: Decimal, kappa: Decimal) -> int:
    """The most of (T - b)²/4 + min(beta·b, kappa·√b·(T - b)/2), at b = 0, where the two meet, or a peak beyond."""
    x, B = Decimal(T), beta / kappa
    s = min(x.sqrt(), (B * B + x).sqrt() - B)
    low, high = s, max(s, min(kappa / 2, x.sqrt()))
    for _ in range(130):  # the slope falls from s on, and is negative beyond kappa / 2
        middle = (low + high) / 2
        rises = (x - middle**2) * (kappa / 2 - middle) > kappa * middle**2
        low, high = (middle, high) if rises else (low, middle)
    return whole(max(x * x / 4, *((x - t * t) ** 2 / 4 + kappa * t * (x - t * t) / 2 for t in (s, high))))


def g2_events(T: int, n: int, d: int) -> int:
    if n * d <= T:
        return 10 * n * n * d * d
    grown = Decimal(n * d) / (n * d - T)
    return b1_events(T, 10 * d * d * grown, 6 * d * grown.sqrt())


def b2_events(T: int, m: int) -> int:
    x = Decimal(T)
    y = x if m * m <= T else 4 * x / (3 + (9 - 8 * x / (m * m)).sqrt())
    return whole(y * ((x - y + y * y / (4 * m * m)) / 3).sqrt())


class Counts(NamedTuple):
    """One copy of an attention problem: pairs, queries and keys that have one, head dimensions, and which it is."""

    z: int
    q: int
    n: int
    d: int
    v: int
    stats: int = 0
    part: str = "forward"
    softmax: str = "plain"
    sums: str = "chain"
    width: int = 1

    def compulsory(self) -> int:
        """Inputs and outputs: docs/proofs/forward.md, backward.md and weights.md."""
        if self.part == "weights":
            return 4 * self.n * self.d + 3 * self.d**2
        rows = (self.q + self.n) * (self.d + self.v)
        return 2 * rows + self.q if self.part == "backward" else rows + self.q * self.stats


def by_cutting(name: str, c: Counts, M: int, hints: Iterable[int] = ()) -> int:
    """Return what a bound by the cutting lemma says: its work, its events, and what is added to the moves."""
    z, d, v, N, rows = c.z, c.d, c.v, c.n * c.d, c.q * c.stats
    beta, kappa = b1_weights(d, v, c.width if name == "W" else 1)
    least, waste = 1, 0
    if name == "T1":
        W, events, more = z * v, lambda T: t1_events(T, d, v), rows
    elif name == "T2":
        W, events, more = z * (d + v), lambda T: t2_events(T, d), rows - z
    elif name == "B2":
        W, events, more = z * (3 * d + 2 * v), lambda T: b2_events(T, min(d, v)), -2 * z
    elif name == "G1":
        W, events, more = N * c.n, lambda T: t1_events(T, d, d), d * d - N
    elif name == "S":
        W, events, more, least = 0, lambda T: T * T // (4 * d), 2 * rows, max(1, 34 * d * d - M)
    elif name == "G2":
        W, events, more = 0, lambda T: g2_events(T, c.n, d), d * d - 2 * N
    else:
        require(name == "B1" or (v == d and 2 <= c.width <= 5), "W is for dv = d and sums of 2 to 5 words")
        W, events, more = z * int(beta), lambda T: b1_events(T, beta, kappa), 0
        if name == "W":
            waste, more = c.width, (1 - c.width) * (c.q + 2 * c.n) * d
    work: dict[str, Number] = {
        "S": lambda T: z * (d + 4 * v) - d * min(z, c.q * (T // d)),
        "G2": lambda T: max(0, 10 * N * N - 4 * N * T),
    }
    return max(0, more + most_moves(M, work.get(name, lambda T: W), events, least, waste, hints))


def large_cache(c: Counts, M: int, q: int, n: int) -> int:
    """Theorem D for q queries and n keys that all see each other: docs/proofs/large-cache.md."""
    d, v = c.d, c.v
    if c.part == "forward":
        found = (
            min((q - t + 1) * (v + s), (q - t) * s + t * (n - s), (t + v) * (n - s))
            for t, s in product(range(1, min(d, q) + 1), range(1, min(d, n - 1) + 1))
        )
        return c.compulsory() - M + max(found, default=0)

    def more(q: int, n: int) -> list[int]:
        """For each s, the best t of min(d·(q - t + 1), (n - s)·t)."""
        ts = range(1, min(d + v, q) + 1)
        return [max(min(d * (q - t + 1), (n - s) * t) for t in ts) for s in range(1, min(d + v, n) + 1)]

    of_q, of_k = more(q, n), more(n, q)
    both = product(enumerate(of_q), enumerate(of_k))
    gain = max(min((q - t) * (s + 1) + a, (n - s) * (t + 1) + b) for (s, a), (t, b) in both)
    return c.compulsory() - M + gain


def by_keys(c: Counts, M: int) -> int:
    """The bound by keys, where every query sees every key: docs/proofs/large-cache.md."""
    d, v = c.d, c.v
    missing, single = c.q * (d + v) - M, max(0, M // c.q - d)
    require(c.part == "forward" and c.q >= max(d, v) and missing > 0, "the bound by keys does not apply")
    swept = min((k - 1) * d + v - min(v, k * single) for k in range(2, v + 3))
    rooted = next(root for root in range(2 * missing + 2) if root * root >= 4 * missing)
    return c.n * (d + v + min(c.q, rooted, swept)) + c.q * c.stats


# Rows of constants: docs/proofs/t3.md, t4.md, b3.md and b4.md. A row is part of the claim.


def forward_work(r: dict[str, float], x: Any) -> tuple[Any, Any, Any]:
    """Return f of docs/proofs/t4.md (T3's is no less) for many segments, their weight, and what may weigh twice."""
    cs, cn, fresh, x, u, v, eta = x
    D, C = 1 + r["delta"], cs + cn + fresh
    h, charged = eta * x, cs + D * D * cn
    work = np.minimum(C, np.sqrt(C) * (x - h) + x * h) * r["beta"] + np.minimum(
        np.sqrt((charged + D * D * h * h) * u * v), np.sqrt(charged * u * v) + D * fresh
    )
    return work, cs + cn + r["gamma"] * fresh + 2 * x + u + v, u + cn


def backward_work(r: dict[str, float], amounts: Any) -> tuple[Any, Any, Any]:
    """The same for docs/proofs/b4.md; B3 has one weight for every pair."""
    q, k, o, v, uV, uK, uQ, ps, pn, p, rs, rn, new, ss, sn, eta = amounts
    w = {key: r[key if key in r else "d" + key[0]] for key in ("V0", "V1", "K0", "K1", "Q0", "Q1")}
    least, C, R, y = np.minimum, ps + pn + p, rs + rn + new, np.sqrt(q * k)
    inner, both = (eta * y) ** 2, least(q, o) * least(k, v)
    work = r["S"] * least(C, least(np.sqrt(C) * y, np.sqrt(C) * y * (1 - eta) + y * y * eta))
    work = work + r["dP"] * least(R, np.sqrt(R * o * v))
    dV = np.sqrt((w["V0"] ** 2 * ps + w["V1"] ** 2 * (pn + inner)) * uV * o)
    work = work + least(dV, w["V0"] * ps + w["V1"] * (pn + least(q * uV, k * o)))
    for low, high, chains, words, most in (
        (w["K0"], w["K1"], uK, q, least(q, o) * uK),
        (w["Q0"], w["Q1"], uQ, k, k * uQ),
    ):
        a, b = low**2, high**2
        outer = least(a * rs + b * (rn + o * v), b * (ps + pn + both) + a * rs + b * rn)
        E = a * ss + b * sn + least(b * (ps + pn + inner), outer)
        work = work + least(np.sqrt(E * chains * words), high * (ps + pn + rn + sn + most) + low * (rs + ss))
    weight = sum(amounts[:-1]) - (1 - r["gamma"]) * p - (1 - r.get("gamma_dP", r["gamma"])) * new
    return work, weight, uV + uK + uQ + pn + rn + sn


TRIED: dict[str, str] = {}


def tried(row: dict[str, str]) -> str:
    """Look for a segment that does more work than W says; W itself is taken on trust if none is found."""
    key = json.dumps(row, sort_keys=True)
    if key not in TRIED:
        r = {name: float(value) for name, value in row.items() if name != "bound"}
        work_of, number = (forward_work, 7) if row["bound"] in ("T3", "T4") else (backward_work, 16)
        held_free = (
            1e9 if row["bound"] == "B3" else r["mu"]
        )  # what is held costs twice beyond mu; in B3 it does not

        def fitted(x: Any) -> tuple[Any, Any]:
            eta = np.clip(x[-1:], 0, 1)
            _, loose, held = work_of(r, np.vstack([x[:-1], eta]))
            size = np.minimum(r["tau"] / loose, (r["tau"] + held_free) / (loose + held)) * (1 - 1e-9)
            x = np.vstack([x[:-1] * size, eta])
            if number == 7:
                x[1] = np.minimum(x[1], r["mu"])
            return x, work_of(r, x)[0]

        rng = np.random.default_rng(0)
        x, best = fitted(rng.dirichlet(np.full(number, 0.5), 300).T + 1e-9)
        for size in np.geomspace(0.6, 1e-3, 600):
            moved, work = fitted(
                x * np.exp(size * rng.standard_normal(x.shape) * (rng.random(x.shape) < 0.3))
            )
            better = work > best
            x, best = np.where(better, moved, x), np.where(better, work, best)
        require(
            best.max() <= r["W"] * (1 + 1e-9),
            f"a segment does work {best.max():.6g}, more than W = {row['W']}",
        )
        near = f"the most work found is {best.max() / r['W']:.1%} of it"
        TRIED[key] = f"; taken on trust: W = {row['W']} of {row['bound']}'s row mu = {row['mu']} ({near})"
    return TRIED[key]


def by_row(row: dict[str, str], c: Counts, M: int) -> int:
    """Return what a row of T3, T4, B3 or B4 says, if its W is right."""
    r = {key: Fraction(text) for key, text in row.items() if key != "bound"}
    name = row["bound"]
    forward = name in ("T3", "T4")
    z, d, v, D = c.z, c.d, c.v, c.d if forward else min(c.d, c.v)
    tau, gamma, X = r["tau"], r["gamma"], r["tau"] * D * D - M
    require(0 < r["mu"] < tau and 0 < gamma <= 1 and r["W"] > 0 and min(r.values()) >= 0, "no sound row")
    serves = {"T3": True, "T4": v <= d, "B3": v == d or tau < 4, "B4": v == d or tau < 3}
    require(serves[name], "the row is for other head dimensions")
    require(name == "B3" or r["mu"] * D * D >= M, "M is too large for the row")
    if forward:
        require(set(r) == {"mu", "tau", "delta", "beta", "gamma", "W"}, "no row of this bound")
        work, reliefs = z * (r["beta"] * d + (1 + r["delta"]) * v), [r["delta"] * v]
        charge = gamma * z + c.q * (v - c.stats)
    elif name == "B3":
        work, reliefs = z * ((r["S"] + r["dK"] + r["dQ"]) * d + (r["dP"] + r["dV"]) * v), []
        charge = gamma * ((r["S"] > 0) + (r["dP"] > 0)) * z
    else:
        require(all(r[y + "0"] <= r[y + "1"] for y in "VKQ") and 0 < r["gamma_dP"] <= 1, "no sound row")
        work = z * ((r["S"] + r["K1"] + r["Q1"]) * d + (r["dP"] + r["V1"]) * v)
        reliefs = sorted([(r["V1"] - r["V0"]) * v, (r["K1"] - r["K0"] + r["Q1"] - r["Q0"]) * d], reverse=True)
        charge = (gamma * (r["S"] > 0) + r["gamma_dP"] * (r["dP"] > 0)) * z + c.q * d + c.n * (d + v)
    done = r["W"] * D**3
    fewest = ceil((work - z * sum(reliefs)) / done)
    require(fewest >= 2, "one segment is enough")
    if name == "B3" and (charge == 0 or gamma == 1):
        require(floor(X) >= 1, "a segment has no moves")
        return ceil(M + 1 + (fewest - 1) * floor(X) - charge)
    step = X - (1 if name == "B3" else 2)
    require(step > 0, "a segment has no moves")

    def stores(segments: int) -> int:
        """The fewest stores after which a number of segments is enough, rounded down."""
        total, excess = Fraction(0), work - segments * done
        for relief in reliefs:
            if excess > 0 and relief > 0:
                total += min(Fraction(z), excess / relief)
                excess -= min(z * relief, excess)
        return floor(total)

    bends = [
        floor((work - z * relief) / done) for relief in (Fraction(0), *reliefs[:1])
    ]  # in between it is linear
    tried = {fewest} | {n + more for n in bends for more in (0, 1) if n + more >= fewest}
    return max(0, floor(M - charge + min((n - 1) * step + stores(n) for n in tried)) + 1)


# Masks, pair by pair, and the bounds that ask how the pairs are arranged.


def pairs_of(text: str, Nq: int, Nk: int) -> Any:
    """Return which pairs a mask allows, shape (Nq, Nk)."""
    if text.startswith("group:"):
        group, _, rest = text[6:].partition(":")
        return np.repeat(pairs_of(rest, Nq // int(group), Nk), int(group), axis=0)
    for sign, together in (("+", np.logical_or), ("&", np.logical_and)):
        if sign in text and not ("+" in text and "&" in text):
            return reduce(together, (pairs_of(part, Nq, Nk) for part in text.split(sign)))
    kind, _, rest = text.partition(":")
    i, j = np.arange(Nq)[:, None], np.arange(Nk)[None, :]
    at = i + Nk - Nq
    if kind == "document":
        lengths = [int(one) for one in rest.removeprefix("causal,").split(",")]
        owner = np.repeat(np.arange(len(lengths)), lengths)
        require(len(owner) == Nq == Nk, "the documents are as long as queries and keys")
        return (owner[:, None] == owner[None, :]) & ((j <= i) | (not rest.startswith("causal,")))
    if kind == "window" and "=" in rest:
        sides = {key: int(width) for key, width in (one.split("=") for one in rest.split(","))}
        return (at - j <= sides["left"]) & (j - at <= sides["right"])
    try:
        sizes = [int(one) for one in rest.split(",") if one]
        kinds: dict[tuple[str, int], Any] = {
            ("causal", 0): lambda: j <= at,
            ("window", 1): lambda w: (at - w < j) & (j <= at),
            ("prefix", 1): lambda p: (j < p) | (j <= at),
            ("sink", 1): lambda s: (j < s) | (i < 0),
            ("streaming", 2): lambda s, w: ((j < s) | (at - w < j)) & (j <= at),
            ("strided", 1): lambda w: (j <= i) & ((i - j <= w) | ((i - j) % w == 0)),
        }
        return kinds[kind, len(sizes)](*sizes)
    except (KeyError, ValueError):
        raise CannotVerify(f"the mask {text}") from None


def parts_of(pairs: Any) -> list[Any]:
    """Return the parts of a mask that share no query and no key, each with the rows and columns that have a pair."""
    rows, found = set(np.flatnonzero(pairs.any(axis=1)).tolist()), []
    while rows:
        some, columns = np.array([min(rows)]), np.array([], dtype=int)
        while True:
            columns = np.flatnonzero(pairs[some].any(axis=0))
            wider = np.flatnonzero(pairs[:, columns].any(axis=1))
            if len(wider) == len(some):
                break
            some = wider
        found.append(pairs[np.ix_(some, columns)])
        rows -= set(some.tolist())
    return found


def by_parts(c: Counts, pairs: Any, M: int, rows: list[dict[str, str]]) -> int:
    """Add up the best bounds on the parts of a mask, without lines of few pairs, of which the words count."""
    names, total = {"forward": ("T1", "T2"), "backward": ("B1", "B2")}[c.part], 0
    known: dict[tuple[int, int, int], int] = {}

    def best(part: Counts) -> int:
        if (part.z, part.q, part.n) not in known:
            values = [part.compulsory(), *(by_cutting(name, part, M) for name in names)]
            if part.z == part.q * part.n and c.sums == "chain":
                values.append(large_cache(part, M, part.q, part.n))
            for row in rows:
                try:
                    values.append(by_row(row, part, M))
                except ValueError:
                    continue  # it does not apply to this part
            known[part.z, part.q, part.n] = max(values)
        return known[part.z, part.q, part.n]

    for mask in parts_of(pairs):
        part = c._replace(z=int(mask.sum()), q=len(mask), n=mask.shape[1])
        words, small = best(part), min(c.d, c.v)
        for least in {1, isqrt(M) // 2, M // (2 * small) // 2, M // (2 * small), M // (c.d + c.v)}:
            kept = mask[mask.sum(axis=1) >= least]
            kept = kept[:, kept.sum(axis=0) >= least]
            kept = kept[kept.any(axis=1)]
            if kept.size:
                some = c._replace(z=int(kept.sum()), q=len(kept), n=kept.shape[1])
                words = max(words, best(some) + part.compulsory() - some.compulsory())
        total += words
    return total


def triangles(c: Counts, pairs: Any, M: int, number: int, n: int) -> int:
    """Return what causal masks of n queries inside the mask cost: docs/proofs/causal.md."""
    d, found, start = c.d, 0, 0
    lower = np.tri(n, dtype=bool)
    offsets = range(pairs.shape[1] - n + 1)
    free = np.ones(pairs.shape[1], dtype=bool)
    while start + n <= len(pairs):
        block = pairs[start : start + n]
        at = [j for j in offsets if free[j : j + n].all() and (block[:, j : j + n] | ~lower).all()][:1]
        for j in at:
            found, free[j : j + n] = found + 1, False
        start += n if at else 1
    require(found >= number and n > 2 * d, "no such causal triangles")
    gains = ((d + 1) * (n - 2 * d + 1) + h * (n - 5 * d + 2) - M for h in range(min(d, (c.v - 1) // 2) + 1))
    return c.compulsory() + number * max(0, *gains)


def formula(claim: dict[str, Any], c: Counts, M: int, pairs: Any = None) -> tuple[int, str]:
    """Return what a bound on attention says, and which constants were taken on trust or proved again."""
    name, note, remark = claim["name"], claim.get("note", ""), ""
    numbers = [int(one.replace(",", "")) for one in re.findall(r"\d[\d,]*", note)]
    maxima = c.q * c.stats * (c.softmax != "plain")
    part = {"T": "forward", "S": "forward", "B": "backward", "W": "backward", "G": "weights"}
    require(part.get(name[0], c.part) == c.part, f"{name} is about another pass")
    require(name != "S" or c.softmax == "safe", "S is about safe softmax")
    require(
        c.sums == "chain" or not (name[0] in "SD" or "triangles" in name or "keys" in name),
        f"{name} is for a fixed order",
    )
    if name == "compulsory":
        value = c.compulsory()
    elif name in ("T1", "T2", "S", "B1", "B2", "W", "G1", "G2"):
        value = by_cutting(name, c, M, numbers[-1:])
        maxima *= name != "S"
    elif name in ("T3", "T4", "B3", "B4") and "row" in claim:
        require(claim["row"]["bound"] == name, "the row is of another bound")
        value, remark = by_row(claim["row"], c, M), tried(claim["row"])
    elif name in ("D", "D backward") and pairs is None:
        value = large_cache(c, M, c.q, c.n)
    elif name in ("D", "D backward") and "that all see each other" in note:
        q, n = numbers[-2:]
        seen = max(int(pairs[at : at + q].all(axis=0).sum()) for at in range(len(pairs) - q + 1))
        require(seen >= n, "no such queries see each other's keys")
        value = large_cache(c, M, q, n)
    elif name == "by keys" and pairs is None:
        value = by_keys(c, M)
    elif name == "by parts" and pairs is not None:
        rows = claim.get("rows", [])
        value, remark = by_parts(c, pairs, M, rows), "".join(map(tried, rows))
    elif name == "causal triangles" and pairs is not None and len(numbers) == 2:
        value = triangles(c, pairs, M, *numbers)
    else:
        raise CannotVerify(f"the bound {name!r}")
    return value + maxima, remark


# Bounds of any DAG: docs/proofs/graphs.md.


def compulsory(before: Predecessors, outputs: set[str]) -> dict[str, int]:
    """Count the inputs that outputs depend on, and the outputs that are no inputs."""
    computed = {v for v in outputs if before[v]}
    needed = reached(computed, before)
    return {"loads": sum(not before[v] for v in needed), "stores": len(computed)}


ENOUGH = 10**9
Room = dict[Any, dict[Any, int]]


def greatest_flow(room: Room, start: Any) -> int:
    """Push one unit after another to the end; by weak duality no cut is less."""
    for size in range(ENOUGH):
        came, todo = {start: start}, [start]
        while todo and "end" not in came:
            at = todo.pop()
            new = [to for to, left in room[at].items() if left > 0 and to not in came]
            came.update(dict.fromkeys(new, at))
            todo += new
        if "end" not in came:
            return size
        to = "end"
        while to != start:
            at = came[to]
            room[at][to] -= 1
            back = room.setdefault(to, {})
            back[at] = back.get(at, 0) + 1
            to = at
    raise ValueError("the flow has no end")


class Needed:
    """What the outputs of a DAG need, without vertices that have no edge there; sets of vertices are by name."""

    def __init__(self, before: Predecessors, outputs: set[str]) -> None:
        some = reached(outputs, before)
        ends = set().union(*(before[v] for v in some))
        self.all = list(before)
        self.before = {v: before[v] for v in before if v in some and (before[v] or v in ends)}
        self.after: Predecessors = {v: set() for v in self.before}
        for v, row in self.before.items():
            for p in row:
                self.after[p].add(v)
        self.inputs = {v for v, row in self.before.items() if not row}
        self.outputs = outputs & set(self.before)
        self.words = sum(compulsory(before, outputs).values())

    def cut(self, v: str, inside: set[str], M: int) -> int:
        """Return what the values alive just after v is computed cost beyond M words, in the DAG of some vertices."""
        require(v in inside and v not in self.inputs, "the cut is at no computed vertex")
        return max(0, self.alive(v, inside, 2) - 2 * M, self.alive(v, inside, 1) - M)

    def alive(self, v: str, inside: set[str], dear: int) -> int:
        """Return the size of a flow: whatever is computed when v is, the values alive cost no less.

        (x, 0) is "x is computed" (an input: "a successor is"), (x, 1) "and so are all its successors". From the one to
        the other flows what an alive x costs; the other arcs say what follows from what.
        """
        room: Room = {}
        for x in inside:
            room[x, 0] = {(p, 0): ENOUGH for p in self.before[x] & inside}
            room[x, 0][x, 1] = 1 if x in self.inputs | self.outputs else dear
            room[x, 1] = {(w, 0): ENOUGH for w in self.after[x] & inside}
        for x in reached({v}, self.after) & inside - {v}:
            room[x, 0] = {"end": ENOUGH}
        return greatest_flow(room, (v, 0))

    def spectral(self, M: int, eigenvalues: int) -> int:
        """Return the greatest ⌊n/k⌋·(λ₁ + … + λ_k) - 2·(k - 1)·M, each λ less the error of the solver."""
        at = {v: number for number, v in enumerate(self.before)}
        n, L = len(at), np.zeros((len(at), len(at)))
        require(n <= 2000, "more than 2,000 vertices")
        for u, row in self.after.items():
            weight = (0.5 if u in self.inputs | self.outputs else 1.0) / max(1, len(row))
            for w in row:
                L[at[u], at[w]] -= weight
                L[at[w], at[u]] -= weight
        np.fill_diagonal(L, -L.sum(axis=1))
        error = 32 * n * np.finfo(float).eps * L.diagonal().max()
        least = np.maximum(0, np.linalg.eigvalsh(L)[:eigenvalues] - error)
        gains = [
            n // k * float(least[:k].sum()) * (1 - 1e-12) - 2 * (k - 1) * M for k in range(1, len(least) + 1)
        ]
        return ceil(max(0.0, *gains))

    def least_parts(self, M: int, X: int, once_only: bool) -> int:
        """Return the least number of segments of X loads and stores: docs/proofs/graphs.md, partitions."""
        all_done = frozenset(self.before) - self.inputs
        frontier, parts, spent = {frozenset[str]()}, 0, 0
        met = set(frontier)
        while all_done not in met:
            red, found = M if parts else 0, set[frozenset[str]]()
            for start in frontier:
                seen, todo = {start}, [start]
                while todo:
                    here = todo.pop()
                    for v in all_done - here:
                        after = here | {v}
                        if after in seen or not self.before[v] <= here | self.inputs:
                            continue
                        seen.add(after)
                        spent += 1
                        require(spent <= 100_000, "too many sets of vertices")
                        new = after - start
                        enter = set().union(*(self.before[w] for w in new)) - new
                        if len(enter) > red + X and (once_only or self.dominators(enter) > red + X):
                            continue
                        todo.append(after)
                        leave = sum(w in self.outputs or bool(self.after[w] - new) for w in new)
                        if not once_only or max(0, len(enter) - red) + max(0, leave - M) <= X:
                            found.add(after)
            frontier = {one for one in found - met if once_only or not any(one < other for other in found)}
            require(frontier or not parts, "no pebbling exists")
            frontier |= {frozenset()} if not parts else set()
            met |= frontier
            parts += 1
        return parts

    def forced(self, inputs: dict[str, Any], M: int, slide: bool) -> int:
        """Return the compulsory words and two more for each load that is forced: docs/proofs/graphs.md."""
        if "sets" not in inputs:
            raise CannotVerify("forced loads of sets that the certificate does not list")
        require(inputs.keys() <= {"trees", "sets"} and type(inputs["sets"]) is list, "an input is not known")
        sets = [(self.all[v], {self.all[x] for x in some}) for v, some in inputs["sets"]]
        together = set().union(*(some for _, some in sets))
        require(together <= set(self.before) - self.inputs - self.outputs, "a set has other vertices")
        require(sum(len(some) for _, some in sets) == len(together), "sets overlap")
        for v, some in sets:
            require(
                some and v in self.before and v not in some | self.inputs, "nothing is computed from the set"
            )
            require(
                self.layers_force(v, some, M, slide) or self.search_forces(v, some, M, slide),
                f"{v} can be computed without a load of {some}",
            )
        trees = self.least_cuts(M, slide, together)
        require(inputs.get("trees", trees) <= trees, f"trees force only {trees} loads")
        return self.words + 2 * (int(inputs.get("trees", trees)) + len(sets))

    def least_cuts(self, M: int, slide: bool, taken: set[str]) -> int:
        """Return how many vertices leave the trees of vertices used once; a tree with a taken one counts for 0.

        Upwards: where M words are not enough, the branch that needs the most is taken out.
        """
        used_once = {v for v, row in self.after.items() if len(row) == 1} - self.outputs
        needs, cuts, total = dict[str, int](), dict[str, int](), 0
        for v in TopologicalSorter(self.before).static_order():
            branches = self.before[v] & used_once
            words = sorted((needs[p] for p in branches), reverse=True)
            require(len(self.before[v]) + (not slide) <= M or v in self.inputs, "no pebbling exists")
            cuts[v] = sum(-ENOUGH if p in taken else cuts[p] for p in branches)
            while (most := max((i + one for i, one in enumerate(words)), default=0)) > M:
                words = [*words[1:], 1]
                cuts[v] += 1
            needs[v] = max(most, len(self.before[v]) + (not slide), 1)
            total += max(0, cuts[v]) * (v not in used_once)
        return total

    def layers_force(self, v: str, some: set[str], M: int, slide: bool) -> bool:
        """Tell whether a set is layers below v, each m vertices read m + 1 of the next, and the last ones enough."""
        layer, left, height = {v}, some, 0
        while left:
            below = set().union(*(self.before[u] for u in layer)) & left
            room: Room = {(u, 0): {(p, 1): 1 for p in self.before[u] & below} for u in layer}
            room |= {(p, 1): {"end": 1} for p in below} | {"start": {(u, 0): 1 for u in layer}}
            if not below or greatest_flow(room, "start") < len(layer):
                return False
            rest: Any = {at: {to for to, more in row.items() if more} for at, row in room.items()}
            start: Any = [{(u, 0)} for u in layer]  # m vertices that read only m do not reach the end
            if not all("end" in reached(one, rest) for one in start):
                return False
            layer, left, height = below, left - below, height + 1
        return height + 1 - slide + min(len(self.before[u] - some - {v}) for u in layer) > M

    def search_forces(self, v: str, some: set[str], M: int, slide: bool) -> bool:
        """Tell whether v cannot be computed without a load of a set, by a search over what is red of it."""
        require(len(some) <= 10, "the set is too large for a search, and no layers")
        nothing = frozenset[str]()
        seen, todo = {nothing}, [nothing]
        while todo:
            red = todo.pop()
            after = [red - {w} for w in red]
            for u in {v} | some - red:
                inside = self.before[u] & some
                others = len(self.before[u] - some)
                if not inside <= red or len(red) + others + (not slide) > M:
                    continue
                if u == v:
                    return False
                full = len(red) + others == M and not others  # the new word is that of one of those inside
                after += [red - {w} | {u} for w in (inside if full else [u])]
            todo += set(after) - seen
            seen.update(after)
        return True

    def dominators(self, targets: set[str]) -> int:
        """Return how many vertices it takes to meet every path from an input to a target."""
        room: Room = {(x, 0): {(x, 1): 1} for x in self.before}
        for x, row in self.after.items():
            room[x, 1] = {(w, 0): ENOUGH for w in row} | ({"end": ENOUGH} if x in targets else {})
        room["start"] = {(x, 0): ENOUGH for x in self.inputs}
        return greatest_flow(room, "start")


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


def family_bound(bound: dict[str, Any], name: str | None, M: int) -> tuple[int, str]:
    """Return what a bound of a family says of the DAG with a name, and a remark."""
    family, kind = FAMILIES[bound["name"]], (name or "").partition(":")[0]
    require(
        name and family in (kind, kind.partition("-")[0]),
        f"the bound is for {family}:...",
    )
    require(bound["inputs"].get("family") == name, "the bound is one of another DAG")
    require(bound["inputs"].keys() <= {"family", "row"}, "an input is not known")
    size = sizes_in(name or "")
    if family == "fft":
        return fft(size["n"], M), ""
    if "matmul" in family:
        apart, W = family == "matmul", size["m"] * size["n"] * size["k"]
        return most_moves(M, lambda T: W, lambda T: max(T * apart, cube(T))), ""
    q, n, d, v = (size[key] for key in "ijke")
    part = "backward" if kind == "backward" else "forward"
    softmax = kind.partition("-")[2] or "plain"
    return formula(bound | bound["inputs"], Counts(q * n, q, n, d, v, size["stats"], part, softmax), M)


def dag_bound(name: str, inputs: dict[str, Any], needed: Needed, M: int, rules: dict[str, bool]) -> int:
    """Return what a bound of any DAG says of this one."""
    once_only = not rules["recomputation"]
    numbers = [value for key, value in inputs.items() if key not in ("side", "parts", "sets")]
    numbers += [x for key in ("parts", "sets") for v, some in inputs.get(key, ()) for x in (v, *some)]
    require(all(type(number) is int and number >= 0 for number in numbers), "an input is no number")
    names, every = needed.all, set(needed.before)
    if name == "Hong-Kung":
        require(inputs["X"] >= 1 and len(inputs) == 1, "X is a number from 1 on")
        X = int(inputs["X"])
        return max(0, X * (needed.least_parts(M, X, once_only) - 1) + 1)
    if name == "forced loads":
        return needed.forced(inputs, M, rules["sliding"])
    require(once_only, "the bound is one without recomputation")
    if name == "spectral, above compulsory":
        require(len(inputs) == 1, "an input is not known")
        return needed.words + needed.spectral(M, inputs["eigenvalues"])
    if name == "convex min-cut":
        if not inputs:
            return needed.words
        v, dear = names[inputs["vertex"]], {"io": 2, "words": 1}[inputs.get("side", "io")]
        right = inputs | {"weight": needed.alive(v, every, dear)} if len(inputs) > 1 else inputs
        require(right == inputs and len(inputs) in (1, 3), f"right is {right}")
        return needed.words + needed.cut(v, every, M)
    if "parts" not in inputs:
        raise CannotVerify("cuts of parts that the certificate does not list")
    parts = [(names[v], {names[x] for x in some}) for v, some in inputs["parts"]]
    together = set().union(*(some for _, some in parts))
    require(
        inputs.keys() <= {"parts", "seed"} and together <= every,
        "an input is not known, or no output needs it",
    )
    require(sum(len(some) for _, some in parts) == len(together), "parts overlap")
    return needed.words + sum(needed.cut(v, some, M) for v, some in parts)


def check_bound(certificate: dict[str, Any], before: Predecessors, outputs: set[str]) -> str:
    """Compute the bound again, and compare all that is said of it; return a remark."""
    bound, M, rules, dag = (certificate[key] for key in ("bound", "M", "rules", "dag"))
    name, inputs, once_only = bound["name"], bound["inputs"], not rules["recomputation"]
    remark = ""
    if name == "exhaustive search":
        repeat_search(bound, before, outputs, M, rules)
        return remark
    if name not in SOURCES:
        raise CannotVerify(f"the bound {name!r}")
    held = ONCE if "cut" in name or "spectral" in name or (once_only and name == "Hong-Kung") else ANY
    held = PLAIN if name == "forced loads" and not rules["sliding"] else held
    require(
        (bound["rules"], bound["source"]) == (held, f"docs/proofs/{SOURCES[name]}"),
        "the bound is not as it says",
    )
    if name in FAMILIES:
        value, remark = family_bound(bound, dag["name"], M)
    elif name == "compulsory":
        least = compulsory(before, outputs)
        value = sum(least.values())
        require(
            least | inputs == least and all(type(one) is int for one in inputs.values()), f"right is {least}"
        )
    elif name == "butterfly":
        require(not inputs, "an input is not known")
        value = fft(butterfly_points(before, outputs), M)
    else:
        value = dag_bound(name, inputs, Needed(before, outputs), M, rules)
    require(bound["value"] <= value, f"less than {bound['value']} is proved: {value}")
    return remark


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
    remark = check_bound(certificate, before, {names[v] for v in outputs})
    return f"{total} I/O and the bound {bound['value']} ({bound['name']}) confirmed{remark}"


def check_table(table: dict[str, Any]) -> list[tuple[str, int]]:
    """Return what was found of each proved bound in a table, and 0, 1 or 2 like an exit status."""
    p, M = table["problem"], table["M"]
    known = {"pass", "Nq", "Nk", "d", "dv", "stats", "heads", "batch", "mask", "pairs"}
    known |= {"softmax", "sums", "sum_width"}
    if not set(p) <= known or p.get("sums", "chain") not in ("chain", "free"):
        raise CannotVerify("problems with " + ", ".join(sorted(set(p) - known)) + p.get("sums", ""))
    sizes = [p[key] for key in ("Nq", "Nk", "d", "dv", "heads", "batch")]
    require(all(type(one) is int and one > 0 for one in (*sizes, M)), "a size is a whole number from 1 on")
    q, n, d, v, heads, batch = sizes
    pairs = None
    if p["mask"] is not None:
        if q * n > 2**24:
            raise CannotVerify("masks of more than 16,777,216 pairs")
        pairs = pairs_of(p["mask"], q, n)
        q, n = int(pairs.any(axis=1).sum()), int(pairs.any(axis=0).sum())
    z = q * n if pairs is None else int(pairs.sum())
    require(p["pairs"] == z, f"{z} pairs are allowed")
    orders = p["pass"], p.get("softmax", "plain"), p.get("sums", "chain"), p.get("sum_width", 1)
    counts, found = Counts(z, q, n, d, v, int(p["stats"]), *orders), []
    for bound in table["bounds"]:
        if not bound["proved"]:
            continue
        title = f"{bound['name']}, {bound['value']}"
        try:
            value, remark = formula(bound, counts, M, pairs)
            total = heads * batch * value
            require(type(bound["value"]) is int and bound["value"] <= total, f"only {total} is proved")
            found.append((f"{title}: confirmed{remark}", 0))
        except CannotVerify as error:
            found.append((f"{title}: cannot be verified by this program: {error}", 2))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, ArithmeticError) as error:
            found.append((f"{title}: not valid: {error!r}", 1))
    return found


EXAMPLE = """
{"format": "pebble-certificate", "version": 1, "M": 3, "rules": {"recomputation": true, "sliding": false},
"dag": {"hash": "8fdcf52a15c669d6e6c9a4f893e2229b770aed0e277d90dc95755bf845ccb8cc", "name": null,
"vertices": ["a", "b", "sum"], "edges": [[0, 2], [1, 2]], "outputs": [2]},
"pebbling": ["load a", "load b", "compute sum", "store sum"], "reads": 2, "writes": 1, "io": 3, "gap": 0,
"bound": {"name": "compulsory", "value": 3, "inputs": {"loads": 2, "stores": 1},
"rules": "recomputation allowed, sliding allowed", "source": "docs/proofs/graphs.md, compulsory"}}
"""


def main(source: str) -> int:
    document = json.loads(source, object_pairs_hook=once)
    if "problem" not in document:
        print(check(document))
        return 0
    found = check_table(document)
    print("\n".join(text for text, _ in found))
    statuses = {status for _, status in found}
    return 1 if 1 in statuses else max(statuses, default=2)


if __name__ == "__main__":
    try:
        status = main(Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else EXAMPLE)
    except CannotVerify as error:
        print(f"cannot be verified by this program: {error}", file=sys.stderr)
        sys.exit(2)
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        sys.exit(f"not valid: {error!r}")
    if status:
        sys.exit(status)
