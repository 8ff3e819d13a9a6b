"""The game again, in plain sets, sharing no code with the engine: what the engine is tested against.

A move is a tuple (word, vertex) or ("slide", vertex, source); a DAG is a list of predecessor lists.
"""

from __future__ import annotations

from collections.abc import Sequence

ReferenceMove = tuple[str, int] | tuple[str, int, int]


class ReferenceGame:
    """The rules as sentences about sets."""

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        outputs: set[int],
        M: int,
        recomputation: bool = True,
        sliding: bool = False,
    ) -> None:
        self.rows = [set(row) for row in rows]
        self.outputs, self.M, self.recomputation, self.sliding = outputs, M, recomputation, sliding
        self.red: set[int] = set()
        self.blue = {v for v, row in enumerate(rows) if not row}
        self.computed: set[int] = set()
        self.counts = dict.fromkeys(("load", "store", "compute", "delete", "slide", "redundant"), 0)
        self.peak = 0

    def broken_rule(self, move: ReferenceMove) -> str:
        """The first rule that the move breaks, or nothing."""
        word, v = move[0], move[1]
        if not 0 <= v < len(self.rows):
            return "unknown-vertex"
        full = len(self.red) >= self.M and v not in self.red
        if word == "load":
            return "load-needs-blue" if v not in self.blue else "memory-full" if full else ""
        if word == "store":
            return "" if v in self.red else "store-needs-red"
        if word == "delete":
            return "" if v in self.red else "delete-needs-red"
        if word == "slide" and not self.sliding:
            return "slide-forbidden"
        if not self.rows[v]:
            return "compute-input"
        if word == "slide" and move[-1] not in self.rows[v]:
            return "slide-needs-predecessor"
        if v in self.computed and not self.recomputation:
            return "recomputation-forbidden"
        if not self.rows[v] <= self.red:
            return "compute-needs-predecessors"
        if word == "slide":
            return "slide-target-red" if v in self.red else ""
        return "memory-full" if full else ""

    def push(self, move: ReferenceMove) -> None:
        """Make a legal move."""
        assert not self.broken_rule(move), move
        word, v = move[0], move[1]
        self.counts[word] += 1
        before = (v in self.red, v in self.blue)
        if word == "slide":
            self.red.remove(move[-1])
        if word in ("load", "compute", "slide"):
            self.red.add(v)
        if word in ("compute", "slide"):
            self.computed.add(v)
        if word == "store":
            self.blue.add(v)
        if word == "delete":
            self.red.remove(v)
        elif before == (v in self.red, v in self.blue):
            self.counts["redundant"] += 1
        self.peak = max(self.peak, len(self.red))

    @property
    def missing(self) -> set[int]:
        """Outputs without a blue pebble."""
        return self.outputs - self.blue
