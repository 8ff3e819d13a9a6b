"""Lower bounds under masks: against machine runs, random pebblings, exact optima, and one by one against the proofs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble import optimal, schedule_dag
from pebble.cli import main
from pebble.common.errors import BoundDoesNotApply, PebbleError
from pebble.computations.family import Family
from pebble.computations.masks import DenseMask, make_mask, mask_from_array
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.game import Game
from pebble.game.moves import Move, Op
from pebble.lab.count import count_schedule
from pebble.lower_bounds import (
    attenio_count,
    b1,
    b2,
    best_bound,
    proved_bounds,
    published_curves,
    regime,
    t1,
    t2,
)
from pebble.lower_bounds.attention import by_parts as by_parts_module
from pebble.lower_bounds.attention.by_parts import by_parts
from pebble.lower_bounds.attention.compulsory import compulsory_backward, compulsory_forward, compulsory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.b3 import b3
from pebble.lower_bounds.certified.t3 import t3
from pebble.lower_bounds.counts import Part
from pebble.lower_bounds.dividing_point import sparse_dividing_point
from pebble.lower_bounds.proved import bounds_by_counts
from pebble.lower_bounds.published.all_pairs import (
    fast_multiplication,
    flash_attention,
    li_et_al,
    saha_ye,
    standard_attention,
)
from pebble.lower_bounds.published.masked import block_sparse_flash_attention, li_et_al_sparse
from pebble.lower_bounds.table import bounds
from pebble.program.schedule import get
from tests.masked_pebblings import Moves, Player, image, io
from tests.masks_reference import definitions

PASSES = ("forward", "backward")


def random_mask(Nq: int, Nk: int, rng: np.random.Generator) -> DenseMask:
    """Any pattern, from sparse to full; some queries and keys may have no pair."""
    allowed = rng.random((Nq, Nk)) < rng.choice([0.2, 0.5, 0.8, 1.0])
    allowed[rng.random(Nq) < 0.15] = False
    allowed[:, rng.random(Nk) < 0.15] = False
    allowed[rng.integers(Nq), rng.integers(Nk)] = True
    return mask_from_array(allowed, empty_rows="zero")


def random_problem(seed: int, most: int = 4) -> tuple[Problem, np.random.Generator]:
    rng = np.random.default_rng(seed)
    Nq, Nk = (int(n) for n in rng.integers(1, most + 1, 2))
    d, dv = (int(n) for n in rng.integers(1, 3, 2))
    pass_name = PASSES[seed % 2]
    stats = pass_name == "forward" and bool(rng.integers(2))
    return Problem(Nq, Nk, d, dv, stats=stats, pass_name=pass_name, mask=random_mask(Nq, Nk, rng)), rng


def kinds(Nq: int, Nk: int, a: int, b: int) -> Iterator[str]:
    for spec in definitions(Nq, Nk, a, b):
        try:
            make_mask(spec, Nq, Nk, empty_rows="zero")
        except PebbleError:
            continue
        yield spec


# What the bounds read off a mask


def parts_by_search(allowed: np.ndarray) -> list[tuple[set[int], set[int]]]:
    """Queries and keys of every part, by spreading from one query at a time."""
    found, left = [], {int(i) for i in np.flatnonzero(allowed.any(axis=1))}
    while left:
        queries, keys = {min(left)}, set[int]()
        while True:
            more = {int(j) for i in queries for j in np.flatnonzero(allowed[i])}
            again = {int(i) for j in more for i in np.flatnonzero(allowed[:, j])}
            if (again, more) == (queries, keys):
                break
            queries, keys = again | queries, more
        found.append((queries, keys))
        left -= queries
    return found


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 5), st.integers(0, 999))
def test_parts_and_degrees_of_every_kind_of_mask(Nq: int, Nk: int, a: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    masks = [make_mask(spec, Nq, Nk, empty_rows="zero") for spec in kinds(Nq, Nk, a, min(a, 2))]
    for mask in [*masks, random_mask(Nq, Nk, rng)]:
        assert mask is not None
        allowed = mask.matrix((0, Nq), (0, Nk))
        expected = parts_by_search(allowed)
        labels = mask.parts
        found = [
            (
                {int(i) for i in np.flatnonzero(labels["i"] == n)},
                {int(j) for j in np.flatnonzero(labels["j"] == n)},
            )
            for n in range(len(expected))
        ]
        assert found == expected
        assert set(labels["i"][~allowed.any(axis=1)]) | set(labels["j"][~allowed.any(axis=0)]) <= {-1}
        for axis, pairs in (("i", allowed), ("j", allowed.T)):
            chosen = rng.random(pairs.shape[1]) < 0.5
            assert mask.degrees(axis, np.asarray(chosen)).tolist() == (pairs & chosen).sum(axis=1).tolist()


@pytest.mark.parametrize("seed", range(30))
def test_compulsory_words_are_the_inputs_and_outputs_of_the_family(seed: int) -> None:
    problem, _ = random_problem(seed, most=6)
    family = family_of(problem)
    outputs = sum(family.words(array.name) for array in family.outputs)
    inputs = sum(family.words(array.name) for array in family.inputs)
    found = (
        compulsory_backward(problem, 9) if problem.pass_name == "backward" else compulsory_forward(problem, 9)
    )
    assert found.value == inputs + outputs
    assert compulsory_words(problem) == inputs + outputs


# Leaving pairs out: the lemma, on pebblings


def images(large: Family, small: Family) -> dict[int, int]:
    """Where the vertices go when pairs are left out: a chain's step to the last one left at or before it."""
    names = {small.names[v]: v for v in range(small.n_vertices)}
    found = {}
    for v in range(large.n_vertices):
        name, _, rest = large.names[v].partition("[")
        index = [int(n) for n in rest[:-1].split(",")]
        steps = range(index[-1], -1, -1) if large[name].chain in ("i", "j") else (index[-1],)
        targets = (f"{name}[{','.join(map(str, [*index[:-1], step]))}]" for step in steps)
        target = next((names[t] for t in targets if t in names), None)
        if target is not None:
            found[v] = target
    return found


