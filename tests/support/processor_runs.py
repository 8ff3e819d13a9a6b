"""Runs of attention on several devices as lines of a pebbling file, written plainly: ring, all-gather, grid, Ulysses.

Only communication is played, but for :func:`ring` with rows of a tile: flash-2 in the fast memory. Each function writes
text and keeps its own account of who has absorbed what; it shares no code with the package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

Head = tuple[int, ...]
Allowed = Callable[[int, int], bool]


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


class RunLines:
    """Lines of a run, and which terms the partial sums of each device have absorbed."""

    def __init__(self, d: int, allowed: Allowed = lambda i, j: True) -> None:
        self.d = d
        self.allowed = allowed
        self.lines: list[str] = []
        self.terms: dict[tuple[int, str], set[int]] = {}

    def head(self, layout: str, tokens: int, devices: int, more: str = "", dag: str = "") -> str:
        """Return a header for these lines."""
        dag = dag or f"attention-forward Nq={tokens} Nk={tokens} d={self.d} dv={self.d}"
        return f"# pebbling 1\n# dag {dag}\n# devices {devices} strict\n# layout {layout}\n# sums l U\n{more}"

    def add(self, *words: object) -> None:
        self.lines.append(" ".join(map(str, words)))

    def superstep(self) -> None:
        self.add("superstep")

    def queries(self, i: int, head: Head = ()) -> list[str]:
        return [name("Q", i, *head, k) for k in range(self.d)]

    def keys(self, j: int, head: Head = ()) -> list[str]:
        return [name(array, j, *head[:1], k) for array in "KV" for k in range(self.d)]

    def sums(self, i: int, head: Head = ()) -> list[str]:
        return [name("l", i, *head), *(name("U", i, *head, e) for e in range(self.d))]

    def outputs(self, i: int, head: Head = ()) -> list[str]:
        return [name("O", i, *head, e) for e in range(self.d)]

    def send(self, words: Iterable[str], p: int, q: int) -> None:
        for word in words:
            self.add("send", word, p, q)

    def each(self, p: int, operation: str, words: Iterable[str]) -> None:
        for word in words:
            self.add(p, operation, word)

    def partial(self, p: int, element: str) -> str:
        return element + braces(self.terms[p, element])

    def partials(self, p: int, i: int, head: Head = ()) -> list[str]:
        return [self.partial(p, element) for element in self.sums(i, head)]

    def pair(self, p: int, i: int, j: int, head: Head = (), gone: str = "discard") -> None:
        """Compute a pair and absorb it into the partial sums of its query."""
        if not self.allowed(i, j):
            return
        score = [name("S", i, j, *head, k) for k in range(self.d)]
        for k, step in enumerate(score):
            self.add(p, "compute", step)
            if k:
                self.add(p, gone, score[k - 1])
        weight = name("P", i, j, *head)
        self.add(p, "compute", weight)
        self.add(p, gone, score[-1])
        for element in self.sums(i, head):
            before = self.terms.setdefault((p, element), set())
            old = element + braces(before)
            self.add(p, "compute", f"{old if before else element}+{j}")
            if before:
                self.add(p, gone, old)
            before.add(j)
        self.add(p, gone, weight)

    def finish(self, p: int, i: int, head: Head = (), gone: str = "discard") -> None:
        """Compute the outputs of a query and drop its sums; a query without a key has none."""
        if (p, name("l", i, *head)) not in self.terms:
            return
        self.each(p, "compute", self.outputs(i, head))
        self.each(p, gone, self.partials(p, i, head))


def all_gather(own: list[list[int]], d: int, allowed: Allowed = lambda i, j: True) -> RunLines:
    """Every device gets all keys and values at once."""
    run, devices = RunLines(d, allowed), range(len(own))
    for p, q in product(devices, devices):
        if p != q:
            run.send((word for j in own[p] for word in run.keys(j)), p, q)
    run.superstep()
    for p in devices:
        for i in own[p]:
            for j in sorted(j for tokens in own for j in tokens):
                run.pair(p, i, j)
            run.finish(p, i)
        run.each(p, "discard", (word for q in devices if q != p for j in own[q] for word in run.keys(j)))
    return run


def ring(
    own: list[list[int]], d: int, allowed: Allowed = lambda i, j: True, rows: int | None = None
) -> RunLines:
    """Keys and values go round; with ``rows`` each turn is flash-2 in the fast memory, that many queries a tile."""
    run, P = RunLines(d, allowed), len(own)
    for turn in range(P):
        for p in range(P):
            here = own[(p - turn) % P]
            block = [word for j in here for word in run.keys(j)]
            if turn < P - 1:
                run.send(block, p, (p + 1) % P)
            if rows is None:
                for i, j in product(own[p], here):
                    run.pair(p, i, j)
            else:
                _flash(run, p, own[p], here, rows, turn == P - 1)
            if turn:
                run.each(p, "discard", block)
        if turn < P - 1:
            run.superstep()
    if rows is None:
        for p in range(P):
            for i in own[p]:
                run.finish(p, i)
    return run


def _flash(run: RunLines, p: int, queries: list[int], keys: list[int], rows: int, last: bool) -> None:
    """Absorb a block of keys, a tile of queries at a time; the partial sums wait in the device's memory."""
    for first in range(0, len(queries), rows):
        tile = queries[first : first + rows]
        begun = [i for i in tile if (p, name("l", i)) in run.terms]
        for i in tile:
            run.each(p, "load", run.queries(i))
        for i in begun:
            run.each(p, "load", run.partials(p, i))
            run.each(p, "discard", run.partials(p, i))
        for j in keys:
            run.each(p, "load", run.keys(j))
            for i in tile:
                run.pair(p, i, j, gone="delete")
            run.each(p, "delete", run.keys(j))
        for i in tile:
            run.each(p, "delete", run.queries(i))
            if last:
                run.finish(p, i, gone="delete")
                run.each(p, "store", run.outputs(i))
                run.each(p, "delete", run.outputs(i))
            else:
                run.each(p, "store", run.partials(p, i))
                run.each(p, "delete", run.partials(p, i))


