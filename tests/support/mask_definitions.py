"""The masks once more, pair by pair and straight from their definitions, sharing nothing with the package."""

from __future__ import annotations

import math
from collections.abc import Callable

Pair = Callable[[int, int], bool]


def _dilated(W: int, step: int) -> Pair:
    return lambda i, j: i - j in range(0, W * step, step)


def _document(lengths: list[int], causal: bool) -> Pair:
    owner = [n for n, length in enumerate(lengths) for _ in range(length)]
    return lambda i, j: owner[i] == owner[j] and (j <= i or not causal)


def _longformer(W: int, G: int) -> Pair:
    return lambda i, j: abs(i - j) <= W / 2 or i < G or j < G


def _video(N: int, W: int, G: int) -> Pair:
    return lambda i, j: abs(i - j) <= W / 2 or j in {g * N // G for g in range(G)}


def _strided(L: int) -> Pair:
    def pair(i: int, j: int) -> bool:
        first_head = set(range(max(0, i - L), i + 1))
        second_head = {key for key in range(i + 1) if (i - key) % L == 0}
        return j in first_head | second_head

    return pair


def _fixed(L: int, c: int) -> Pair:
    def pair(i: int, j: int) -> bool:
        first_head = {key for key in range(i + 1) if key // L == i // L}
        second_head = {key for key in range(i + 1) if key % L in range(L - c, L)}
        return j in first_head | second_head

    return pair


def _butterfly(B: int) -> Pair:
    def pair(i: int, j: int) -> bool:
        # Factor number s pairs positions that are 2**s apart and in the same block of 2**(s + 1).
        row, column = i // B, j // B
        return row == column or any(
            abs(row - column) == 2**s and row // 2 ** (s + 1) == column // 2 ** (s + 1) for s in range(20)
        )

    return pair


def _splitmix64(seed: int, n: int) -> int:
    word = 2**64
    state = seed
    for _ in range(n + 1):
        state = (state + 0x9E3779B97F4A7C15) % word
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % word
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB % word
    return state ^ (state >> 31)


def _nm(Nk: int, N: int, M: int, seed: int) -> Pair:
    def pair(i: int, j: int) -> bool:
        group = range(j // M * M, min(j // M * M + M, Nk))
        return j in sorted(group, key=lambda key: _splitmix64(seed, i * Nk + key))[:N]

    return pair


def _blocks(Nq: int, Nk: int, B: int, share: tuple[int, int], seed: int) -> Pair:
    rows, columns = -(-Nq // B), -(-Nk // B)
    number = max(1, (2 * share[0] * rows * columns + share[1]) // (2 * share[1]))
    words = {(r, c): _splitmix64(seed, r * columns + c) for r in range(rows) for c in range(columns)}
    first = [min(((r, c) for c in range(columns)), key=words.__getitem__) for r in range(rows)]
    rest = [block for block in words if block not in first]
    chosen = [*sorted(first, key=words.__getitem__), *sorted(rest, key=words.__getitem__)][:number]
    return lambda i, j: (i // B, j // B) in chosen


def _selected(Nq: int, Nk: int, B: int, number: int, Q: int, seed: int) -> Pair:
    columns, chosen = -(-Nk // B), []
    for row in range(-(-Nq // Q)):
        own = (min(row * Q + Q, Nq) - 1 + Nk - Nq) // B
        fixed = [own, 0, own - 1]
        others = sorted(range(columns), key=lambda c: _splitmix64(seed, row * columns + c))
        order = dict.fromkeys(c for c in [*fixed, *others] if 0 <= c <= own)
        chosen.append(list(order)[:number])
    return lambda i, j: j // B in chosen[i // Q]


def _paged(Nq: int, page: int, lengths: list[int]) -> Pair:
    owner = [n for n, length in enumerate(lengths) for _ in range(math.ceil(length / page) * page)]
    return lambda i, j: owner[j] == i // (Nq // len(lengths))


def definitions(Nq: int, Nk: int, a: int, b: int) -> dict[str, Pair]:
    """Every kind for these sizes, with two small numbers a ≥ b ≥ 1 as its parameters, by its text."""
    shift = Nk - Nq
    found: dict[str, Pair] = {
        "causal": lambda i, j: j <= i + shift,
        f"window:{a}": lambda i, j: i + shift - a < j <= i + shift,
        f"window:left={b},right={a}": lambda i, j: -a <= i + shift - j <= b,
        f"prefix:{min(b, Nk)}": lambda i, j: j < b or j <= i + shift,
        f"sink:{min(b, Nk)}": lambda i, j: j < b,
        f"streaming:{b},{a}": lambda i, j: (j < b or i + shift - a < j) and j <= i + shift,
        f"nm:{b}:{a}": _nm(Nk, b, a, 0),
        f"nm:{b}:{a},seed=7": _nm(Nk, b, a, 7),
        f"blocks:size={b},density=0.3,seed={a}": _blocks(Nq, Nk, b, (3, 10), a),
    }
    shared = f",queries={b}" if b > 1 else ""
    found[f"selected:size={a},blocks={b}{shared},seed=3"] = _selected(Nq, Nk, a, b, b, 3)
    found[f"selected:size={b},blocks={a + 2}"] = _selected(Nq, Nk, b, a + 2, 1, 0)
    if Nk > a > 1 and Nk % a == 0 and Nq % (Nk // a) == 0:
        lengths = [(n % a) + 1 for n in range(Nk // a)]
        found[f"paged:{a},{','.join(map(str, lengths))}"] = _paged(Nq, a, lengths)
    if Nq != Nk:
        return found
    lengths = [length for length in (a, b, Nq - a - b) if length > 0] if a + b <= Nq else [Nq]
    text = ",".join(map(str, lengths))
    return found | {
        f"document:{text}": _document(lengths, False),
        f"document:causal,{text}": _document(lengths, True),
        f"longformer:window={2 * a},global={min(b, Nq)}": _longformer(2 * a, min(b, Nq)),
        f"diagonal:{a}": lambda i, j: i // a == j // a,
        f"video:window={2 * a},global={min(b, Nq)}": _video(Nq, 2 * a, min(b, Nq)),
        f"dilated:{a},{b}": _dilated(a, b),
        f"dilated:{b},{a}": _dilated(b, a),
        f"strided:{a}": _strided(a),
        f"fixed:{a}" + (f",{b}" if b > 1 else ""): _fixed(a, b),
        f"butterfly:{b}": _butterfly(b),
    }
