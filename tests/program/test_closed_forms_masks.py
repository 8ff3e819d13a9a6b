"""The closed form under a mask equals the moves of the game and the machine's counts, array by array."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pebble.common.errors import InvalidInput, NoClosedForm, Violation
from pebble.computations.attention import attention_family
from pebble.computations.family import Family
from pebble.computations.masks import (
    DenseMask,
    Mask,
    causal_mask,
    check_rows,
    make_mask,
)
from pebble.computations.problem import Problem
from pebble.lab.show import show
from pebble.program import Program, compute, delete, first, load, loop, phase, program, store, when
from pebble.program.closed_forms.count import ClosedForm, closed_form
from pebble.program.counting.run import run
from pebble.program.lowering import lower
from pebble.program.schedule import get
from tests.program.random_masks import random_mask
from tests.program.random_programs import relabelled


def values(form: ClosedForm) -> tuple[dict[str, int], dict[str, int]]:
    reads, writes = ({n: int(f) for n, f in side.items()} for side in (form.reads, form.writes))
    return reads, writes


def counted(text: Program, family: Family) -> tuple[dict[str, int], dict[str, int]]:
    plain = run(text, family, induction=False)
    reads, writes = ({n: c for n, c in side.items() if c} for side in (plain.reads, plain.writes))
    return reads, writes


def test_causal_at_a_million() -> None:
    N, d, rows = 10**6, 128, 192
    problem = Problem.square(N, d)
    flash = get("flash-2")
    family = flash.family(problem).under(causal_mask(N, N))
    form = closed_form(flash.program(problem, {"rows": rows}), family)
    tiles = sum(min(start + rows, N) for start in range(0, N, rows))
    assert str(form.io) == "2·d·tiles(192×1) + 2·N·d"
    assert int(form.io) == 2 * d * tiles + 2 * N * d
    assert form.legend == {"tiles(192×1)": "tiles of 192 queries × 1 key that hold an allowed pair"}


def test_texts() -> None:
    """The quantities of FlashAttention's two orders, and of a pattern with empty queries and keys."""
    problem = Problem.square(60, 4)
    causal = causal_mask(60, 60)

    def text(name: str, tiles: dict[str, int], mask: Mask) -> str:
        schedule = get(name)
        return str(closed_form(schedule.program(problem, tiles), schedule.family(problem).under(mask)).io)

    assert text("flash-1", {"cols": 8}, causal) == "3·d·tiles(1×8) + 2·tiles(1×8) + N·d − 2·N"
    assert text("flash-1", {"rows": 6, "cols": 8}, causal) == (
        "d·queries(6×8) + d·reached_queries(6×8) + d·begun_queries(6×8) + 2·N·d "
        "+ reached_queries(6×8) + begun_queries(6×8) − N"
    )
    assert text("naive", {}, causal) == "2·d·z + 4·z + 2·N·d + 2·N"
    some = np.zeros((60, 60), dtype=bool)
    some[3:9, 20:40] = True
    sparse = check_rows(DenseMask("some", some), "zero")
    assert text("flash-2", {"rows": 5}, sparse) == "2·d·tiles(5×1) + 2·d·queries"


L = attention_family(Problem(6, 5, 1, 1))


def sums(*body: object, **part: int) -> Program:
    """Rows of S and P ready in fast memory, then what is to be tested of l."""
    ready = (load("Q", "K"), compute("S"), compute("P"))
    return program(phase("", *ready, *body))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        # The sum over some keys, moved outside all loops over keys: the proof has no name for how far it is.
        (sums(loop("j", 2, compute("l"), stop=3), store("l"), delete("l"), load("l")), False),
        # Moved twice in the body, before and after.
        (sums(loop("j", 2, compute("l"), store("l"), delete("l"), load("l"))), True),
        # The same, with a loop around that comes back to where nothing was computed at first.
        (sums(loop("j", 2, loop("e", 1, when(first("e"), compute("l")), store("l")))), True),
        (
            sums(loop("j", 2, loop("i", 3, compute("l"), store("l"), delete("l"), load("l"))), delete("l")),
            True,
        ),
        (sums(loop("j", 5, compute("l")), store("l"), delete("l"), load("l"), delete("l")), True),
        # Computed before: what slow memory holds is complete.
        (sums(compute("l"), store("l"), delete("l"), loop("j", 2, when(first("j"), load("l")))), True),
    ],
)
@pytest.mark.parametrize("seed", [0, 3, 5, 6])  # masks with keys from 3 on
def test_partial_results(text: Program, known: bool, seed: int) -> None:
    rnd = Random(seed)
    family = relabelled(L, ()).under(random_mask(rnd, 6, 5))
    if known:
        try:
            count = counted(text, family)
        except Violation:
            # Some row has not begun: the game refuses it too.
            with pytest.raises(InvalidInput, match="some element has no value"):
                list(lower(text, family))
        else:
            assert values(closed_form(text, family)) == count
    else:
        with pytest.raises(NoClosedForm, match="does not prove"):
            closed_form(text, family)


def test_listing() -> None:
    problem = Problem.square(30, 4, mask=make_mask("causal", 30, 30))
    listing = show("flash-2", problem, tiles={"rows": 7})
    assert "tiles(7×1) = 100  tiles of 7 queries × 1 key that hold an allowed pair" in str(listing)
    assert listing.to_dict()["legend"] == {
        "tiles(7×1)": {"meaning": "tiles of 7 queries × 1 key that hold an allowed pair", "value": 100}
    }
    assert "tiles(7×1) = 100" in listing._repr_html_()
    assert show("flash-2", problem.without_mask(), tiles={"rows": 7}).to_dict()["legend"] == {}


def test_a_wrong_form_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A count without a mask is compared with the formula, which is no fold."""
    import pebble
    from pebble.common.errors import PebbleError

    problem = Problem.square(9, 2)
    other = get("flash-2").family(Problem.square(9, 3))
    real = closed_form
    monkeypatch.setattr("pebble.lab.count.closed_form", lambda text, _: real(text, other))
    with pytest.raises(PebbleError, match="the closed form gives"):
        pebble.count(problem, 20, ["flash-2"])
