"""Random legal runs of attention on several devices: any placement, scores sent too, any sum tree; backward too."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np

Head = tuple[int, ...]
Place = Callable[[int, int, int], int]


def tokens_of(layout: str, tokens: int, devices: int) -> list[list[int]]:
    """Return the tokens of each device, for as many as divide evenly."""
    chunk = tokens // devices
    if layout == "zigzag":
        half = tokens // (2 * devices)
        chunks = [list(range(c * half, (c + 1) * half)) for c in range(2 * devices)]
        return [chunks[p] + chunks[2 * devices - 1 - p] for p in range(devices)]
    if layout == "striped":
        return [list(range(p, tokens, devices)) for p in range(devices)]
    return [list(range(p * chunk, (p + 1) * chunk)) for p in range(devices)]


def masks_of(N: int, Nq: int, chance: random.Random) -> list[str]:
    """Masks of N keys that leave no query without one."""
    window, cut = chance.randint(1, N), chance.randint(1, N - 1)
    found = [f"window:{window}", f"window:{min(window, N - 1)}+sink:1", f"window:left={cut},right={cut // 2}"]
    found.append(f"window:1+blocks:size={chance.choice((1, 2, 4))},density=0.3,seed={cut}")
    if Nq == N:
        found.append(f"dilated:3,2+sink:{cut}")
        found += [f"document:{cut},{N - cut}", f"document:causal,{cut},{N - cut}", "window:1"]
    return found


def name(array: str, *indices: int) -> str:
    return f"{array}[{','.join(map(str, indices))}]"


def braces(terms: Iterable[int]) -> str:
    runs: list[list[int]] = []
    for term in sorted(terms):
        if runs and runs[-1][1] == term - 1:
            runs[-1][1] = term
        else:
            runs.append([term, term])
    return "{" + ",".join(f"{a}-{b}" if a < b else str(a) for a, b in runs) + "}"


class RandomRun:
    """Lines of a run in supersteps; a word is fetched from somebody who has it, once per device.

    Parameters
    ----------
    own : list of list of int
        The tokens of each device.
    d : int
    rng : Generator
    """

    def __init__(self, own: list[list[int]], d: int, rng: np.random.Generator) -> None:
        self.P, self.d, self.rng = len(own), d, rng
        self.owner = {t: p for p, tokens in enumerate(own) for t in tokens}
        self.N = len(self.owner)
        self.lines: list[str] = []
        self.has: dict[str, list[int]] = defaultdict(list)
        self.wanted: dict[tuple[str, int], None] = {}
        self.terms: dict[tuple[str, int], set[int]] = defaultdict(set)

    def give(self, array: str, width: int, heads: Sequence[Head] = ((),)) -> None:
        """Give the rows of an input to their owners."""
        for t, head, k in product(range(self.N), heads, range(width)):
            index = (t, *head, k) if width > 1 or array != "l" else (t,)
            self.has[name(array, *index)] = [self.owner[t]]

    def want(self, words: list[str], p: int) -> None:
        """Ask for words on a device by the end of the superstep."""
        for word in words:
            if p not in self.has[word]:
                self.wanted[word, p] = None

    def superstep(self) -> None:
        """Send what was asked for, each word from any device that has it."""
        for word, p in self.wanted:
            self.lines.append(f"send {word} {self.rng.choice(self.has[word])} {p}")
        for word, p in self.wanted:
            self.has[word].append(p)
        self.wanted = {}
        self.lines.append("superstep")

    def compute(self, words: list[str], p: int) -> None:
        for word in words:
            if p not in self.has[word]:
                self.lines.append(f"{p} compute {word}")
                self.has[word].append(p)

    def absorb(self, element: str, term: int, p: int) -> None:
        before = self.terms[element, p]
        self.lines.append(f"{p} compute {element}{braces(before) if before else ''}+{term}")
        before.add(term)

    def row(self, array: str, t: int, head: Head = ()) -> list[str]:
        return [name(array, t, *head, k) for k in range(self.d)]

    def gather_sums(self, elements: list[str], home: Callable[[str], int]) -> None:
        """Bring all partial sums to their homes, along a random tree of devices for each element."""
        holders = {}
        for element in elements:
            p = home(element)
            others = [q for q in range(self.P) if self.terms[element, q] and q != p]
            holders[element] = [*self.rng.permutation(others).tolist(), p]
        while any(len(left) > 1 for left in holders.values()):
            sent: list[tuple[str, int, set[int]]] = []
            for element, left in holders.items():
                if len(left) > 1:
                    p = left.pop(0)
                    q = int(self.rng.choice(left))
                    self.lines.append(f"send {element}{braces(self.terms[element, p])} {p} {q}")
                    sent.append((element, q, self.terms[element, p]))
            self.lines.append("superstep")
            for element, q, came in sent:
                here = self.terms[element, q]
                if here:
                    self.lines.append(f"{q} merge {element}{braces(here)} {element}{braces(came)}")
                here |= came


def random_forward(
    own: list[list[int]],
    d: int,
    rng: np.random.Generator,
    place: Place | Callable[[Head], Place],
    elsewhere: float = 0.0,
    heads: Sequence[Head] = ((),),
) -> list[str]:
    """Return a forward run in which product (i, j, e) is absorbed on device ``place(i, j, e)``.

    Parameters
    ----------
    place : callable
        With several heads it takes the head (g, r) and returns the callable of that head.
    elsewhere : float
        How often a score is computed on any device; the weight, or the score, is sent then.
    heads : sequence of tuple of int
    """
    run = RandomRun(own, d, rng)
    of_head: dict[Head, Place] = {head: place(head) if head else place for head in heads}  # type: ignore
    run.give("Q", d, heads)
    for array in "KV":
        run.give(array, d, sorted({head[:1] for head in heads}))
    N, P = run.N, run.P
    scored = {}
    for head, i, j in product(heads, range(N), range(N)):
        at = of_head[head]
        p = int(rng.integers(P)) if rng.random() < elsewhere else at(i, j, 0)
        scored[head, i, j] = p
        run.want(run.row("Q", i, head) + run.row("K", j, head[:1]), p)
        for e in range(d):
            run.want([name("V", j, *head[:1], e)], at(i, j, e))
    run.superstep()
    send_score = {pair: rng.random() < 0.3 for pair in scored}
    for (head, i, j), p in scored.items():
        score, weight = [name("S", i, j, *head, k) for k in range(d)], name("P", i, j, *head)
        run.compute(score, p)
        if not send_score[head, i, j]:
            run.compute([weight], p)
        for q in {of_head[head](i, j, e) for e in range(d)}:
            run.want([score[-1]] if send_score[head, i, j] else [weight], q)
    run.superstep()
    for head, i, j in scored:
        for e in range(d):
            p = of_head[head](i, j, e)
            run.compute([name("P", i, j, *head)], p)
            run.absorb(name("U", i, *head, e), j, p)
            if e == 0:
                run.absorb(name("l", i, *head), j, p)
    sums = [name("l", i, *head) for i in range(N) for head in heads]
    sums += [word for i in range(N) for head in heads for word in run.row("U", i, head)]
    run.gather_sums(sums, lambda element: run.owner[int(element.partition("[")[2].rstrip("]").split(",")[0])])
    for i, head in product(range(N), heads):
        run.compute(run.row("O", i, head), run.owner[i])
    return run.lines


def random_backward(own: list[list[int]], d: int, rng: np.random.Generator, place: Place) -> list[str]:
    """Return a backward run in which all products of pair (i, j) are on device ``place(i, j, 0)``."""
    run = RandomRun(own, d, rng)
    for array in ("Q", "K", "V", "dO", "O"):
        run.give(array, d)
    run.give("l", 1)
    N = run.N
    pairs = list(product(range(N), range(N)))
    for i in range(N):
        run.compute([name("D", i, e) for e in range(d)], run.owner[i])
    for i, j in pairs:
        words = [*run.row("Q", i), *run.row("dO", i), name("l", i), name("D", i, d - 1)]
        run.want(words + run.row("K", j) + run.row("V", j), place(i, j, 0))
    run.superstep()
    for i, j in pairs:
        p = place(i, j, 0)
        run.compute([name("S", i, j, k) for k in range(d)], p)
        run.compute([name("dP", i, j, e) for e in range(d)], p)
        run.compute([name("P", i, j), name("dS", i, j)], p)
        for k in range(d):
            run.absorb(name("dV", j, k), i, p)
            run.absorb(name("dK", j, k), i, p)
            run.absorb(name("dQ", i, k), j, p)
    sums = [name(array, t, k) for array in ("dV", "dK", "dQ") for t in range(N) for k in range(d)]
    run.gather_sums(sums, lambda element: run.owner[int(element.partition("[")[2].rstrip("]").split(",")[0])])
    return run.lines