def play(family: Family, moves: Moves, M: int) -> None:
    """Play moves under all rules, to the end."""
    game = Game(family.dag(), M)
    for kind, v in moves:
        game.push(Move(Op[kind.upper()], v))
    assert game.complete


@pytest.mark.parametrize("seed", range(24))
def test_leaving_pairs_out_leaves_a_pebbling_of_the_rest(seed: int) -> None:
    problem, rng = random_problem(seed)
    mask = problem.mask
    assert mask is not None
    large = family_of(problem)
    assert large.masked_axes
    M = large.max_indegree + 1 + int(rng.integers(0, 6))
    moves = Player(large.dag(), M, rng).moves
    play(large, moves, M)
    for share in (0.3, 0.7):
        allowed = mask.matrix((0, problem.Nq), (0, problem.Nk)) & (
            rng.random((problem.Nq, problem.Nk)) < share
        )
        if not allowed.any():
            continue
        rest = replace(problem, mask=mask_from_array(allowed, empty_rows="zero"))
        small = family_of(rest)
        assert small.masked_axes
        left = image(moves, images(large, small))
        play(small, left, M)
        words = {name: _compulsory(p) for name, p in (("large", problem), ("small", rest))}
        assert io(left) + words["large"] - words["small"] <= io(moves)


def _compulsory(problem: Problem) -> int:
    return compulsory_words(problem)


# No bound is above what can be done


def check(problem: Problem, M: int, words: int) -> int:
    """Every bound that is not just a curve is at most a legal program's I/O; return the greatest."""
    found = proved_bounds(problem, M)
    for bound in found:
        assert bound.proved
        assert bound.value <= words, (problem, M, bound)
    assert {"by parts", "compulsory"} <= {bound.name for bound in found}
    return int(found[0].value)


@pytest.mark.parametrize("seed", range(40))
def test_no_bound_is_above_a_random_pebbling(seed: int) -> None:
    problem, rng = random_problem(seed, most=5)
    dag = family_of(problem).dag()
    M = family_of(problem).max_indegree + 1 + int(rng.integers(0, 4))
    check(problem, M, io(Player(dag, M, rng).moves))


