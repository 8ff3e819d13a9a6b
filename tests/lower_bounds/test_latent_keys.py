"""The bound of latent attention by keys: what one key costs, and masks."""

from __future__ import annotations

import itertools

import pytest

from pebble import Problem
from pebble.lower_bounds.attention.latent_keys import entering_again, mla_by_keys, words_for_each_pair

Placed = tuple[tuple[int, ...], tuple[int, ...]]


def ways_of_a_query(dv: int, rope: int, epochs: int) -> dict[Placed, int]:
    """All ways to place the events of a pair: events and words of the key (bits) of each epoch, and words that enter.

    A pair enters an epoch with a word of each chain of scores that was begun before, or with P; or all words of query
    and key are there, and P is made again.
    """
    found: dict[Placed, int] = {}
    some = range(epochs)
    for s1 in itertools.combinations_with_replacement(some, dv):
        for s2 in itertools.combinations_with_replacement(some, rope):
            for p in range(max(s1 + s2), epochs):
                entered = sum(m > chain[0] for chain in (s1, s2) for m in {*chain, p})
                for outputs in itertools.product(range(p, epochs), repeat=dv):
                    later = sorted({m for m in outputs if m > p})
                    for again in itertools.product((False, True), repeat=len(later)):
                        events, words = [0] * epochs, [0] * epochs
                        steps = (*enumerate(s1), *enumerate(s2, dv), *enumerate(outputs))
                        for word, m in steps:
                            events[m] += 1
                            words[m] |= 1 << word
                        for m, anew in zip(later, again, strict=True):
                            words[m] |= ((1 << dv + rope) - 1) * anew
                            events[m] += (dv + rope) * anew
                        way = tuple(events), tuple(words)
                        found[way] = min(found.get(way, 99), entered + again.count(False))
    return found


def least_entering(queries: int, dv: int, rope: int, epochs: int) -> dict[int, int]:
    """By the most events of an epoch: the fewest words of a key and its pairs that enter epochs."""
    of_one = ways_of_a_query(dv, rope, epochs)
    found: dict[Placed, int] = {((0,) * epochs, (0,) * epochs): 0}
    for _ in range(queries):
        more: dict[Placed, int] = {}
        for ((events, words), entered), ((more_events, more_words), more_entered) in itertools.product(
            found.items(), of_one.items()
        ):
            way = (
                tuple(map(sum, zip(events, more_events, strict=True))),
                tuple(a | b for a, b in zip(words, more_words, strict=True)),
            )
            more[way] = min(more.get(way, 99), entered + more_entered)
        found = more
    least: dict[int, int] = {}
    for (events, words), entered in found.items():
        cost = entered + sum(map(int.bit_count, words))
        least[max(events)] = min(least.get(max(events), 99), cost)
    return least


SHAPES = [
    (1, 1, 1, 3),
    (1, 2, 1, 3),
    (1, 2, 2, 3),
    (1, 3, 1, 3),
    (2, 1, 1, 3),
    (2, 1, 2, 2),
    (2, 2, 1, 2),
    (3, 1, 1, 2),
]


@pytest.mark.parametrize(("queries", "dv", "rope", "epochs"), SHAPES)
def test_it_is_what_one_key_costs(queries: int, dv: int, rope: int, epochs: int) -> None:
    d = dv + rope
    least = least_entering(queries, dv, rope, epochs)
    for M in range(min(least), queries * (d + dv) + 1):
        cost = min(words for most, words in least.items() if most <= M)
        bound = d + entering_again(queries, d, dv, M)
        assert bound <= cost
        assert queries * words_for_each_pair(d, dv, M)[0] <= cost
        assert cost <= bound + 1 or queries * (d + dv) > 2 * M


def test_keys_count_with_the_queries_that_see_them() -> None:
    whole = Problem(64, 96, 12, 8, shared_values=True)
    assert mla_by_keys(whole, 700).value == 96 * (12 + entering_again(64, 12, 8, 700))
    causal = Problem(64, 64, 12, 8, True, shared_values=True, mask="causal")
    each = sum(12 + entering_again(64 - key, 12, 8, 700) for key in range(64))
    assert mla_by_keys(causal, 700).value == each + 64
    many = Problem(640, 640, 12, 8, shared_values=True, mask="causal")
    each = sum(12 + entering_again(640 - key, 12, 8, 7000) for key in range(640))
    assert each * 0.95 < mla_by_keys(many, 7000).value <= each
