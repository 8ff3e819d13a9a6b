"""What the readings of a program disagree about: shortcuts, the plain loop, the elementary game, plain sets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tests.program.generator import Case
from tests.program.names import (
    Family,
    IllegalMove,
    InvalidInput,
    NoClosedForm,
    PebbleError,
    Program,
    Run,
    Violation,
    closed_form,
    lower,
    replay,
    run,
    words_moved,
)
from tests.program.program_reference import Outcome, refer
from tests.program.random_families import with_outputs

__all__ = [
    "PLAIN",
    "SHORTCUTS",
    "Verdict",
    "against_formulas",
    "against_game",
    "against_plain_loops",
    "against_reference",
    "differences",
    "judge",
    "place_of",
]

Runner = Callable[[Program, Family, int | None], Run]

SHORTCUTS: dict[str, Runner] = {"induction": partial(run, induction=True)}
"""Whatever shortens a loop: a way to run a program, which must say what running every iteration says."""

PLAIN: Runner = partial(run, induction=False)

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


@dataclass
class Verdict:
    """What a run says: the broken rule and its place, or counts and states; crashes are verdicts too."""

    rule: str = ""
    place: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)
    found: Run | None = None

    def differs(self, other: Verdict) -> list[str]:
        """What two verdicts disagree about."""
        if self.rule != other.rule:
            return [f"{self.rule or 'legal'} / {other.rule or 'legal'} ({self.place} / {other.place})"]
        if self.place != other.place:
            return [f"place: {self.place} / {other.place}"]
        keys = self.facts.keys() & other.facts.keys()
        found = [
            f"{key}: {self.facts[key]} / {other.facts[key]}"
            for key in sorted(keys)
            if self.facts[key] != other.facts[key]
        ]
        for name in self.states.keys() & other.states.keys():
            if not np.array_equal(self.states[name], other.states[name]):
                found.append(f"state of {name}: {self.states[name].tolist()} / {other.states[name].tolist()}")
        return found


def judge(runner: Runner, program: Program, family: Family, M: int | None) -> Verdict:
    """Run a program and say what comes of it."""
    try:
        found = runner(program, family, M)
    except Violation as violation:
        return Verdict(violation.rule, place_of(str(violation)) or str(violation))
    except PebbleError as error:
        return Verdict(type(error).__name__, str(error))
    except Exception as error:  # a crash is a verdict
        return Verdict(f"crash: {type(error).__name__}", str(error))
    facts = {
        "reads": found.reads,
        "writes": found.writes,
        "computes": found.computes,
        "peak": found.peak,
        "sum of peak words": sum(found.peak_words.values()),
    }
    states = {array.name: np.stack(found.final_state(array.name)) for array in family.arrays}
    return Verdict(facts=facts, states=states, found=found)


def differences(case: Case, shortcuts: dict[str, Runner] | None = None) -> list[str]:
    """What is not as the plain loop, the game and the reference say; nothing if all agree."""
    shortcuts = SHORTCUTS if shortcuts is None else shortcuts
    program, family = case.program, case.family
    expected = refer(program, family)
    plain = judge(PLAIN, program, family, None)
    found = against_reference(plain, expected, family)
    found += against_game(program, family, expected)
    found += against_formulas(program, family, expected) if expected.legal and not expected.void else []
    for M in limits(expected):
        slow = plain if M is None else judge(PLAIN, program, family, M)
        found += at_limit(slow, plain, M)
        for name, runner in shortcuts.items():
            quick = judge(runner, program, family, M)
            found += [f"{name} / plain, M={M}: {what}" for what in quick.differs(slow)]
    return found


def against_plain_loops(program: Program, family: Family) -> list[str]:
    """What the induction says otherwise than the plain loops, with enough memory, just enough, and too little."""
    plain, found = judge(PLAIN, program, family, None), list[str]()
    peak = plain.found.peak if plain.found else 0
    for M in [None, *(M for M in (peak, peak - 1, peak // 2) if M > 0)]:
        slow = plain if M is None else judge(PLAIN, program, family, M)
        quick = judge(SHORTCUTS["induction"], program, family, M)
        found += [f"M={M}: {what}" for what in quick.differs(slow)]
    return found


def limits(expected: Outcome) -> list[int | None]:
    """Words of fast memory to run with: any number, just enough, one too few, far too few."""
    peak = expected.peak
    fitting = [peak] if expected.legal else []
    return [None, *dict.fromkeys(M for M in (*fitting, peak - 1, peak // 2) if M > 0)]


def at_limit(slow: Verdict, plain: Verdict, M: int | None) -> list[str]:
    """The plain loop with exactly its peak, and with one word less."""
    if M is None or plain.found is None:
        return []
    if plain.found.peak > M:
        return (
            [] if slow.rule == "memory-full" else [f"plain, M={M}: {slow.rule or 'legal'}, not memory-full"]
        )
    return [f"plain, M={M} / no limit: {what}" for what in slow.differs(plain)]


def against_reference(plain: Verdict, expected: Outcome, family: Family) -> list[str]:
    """The plain loop against the sets."""
    if plain.rule:
        if expected.legal:
            return [f"plain / reference: {plain.rule} / legal ({plain.place})"]
        wrong = [] if plain.rule in expected.broken else [f"{plain.rule} / {sorted(expected.broken)}"]
        if expected.place is not None and not wrong and plain.place != place_text(expected):
            wrong = [f"place: {plain.place} / {place_text(expected)}"]
        return [f"plain / reference: {what}" for what in wrong]
    if not expected.legal:
        return [f"plain / reference: legal / {sorted(expected.broken)} at {expected.place}"]
    assert plain.found is not None
    steps = plain.found.steps, expected.executed
    more = [] if steps[0] == steps[1] or plain.found.proved else [f"plain / reference: steps: {steps}"]
    return more + [f"plain / reference: {what}" for what in plain.differs(as_verdict(expected, family))]


def as_verdict(expected: Outcome, family: Family) -> Verdict:
    """What the reference found, as a run says it."""
    names = [array.name for array in family.arrays]
    facts = {
        "reads": {name: expected.reads[name] for name in names},
        "writes": {name: expected.writes[name] for name in names},
        "computes": {name: expected.computes[name] for name in names},
        "peak": expected.peak,
        "sum of peak words": expected.peak,
    }
    states = {
        array.name: np.zeros((2, *(family.extents[axis] for axis in array.axes)), dtype=np.int64)
        for array in family.arrays
    }
    for level, pebbles in enumerate((expected.red, expected.blue)):
        for (name, index), positions in pebbles.items():
            if positions:
                states[name][(level, *index)] = max(positions) + 1
    return Verdict(facts=facts, states=states)


def against_game(program: Program, family: Family, expected: Outcome) -> list[str]:
    """The elementary game on the lowered moves against the sets."""
    game = family if family.outputs else with_outputs(family, (family.arrays[-1].name,))
    rule = ""
    try:
        status = replay(
            game.dag(), max(1, expected.peak if expected.legal else 10**6), lower(program, family)
        )
    except IllegalMove as illegal:
        rule = illegal.rule
    except InvalidInput as invalid:
        rule = f"nothing there: {invalid}"
    except Exception as error:
        return [f"game: crash: {type(error).__name__} {error}"]
    else:
        if family.outputs and not status.complete:
            rule = "output-missing"
    if rule:
        return [f"game / reference: {rule} / legal"] if expected.legal else []
    if not expected.legal:
        return (
            []
            if expected.strict
            else [f"game / reference: legal / {sorted(expected.broken)} at {expected.place}"]
        )
    pairs = {
        "reads": (status.reads, expected.reads.total()),
        "writes": (status.writes, expected.writes.total()),
        "computes": (status.computes, expected.computes.total()),
        "peak": (status.peak, expected.peak),
    }
    return [f"game / reference: {name}: {one} / {two}" for name, (one, two) in pairs.items() if one != two]


def against_formulas(program: Program, family: Family, expected: Outcome) -> list[str]:
    """The closed form, where there is one, against the sets."""
    try:
        form = closed_form(program, family)
    except NoClosedForm:
        return []
    except Exception as error:
        return [f"closed form: crash: {type(error).__name__} {error}"]
    found = []
    if words_moved(program, family) != int(form.io):
        found.append(f"words moved / closed form: {words_moved(program, family)} / {int(form.io)}")
    for kind, formulas, counts in (
        ("reads", form.reads, expected.reads),
        ("writes", form.writes, expected.writes),
    ):
        told = {name: int(formula) for name, formula in formulas.items() if int(formula)}
        if told != +counts:
            found.append(f"closed form / reference: {kind}: {told} / {dict(+counts)}")
    return found
