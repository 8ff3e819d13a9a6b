"""A referee for pebbling files of several devices; shares no code with the package.

Written from docs/processors.md alone, for attention forward with ``# sums l U``, one head or several, dense or causal.
Run as a script it checks one file: python independent_processors_checker.py FILE
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product

WORD = re.compile(r"([A-Za-z]+)\[([0-9,]+)\](?:\{([0-9,-]+)\})?")


def word(array: str, *index: int) -> str:
    return f"{array}[{','.join(map(str, index))}]"


def with_terms(element: str, terms: set[int]) -> str:
    """Write a partial sum: runs of neighbours with a hyphen."""
    ends = [t for t in sorted(terms) if t + 1 not in terms]
    starts = [t for t in sorted(terms) if t - 1 not in terms]
    runs = [f"{a}-{b}" if a < b else str(a) for a, b in zip(starts, ends, strict=True)]
    return f"{element}{{{','.join(runs)}}}"


def terms_in(text: str) -> set[int]:
    ends = [[int(end) for end in run.split("-")] for run in text.split(",")]
    return {t for run in ends for t in range(run[0], run[-1] + 1)}


class Attention:
    """What is computed from what."""

    def __init__(self, sizes: dict[str, str]) -> None:
        self.n, self.keys, self.d, self.dv = (int(sizes[key]) for key in ("Nq", "Nk", "d", "dv"))
        self.causal = sizes.get("mask") == "causal"
        hk, hq = int(sizes.get("Hk", 0)), int(sizes.get("Hq", 0))
        self.heads: list[tuple[int, ...]] = [()] if not hk else list(product(range(hk), range(hq // hk)))

    def allowed(self, i: int) -> set[int]:
        return set(range(min(self.keys, i + 1 + self.keys - self.n) if self.causal else self.keys))

    def inputs(self) -> Iterator[tuple[str, int, int]]:
        """Inputs, each with its token and how many tokens its array has."""
        for t, h, k in product(range(self.n), self.heads, range(self.d)):
            yield word("Q", t, *h, k), t, self.n
        for t, h in product(range(self.keys), {h[:1] for h in self.heads}):
            for array, width in (("K", self.d), ("V", self.dv)):
                yield from ((word(array, t, *h, k), t, self.keys) for k in range(width))

    def outputs(self) -> Iterator[tuple[str, int, int]]:
        for t, h, e in product(range(self.n), self.heads, range(self.dv)):
            if self.allowed(t):
                yield word("O", t, *h, e), t, self.n

    def needs(self, array: str, index: list[int]) -> list[str]:
        """Operands of a vertex that is in no free sum."""
        i, *rest = index
        if array == "S":
            j, *head, k = rest
            before = [word("S", i, j, *head, k - 1)] if k else []
            legal = j in self.allowed(i) and k < self.d and tuple(head) in self.heads
            return [*before, word("Q", i, *head, k), word("K", j, *head[:1], k)] if legal else []
        if array == "P":
            return [word("S", i, *rest, self.d - 1)]
        if array == "O":
            *head, _ = rest
            sums = (word("U", *index), word("l", i, *head))
            return [with_terms(one, self.allowed(i)) for one in sums]
        return []

    def term(self, array: str, index: list[int], t: int) -> list[str]:
        """Operands of the term t of a free sum."""
        i, *rest = index
        if t not in self.allowed(i):
            raise ValueError("no such term")
        if array == "l":
            return [word("P", i, t, *rest)]
        *head, e = rest
        return [word("P", i, t, *head), word("V", t, *head[:1], e)]


def owner(layout: list[str], t: int, tokens: int, P: int) -> int:
    if layout == ["striped"]:
        return t % P
    if layout not in (["contiguous"], ["zigzag"]):
        return int(layout[t])
    chunks = P if layout == ["contiguous"] else 2 * P
    sizes = [tokens // chunks + (c < tokens % chunks) for c in range(chunks)]
    chunk = next(c for c in range(chunks) if t < sum(sizes[: c + 1]))
    return min(chunk, 2 * P - 1 - chunk) if layout == ["zigzag"] else chunk


def check(text: str) -> dict[str, object]:
    """Return the counts of a legal and complete run; ValueError otherwise."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if found := re.search(r"[^\S \t\n]", text):
        raise ValueError(f"line {text.count(chr(10), 0, found.start()) + 1}: {found[0]!r} is no blank")
    lines = text.split("\n")
    rows = [line.split() for line in lines if line.split()]
    head = {row[1]: row[2:] for row in rows if row[0] == "#" and len(row) > 1}
    moves = [row for row in rows if not row[0].startswith("#")]
    game = Attention(dict(pair.split("=") for pair in head["dag"][1:]))
    P, strict = int(head["devices"][0]), head["devices"][1:] == ["strict"]
    H = int(head.get("H", ["1000000000"])[0])
    M = int(head.get("M", ["0"])[0])
    layout = head.get("layout", ["contiguous"])
    own = {w: owner(layout, t, tokens, P) for w, t, tokens in [*game.inputs(), *game.outputs()]}
    memory: list[set[str]] = [{w for w, t, n in game.inputs() if own[w] == p} for p in range(P)]
    fast: list[set[str]] = [set() for _ in range(P)]
    works = fast if M else memory
    peak, fast_peak, io = [len(held) for held in memory], [0] * P, [0] * P
    received, sent, computes, rounds = [0] * P, [0] * P, [0] * P, 0
    sends: list[tuple[str, int, int]] = []
    leaving: set[tuple[str, int]] = set()
    begun = False

    def need(legal: bool, why: str) -> None:
        if not legal:
            raise ValueError(why)

    def put(where: list[set[str]], p: int, w: str) -> None:
        need(not (strict and w in where[p]), "changes nothing")
        need(w in where[p] or len(where[p]) < (H if where is memory else M), "full")
        where[p].add(w)
        peak[p], fast_peak[p] = max(peak[p], len(memory[p])), max(fast_peak[p], len(fast[p]))

    def exchange() -> None:
        nonlocal rounds
        need(all(w in memory[p] for w, p, _ in sends), "sends what it does not hold")
        for w, p, q in sends:
            put(memory, q, w)
            sent[p] += 1
            received[q] += 1
        for w, p in leaving:
            memory[p].remove(w)
        rounds += bool(sends)
        sends.clear()
        leaving.clear()

    need(max(peak) <= H, "inputs do not fit")
    for row in moves:
        if row == ["superstep"]:
            need(begun or not strict, "an empty superstep")
            exchange()
            begun = False
            continue
        begun = True
        if row[0] == "send":
            w, p, q = row[1], int(row[2]), int(row[3])
            need(p != q and p < P and q < P and (w, p, q) not in sends, "no send")
            sends.append((w, p, q))
            continue
        p, operation, w = int(row[0]), row[1], row[2]
        need(p < P and (operation in ("compute", "merge", "discard") or bool(M)), "no move")
        if operation in ("load", "store"):
            one, other = (memory, fast) if operation == "load" else (fast, memory)
            need(w in one[p], "not held")
            put(other, p, w)
            io[p] += 1
        elif operation == "delete":
            need(w in fast[p], "not held")
            fast[p].remove(w)
        elif operation == "discard":
            need(w in memory[p] and (w, p) not in leaving, "not held")
            if any((w, p) == (sending, device) for sending, device, _ in sends):
                leaving.add((w, p))
            else:
                memory[p].remove(w)
        elif operation == "merge":
            one_match, other_match = WORD.fullmatch(w), WORD.fullmatch(row[3])
            assert one_match is not None
            assert other_match is not None
            need(one_match[1] in "lU" and one_match.group(1, 2) == other_match.group(1, 2), "not of one sum")
            need({w, row[3]} <= works[p], "not held")
            T, more = terms_in(one_match[3]), terms_in(other_match[3])
            need(not T & more, "a term twice")
            put(works, p, with_terms(word(one_match[1], *map(int, one_match[2].split(","))), T | more))
        else:
            before, _, term = w.partition("+")
            match = WORD.fullmatch(before)
            assert match is not None
            array, index = match[1], [int(i) for i in match[2].split(",")]
            need((array in "lU") == bool(term), "no such computation")
            T = terms_in(match[3]) if match[3] else set()
            operands = game.term(array, index, int(term)) if term else game.needs(array, index)
            need(
                bool(operands) and {*operands, *([before] if T else [])} <= works[p], "operands are not there"
            )
            need(not term or int(term) not in T, "a term twice")
            put(works, p, with_terms(word(array, *index), T | {int(term)}) if term else w)
            computes[p] += 1
    if begun:
        exchange()
    need(all(w in memory[own[w]] for w, _, _ in game.outputs()), "an output is missing")
    if strict:
        need(not any(fast) and all(own.get(w) == p for p in range(P) for w in memory[p]), "left over")
    counts = {"received": received, "sent": sent, "computes": computes, "io": io, "rounds": rounds}
    return counts | {"memory_peak": peak, "fast_peak": fast_peak}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        print(check(file.read()))