NAMES = {"forward": ("flash-1", "flash-2", "square-tile"), "backward": ("flash-2", "p-first")}


@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("sizes", [(8, 8, 2, 2), (5, 7, 1, 2)])
def test_no_bound_is_above_a_machine_run(pass_name: str, sizes: tuple[int, int, int, int]) -> None:
    Nq, Nk, d, dv = sizes
    for spec in kinds(Nq, Nk, 3, 2):
        mask = make_mask(spec, Nq, Nk, empty_rows="zero")
        problem = Problem(Nq, Nk, d, dv, pass_name=pass_name, mask=mask)
        for name in NAMES[pass_name]:
            schedule = get(name, pass_name)
            M = schedule.least_M(problem) + 3
            row = count_schedule(schedule, problem, M, None, 1)
            if row.io is not None:
                check(problem, M, row.io)


def test_bounds_above_compulsory_are_below_schedules_that_come_near() -> None:
    """Small heads and little memory, where T1, T2, B1 and the parts say more than the compulsory words."""
    above = 0
    for spec in (
        "causal",
        "document:12,12",
        "document:causal,12,6,6",
        "window:9",
        "longformer:window=6,global=4",
    ):
        for pass_name, d, name, M in (
            ("forward", 1, "flash-2", 10),
            ("forward", 2, "flash-2", 20),
            ("backward", 1, "split", 16),
        ):
            problem = Problem.square(24, d, pass_name=pass_name, mask=spec)
            row = count_schedule(get(name, pass_name), problem, M, None, 1)
            assert row.io is not None
            above += check(problem, M, row.io) > _compulsory(problem)
    assert above >= 9


TINY = [
    ("forward", [[1, 1], [0, 1]], 1, 1, False),
    ("forward", [[1, 0, 0], [0, 1, 1]], 1, 1, True),
    ("forward", [[1, 0], [0, 0], [1, 1]], 1, 1, False),
    ("forward", [[1, 0], [0, 1]], 2, 1, False),
    ("forward", [[1, 1, 0], [0, 1, 1]], 1, 1, False),
    ("backward", [[1, 0], [0, 1]], 1, 1, False),
    ("backward", [[1, 1]], 1, 1, False),
]


@pytest.mark.parametrize(("pass_name", "allowed", "d", "dv", "stats"), TINY)
def test_no_bound_is_above_an_exact_optimum(
    pass_name: str, allowed: list[list[int]], d: int, dv: int, stats: bool
) -> None:
    mask = mask_from_array(np.array(allowed, dtype=bool), empty_rows="zero")
    problem = Problem(mask.Nq, mask.Nk, d, dv, stats=stats, pass_name=pass_name, mask=mask)
    family = family_of(problem)
    least = family.max_indegree + 1
    for M in (least, 64) if pass_name == "backward" else (least, least + 1, 64):
        best = optimal(family.dag(), M)
        assert best.proved
        check(problem, M, best.io)
    assert best.io == best_bound(problem, 64).value == _compulsory(problem)


def test_no_bound_is_above_an_automatic_schedule() -> None:
    rng = np.random.default_rng(5)
    above = 0
    for pass_name, order in (("forward", "depth-first"), ("backward", "depth-first")):
        for spec in ("causal", "document:5,5", "window:4"):
            problem = Problem.square(10, 1, pass_name=pass_name, mask=spec)
            family = family_of(problem)
            for M in (family.max_indegree + 1, family.max_indegree + 1 + int(rng.integers(1, 9))):
                found = schedule_dag(family.dag(), M, order=order)
                above += check(problem, M, found.io) > _compulsory(problem)
    assert above >= 3


# Wrong bounds are found out


def _machine_io(problem: Problem, M: int) -> int:
    row = count_schedule(get("flash-2", problem.pass_name), problem, M, None, 1)
    assert row.io is not None
    return row.io


