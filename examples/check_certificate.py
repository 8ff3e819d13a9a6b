"""A second checker of bounds: one file, written anew from docs/proofs, that shares no code with the package.

python check_certificate.py FILE, where FILE is a certificate (pebble certify), or what pebble bounds --json or pebble
kernel --json prints. Every field of a certificate is verified, or the file is refused; of a table, every proved bound.
The exit status is 0 if all of it was confirmed, 1 if anything is wrong, and 2 if a bound is one that this program
cannot compute: sums of products; of loop nests stencils, turns and some sums; masks drawn at random or read from a
file. It names each constant that it takes on trust.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cache, partial, reduce
from graphlib import TopologicalSorter
from itertools import combinations, islice, permutations, product
from math import ceil, factorial, floor, gcd, isqrt, prod
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
Rules = dict[str, bool]
Predecessors = dict[str, set[str]]
Number = Callable[[int], int]
ENOUGH = 10**9


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


def searched(before: Predecessors, outputs: set[str], M: int, rules: Rules, below: int) -> int:
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


def repeat_search(bound: Any, before: Predecessors, outputs: set[str], M: int, rules: Rules) -> None:
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
    n = "([1-9][0-9]{0,9})"
    forms = {"fft": n, "matmul": f"{n},{n},{n}", "fma-matmul": f"{n},{n},{n}"}
    attention = f"(?:N={n}|Nq={n},Nk={n}),d={n}(?:,dv={n})?(,stats=1)?"
    found = re.fullmatch(forms.get(kind, attention), text)
    sizes = [int(one) if one and one.isdigit() else bool(one) for one in found.groups()] if found else []
    wrong = f"no DAG is called {name}, or it is written otherwise"
    if kind == "fft":
        require(sizes and sizes[0] > 1 and not sizes[0] & (sizes[0] - 1), wrong)
        return {"n": sizes[0]}
    require(sizes, wrong)
    if kind in forms:
        return dict(zip("mnkij", (*sizes, *sizes[:2]), strict=True))
    N, Nq, Nk, d, dv, stats = sizes
    require((N or Nq != Nk) and dv != d and not (stats and kind == "backward"), wrong)
    return {"i": N or Nq, "j": N or Nk, "k": d, "e": dv or d, "stats": stats}


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


def most_moves(M: int, work: Number, events: Number, least: int = 1, waste: int = 0, hints: Any = ()) -> int:
    """Return the greatest M + 1 + (n - 1)·(X - waste) that is found, n = ⌈work(M + X) / events(M + X)⌉ at least 2.

    Any X from ``least`` on will do; it is looked for near where X·work / events is greatest, and at the hints. If one
    segment does constant work, it reaches the least T with that many events.
    """

    def cuts(X: int) -> int:
        return -(-work(M + X) // max(1, events(M + X))) - 1

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
    end = last(lambda X: cuts(X) > 0, least, end)
    low, high = least, end
    while high - low > 24:
        grid = sorted({low, high, *(int(low * (high / low) ** (k / 32)) for k in range(33))})
        at = max(range(len(grid)), key=lambda k: grid[k] * work(M + grid[k]) / max(1, events(M + grid[k])))
        low, high = grid[max(0, at - 1)], grid[min(len(grid) - 1, at + 1)]
    near = cuts(low)
    lengths: set[int] = {least, end, *hints, *range(low - 48, high + 49)}
    for n in {1, 2, *range(max(1, near - 48), min(cuts(least), near + 48) + 1)}:
        lengths.add(last(partial(lambda n, X: cuts(X) >= n, n), least, end + 1))
    return max(int(M + 1 + cuts(X) * (X - waste)) for X in lengths if least <= X <= end)


def cube(T: int) -> int:
    """The most products of T entries of three matrices, by Loomis and Whitney: (T/3)^(3/2)."""
    return isqrt(T**3 // 27)


def one_bits(T: int) -> int:
    """Count the one-bits of the numbers 0, ..., T - 1."""
    return sum((T >> b + 1 << b) + max(0, T % (2 << b) - (1 << b)) for b in range(T.bit_length()))


def fft(n: int, M: int) -> int:
    return n + most_moves(M, lambda T: n * (n.bit_length() - 1), lambda T: 2 * one_bits(T))


def peak(rises: Callable[[Decimal], bool], low: Decimal, high: Decimal) -> Decimal:
    """Return where a function is greatest that rises first and then falls."""
    for _ in range(130):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) else (low, middle)
    return high


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
    most = max(s, min(kappa / 2, x.sqrt()))  # the slope falls from s on, and is negative beyond kappa / 2
    high = peak(lambda t: (x - t * t) * (kappa / 2 - t) > kappa * t * t, s, most)
    return whole(max(x * x / 4, *((x - t * t) ** 2 / 4 + kappa * t * (x - t * t) / 2 for t in (s, high))))


def latent_events(T: int, d: int, dv: int) -> int:
    """docs/proofs/latent.md, MLA: f is A·(v - v³) + B·(1 - v²)² with w = T·(1 - v²), and falls from v = 1/√3 on."""
    x, beta = Decimal(T), Decimal(4 * d * (d + dv))
    A, B = x * (x * dv * dv / beta).sqrt(), x * x * dv / beta
    end = 1 / Decimal(3).sqrt()
    v = peak(lambda v: A * (1 - 3 * v * v) > 4 * B * v * (1 - v * v), Decimal(0), end)
    return max(cube(T), whole(A * (v - v**3) + B * (1 - v * v) ** 2))


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
    form: str = "plain"
    sums: str = "chain"
    width: int = 1
    heads: int = 1
    rope: int = 0

    def compulsory(self) -> int:
        """Inputs and outputs: docs/proofs/forward.md, backward.md and weights.md."""
        if self.part == "weights":
            return 4 * self.n * self.d + 3 * self.d**2
        rows = (self.q + self.n) * (self.d + self.v)
        if self.part == "backward":
            linear = self.form in ("recurrent", "chunked")  # docs/linear-attention.md, backward
            return self.n * (4 * self.d + 3 * self.v) if linear else 2 * rows + self.q
        rows += self.q * self.stats - self.n * self.v * (self.form == "latent")
        gates = (self.n - 1) * self.d * (self.form == "gated")
        return self.heads * rows - (self.heads - 1) * self.n * self.rope + gates


def by_cutting(name: str, c: Counts, M: int, hints: Iterable[int] = ()) -> int:
    """Return what a bound by the cutting lemma says: its work, its events, and what is added to the moves."""
    z, d, v, N, rows = c.z, c.d, c.v, c.n * c.d, c.q * c.stats
    beta, kappa = b1_weights(d, v, c.width if name == "W" else 1)
    least, waste = 1, 0
    if name == "T1":
        W, events, more = z * v, lambda T: t1_events(T, d, v), rows
    elif name == "T2":
        W, events, more = z * (d + v), lambda T: t2_events(T, d), rows - z
    elif name == "MLA":
        W, events, more = z * v, lambda T: latent_events(T, d, v), rows
    elif name == "L":  # docs/proofs/linear.md
        W, events, more = 0, cube, (c.n - 1) * d * (c.form == "gated") - d * v
    elif name == "L backward":
        W, events, more = 0, lambda T: isqrt(4 * T**3 // 81), -2 * d * v
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
        "L": lambda T: d * v * (c.n + (c.q // c.n) * max(0, c.n - -(-T // 2))),
    }
    work["L backward"] = lambda T: d * v * (2 * c.n + 3 * max(0, c.n - -(-T // 2)))
    if c.form == "linear":
        work["L"] = lambda T: d * v * (c.n + c.q * (2 * c.n > T))
    return max(0, more + most_moves(M, work.get(name, lambda T: W), events, least, waste, hints))


def large_cache(c: Counts, M: int, q: int, n: int) -> int:
    """Theorem D for q queries and n keys that all see each other: docs/proofs/large-cache.md."""
    d, v = c.d, c.v
    if c.part == "forward":
        sizes = product(range(1, min(d, q) + 1), range(1, min(d, n - 1) + 1))
        found = (min((q - t + 1) * (v + s), (q - t) * s + t * (n - s), (t + v) * (n - s)) for t, s in sizes)
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
    if c.part != "forward" or c.q < max(d, v) or missing <= 0:
        return 0
    swept = min((k - 1) * d + v - min(v, k * single) for k in range(2, v + 3))
    rooted = isqrt(4 * missing - 1) + 1
    return c.n * (d + v + min(c.q, rooted, swept)) + c.q * c.stats


def mla_by_keys(c: Counts, M: int, pairs: Any) -> int:
    """Add up for every key how many of its words and scores enter: docs/proofs/latent.md, MLA by keys."""
    L, rope = c.d + c.v, c.d - c.v
    near = max(1, isqrt(L * L // M) - 2)  # where q + L²/((q + 2)·M) is least
    rho = min(Fraction(c.d * L, M), *(q + Fraction(L * L, (q + 2) * M) for q in range(near, near + 4)))

    def apart(s: int, n: int) -> int:
        return max(s * s // 4 if s <= 2 * n else n * (s - n), 2 * n * (s - 2 * n))

    def again(n: int) -> int:
        most = c.v + min(rope, max(0, n - M // L))
        done = (max(apart(s, n), rope * n + apart(s - n, n) if s >= n else 0) for s in range(most))
        return next((s for s, work in enumerate(done) if work >= n * L - M), most)

    seen = Counter({c.q: c.n}) if pairs is None else Counter(pairs.sum(axis=0).tolist())
    of_key = {n: max(ceil(n * rho), c.d + (again(n) if n * L > M else 0)) for n in seen if n}
    return sum(words * seen[n] for n, words in of_key.items()) + c.q * c.stats


# Rows of constants: docs/proofs/t3.md, t4.md, b3.md and b4.md. A row is part of the claim.


def forward_work(r: dict[str, float], x: Any) -> tuple[Any, Any, Any]:
    """Return f of docs/proofs/t4.md (T3's is no less) for many segments, their weight, and what may weigh twice."""
    cs, cn, fresh, x, u, v, eta = x
    D, C = 1 + r["delta"], cs + cn + fresh
    h, charged = eta * x, cs + D * D * cn
    scores = np.minimum(C, np.sqrt(C) * (x - h) + x * h)
    most = np.minimum(np.sqrt((charged + D * D * h * h) * u * v), np.sqrt(charged * u * v) + D * fresh)
    work = scores * r["beta"] + most
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


@cache
def tried(text: str) -> str:
    """Look for a segment that does more work than a row's W says; W itself is taken on trust if none is found."""
    row = json.loads(text)
    r = {name: float(value) for name, value in row.items() if name != "bound"}
    work_of, number = (forward_work, 7) if row["bound"] in ("T3", "T4") else (backward_work, 16)
    held_free = 1e9 if row["bound"] == "B3" else r["mu"]  # beyond it what is held costs twice

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
        step = size * rng.standard_normal(x.shape) * (rng.random(x.shape) < 0.3)
        moved, work = fitted(x * np.exp(step))
        better = work > best
        x, best = np.where(better, moved, x), np.where(better, work, best)
    most = best.max()
    require(most <= r["W"] * (1 + 1e-9), f"a segment does work {most:.6g}, more than W = {row['W']}")
    near = f"the most work found is {most / r['W']:.1%} of it"
    return f"; taken on trust: W = {row['W']} of {row['bound']}'s row mu = {row['mu']} ({near})"


def by_row(row: dict[str, str], c: Counts, M: int) -> int:
    """Return what a row of T3, T4, B3 or B4 says, if its W is right."""
    r = {key: Fraction(text) for key, text in row.items() if key != "bound"}
    name, forward = row["bound"], row["bound"] in ("T3", "T4")
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

    # in between it is linear
    bends = [floor((work - z * relief) / done) for relief in (Fraction(0), *reliefs[:1])]
    tried = {fewest} | {n + more for n in bends for more in (0, 1) if n + more >= fewest}
    return max(0, floor(M - charge + min((n - 1) * step + stores(n) for n in tried)) + 1)


# Masks, pair by pair, and the bounds that ask how the pairs are arranged.


def pairs_of(text: str, Nq: int, Nk: int) -> Any:
    """Return which pairs a mask allows, shape (Nq, Nk)."""
    if text.startswith("group:"):
        group, _, rest = text[6:].partition(":")
        return np.repeat(pairs_of(rest, Nq // int(group), Nk), int(group), axis=0)
    for sign, together in (("+", np.logical_or), ("&", np.logical_and)):
        if sign in text:
            return reduce(together, (pairs_of(part, Nq, Nk) for part in text.split(sign)))
    kind, _, rest = text.partition(":")
    i, j = np.arange(Nq)[:, None], np.arange(Nk)[None, :]
    at = i + Nk - Nq
    if kind == "document":
        lengths = [int(one) for one in rest.removeprefix("causal,").split(",")]
        owner = np.repeat(np.arange(len(lengths)), lengths)
        require(len(owner) == Nq == Nk, "the documents are as long as queries and keys")
        return (owner[:, None] == owner[None, :]) & ((j <= i) | (not rest.startswith("causal,")))
    require(Nq == Nk or kind in ("causal", "window", "prefix", "sink", "streaming"), "the mask is square")
    kinds: dict[str, Any] = {
        "causal": lambda: j <= at,
        "window": lambda w: (at - w < j) & (j <= at),
        "window left right": lambda before, after: (at - j <= before) & (j - at <= after),
        "prefix": lambda p: (j < p) | (j <= at),
        "sink": lambda s: (j < s) | (i < 0),
        "streaming": lambda s, w: ((j < s) | (at - w < j)) & (j <= at),
        "strided": lambda w: (j <= i) & ((i - j <= w) | ((i - j) % w == 0)),
        "diagonal": lambda b: i // b == j // b,
        "dilated": lambda w, step: (j <= i) & (i - j < w * step) & ((i - j) % step == 0),
        "fixed": lambda w, c=1: (j <= i) & ((i // w == j // w) | (j % w >= w - c)),
        "butterfly": lambda b: ((i // b ^ j // b) & (i // b ^ j // b) - 1) == 0,
        "longformer window global": lambda w, g: (abs(i - j) <= w // 2) | (i < g) | (j < g),
        "video window global": lambda w, g: (abs(i - j) <= w // 2) | np.isin(j, np.arange(g) * Nq // g),
    }
    try:
        sizes = [one.rpartition("=") for one in rest.split(",") if one]
        name = " ".join([kind, *(key for key, _, _ in sizes if key)])
        return kinds[name](*(int(number) for _, _, number in sizes))
    except (KeyError, ValueError, TypeError):
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
                values += [large_cache(part, M, part.q, part.n), by_keys(part, M)]
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
    lower, offsets = np.tri(n, dtype=bool), range(pairs.shape[1] - n + 1)
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


SOFTMAXES = ("plain", "safe", "online")
OF_FORM = {"safe": "S", "latent": "MLA, MLA by keys", "shared-rope": "T1, without rope", "linear": "L"}
OF_FORM |= {"recurrent": "L, L backward", "gated": "L"}
ALONE = {name for names in OF_FORM.values() for name in names.split(", ")} - {"T1"}
"""Bounds of one computation alone; those of plain softmax hold for safe and online softmax too."""


def form_of(p: dict[str, Any]) -> str:
    """Return which computation a problem is: docs/proofs/softmax.md, latent.md, linear.md."""
    if p.get("attention", "softmax") != "linear":
        named = "latent" if p.get("shared_values") else "shared-rope" if p.get("shared_rope") else ""
        return named or str(p.get("softmax", "plain"))
    if p["mask"] is None:
        return "linear"
    if re.sub(r"^(group:\d+:)?", "", p["mask"]) != "causal":
        raise CannotVerify(f"linear attention under the mask {p['mask']}")
    return "chunked" if p.get("chunk") else "gated" if p.get("gate") else "recurrent"


def formula(claim: dict[str, Any], c: Counts, M: int, pairs: Any = None) -> tuple[int, str]:
    """Return what a bound on attention says, and which constants were taken on trust or proved again."""
    name, note, remark = claim["name"], claim.get("note", ""), ""
    numbers = [int(one.replace(",", "")) for one in re.findall(r"\d[\d,]*", note)]
    maxima = c.q * c.stats * (c.form in SOFTMAXES and c.form != "plain")
    part = dict.fromkeys("TSML", "forward") | dict.fromkeys("BW", "backward") | {"G": "weights"}
    part["L"] = "backward" if name == "L backward" else "forward"
    require(part.get(name[0], c.part) == c.part, f"{name} is about another pass")
    own = ("compulsory", *OF_FORM.get(c.form, "").split(", "))
    require(name in own or name not in ALONE, f"{name} is not about {c.form} attention")
    if name not in own and c.form not in SOFTMAXES:
        raise CannotVerify(f"{name} of {c.form} attention")
    ordered = name[0] in "SD" or "triangles" in name or "keys" in name
    require(c.sums == "chain" or not ordered, f"{name} is for a fixed order")
    if name == "compulsory":
        value = c.compulsory()
    elif name == "T1" and c.form == "shared-rope":  # docs/proofs/latent.md, T1: all heads at once
        every = c._replace(z=c.heads * c.z, q=c.heads * c.q, n=c.heads * c.n)
        value = by_cutting(name, every, M, numbers[1:2])
    elif name == "without rope":  # docs/proofs/latent.md
        head, words = c._replace(d=c.d - c.rope, form="plain", heads=1, rope=0), c.heads * c.q + c.n
        value, remark = formula(claim["head"], head, M, pairs)
        value = c.heads * value + words * c.rope
    elif name in ("T1", "T2", "S", "B1", "B2", "W", "G1", "G2", "MLA", "L", "L backward"):
        value = by_cutting(name, c, M, numbers[-1:])
        maxima *= name != "S"
    elif name in ("T3", "T4", "B3", "B4") and "row" in claim:
        require(claim["row"]["bound"] == name, "the row is of another bound")
        value, remark = by_row(claim["row"], c, M), tried(json.dumps(claim["row"]))
    elif name in ("D", "D backward") and pairs is None:
        value = large_cache(c, M, c.q, c.n)
    elif name in ("D", "D backward") and "that all see each other" in note:
        q, n = numbers[-2:]
        seen = max(int(pairs[at : at + q].all(axis=0).sum()) for at in range(len(pairs) - q + 1))
        require(seen >= n, "no such queries see each other's keys")
        value = large_cache(c, M, q, n)
    elif name == "MLA by keys":
        value = mla_by_keys(c, M, pairs)
    elif name == "by keys" and pairs is None:
        value = by_keys(c, M)
    elif name == "by parts" and pairs is not None:
        rows = claim.get("rows", [])
        value, remark = by_parts(c, pairs, M, rows), "".join(map(tried, map(json.dumps, rows)))
    elif name == "causal triangles" and pairs is not None and len(numbers) == 2:
        value = triangles(c, pairs, M, *numbers)
    else:
        raise CannotVerify(f"the bound {name!r}")
    return value + maxima, remark


# Loop nests: docs/proofs/nests.md. An affine expression is its factors by index, its constant under "".

Affine = dict[str, int]
Conditions = list[Affine]  # a set of points, where all are at least 0
Atoms = frozenset[tuple[str, str]]  # ("value", array); ("chain", array): values of its sums but the last ones


def plus(one: Affine, other: Affine, factor: int = 1) -> Affine:
    total = {x: one.get(x, 0) + factor * other.get(x, 0) for x in sorted({**one, **other})}
    return {x: y for x, y in total.items() if y}


def put(places: list[Affine], at: Any) -> list[Affine]:
    """Put expressions in place of indices, or (from a list of them) of an array's coordinates "0", "1", …"""
    at = {**(at if isinstance(at, dict) else {str(n): x for n, x in enumerate(at)}), "": {"": 1}}
    return [reduce(plus, (plus({}, at[x], y) for x, y in place.items()), Affine()) for place in places]


def affine(text: str) -> Affine:
    terms = re.findall(r"([+-]?)(?:(\d+)\*?)?([A-Za-z_]\w*)?", text.replace(" ", ""))
    if "".join(a + b + "*" * bool(b and c) + c for a, b, c in terms) != text.replace(" ", ""):
        raise CannotVerify(f"the place {text}")
    return reduce(lambda sum_, x: plus(sum_, {x[2]: int(f"{x[0]}{x[1] or 1}")}), terms[:-1], {})


def accesses(text: str) -> list[tuple[str, list[Affine]]]:
    """Return the elements in a text, each once; a name that is no function's is one without indices."""
    at_places = re.findall(r"(\w+)\s*\[(.*?)\]", text)
    found: list[Any] = [(name, [*map(affine, places.split(","))]) for name, places in at_places]
    found += [(x, []) for x in re.findall(r"\b[A-Za-z_]\w*\b(?!\s*\()", re.sub(r"\w+\s*\[.*?\]", "", text))]
    return [one for n, one in enumerate(found) if one not in found[:n]]


def names_in(conditions: Conditions) -> set[str]:
    return set().union(*conditions) - {""}


def tidy(conditions: Conditions) -> Conditions:
    """Divide by common factors, and keep the tightest of parallel conditions."""
    tightest: dict[Any, int] = {}
    for one in conditions:
        common = gcd(*(y for x, y in one.items() if x)) or 1
        terms = tuple((x, y // common) for x, y in one.items() if x)
        if terms or one.get("", 0) < 0:
            tightest[terms] = min(one.get("", 0) // common, tightest.get(terms, ENOUGH**9))
    return [plus(dict(terms), {"": constant}) for terms, constant in tightest.items()]


def left(conditions: Conditions, names: Iterable[str], exact: bool = False) -> Conditions:
    """Leave out coordinates (Fourier and Motzkin); where that may let points in, it must not be asked to be exact."""
    for name in names:
        low, high = ([one for one in conditions if one.get(name, 0) * sign > 0] for sign in (1, -1))
        if exact and not all(1 in (a[name], -b[name]) for a, b in product(low, high)):
            raise CannotVerify("elements at multiples of an index")
        pairs = [plus(plus({}, a, -b[name]), b, a[name]) for a, b in product(low, high)]
        conditions = tidy([one for one in conditions if name not in one] + pairs)
    return tidy(conditions)


def image(points: Conditions, places: list[Affine]) -> Conditions:
    """Return the elements that an access reaches, by their coordinates."""
    both = [(plus({str(n): 1}, place, -1), plus(place, {str(n): 1}, -1)) for n, place in enumerate(places)]
    return left(points + [one for pair in both for one in pair], sorted(names_in(points)), exact=True)


def is_empty(conditions: Conditions) -> bool:
    """Tell whether it is sure that there is no point."""
    return bool(left(conditions, names_in(conditions)))


def count(conditions: Conditions) -> int:
    """Count points: of coordinates tied to others, one by how many values it has for each value of the others."""
    conditions, names, spans = tidy(conditions), names_in(conditions), dict[str, tuple[int, int]]()
    if is_empty(conditions):
        return 0
    for name in names:
        ends = [(one.get("", 0), one[name]) for one in left(conditions, names - {name})]
        begin, last = max(-(a // b) for a, b in ends if b > 0), min(a // -b for a, b in ends if b < 0)
        spans[name] = begin, max(begin, last + 1)
    tied = names_in([one for one in conditions if len(one.keys() - {""}) > 1])
    free = prod(end - begin for name, (begin, end) in spans.items() if name not in tied)
    *others, longest = sorted(tied, key=lambda name: spans[name][1] - spans[name][0]) or [""]
    if not tied:
        return free
    shape = tuple(spans[name][1] - spans[name][0] for name in others)
    if prod(shape) > 2**23:
        raise CannotVerify("that many points of tied indices")
    axes = dict(zip(others, np.ogrid[tuple(slice(*spans[name]) for name in others)], strict=True))
    low, high = (np.full(shape, end) for end in spans[longest])
    for one in (one for one in conditions if tied & one.keys()):
        rest: Any = sum((one[x] * axes[x] for x in axes if x in one), np.array(one.get("", 0)))
        if one.get(longest, 0) > 0:
            low = np.maximum(low, -(rest // one[longest]))
        else:
            high = np.minimum(
                high, rest // -one[longest] + 1 if longest in one else np.where(rest < 0, low, high)
            )
    return free * int(np.maximum(high - low, 0).sum())


def count_union(some: list[Conditions], but: list[Conditions]) -> int:
    """Count the points that are in some set and in none of the others, piece by piece."""
    total = 0
    for at, part in enumerate(some):
        parts = [part]
        for other in (*but, *some[:at]):
            cuts = [([*other[:n], plus({"": -1}, one, -1)]) for n, one in enumerate(other)]
            parts = [piece for one in parts for cut in cuts if not is_empty(piece := tidy(one + cut))]
        total += sum(map(count, parts))
    return total


class Assigned:
    """A statement: what it computes, whether as a sum, what it reads, and its points."""

    def __init__(self, text: str, extents: Sizes) -> None:
        text, _, where = text.partition(" for ")
        left, sign, right = re.split(r" (\+?=) ", text, maxsplit=1)
        self.adds, self.reads = sign == "+=", accesses(right)
        ((self.array, self.places),) = accesses(left)
        every = [*self.places, *(place for _, places in self.reads for place in places)]
        self.extents = {x: extents[x] for place in every for x in place if x}
        points = [side for x, L in self.extents.items() for side in ({x: 1}, {"": L - 1, x: -1})]
        for compared in where.split(", ") if where else []:
            small, sign, great = re.split(r" (<=?) ", compared)
            points.append(plus(plus(affine(great), affine(small), -1), {"": -(sign == "<")}))
        self.points = tidy(points)
        self.inverse = {  # of the indices that are a place of the target by themselves
            x: plus({}, {str(n): 1, "": -place.get("", 0)}, place[x])
            for n, place in enumerate(self.places)
            for x in names_in([place])
            if abs(place[x]) == 1 == len(names_in([place]))
        }
        if not self.adds and self.inverse.keys() != self.extents.keys():
            raise CannotVerify("assignments to places that are no single indices")
        own = [] if self.adds else self.steps()
        went_on = [[plus(x, {"": -by}) for x, by in zip(self.places, step, strict=True)] for step in own]
        self.operands = [x for x in self.reads if x not in [(self.array, places) for places in went_on]]

    def behind(self, array: str) -> Iterator[list[Affine]]:
        """Yield where the reads of an array lie, as functions of the target's coordinates, if they are such."""
        some = [places for name, places in self.reads if name == array]
        yield from (put(places, self.inverse) for places in some if names_in(places) <= self.inverse.keys())

    def steps(self) -> list[tuple[int, ...]]:
        """Return how far behind the target the reads of its own array lie, where that is constant."""
        found = [[plus({str(n): 1}, x, -1) for n, x in enumerate(back)] for back in self.behind(self.array)]
        return [tuple(x.get("", 0) for x in step) for step in found if not names_in(step)]


class Role(NamedTuple):
    """A line for every point, one word of which is at hand; which family of lines it is, and where they begin."""

    line: list[Affine]
    words: Atoms
    family: Any = None


class Nest:
    """A loop nest: its elements, counted; the lines that vertices are on; and what a claim about it comes to."""

    def __init__(self, table: dict[str, Any]) -> None:
        require(all(type(x) is int and x > 0 for x in (*table["extents"].values(), table["M"])), "no sizes")
        self.statements = [Assigned(text, table["extents"]) for text in table["statements"]]
        every = [one for s in self.statements for one in ((s.array, s.places), *s.reads)]
        self.rank = {array: len(places) for array, places in every}
        self.makers = {array: [s for s in self.statements if s.array == array] for array in self.rank}
        self.computed = {x: [image(s.points, s.places) for s in self.makers[x]] for x in self.rank}
        reads = [(array, image(s.points, places)) for s in self.statements for array, places in s.reads]
        self.read = {x: [elements for array, elements in reads if array == x] for x in self.rank}
        self.loads = {x: count_union(self.read[x], self.computed[x]) for x in self.rank}
        read = self.read | {x: [] for x in table["outputs"]}
        self.stores = {x: count_union(self.computed[x], read[x]) for x in self.rank}

    def lines(self, array: str, seen: tuple[str, ...] = ()) -> Iterator[Role]:
        """Yield families of lines that begin at inputs through the elements of an array, by their coordinates."""
        makers, own = self.makers[array], [{str(n): 1} for n in range(self.rank[array])]
        plain, sums = ([s for s in makers if s.adds is adds] for adds in (False, True))
        words = frozenset([("value", array), ("chain", array)][: 1 + bool(sums)])
        if not makers:
            yield Role(own, words, (own, array))
        if not plain or array in seen:
            return
        for step in plain[0].steps() if makers == plain[:1] else ():
            if sum(map(bool, step)) == 1:
                across = [place for place, by in zip(own, step, strict=True) if not by]
                yield Role(across, words, (across, ""))
        begun, added = ([image(s.points, s.places) for s in some] for some in (plain, sums))
        free = [str(n) for n, place in enumerate(plain[0].places) if names_in([place])]
        roots = [(root, back) for root in self.rank for back in plain[0].behind(root) if back]
        for root, back in roots if not count_union(added, begun) else ():
            rank = np.linalg.matrix_rank([[0, *(x.get(n, 0) for n in free)] for x in back])
            if rank < len(free) or not all((root, put(back, s.places)) in s.reads for s in plain):
                continue  # elements that differ have different ones
            for line in self.lines(root, (*seen, array)):
                places = put(line.line, back)
                yield Role(places, words | line.words, (places, line.family[1]))

    def own(self, s: Assigned, once_only: bool) -> Iterator[tuple[Role, int]]:
        """Yield the lines that a statement's vertices go on, and how many are begun without a word."""
        chain, value = {("chain", s.array)}, {("value", s.array)}
        rooted = [x._replace(line=put(x.line, s.places)) for x in self.lines(s.array)]
        if s.adds:
            yield Role(s.places, frozenset(chain)), count(image(s.points, s.places))
            yield from ((line._replace(words=line.words - value | chain), 0) for line in rooted)
        elif self.makers[s.array] == [s]:
            yield from ((line, 0) for line in rooted if s.steps())
            cuts = [image(s.points, places) for array, places in s.operands if array == s.array]
            for line in rooted if once_only and cuts else ():  # cut after each element that is read otherwise
                if line.words == value:
                    yield line._replace(words=frozenset(chain)), count_union(cuts, [])

    def roles(self, claim: dict[str, Any], s: Assigned) -> tuple[int, list[Role]]:
        """Find the lines that are claimed among those that are known, and return their charge."""
        reads, charge = s.operands, 0
        known = [Role(places, frozenset({("value", array)})) for array, places in reads]
        if not claim["once_only"]:
            every = ((line, places) for array, places in reads for line in self.lines(array))
            known = [line._replace(line=put(line.line, places)) for line, places in every]
        for array in {array for array, _ in reads if claim["once_only"] and self.makers[array]}:
            some = [image(s.points, places) for name, places in reads if name == array]
            charge += count_union(some, []) - count_union(some, self.computed[array])
        claimed: Any = [([*map(affine, x["line"])], {*map(tuple, x["words"])}) for x in claim["roles"]]
        begun = [one for one in self.own(s, claim["once_only"]) if one[0][:2] == claimed[0]]
        found = [[role for role in known if role[:2] == one] for one in claimed[1:]]
        if not begun or not all(found):
            raise CannotVerify("a line that is not found")
        return charge + begun[0][1], [begun[0][0], *(some[0] for some in found)]

    def projections(self, claim: dict[str, Any], M: int) -> tuple[int, Atoms]:
        """Return how many loads a claim proves, and of which words: docs/proofs/nests.md, projections."""
        if claim["other"] is not None or any(one["sum"] is not None for one in claim["roles"]):
            raise CannotVerify("sums in two statements, or sums that are read and made from inputs")
        s, X, (case,) = self.statements[claim["statement"]], claim["X"], claim["cases"]
        charge, roles = self.roles(claim, s)
        edge = claim["points"] == "off diagonals"
        points = [plus(x, {"": -(edge and sorted(x.values()) == [-1, 1] and "" not in x)}) for x in s.points]
        order, copies = mirrored(s, points, roles, case["exchanged"])
        meets: Any = {n: {m for m, y in enumerate(roles) if x.words & y.words} for n, x in enumerate(roles)}
        group: list[Any] = [min(reached({n}, meets)) for n in meets]
        W = count(points)
        if claim["points"] == "apart":
            W, group = W - self.shared(s, roles, group), list(meets)
        most = most_points(s, roles, case["exponents"], copies, group, M + X) / order
        cuts = -(-W // max(1, whole(most))) - 1
        require(cuts >= 1 and (X >= 1 or cuts == 1), "one segment is enough")
        return M + 1 + X * cuts - charge, frozenset().union(*(role.words for role in roles))

    def shared(self, s: Assigned, roles: list[Role], group: list[int]) -> int:
        """Return at how many points a line of one role may be one of another role too: words told apart."""
        total = 0
        for (one, a), (other, b) in combinations(zip(roles, group, strict=True), 2):
            roots = {role.family and role.family[1] for role in (one, other)}
            same = one[1:] == other[1:] or (one.words & other.words == {("value", x) for x in roots})
            require(a != b or (same and len(roots) == 1), "lines that cannot be compared")
            both = image(s.points, one.line) + image(s.points, other.line)
            if a == b and not is_empty(both):
                total += sum(count(s.points + put(both, role.line)) for role in (one, other))
        return total

    def bound(self, claim: dict[str, Any], M: int) -> tuple[int, str]:
        """Return what a bound says: its shares, the inputs that none of them counts, and the outputs."""
        total, words = sum(self.stores.values()), Atoms()
        require(claim["rules"] in (ANY, ONCE), "other rules")
        for share in claim.get("shares", ()):
            if share["argument"] != "projections":
                raise CannotVerify(f"the argument by {share['argument']}")
            gain, some = self.projections(share, M)
            held = ONCE if share["once_only"] else claim["rules"]
            require(not words & some and held == claim["rules"], "words of two shares, or other rules")
            total, words = total + gain, words | some
        return total + sum(self.loads[x] for x in self.rank if ("value", x) not in words), ""


def most_points(s: Assigned, roles: list[Role], claimed: Any, copies: Any, group: Any, T: int) -> Decimal:
    """Return how many points T words allow, by the inequality of Hölder, Brascamp and Lieb; maps leave out indices."""
    given = [Fraction(x) for x in claimed] + [Fraction(0)] * len(s.extents)
    exponents, of_index = given[: len(roles)], given[len(roles) : len(roles) + len(s.extents)]
    require(min(given) >= 0, "an exponent is negative")
    if any(len(place.keys() - {""}) > 1 for role in roles for place in role.line):
        raise CannotVerify("places of several indices")
    for x, own in zip(s.extents, of_index, strict=True):
        kept = sum(e for e, role in zip(exponents, roles, strict=True) if x in names_in(role.line))
        require(kept + own >= 1, f"the exponents do not cover {x}")
    groups = [sum(e for e, at in zip(exponents, group, strict=True) if at == n) for n in set(group)]
    factors = [(T * e / sum(groups), e) for e in groups if e]
    factors += zip(map(Fraction, s.extents.values()), of_index, strict=True)
    factors += zip(map(Fraction, copies), exponents, strict=True)
    powers = (
        (Decimal(a.numerator) / a.denominator, Decimal(e.numerator) / e.denominator) for a, e in factors
    )
    return prod((base**exponent for base, exponent in powers), start=Decimal(1))


def mirrored(s: Assigned, points: Conditions, roles: list[Role], moved: list[str]) -> tuple[int, list[int]]:
    """Return how many disjoint images exchanges of indices give, and how often they multiply the words of roles."""
    require(len({s.extents[x] for x in moved}) <= 1, "indices of other extents")
    orders: list[set[Any]] = [set() for _ in roles]
    for images in permutations(moved):
        at = {x: {x: 1} for x in s.extents} | {x: {y: 1} for x, y in zip(moved, images, strict=True)}
        require(images == tuple(moved) or is_empty(points + put(points, at)), "the images are not disjoint")
        for role, found in zip(roles, orders, strict=True):
            line = put(role.line, at)
            like = [other.line for other in roles if other[1:] == role[1:]]
            fits = (order for order in permutations(range(len(line))) if [line[n] for n in order] in like)
            found.add(next(fits, None))
    require(not any(None in found for found in orders), "an exchange makes another line")
    return factorial(len(moved)), [len(found) for found in orders]


# Bounds of any DAG: docs/proofs/graphs.md.


def compulsory(before: Predecessors, outputs: set[str]) -> dict[str, int]:
    """Count the inputs that outputs depend on, and the outputs that are no inputs."""
    computed = {v for v in outputs if before[v]}
    needed = reached(computed, before)
    return {"loads": sum(not before[v] for v in needed), "stores": len(computed)}


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
        ks = range(1, len(least) + 1)
        gains = [n // k * float(least[:k].sum()) * (1 - 1e-12) - 2 * (k - 1) * M for k in ks]
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
            computed = v in self.before and v not in some | self.inputs
            require(some and computed, "nothing is computed from the set")
            forces = self.layers_force(v, some, M, slide) or self.search_forces(v, some, M, slide)
            require(forces, f"{v} can be computed without a load of {some}")
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
    require(name and family in (kind, kind.partition("-")[0]), f"the bound is for {family}:...")
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
    form = kind.partition("-")[2] or "plain"
    return formula(bound | bound["inputs"], Counts(q * n, q, n, d, v, size["stats"], part, form), M)


def dag_bound(name: str, inputs: dict[str, Any], needed: Needed, M: int, rules: Rules) -> int:
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
    require(inputs.keys() <= {"parts", "seed"} and together <= every, "an input, or a part, is not known")
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
    said = bound["rules"], bound["source"]
    require(said == (held, f"docs/proofs/{SOURCES[name]}"), "the bound is not as it says")
    if name in FAMILIES:
        value, remark = family_bound(bound, dag["name"], M)
    elif name == "compulsory":
        least = compulsory(before, outputs)
        value = sum(least.values())
        whole_numbers = all(type(one) is int for one in inputs.values())
        require(least | inputs == least and whole_numbers, f"right is {least}")
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
            legal &= rules["sliding"] and slide[0] == "from" and slide[1] in before[v] and v not in red
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
    known |= {"softmax", "sums", "sum_width", "attention", "gate", "chunk", "shared_values", "shared_rope"}
    if not set(p) <= known or p.get("sums", "chain") not in ("chain", "free"):
        raise CannotVerify("problems with " + ", ".join(sorted(set(p) - known)) + p.get("sums", ""))
    q, n, d, v, heads, batch = sizes = [p[key] for key in ("Nq", "Nk", "d", "dv", "heads", "batch")]
    require(all(type(one) is int and one > 0 for one in (*sizes, M)), "a size is a whole number from 1 on")
    pairs = None
    if p["mask"] is not None:
        if q * n > 2**24:
            raise CannotVerify("masks of more than 16,777,216 pairs")
        pairs = pairs_of(p["mask"], q, n)
        q, n = int(pairs.any(axis=1).sum()), int(pairs.any(axis=0).sum())
    z = q * n if pairs is None else int(pairs.sum())
    require(p["pairs"] == z, f"{z} pairs are allowed")
    form, rope = form_of(p), p.get("shared_rope", 0)
    require(p["pass"] == "forward" or form in (*SOFTMAXES, "recurrent", "chunked"), "no gradient is known")
    orders = p["pass"], form, p.get("sums", "chain"), p.get("sum_width", 1)
    together = heads if form == "shared-rope" else 1  # they share words of the keys
    counts = Counts(z, q, n, d, v, int(p["stats"]), *orders, together, rope)
    copies = heads * batch // together
    proved = [bound for bound in table["bounds"] if bound["proved"]]
    return [found_of(bound, partial(formula, bound, counts, M, pairs), copies) for bound in proved]


def check_nest(table: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the same of the bounds of a loop nest."""
    nest, M = Nest(table), table["M"]
    claims = table["bounds"] + table["bounds_without_recomputation"]
    return [found_of(claim, partial(nest.bound, claim, M)) for claim in claims]


def found_of(bound: dict[str, Any], says: Callable[[], tuple[int, str]], copies: int = 1) -> tuple[str, int]:
    title = f"{bound['name']}, {bound['value']}"
    try:
        value, remark = says()
        require(
            type(bound["value"]) is int and bound["value"] <= copies * value,
            f"only {copies * value} is proved",
        )
        return f"{title}: confirmed{remark}", 0
    except CannotVerify as error:
        return f"{title}: cannot be verified by this program: {error}", 2
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, ArithmeticError) as error:
        return f"{title}: not valid: {error!r}", 1


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
    if "problem" not in document and "statements" not in document:
        print(check(document))
        return 0
    found = check_table(document) if "problem" in document else check_nest(document)
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
