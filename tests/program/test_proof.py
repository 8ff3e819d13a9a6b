"""A proof is made once for sizes in one order: it is what each of the texts would be told by itself."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from pebble.common.errors import InvalidInput
from pebble.program.counting import proof as proofs
from pebble.program.counting.life import Unproved, prove
from pebble.program.counting.proof import proof
from pebble.program.schedule import registered
from tests.program.generator import random_case
from tests.program.names import Family, Problem, Program


def told(text: Program, family: Family, *, kept: bool) -> object:
    """What a proof says for every mask, or that there is none."""
    try:
        return proof(text, family) if kept else prove(text, family)
    except Unproved:
        with suppress(Unproved):
            return prove(text, family, own_mask=True) if family.masked_axes else None
        return None


@pytest.mark.many(1)
def test_kept_proofs_are_those_of_each_text() -> None:
    rnd, number = Random(0), 0
    proofs._proofs.clear()
    for _ in range(25):
        case = random_case(rnd)
        number += 1
        assert told(case.program, case.family, kept=True) == told(case.program, case.family, kept=False)
    for _ in range(25):
        pass_name = rnd.choice(["forward", "backward"])
        n = rnd.randint(2, 12)
        mask = rnd.choice([None, "causal", f"window:{rnd.randint(1, n)}"])
        problem = Problem(n, n, rnd.randint(1, 4), rnd.randint(1, 4), pass_name=pass_name, mask=mask)
        schedule = rnd.choice(registered(pass_name, "plain"))
        sizes = {
            name: rnd.randint(int(name not in schedule.may_be_zero), max(1, high))
            for name, high in schedule.greatest(problem).items()
        }
        with suppress(InvalidInput):
            text, family = schedule.program(problem, sizes), schedule.family(problem)
            number += 1
            assert told(text, family, kept=True) == told(text, family, kept=False), str(text)
    assert len(proofs._proofs) < number