def grid(own: list[list[int]], d: int, columns: int, allowed: Allowed = lambda i, j: True) -> RunLines:
    """Device (r, c) has the queries of row r and the keys of column c; partial sums go back to the owners."""
    run, P = RunLines(d, allowed), len(own)
    rows = P // columns
    for p in range(P):
        r, c = divmod(p, columns)
        for q in (r * columns + other for other in range(columns) if other != c):
            run.send((word for i in own[p] for word in run.queries(i)), p, q)
        for q in (other * columns + c for other in range(rows) if other != r):
            run.send((word for j in own[p] for word in run.keys(j)), p, q)
    run.superstep()
    for p in range(P):
        r, c = divmod(p, columns)
        keys = [j for other in range(rows) for j in own[other * columns + c]]
        for q in (r * columns + other for other in range(columns)):
            for i in own[q]:
                for j in keys:
                    run.pair(p, i, j)
                if q != p and (p, name("l", i)) in run.terms:
                    run.send(run.partials(p, i), p, q)
                    run.each(p, "discard", run.partials(p, i))
    run.superstep()
    for p in range(P):
        r, c = divmod(p, columns)
        for i in own[p]:
            for q in (r * columns + other for other in range(columns) if other != c):
                if (q, name("l", i)) in run.terms:
                    _merge(run, p, i, q)
            run.finish(p, i)
        for q in (r * columns + other for other in range(columns) if other != c):
            run.each(p, "discard", (word for i in own[q] for word in run.queries(i)))
        for q in (other * columns + c for other in range(rows) if other != r):
            run.each(p, "discard", (word for j in own[q] for word in run.keys(j)))
    return run


def _merge(run: RunLines, p: int, i: int, q: int) -> None:
    """Merge the partial sums of a query that came from a device into those of its owner."""
    for element in run.sums(i):
        came = element + braces(run.terms[q, element])
        own = run.terms.setdefault((p, element), set())
        if own:
            run.add(p, "merge", element + braces(own), came)
            run.each(p, "discard", [element + braces(own), came])
        own |= run.terms[q, element]


def ulysses(own: list[list[int]], d: int, heads: int, groups: int) -> RunLines:
    """A device has whole heads, query heads 0, 1, … one after the other; ``groups`` key heads serve ``heads``."""
    run, P = RunLines(d), len(own)
    tokens = [(p, t) for p in range(P) for t in own[p]]
    of_device = [list(range(p * heads // P, (p + 1) * heads // P)) for p in range(P)]
    served = heads // groups
    for p, t in tokens:
        for q in range(P):
            if q != p:
                for h in of_device[q]:
                    run.send(run.queries(t, divmod(h, served)), p, q)
                for g in sorted({h // served for h in of_device[q]}):
                    run.send(run.keys(t, (g,)), p, q)
    run.superstep()
    for p in range(P):
        for h in of_device[p]:
            head = divmod(h, served)
            for q, i in tokens:
                for _, j in tokens:
                    run.pair(p, i, j, head)
                run.finish(p, i, head)
                if q != p:
                    run.send(run.outputs(i, head), p, q)
                    run.each(p, "discard", [*run.outputs(i, head), *run.queries(i, head)])
        for g in sorted({h // served for h in of_device[p]}):
            run.each(p, "discard", (w for q, j in tokens if q != p for w in run.keys(j, (g,))))
    return run
