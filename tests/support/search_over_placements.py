"""Exact optima of tiny DAGs, by a shortest path over states that shares no code with the package.

A state is (red, ever stored), two bit masks. Words are given up only when room is needed, and stored only
when they are given up or at the end: neither restriction can cost anything.
"""

from __future__ import annotations

from collections.abc import Iterator

Graph = tuple[list[list[int]], list[int]]
State = tuple[int, int]


def _placements(state: State, need: list[int], M: int, sliding: bool) -> Iterator[tuple[State, int]]:
    """Every state one placement further (with the eviction it may need), and what it cost."""
    red, blue = state
    full = red.bit_count() >= M
    for v, wanted in enumerate(need):
        bit = 1 << v
        ways = [(1, 0)] * bool(blue & bit) + [(0, wanted)] * bool(wanted and not wanted & ~red)
        for cost, kept in [] if red & bit else ways:
            if not full:
                yield (red | bit, blue), cost
                continue
            victims = red if sliding else red & ~kept
            while victims:
                victim = victims & -victims
                victims ^= victim
                yield (red ^ victim | bit, blue), cost
                if not blue & victim:
                    yield (red ^ victim | bit, blue | victim), cost + 1


def optimum(graph: Graph, M: int, sliding: bool = False) -> int:
    """Least loads plus stores of any pebbling, recomputation allowed."""
    predecessors, outputs = graph
    need = [sum(1 << p for p in before) for before in predecessors]
    wanted = sum(1 << v for v in outputs)
    start = (0, sum(1 << v for v, before in enumerate(predecessors) if not before))
    known, done = {start: 0}, set()
    queue: list[list[State]] = [[start]]
    best, cost = 10**9, 0
    while cost < min(best, len(queue)):
        if not queue[cost]:
            cost += 1
            continue
        state = queue[cost].pop()
        if state in done:
            continue
        done.add(state)
        missing = wanted & ~state[1]
        if not missing & ~state[0]:
            best = min(best, cost + missing.bit_count())
        if cost + missing.bit_count() >= best:
            continue
        for after, price in _placements(state, need, M, sliding):
            total = cost + price
            if total < known.get(after, 10**9):
                known[after] = total
                queue.extend([] for _ in range(total + 1 - len(queue)))
                queue[total].append(after)
    return best
