"""The closed form equals the machine's counts, and its text evaluates to its value."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.family import Family
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.program import Nodes, delete, first, last, load, loop, not_first, not_last, phase, program, when
from pebble.program.closed_forms.count import closed_form
from pebble.program.closed_forms.formula import Formula, constant, symbol
from pebble.program.counting.run import run
from pebble.program.schedule import available, get
from tests.program.differences import against_formulas
from tests.program.program_reference import refer
from tests.program.random_programs import relabelled

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
SIGNS = str.maketrans({"·": "*", "−": "-", "⌈": "ceil(", "⌉": ")"})


def value_of(text: str, names: dict[str, int]) -> Fraction:
    """Evaluate sums of products of whole numbers, names, powers and rounded-up quotients, as Python does."""
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: f"**{power[0].translate(SUPERSCRIPTS)}", text)
    text = re.sub(r"(?<![\w*])\d+", r"Fraction(\g<0>)", text.translate(SIGNS))
    known = {name: Fraction(value) for name, value in names.items()}
    return Fraction(eval(text, {"__builtins__": {}, "ceil": ceil, "Fraction": Fraction}, known))


def names_of(family: Family) -> dict[str, int]:
    return {family.symbols[axis]: extent for axis, extent in family.extents.items()}


def text_is_right(formula: Formula, family: Family) -> None:
    assert value_of(str(formula), names_of(family)) == int(formula), str(formula)


def test_the_evaluator_itself() -> None:
    names = {"N": 10, "d": 3, "Nq": 7}
    assert value_of("2·N·d·⌈N/4⌉ + N²·d − ⌈(N − 1)/2⌉² − 5", names) == 2 * 30 * 3 + 300 - 25 - 5
    assert value_of("−Nq + 12", names) == 5
    with pytest.raises(NameError):
        value_of("x", names)


SERVED = [(name, pass_name) for pass_name in ("forward", "backward") for name in sorted(available(pass_name))]


@pytest.mark.many(1)
@pytest.mark.parametrize(("name", "pass_name"), SERVED)
def test_schedules(name: str, pass_name: str) -> None:
    """Array by array, on random shapes, caches and tiles; the texts too."""
    rnd = Random(name + pass_name)
    schedule = get(name, pass_name)
    for _ in range(8 if pass_name == "forward" else 4):
        stats = pass_name == "forward" and rnd.random() < 0.5
        nq, nk, d, dv = (rnd.randint(1, 300 if pass_name == "forward" else 60) for _ in range(4))
        problem = Problem(nq, nk, d, dv, stats=stats, pass_name=pass_name)
        if rnd.random() < 0.4:
            N, d = rnd.randint(1, 100), rnd.randint(1, 64)
            problem = Problem(N, N, d, d, pass_name=pass_name)
        M = schedule.least_M(problem) + rnd.choice([0, 1, rnd.randint(0, 200), rnd.randint(0, 5000)])
        text, family = schedule.program(problem, schedule.tiles(problem, M)), schedule.family(problem)
        form, counted = closed_form(text, family), run(text, family, M)
        for formulas, counts in ((form.reads, counted.reads), (form.writes, counted.writes)):
            assert {n: int(f) for n, f in formulas.items() if int(f)} == {
                n: c for n, c in counts.items() if c
            }
            for formula in formulas.values():
                text_is_right(formula, family)
        for formula, count in (
            (form.io, counted.io),
            (form.total_reads, counted.total_reads),
            (form.total_writes, counted.total_writes),
        ):
            assert int(formula) == count
            text_is_right(formula, family)


def test_published_forms_of_theory() -> None:
    problem = Problem.square(1000, 16)
    flash2 = get("flash-2")
    text = flash2.program(problem, {"rows": 30})
    assert str(closed_form(text, flash2.family(problem)).io) == "2·N·d·⌈N/30⌉ + 2·N·d"
    literal = get("flash-1").program(problem, {"rows": 7, "cols": 30})
    columns = 34
    expected = 2 * 16000 + columns * 16000 + (columns - 1) * 17000 + columns * 16000 + (columns - 1) * 1000
    assert int(closed_form(literal, flash2.family(problem)).io) == expected


CONDITIONS = [first, last, not_first, not_last]


@pytest.mark.parametrize("seed", range(60))
def test_conditions_parts_and_split_tiles(seed: int) -> None:
    """Loads below loops that split tiles of their axis, under conditions on any of them: counts and texts."""
    rnd = Random(seed)
    family = relabelled(matmul_family(rnd.randint(1, 30), rnd.randint(1, 12), 2), ())
    outer, inner, other = rnd.randint(1, 12), rnd.randint(1, 5), rnd.randint(1, 5)
    start = rnd.choice([0, rnd.randint(0, family.extents["i"])])
    stop = rnd.choice([None, rnd.randint(start, family.extents["i"])])

    def guarded(labels: list[str]) -> Nodes:
        body: Nodes = (load("A", "B"), delete("A", "B"))
        for _ in range(rnd.randint(0, 2)):
            body = when(rnd.choice(CONDITIONS)(rnd.choice(labels)), body)
        return body

    below = loop("j", other, guarded(["rows", "row", "j"]))
    row = loop("i", inner, below, guarded(["rows", "row"]), label="row")
    text = program(phase("", loop("i", outer, row, guarded(["rows"]), start=start, stop=stop, label="rows")))
    outcome = refer(text, family)
    assert outcome.legal
    assert not against_formulas(text, family, outcome)
    form = closed_form(text, family)
    for formula in (*form.reads.values(), form.io):
        text_is_right(formula, family)


# Formulas are exact polynomials whose text says the same as their value

NAMES = {"N": 1000, "Nq": 37, "d": 64, "⌈N/92⌉": 11, "⌈(N − 5)/7⌉": 143}
PLAIN = {"N": 1000, "Nq": 37, "d": 64}


def formulas() -> st.SearchStrategy[tuple[Formula, int]]:
    """A formula with the value that plain numbers give."""
    leaf = st.one_of(
        st.integers(-30, 30).map(lambda n: (constant(n), n)),
        st.sampled_from(sorted(NAMES)).map(lambda name: (symbol(name, NAMES[name]), NAMES[name])),
    )
    return st.recursive(
        leaf,
        lambda inner: st.tuples(inner, inner, st.sampled_from("+-*")).map(
            lambda t: {
                "+": (t[0][0] + t[1][0], t[0][1] + t[1][1]),
                "-": (t[0][0] - t[1][0], t[0][1] - t[1][1]),
                "*": (t[0][0] * t[1][0], t[0][1] * t[1][1]),
            }[t[2]]
        ),
        max_leaves=8,
    )


@given(formulas())
def test_value_and_text(pair: tuple[Formula, int]) -> None:
    formula, value = pair
    assert int(formula) == value
    assert value_of(str(formula), PLAIN) == value


@given(formulas(), formulas())
def test_equal_polynomials_have_equal_terms(one: tuple[Formula, int], other: tuple[Formula, int]) -> None:
    a, b = one[0], other[0]
    assert dict((a + b).terms) == dict((b + a).terms)
    assert dict((a * b).terms) == dict((b * a).terms)
    assert (a - a).terms == ()
    assert dict(((a + b) * (a - b)).terms) == dict((a * a - b * b).terms)


def test_texts() -> None:
    N, d, blocks = (symbol(name, NAMES[name]) for name in ("N", "d", "⌈N/92⌉"))
    assert str(N * blocks * d * constant(2) + N * d) == "2·N·d·⌈N/92⌉ + N·d"
    assert str(N * N * d - N) == "N²·d − N"
    assert str(constant(0)) == "0"
    assert str(N - N) == "0"
    assert str(constant(3) - N * N * N) == "−N³ + 3"
    power = constant(1)
    for _ in range(12):
        power = power * d
    assert str(power) == "d¹²"


def test_large_values_are_exact() -> None:
    huge = symbol("N", 10**9)
    assert int(huge * huge * huge - constant(1)) == 10**27 - 1


def test_one_name_has_one_value() -> None:
    with pytest.raises(ValueError, match="N"):
        symbol("N", 3) + symbol("N", 4)