@pytest.mark.parametrize("pass_name", PASSES)
def test_all_pairs_instead_of_those_allowed_would_be_caught(pass_name: str) -> None:
    problem = Problem.square(48, 1, pass_name=pass_name, mask="window:8")
    M = 24
    words = _machine_io(problem, M)
    check(problem, M, words)
    caught = {bound.name for bound in proved_bounds(problem.without_mask(), M) if bound.value > words}
    assert caught >= ({"T1"} if pass_name == "forward" else {"B1"})


def test_queries_without_keys_counted_as_others_would_be_caught() -> None:
    allowed = np.tri(12, dtype=bool)
    allowed[3:9] = False
    for pass_name in PASSES:
        problem = Problem.square(12, 2, pass_name=pass_name, mask=mask_from_array(allowed, empty_rows="zero"))
        words = _machine_io(problem, 400)
        check(problem, 400, words)
        assert _compulsory(problem.without_mask()) > words


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        # What is left out counts although its lines still have pairs.
        ("compulsory_words", lambda original: lambda part: original(replace(part, keys=part.pairs))),
        # More pairs than there are.
        ("_part", lambda original: lambda problem, counted: original(problem, counted * [4, 1, 1])),
    ],
)
def test_a_wrong_bound_by_parts_would_be_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any
) -> None:
    problem, M = Problem.square(48, 1, mask="causal"), 60
    words = _machine_io(problem, M)
    assert proved_bounds(problem, M)[0].value <= words
    monkeypatch.setattr(by_parts_module, name, wrong(getattr(by_parts_module, name)))
    assert proved_bounds(problem, M)[0].value > words


# Values


@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("M", [1000, 4000, 60_000])
def test_a_mask_of_all_pairs_changes_nothing(pass_name: str, M: int) -> None:
    dense = Problem(300, 500, 32, 32, pass_name=pass_name)
    masked = replace(dense, mask=mask_from_array(np.ones((300, 500), dtype=bool)))
    found = {bound.name: bound.value for bound in proved_bounds(masked, M)}
    assert found.pop("by parts") >= max(found.values())
    assert found == {bound.name: bound.value for bound in proved_bounds(dense, M)}


def test_bounds_depend_on_pairs_queries_and_keys_alone() -> None:
    """So that whoever shuffles queries and keys changes nothing, and a part counts like a problem."""
    rng = np.random.default_rng(1)
    allowed = np.tri(200, dtype=bool) & (rng.random((200, 200)) < 0.5)
    shuffled = allowed[rng.permutation(200)][:, rng.permutation(200)]
    for pass_name in PASSES:
        one, other = (
            Problem.square(200, 16, pass_name=pass_name, mask=mask_from_array(a, empty_rows="zero"))
            for a in (allowed, shuffled)
        )
        for M in (100, 1000, 5000):
            assert [(b.name, b.value) for b in proved_bounds(one, M)] == [
                (b.name, b.value) for b in proved_bounds(other, M)
            ]
        part = Part(pass_name, 16, 16, False, one.pairs, one.queries, one.keys)
        for bound in (t1, t2, t3) if pass_name == "forward" else (b1, b2, b3):
            assert bound(part, 100).value == bound(one, 100).value


@pytest.mark.parametrize("pass_name", PASSES)
def test_packed_sequences_are_bounded_one_by_one(pass_name: str) -> None:
    lengths, d, M = (1000, 2000, 1000), 64, 30_000
    packed = Problem.square(sum(lengths), d, pass_name=pass_name, mask="document:1000,2000,1000")
    apart = sum(best_bound(Problem.square(n, d, pass_name=pass_name), M).value for n in lengths)
    found = {bound.name: bound for bound in proved_bounds(packed, M)}
    assert found["by parts"].value >= apart
    assert best_bound(packed, M).value >= apart
    assert found["by parts"].value > max(b.value for name, b in found.items() if name != "by parts")
    assert "3 parts" in found["by parts"].note


def test_shuffled_sequences_are_found_again() -> None:
    rng = np.random.default_rng(0)
    mask = make_mask("document:100,300,200", 600, 600)
    assert mask is not None
    order = rng.permutation(600)
    hidden = mask_from_array(mask.matrix((0, 600), (0, 600))[order][:, rng.permutation(600)])
    M = 700
    values = [best_bound(Problem.square(600, 16, mask=m), M) for m in (mask, hidden)]
    assert values[0] == values[1]
    assert values[0].name == "by parts"


