"""Random sums of products, of values and of other sums, with the vertices and edges in any order."""

import random

from pebble.graph.dag import Dag


def shuffled(dag: Dag, seed: int = 0) -> Dag:
    """The same DAG, its vertices and edges in any order."""
    edges = [(int(u), v) for v in range(dag.n_vertices) for u in dag.predecessors_of(v)]
    return _dag(edges, dag.n_vertices, random.Random(seed), dag.outputs.tolist())


def sums_of_random_values(draw: random.Random, most: int) -> Dag:
    """Sums of at most so many products of pairs, some as multiply-adds; then sums of products of these sums."""
    edges: list[tuple[int, int]] = []
    n = 0

    def new(*before: int) -> int:
        nonlocal n
        edges.extend((u, n) for u in set(before))
        n += 1
        return n - 1

    values = [new() for _ in range(draw.randint(2, most))]
    for _ in range(draw.randint(1, 2)):
        sums = []
        for _ in range(draw.randint(1, most)):
            together, found = draw.random() < 0.5, [new()] if draw.random() < 0.2 else []
            for one, other in (draw.sample(values, 2) for _ in range(draw.randint(1, most))):
                found = [new(one, other, *found)] if together else [new(new(one, other), *found)]
            sums.append(new(*found) if draw.random() < 0.4 else found[0])
        values = sums if len(sums) > 1 and draw.random() < 0.5 else values + sums
    return _dag(edges, n, draw)


def products_with_holes(draw: random.Random, most: int) -> Dag:
    """A product of a matrix with another or itself, terms left out, perhaps times a third matrix."""
    edges: list[tuple[int, int]] = []
    n = 0

    def new(*before: int) -> int:
        nonlocal n
        edges.extend((u, n) for u in set(before))
        n += 1
        return n - 1

    I, J, K, E = (draw.randint(2, most) for _ in range(4))
    itself, share = draw.random() < 0.4, draw.choice([0.5, 0.8, 1])
    A = {(i, k): new() for i in range(I) for k in range(K)}
    B = A if itself else {(j, k): new() for j in range(J) for k in range(K)}
    C: dict[tuple[int, int], int] = {}
    for i, j in {(i, j) for i in range(I) for j, _ in B if not itself or j < i}:
        terms = [k for k in range(K) if draw.random() < share]
        found: list[int] = []
        for k in terms:
            found = [new(new(A[i, k], B[j, k]), *found)]
        if found:
            C[i, j] = new(*found) if draw.random() < 0.5 else found[0]
    V = {(j, e): new() for j in {j for _, j in C} for e in range(E)} if draw.random() < 0.6 else {}
    for i, e in {(i, e) for i, _ in C for _, e in V}:
        found = []
        for j in [j for one, j in C if one == i]:
            found = [new(C[i, j], V[j, e], *found)]
    return _dag(edges, n, draw)


def _dag(edges: list[tuple[int, int]], n: int, draw: random.Random, outputs: list[int] | None = None) -> Dag:
    number = list(range(n))
    draw.shuffle(number)
    moved = [(number[u], number[v]) for u, v in edges]
    draw.shuffle(moved)
    return Dag.from_edges(moved, n, outputs=None if outputs is None else [number[v] for v in outputs])
