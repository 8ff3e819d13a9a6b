"""The machine, closed form, lowering and game held to the reference, program by program."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

from pebble.common.errors import Violation
from pebble.computations.family import Family
from pebble.game.replay import replay
from pebble.program import Program
from pebble.program.closed_forms.count import closed_form, words_moved
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run
from pebble.program.lowering import lower
from tests.program.program_reference import Outcome, refer
from tests.program.random_programs import legal_program, random_family, random_program, relabelled
from tests.program.repairs import is_valid, mutated, repaired

_PLACE = re.compile(r"^(.*?) on \S+\[[^\]]*\] \((.*?)\): ", re.S)


def place_of(message: str) -> str | None:
    """The operation and the iterations that a machine's message names."""
    match = _PLACE.match(message)
    return f"{match[1]} ({match[2]})" if match else None


def place_text(expected: Outcome) -> str | None:
    """The refused operation and its iterations, as a machine's message names them."""
    if expected.place is None:
        return None
    operation, trips = expected.place
    numbers: dict[str, list[str]] = {}
    for label, index, count in trips:
        numbers.setdefault(label, []).append(f"{index} of {count}")
    text = ", ".join(f"{label} iteration {' / '.join(some)}" for label, some in numbers.items())
    return f"{operation} ({text or 'outside all loops'})"


def held_to_reference(
    program: Program, family: Family, M: int | None, outcome: Outcome, *, induction: bool
) -> Run | None:
    """Run the machine and compare verdict, place, counts, peak and final state; the run if it is legal."""
    found, message, rule = None, "", ""
    try:
        found = run(program, family, M, induction=induction)
    except Violation as violation:
        message, rule = str(violation), violation.rule
    if found is None:
        assert not outcome.legal, f"the machine refuses a legal program: {message}"
        assert rule in outcome.broken, (message, outcome.broken)
        assert place_of(message) == place_text(outcome), (message, outcome.place)
        return None
    assert outcome.legal, f"the machine accepts an illegal program: {outcome.broken} at {outcome.place}"
    for array in family.arrays:
        name = array.name
        assert found.reads[name] == outcome.reads[name], name
        assert found.writes[name] == outcome.writes[name], name
        assert found.computes[name] == outcome.computes[name], name
        fast, slow = found.final_state(name)
        for state, pebbles in ((fast, outcome.red), (slow, outcome.blue)):
            for (owner, index), positions in pebbles.items():
                if owner == name:
                    assert state[index] == (max(positions) + 1 if positions else 0), (name, index)
    assert found.peak == outcome.peak
    assert sum(found.peak_words.values()) == found.peak
    return found


def same_closed_form(program: Program, family: Family, outcome: Outcome) -> None:
    """Compare the closed form with the reference's counts, array by array."""
    form = closed_form(program, family)
    assert words_moved(program, family) == int(form.io)
    for formulas, counts in ((form.reads, outcome.reads), (form.writes, outcome.writes)):
        assert {name: int(f) for name, f in formulas.items() if int(f)} == dict(+counts), (formulas, counts)
    assert int(form.io) == outcome.reads.total() + outcome.writes.total()


def same_game(program: Program, family: Family, outcome: Outcome) -> None:
    """Compare the elementary game with the reference's counts, at exactly the peak."""
    if not family.outputs:
        family = relabelled(family, (family.arrays[-1].name,))
    status = replay(family.dag(), max(1, outcome.peak), lower(program, family, chunk=50))
    assert status.reads == outcome.reads.total()
    assert status.writes == outcome.writes.total()
    assert status.computes == outcome.computes.total()
    assert status.peak == outcome.peak


def seeded_program(rnd: Random, family: Family) -> Program:
    """A legal program mutated a few times, or random loops from nothing; repaired mostly."""
    if rnd.random() < 0.7:
        program = legal_program(rnd, family)
        for _ in range(rnd.choice([0, 1, 1, 2, 3, 4])):
            program = mutated(rnd, program, family)
    else:
        program = random_program(rnd, family)
        if not is_valid(program, family):
            return legal_program(rnd, family)
    return repaired(rnd, program, family)[0] if rnd.random() < 0.85 else program


def check_seed(seed: int) -> Counter[str]:
    """Hold one random program, a mutation of it, and both at scarce memory, to the reference."""
    rnd = Random(seed)
    family = random_family(rnd)
    program = seeded_program(rnd, family)
    outcome = refer(program, family)
    cases: list[tuple[Program, int | None, Outcome]] = [(program, None, outcome)]
    if outcome.peak > 1:
        for scarce in (outcome.peak - 1, outcome.peak, rnd.randint(1, outcome.peak)):
            cases.append((program, scarce, refer(program, family, scarce)))
    mutant = mutated(rnd, program, family)
    cases.append((mutant, None, refer(mutant, family)))
    tally: Counter[str] = Counter()
    for text, M, expected in cases:
        try:
            found = held_to_reference(text, family, M, expected, induction=True)
            held_to_reference(text, family, M, expected, induction=False)
            if found is not None:
                same_closed_form(text, family, expected)
                same_game(text, family, expected)
        except Exception as error:
            raise AssertionError(f"seed {seed}, M={M}, {family!r}:\n{text}\n{error}") from error
        tally["legal" if expected.legal else "illegal"] += 1
        if found is not None and found.proved and found.steps < expected.executed:
            tally["by induction"] += 1
        if found is not None and not found.proved:
            tally["executed"] += 1
    return tally
