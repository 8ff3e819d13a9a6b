"""Documents on several devices: every pair has its place, and short documents move nothing."""

from __future__ import annotations

import random

import pytest

from pebble.common.errors import InvalidInput
from pebble.lab.parallel import parallel, parallel_documents
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


def test_equal_short_documents_are_balanced_and_move_nothing() -> None:
    report = parallel_documents(SharedProblem(64, 2, 4), [32] * 8)
    assert (report.balance, sum(report.received)) == (1, 0)


def test_one_long_document_is_cut_as_alone() -> None:
    problem = SharedProblem(256, 2, 4, causal=True)
    (document,) = parallel_documents(problem, [256]).documents
    best = parallel(problem, best=True).best
    assert document.row is not None
    assert best is not None
    assert document.row.received == best.received
    with pytest.raises(InvalidInput, match="at least one document"):
        parallel_documents(problem, [])