def test_queries_of_few_keys_are_worth_more_than_their_pairs() -> None:
    """Causal: about M words more than T1 has, from the first queries and the last keys."""
    problem, M = Problem.square(4096, 64, mask="causal"), 25_000
    found = {bound.name: bound for bound in proved_bounds(problem, M)}
    assert 0.9 * M < found["by parts"].value - found["T1"].value < 1.1 * M
    assert "few pairs" in found["by parts"].note


@pytest.mark.parametrize("width", [1, 64, 300])
def test_windows_that_fit_are_bounded_by_what_must_pass(width: int) -> None:
    """3Nd words in and Nd out, which the schedule key-window reaches."""
    problem = Problem.square(5000, 64, mask=f"window:{width}")
    assert best_bound(problem, 2 * 64 * 302).value == 4 * 5000 * 64


def test_masks_of_many_parts_and_many_shapes() -> None:
    rng = np.random.default_rng(2)
    lengths = rng.permutation(np.arange(1, 120))
    N = int(lengths.sum())
    problem = Problem.square(N, 8, mask="document:" + ",".join(map(str, lengths.tolist())))
    assert best_bound(problem, 200).value >= 4 * 8 * N
    single = Problem.square(100_000, 8, mask="window:1")
    assert best_bound(single, 200).value == 4 * 8 * 100_000


def test_by_parts_is_for_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BoundDoesNotApply, match="masks"):
        by_parts(Problem.square(4, 2), 10, bounds_by_counts)
    problem = Problem.square(400, 16, mask="causal")
    usual = by_parts(problem, 2000, bounds_by_counts)
    monkeypatch.setattr(by_parts_module, "MOST_LINES", 10)
    assert usual.value > by_parts(problem, 2000, bounds_by_counts).value == t1(problem, 2000).value


def test_a_computer_assisted_part_makes_the_sum_one() -> None:
    problem = Problem.square(4000, 64, mask="document:2000,2000")
    found = by_parts(problem, 3000, bounds_by_counts)
    assert (found.status, "T3" in found.note) == ("computer-assisted", True)
    assert by_parts(problem, 30_000, bounds_by_counts).status == "proved"


def test_t3_counts_the_queries_that_take_part() -> None:
    """Chains of queries without keys are not begun: dv words less are taken off for each."""
    full = Part("forward", 64, 64, False, 10**6, 1000, 1000)
    assert t3(replace(full, queries=900), 3000).value == t3(full, 3000).value + 100 * 64
    assert compulsory_words(replace(full, stats=True)) == compulsory_words(full) + 1000


# Published curves


def test_dense_theorems_refuse_masks() -> None:
    forward, backward = (Problem.square(1024, 64, pass_name=p, mask="causal") for p in PASSES)
    for curve in (saha_ye, fast_multiplication, flash_attention, standard_attention, attenio_count):
        with pytest.raises(BoundDoesNotApply, match="all pairs"):
            curve(forward, 4096)
    with pytest.raises(BoundDoesNotApply, match="all pairs"):
        li_et_al(backward, 4096)
    for curve in (li_et_al_sparse, block_sparse_flash_attention):
        with pytest.raises(BoundDoesNotApply, match="about masks"):
            curve(Problem.square(1024, 64), 4096)
    with pytest.raises(BoundDoesNotApply, match="forward"):
        block_sparse_flash_attention(backward, 4096)
    with pytest.raises(BoundDoesNotApply, match="d <= M <= N d"):
        block_sparse_flash_attention(forward, 63)
    with pytest.raises(BoundDoesNotApply, match="dv = d"):
        li_et_al_sparse(Problem.square(16, 4, 8, mask="causal"), 40)


def test_sparse_curves_are_the_dense_ones_for_all_pairs() -> None:
    full = mask_from_array(np.ones((512, 512), dtype=bool))
    for pass_name, dense in (("forward", saha_ye), ("backward", li_et_al)):
        problem = Problem.square(512, 16, pass_name=pass_name)
        masked = replace(problem, mask=full)
        for M in (20, 256, 3000):
            assert li_et_al_sparse(masked, M).value == pytest.approx(dense(problem, M).value)
        assert sparse_dividing_point(masked) == 256
    forward = replace(Problem.square(512, 16), mask=full)
    assert block_sparse_flash_attention(forward, 300).value == 512 * 16 + 512**2 * 16**2 / 300


