"""Documents on several devices: every pair has its place, and short documents move nothing."""

from __future__ import annotations

import random

import pytest

from pebble.lab.parallel import parallel_documents
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
