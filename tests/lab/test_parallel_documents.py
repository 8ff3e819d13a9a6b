"""Documents on several devices: every pair has its place, and short documents move nothing."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from pebble.common.errors import InvalidInput
from pebble.lab.parallel import parallel_documents
from pebble.lab.parallel.documents import fewest_words, words_by_devices
from pebble.lower_bounds.attention.documents import documents_total
from pebble.lower_bounds.attention.tile_words import products_of, received_at_least
from pebble.program.parallel import SharedProblem


@pytest.mark.parametrize("seed", range(6))
def test_pairs_and_words_are_those_of_the_documents(seed: int) -> None:
    chance = random.Random(seed)
    P = chance.randint(1, 6)
    problem = SharedProblem(64, 2, P, 2, 1, causal=seed % 2 == 0)
    lengths = [chance.choice((16, 32, 64, 300)) for _ in range(chance.randint(1, 12))]
    report = parallel_documents(problem, lengths)
    alone = [SharedProblem(length, 2, 1, 2, 1, causal=problem.causal) for length in lengths]
    assert sum(report.pairs) == sum(one.pairs * 2 for one in alone)
    assert sum(report.received) == sum(one.row.total for one in report.documents if one.row)
    for document in report.documents:
        assert (document.row is None) == (len(document.devices) == 1)
        assert set(document.devices) <= set(range(P))


def fewest(work: Sequence[int], lengths: Sequence[int], limit: float, words: Sequence[int]) -> float:
    """Try every number of devices for every document, and every set of devices."""
    P = len(words) - 1
    sets = [devices for k in range(1, P + 1) for devices in itertools.combinations(range(P), k)]

    def rest(document: int, loads: tuple[float, ...]) -> float:
        if document == len(work):
            return 0
        found = {}
        for devices in sets:
            share = work[document] / len(devices)
            more = tuple(sorted(load + share * (p in devices) for p, load in enumerate(loads)))
            if len(devices) <= lengths[document] and more[-1] <= limit * (1 + 1e-9):
                found[more] = lengths[document] * words[len(devices)]
        return min((words + rest(document + 1, more) for more, words in found.items()), default=float("inf"))

    return rest(0, (0.0,) * P)


def test_nearly_always_no_placement_moves_fewer_words() -> None:
    chance, ratios = random.Random(3), []
    for _ in range(60):
        problem = SharedProblem(64, 4, chance.choice((2, 3, 4)), 8, 2)
        lengths = [chance.choice((16, 64, 100, 128, 300, 512)) for _ in range(chance.randint(1, 4))]
        work, words = [length**2 for length in lengths], words_by_devices(problem)
        limit = chance.choice((1.05, 1.1, 1.3)) * sum(work) / problem.P
        cuts = fewest_words(work, lengths, limit, words)
        moved = sum(length * words[k] for length, k in zip(lengths, cuts, strict=True))
        least = fewest(work, lengths, limit, words)
        assert least <= moved <= 1.5 * least
        ratios.append(moved == least)
    assert sum(ratios) >= 57


@pytest.mark.parametrize(
    ("balance", "devices"),
    [
        # Three equal documents on two devices: one whole device each is 4/3 of the mean.
        (4 / 3, [1, 1, 1]),
        (1.32, [2, 1, 1]),
    ],
)
def test_a_document_is_cut_only_for_the_balance(balance: float, devices: list[int]) -> None:
    report = parallel_documents(SharedProblem(64, 4, 2), [64, 64, 64], balance)
    assert sorted((len(one.devices) for one in report.documents), reverse=True) == devices
    # A document over two devices: each receives the other's 32 rows of K and V.
    assert sum(report.received) == (2 * 32 * 8 if devices[0] > 1 else 0)
    assert report.balance == (4 / 3 if devices[0] == 1 else 1)


def test_schedules_and_layouts_keep_the_balance() -> None:
    """Under the causal mask contiguous tokens move least, and are uneven: 1.81 times the mean here."""
    problem = SharedProblem(60, 4, 4, causal=True)
    even, uneven = (parallel_documents(problem, [10, 20, 30], balance) for balance in (1.05, 2.0))
    assert even.balance < 1.05 < 1.3 < uneven.balance <= 2.0
    assert sum(even.received) > sum(uneven.received)


def test_devices_that_are_too_many_for_the_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    """The closed form has the words, and pairs are taken as shared evenly."""
    monkeypatch.setattr("pebble.lab.parallel.comparing._MOST_EFFORT", 0)
    report = parallel_documents(SharedProblem(60, 4, 3, causal=True), [20])
    assert report.documents[0].row is not None
    assert report.documents[0].row.traffic is None
    assert report.pairs == (70, 70, 70)


def test_where_heads_fall_better_more_devices_move_fewer_words() -> None:
    """Seven devices gather K and V of the six others; eight exchange heads, 8.75 rows of Q, K, V and O each."""
    words = words_by_devices(SharedProblem(64, 128, 8, 32, 8))
    assert (words[7], words[8]) == (2 * 8 * 128 * 6, 8 * 128 * 8.75)
    assert fewest_words([70, 1], [70, 1], 11, words) == [8, 1]


def test_the_bound_for_documents() -> None:
    """One head and k equal shares: D1; many heads: at most what Φ says for tokens shared equally too."""
    for k in (2, 4, 9):
        one = SharedProblem(2**10 * 36, 4, 1)
        assert documents_total(one, [one.N, 5], one.pairs // k).value == int(4 * one.N * 4 * (k**0.5 - 1))
    cases = itertools.product((2, 4, 16), ((8, 2), (4, 4), (4, 1)), (False, True), (4, 16, 40))
    for k, heads, causal, dv in cases:
        one, cut = (SharedProblem(2**14, 16, P, *heads, causal, dv=dv) for P in (1, k))
        found = documents_total(one, [one.N], -(-one.pairs * one.heads // k)).value
        phi = k * received_at_least(cut, Fraction(products_of(cut), k))
        assert (0.6 if dv == 16 else 0.5) * phi <= found <= phi
    assert documents_total(SharedProblem(64, 4, 1), [64, 32], 64**2).value == 0


def test_the_bound_is_below_every_placement() -> None:
    chance = random.Random(5)
    for _ in range(12):
        heads, dv = chance.choice((1, 2, 4)), chance.choice((1, 4, 9))
        problem = SharedProblem(64, 4, 4, 4, heads, causal=chance.random() < 0.5, dv=dv)
        lengths = [chance.choice((64, 200, 1000)) for _ in range(4)]
        report = parallel_documents(problem, lengths, chance.choice((1.0, 1.2, 2.0)))
        assert report.bound_total is not None
        assert report.bound_total <= sum(report.received)
    assert parallel_documents(SharedProblem(64, 4, 2, pass_name="backward"), [64]).bound_total is None
    with pytest.raises(InvalidInput, match="cannot do less than the mean"):
        parallel_documents(SharedProblem(64, 4, 2), [64], 0.9)
    with pytest.raises(InvalidInput, match="cannot do less than the mean"):
        parallel_documents(SharedProblem(64, 4, 2), [64], float("inf"))