def test_the_two_forms_of_the_worst_case_meet_at_the_dividing_point() -> None:
    problem = Problem.square(1024, 64, mask="window:64")
    point = sparse_dividing_point(problem)
    assert point == Fraction(1024**2 * 64**2, problem.pairs)
    for M in (int(point) // 4, 4 * int(point)):
        forms = ((1024 * 64) ** 2 / M, 1024 * 64 * (problem.pairs / M) ** 0.5)
        assert li_et_al_sparse(problem, M).value == pytest.approx(min(forms))
        assert li_et_al_sparse(problem, M).value == pytest.approx(forms[0 if point <= M else 1])
    assert [curve.status for curve in published_curves(problem, 4096)] == ["asymptotic"] * 2


@pytest.mark.parametrize("density", ["0.25", "0.5", "1"])
def test_block_sparse_flash_stays_within_constants_of_its_curve(density: str) -> None:
    """Per visit of a query by a block of keys 3d + 2 words, and Nd words besides where every key has a block."""
    N, d, block = 128, 8, 16
    problem = Problem.square(N, d, mask=f"blocks:size={block},density={density},seed=3")
    schedule = get("flash-1", "forward")
    M = schedule.measure(problem, {"cols": block}).peak
    row = count_schedule(schedule, problem, M, {"cols": block}, 1)
    visits = problem.pairs // block
    assert row.io == visits * (3 * d + 2) + 2 * problem.keys * d - problem.queries * (d + 2)
    assert 1 < row.io / block_sparse_flash_attention(problem, M).value < 6 * (3 * d + 2) / (3 * d) * 1.2


# What is shown


def test_regime_under_a_mask() -> None:
    problem = Problem.square(1024, 64, mask="window:64")
    found = regime(problem, 8192)
    assert found.mu == 2
    assert found.large_cache
    assert found.sparse_mu == 8192 / sparse_dividing_point(problem)
    assert "M < Z_in²/Z_QK" in str(found)
    assert "M ≥ Z_in²/Z_QK" in str(regime(problem, 10**6))
    assert "Z_in" not in str(regime(problem.without_mask(), 8192))


def _main() -> None:
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code


@pytest.mark.parametrize("command", ["bounds", "count"])
def test_commands_show_bounds_curves_and_dividing_points(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [command, "-N", "64", "-d", "4", "-M", "100", "--mask", "document:32,32"]
    arguments += ["--schedule", "flash-2"] * (command == "count")
    monkeypatch.setattr(sys, "argv", ["pebble", *arguments])
    _main()
    text = capsys.readouterr().out
    for shown in ("by parts", "Li et al., worst pattern", "block-sparse FlashAttention", "M·Z_QK/Z_in²"):
        assert shown in text
    monkeypatch.setattr(sys, "argv", ["pebble", *arguments, "--json"])
    _main()
    document = json.loads(capsys.readouterr().out)
    assert (document["dividing_point"], document["sparse_dividing_point"]) == (16, 32.0)
    assert document["regime"] == "large cache"
    statuses = {bound["name"]: bound["status"] for bound in document["bounds"]}
    assert statuses["by parts"] in ("proved", "computer-assisted")
    assert statuses["Li et al., worst pattern"] == "asymptotic"


def test_values_of_copies_add_up() -> None:
    problem = Problem.square(100, 8, mask="causal")
    one, six = (bounds(p, 100) for p in (problem, replace(problem, heads=3, batch=2)))
    assert [6 * b.value for b in one.proved] == [b.value for b in six.proved]
    assert bounds(problem.without_mask(), 100).to_dict()["sparse_dividing_point"] is None


def test_bounds_are_bounds() -> None:
    assert all(isinstance(b, Bound) for b in proved_bounds(Problem.square(9, 2, mask="causal"), 30))
