"""A referee for pebbling files of attention, with one memory or on several devices; shares no code with the package.

Written from docs/game.md and docs/processors.md alone. Run as a script it checks one file:
python independent_checker.py FILE
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import product
from typing import Any

At = dict[str, int]
LENGTHS = {"i": "Nq", "j": "Nk", "k": "d", "e": "dv", "g": "Hk"}
INPUTS = {
    "attention-forward": "Q.ik K.jk V.je",
    "attention-heads": "Q.igrk K.jgk V.jge",
    "attention-backward": "Q.ik K.jk V.je dO.ie O.ie l.i",
}
# What is computed: array, index axes, axis of the chain or -, arrays that are read.
COMPUTED = {
    "attention-forward": ["S ij k Q K", "P ij - S", "l i j P", "U ie j P V", "O ie - U l"],
    "attention-heads": ["S ijgr k Q K", "P ijgr - S", "l igr j P", "U igre j P V", "O igre - U l"],
    "attention-backward": [
        *("S ij k Q K", "P ij - S l", "D i e dO O", "dP ij e dO V", "dS ij - P dP D"),
        *("dV je i P dO", "dK jk i dS Q", "dQ ik j dS K"),
    ],
}
OUTPUTS = {"attention-forward": "O", "attention-heads": "O", "attention-backward": "dQ dK dV"}
WORD = re.compile(r"([A-Za-z]+)\[([0-9,]+)\](?:\{([0-9,-]+)\})?")


def need(legal: bool, why: str) -> None:
    if not legal:
        raise ValueError(why)


def allowed(spec: str, nq: int, nk: int) -> set[tuple[int, int]]:
    """Return the pairs of a mask that the header names: causal, a window, or an array of 0 and 1 in a file."""
    kind, _, rest = spec.partition(":")
    pairs = set(product(range(nq), range(nk)))
    if kind == "file":
        import numpy as np

        table = np.load(rest)
        return {(i, j) for i, j in pairs if table[i, j]}
    need(kind in ("", "causal", "window"), f"the mask {spec} is not known here")
    width = int(rest) if kind == "window" else nk
    return {(i, j) for i, j in pairs if not kind or 0 <= i + nk - nq - j < width}


def braces(terms: set[int]) -> str:
    """Write the terms of a partial sum: runs of neighbours with a hyphen."""
    ends = [t for t in sorted(terms) if t + 1 not in terms]
    starts = [t for t in sorted(terms) if t - 1 not in terms]
    runs = [f"{a}-{b}" if a < b else str(a) for a, b in zip(starts, ends, strict=True)]
    return f"{{{','.join(runs)}}}"


def terms_in(text: str) -> set[int]:
    ends = [[int(end) for end in run.split("-")] for run in text.split(",")]
    return {t for run in ends for t in range(run[0], run[-1] + 1)}


class Attention:
    """What is computed from what; the sums of some arrays have no steps, but sets of terms."""

    def __init__(self, name: str, words: dict[str, str], sums: list[str]) -> None:
        mask, size = words.pop("mask", ""), {key: int(value) for key, value in words.items()}
        self.n, self.sums = {axis: size[key] for axis, key in LENGTHS.items() if key in size}, sums
        self.n["r"] = size.get("Hq", 1) // size.get("Hk", 1)
        self.arrays = {a: (axes, "", list[str]()) for a, axes in (t.split(".") for t in INPUTS[name].split())}
        for array, axes, chain, *read in map(str.split, COMPUTED[name]):
            self.arrays[array] = axes, chain.strip("-"), read
        self.inputs = [array for array, (_, _, read) in self.arrays.items() if not read]
        self.outputs = OUTPUTS[name].split() + ["l"] * size.get("stats", 0)
        pairs, n = allowed(mask, self.n["i"], self.n["j"]), self.n
        self.keys = {i: [j for j in range(n["j"]) if (i, j) in pairs] for i in range(n["i"])}
        self.queries = {j: [i for i in range(n["i"]) if (i, j) in pairs] for j in range(n["j"])}

    def steps(self, chain: str, at: At) -> list[int]:
        """The indices that a chain runs over."""
        known = {"j": self.keys.get(at.get("i", -1)), "i": self.queries.get(at.get("j", -1))}
        return known.get(chain) or list(range(self.n[chain]))

    def exists(self, at: At) -> bool:
        if "i" in at and "j" in at:
            return at["j"] in self.keys[at["i"]]
        return bool(self.keys[at["i"]]) if "i" in at else "j" not in at or bool(self.queries[at["j"]])

    def word(self, array: str, at: At, step: int | None = None, terms: set[int] | None = None) -> str:
        """An element at a step, or with terms; by default at the last, or with all."""
        axes, chain, _ = self.arrays[array]
        index = [at[axis] for axis in axes]
        if chain and array not in self.sums:
            index.append(self.steps(chain, at)[-1] if step is None else step)
        full = set(self.steps(chain, at)) if chain and array in self.sums else set()
        return f"{array}[{','.join(map(str, index))}]" + (braces(terms or full) if full else "")

    def all_of(self, array: str) -> list[tuple[str, int, int]]:
        """All elements that exist, each with its token and how many tokens there are."""
        axes = self.arrays[array][0]
        every = (dict(zip(axes, at, strict=True)) for at in product(*(range(self.n[a]) for a in axes)))
        return [(self.word(array, at), at[axes[0]], self.n[axes[0]]) for at in every if self.exists(at)]

    def read(self, text: str) -> tuple[str, At, set[int]]:
        """The array, the indices with the step, and the terms of a word, none where a first one is to come."""
        match = WORD.fullmatch(text)
        need(match is not None and match[1] in self.arrays, f"{text} is no word")
        assert match is not None
        axes, chain, _ = self.arrays[match[1]]
        names = axes + ("" if match[1] in self.sums else chain)
        index, terms = list(map(int, match[2].split(","))), terms_in(match[3]) if match[3] else set[int]()
        inside = len(index) == len(names) and all(i < self.n[a] for i, a in zip(index, names, strict=True))
        need(inside, f"there is no {text}")
        at = dict(zip(names, index, strict=True))
        written = f"{match[1]}[{','.join(map(str, index))}]{braces(terms) if terms else ''}"
        need(written == text and self.exists(at), f"there is no {text}")
        need(not terms or (match[1] in self.sums and terms <= set(self.steps(chain, at))), f"no {text}")
        return match[1], at, terms

    def computed(self, text: str) -> tuple[str, list[str]]:
        """What a computation makes, and what it needs."""
        before, _, term = text.partition("+")
        array, at, terms = self.read(before)
        _, chain, read = self.arrays[array]
        need(bool(read) and (array in self.sums) == bool(term), "no such computation")
        if term:
            t = int(term)
            need(t in self.steps(chain, at) and t not in terms, "no such term, or a term twice")
            needs = [self.word(one, at | {chain: t}) for one in read]
            return self.word(array, at, terms=terms | {t}), needs + [before] * bool(terms)
        earlier = [step for step in self.steps(chain, at) if step < at[chain]] if chain else []
        needs = [self.word(one, at) for one in read]
        return before, needs + [self.word(array, at, step) for step in earlier[-1:]]


def owner(layout: list[str], t: int, tokens: int, P: int) -> int:
    if layout == ["striped"]:
        return t % P
    if layout not in (["contiguous"], ["zigzag"]):
        return int(layout[t])
    chunks = P if layout == ["contiguous"] else 2 * P
    sizes = [tokens // chunks + (c < tokens % chunks) for c in range(chunks)]
    chunk = next(c for c in range(chunks) if t < sum(sizes[: c + 1]))
    return min(chunk, 2 * P - 1 - chunk) if layout == ["zigzag"] else chunk


class Devices:
    """What every device holds; one memory is a device that sends nothing."""

    def __init__(self, game: Attention, head: dict[str, list[str]]) -> None:
        self.game, self.P = game, int(head.get("devices", ["1"])[0])
        self.strict = head.get("devices", [])[1:] == ["strict"]
        self.H, self.M = int(head.get("H", ["1000000000"])[0]), int(head.get("M", ["0"])[0])
        layout, P = head.get("layout", ["contiguous"]), self.P
        held = [one for array in game.inputs for one in game.all_of(array)]
        self.due = [one for array in game.outputs for one in game.all_of(array)]
        self.own = {w: owner(layout, t, tokens, P) for w, t, tokens in (*held, *self.due)}
        self.memory = [{w for w, *_ in held if self.own[w] == p} for p in range(P)]
        self.fast: list[set[str]] = [set() for _ in range(P)]
        self.works = self.fast if self.M else self.memory
        self.peak, self.fast_peak = [len(words) for words in self.memory], [0] * P
        need(max(self.peak) <= self.H, "inputs do not fit")
        self.counts: dict[str, Counter[int]] = {}
        self.sends: list[tuple[str, int, int]] = []
        self.leaving: set[tuple[str, int]] = set()
        self.begun, self.rounds = False, 0

    def count(self, what: str, p: int) -> None:
        self.counts.setdefault(what, Counter())[p] += 1

    def put(self, where: list[set[str]], p: int, w: str) -> None:
        need(not (self.strict and w in where[p]), "changes nothing")
        words = self.H if where is self.memory else self.M
        need(w in where[p] or len(where[p]) < words, f"{w} with {len(where[p])} of {words} words in use")
        where[p].add(w)
        self.peak[p], self.fast_peak[p] = (
            max(self.peak[p], len(self.memory[p])),
            max(self.fast_peak[p], len(self.fast[p])),
        )

    def exchange(self) -> None:
        need(all(w in self.memory[p] for w, p, _ in self.sends), "sends what it does not hold")
        for w, p, q in self.sends:
            self.put(self.memory, q, w)
            self.count("sent", p)
            self.count("received", q)
        for w, p in self.leaving:
            self.memory[p].remove(w)
        self.rounds += bool(self.sends)
        self.sends, self.leaving, self.begun = [], set(), False

    def play(self, row: list[str]) -> None:
        if row == ["superstep"]:
            need(self.begun or not self.strict, "an empty superstep")
            return self.exchange()
        self.begun = True
        if row[0] == "send":
            w, p, q = row[1], int(row[2]), int(row[3])
            need(p != q and max(p, q) < self.P and (w, p, q) not in self.sends, "no send")
            return self.sends.append((w, p, q))
        p, operation, w = int(row[0]), row[1], row[2]
        need(p < self.P and len(row) == 3 + (operation == "merge"), "no move")
        need(bool(self.M) or operation in ("compute", "merge", "discard"), "no move")
        if operation in ("load", "store"):
            one, other = (self.memory, self.fast) if operation == "load" else (self.fast, self.memory)
            need(w in one[p], f"{w} is not held")
            self.put(other, p, w)
        elif operation == "delete":
            need(w in self.fast[p], f"{w} is not held")
            self.fast[p].remove(w)
        elif operation == "discard":
            need(w in self.memory[p] and (w, p) not in self.leaving, f"{w} is not held")
            if any((w, p) == (sending, device) for sending, device, _ in self.sends):
                self.leaving.add((w, p))
            else:
                self.memory[p].remove(w)
        elif operation == "merge":
            (array, at, terms), (other_array, other_at, more) = map(self.game.read, row[2:])
            need((array, at) == (other_array, other_at) and bool(terms and more), "not of one sum")
            need({w, row[3]} <= self.works[p] and not terms & more, "not held, or a term twice")
            self.put(self.works, p, self.game.word(array, at, terms=terms | more))
        else:
            made, needs = self.game.computed(w)
            need(operation == "compute" and self.works[p].issuperset(needs), "operands are not there")
            self.put(self.works, p, made)
        self.count(operation, p)

    def end(self) -> None:
        if self.begun:
            self.exchange()
        need(all(w in self.memory[self.own[w]] for w, *_ in self.due), "an output is missing")
        if self.strict:
            stray = any(self.own.get(w) != p for p in range(self.P) for w in self.memory[p])
            need(not any(self.fast) and not stray, "left over")


def check(text: str) -> dict[str, Any]:
    """Return the counts of a legal and complete pebbling, of each device if the file says how many; or ValueError."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if found := re.search(r"[^\S \t\n]", text):
        raise ValueError(f"line {text.count(chr(10), 0, found.start()) + 1}: {found[0]!r} is no blank")
    rows = [line.split() for line in text.split("\n")]
    need(rows[0] == ["#", "pebbling", "1"], "line 1: no pebbling file")
    head = {row[1]: row[2:] for row in reversed(rows) if len(row) > 1 and row[0] == "#"}
    name, *pairs = head["dag"]
    several = "devices" in head
    game = Devices(Attention(name, dict(pair.split("=", 1) for pair in pairs), head.get("sums", [])), head)
    for number, row in enumerate(rows, start=1):
        if row and not row[0].startswith("#"):
            try:
                game.play(row if several else ["0", *row])
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
    game.end()
    of = {what: [found[p] for p in range(game.P)] for what, found in game.counts.items()}
    none = [0] * game.P
    if not several:
        names = {"reads": "load", "writes": "store", "computes": "compute", "deletes": "delete"}
        return {key: of.get(what, none)[0] for key, what in names.items()} | {"peak": game.fast_peak[0]}
    io = [loads + stores for loads, stores in zip(of.get("load", none), of.get("store", none), strict=True)]
    counts = {name: of.get(name, none) for name in ("received", "sent")} | {
        "computes": of.get("compute", none)
    }
    return counts | {
        "io": io,
        "rounds": game.rounds,
        "memory_peak": game.peak,
        "fast_peak": game.fast_peak,
    }


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        print(check(file.read()))
