"""Runs of attention on several devices: counts as in closed form, attention on numbers, each move needed."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.game.files.processor_files import ProcessorCheck, check_processor_pebbling
from pebble.game.files.reader import PebblingReader
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.induced import induced_dag, induced_run
from pebble.game.processors.moves import parse_processor_move
from pebble.game.processors.settings import Processors
from pebble.graph.any_dag import AnyDag
from pebble.lab.pebblings import check
from pebble.lab.processor_runs import induced_outputs, played_file
from tests.game import independent_processors_checker
from tests.support.plain_attention import attention
from tests.support.processor_runs import RunLines, all_gather, grid, ring, tokens_of, ulysses

LAYOUTS = ("contiguous", "zigzag", "striped")


def causal(i: int, j: int) -> bool:
    return j <= i


def text_of(run: RunLines, head: str) -> str:
    return head + "\n".join(run.lines) + "\n"


def checked(text: str) -> ProcessorCheck:
    found = check(io.StringIO(text))
    assert isinstance(found, ProcessorCheck)
    return found


def named_run(name: str, own: list[list[int]], d: int, mask: str = "") -> RunLines:
    allowed = causal if mask else lambda i, j: True
    if name == "ring":
        return ring(own, d, allowed)
    if name == "flash":
        return ring(own, d, allowed, rows=2)
    return all_gather(own, d, allowed) if name == "all-gather" else grid(own, d, 2, allowed)


def header(run: RunLines, layout: str, N: int, P: int, mask: str = "", more: str = "") -> str:
    dag = f"attention-forward Nq={N} Nk={N} d={run.d} dv={run.d}{' mask=causal' if mask else ''}"
    return run.head(layout, N, P, more, dag)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("P", "d"), [(2, 1), (4, 2)])
def test_words_received_are_those_of_the_closed_forms(layout: str, P: int, d: int) -> None:
    N, n = 8, 8 // P
    own = tokens_of(layout, N, P)
    words = {"ring": 2 * n * d * (P - 1), "all-gather": 2 * n * d * (P - 1)}
    rounds = {"ring": P - 1, "all-gather": int(P > 1)}
    memory = {"ring": 8 * n * d + n, "all-gather": 3 * n * d + 2 * (N - n) * d + n * (d + 1)}
    if P == 4:
        words["grid"] = n * ((2 * d + 1) + 2 * d)
        rounds["grid"] = 2
        memory["grid"] = 3 * n * d + n * d + 2 * n * d + 2 * n * (d + 1) + n * (d + 1)
    for name, received in words.items():
        run = named_run(name, own, d)
        found = checked(text_of(run, header(run, layout, N, P)))
        assert found.complete
        assert found.tally.counts("received") == found.tally.counts("sent") == [received] * P
        assert found.tally.rounds == rounds[name]
        assert found.tally.h_sum == received
        assert found.tally.computes_of("P") == [N * N // P] * P
        assert found.tally.work_sum("P") == N * N // P
        if P > 2:
            over = max(found.tally.counts("memory_peak")) - memory[name]
            assert over == 0 if name in ("ring", "grid") else 0 < over <= d + 4, (
                "scores and weights of one pair"
            )


@pytest.mark.parametrize(("heads", "groups"), [(4, 4), (4, 2), (8, 2)])
def test_ulysses(heads: int, groups: int) -> None:
    N, P, d, n = 4, 4, 2, 1
    run = ulysses(tokens_of("contiguous", N, P), d, heads, groups)
    dag = f"attention-heads Nq={N} Nk={N} d={d} dv={d} Hq={heads} Hk={groups}"
    text = text_of(run, run.head("contiguous", N, P, "", dag))
    found = checked(text)
    expected = (N - n) * d * (heads // P + 2 * max(1, groups // P)) + n * d * (heads - heads // P)
    assert found.complete
    assert (found.tally.counts("received"), found.tally.rounds) == ([expected] * P, 2)
    assert found.tally.computes_of("P") == [N * N * heads // P] * P
    assert_counted_alike(found, text)
    game, family = played_file(io.StringIO(text))
    rng = np.random.default_rng(2)
    shapes = {name: family.shape(name) for name in "QKV"}
    inputs = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    outputs = induced_outputs(game, family, inputs)["O"]
    for g, r in np.ndindex(groups, heads // groups):
        plain, _ = attention(inputs["Q"][:, g, r], inputs["K"][:, g], inputs["V"][:, g])
        np.testing.assert_allclose(outputs[:, g, r], plain, rtol=1e-12)


@pytest.mark.parametrize("rows", [1, 2])
def test_the_ring_with_flash_2_inside_moves_what_the_closed_form_says(rows: int) -> None:
    N, P, d, n = 8, 2, 2, 4
    run = ring(tokens_of("contiguous", N, P), d, rows=rows)
    found = checked(text_of(run, header(run, "contiguous", N, P, more="# M 40\n")))
    turns = P * (n * d + 2 * n * d * -(-n // rows))
    assert found.complete
    assert found.tally.counts("io") == [turns + 2 * (P - 1) * n * (d + 1) + n * d] * P
    assert found.io == found.tally.total("io")


@pytest.mark.parametrize("mask", ["", "causal"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["ring", "all-gather", "grid", "flash"])
def test_the_induced_dag_is_attention(name: str, layout: str, mask: str) -> None:
    N, P, d = 8, 4, 2
    run = named_run(name, tokens_of(layout, N, P), d, mask)
    more = "# M 30\n" if name == "flash" else ""
    text = text_of(run, header(run, layout, N, P, mask, more))
    assert_counted_alike(checked(text), text)
    game, family = played_file(io.StringIO(text))
    rng = np.random.default_rng(3)
    inputs = {array: rng.normal(size=(N, d)) for array in "QKV"}
    allowed = np.tril(np.ones((N, N), dtype=bool)) if mask else None
    plain, _ = attention(inputs["Q"], inputs["K"], inputs["V"], allowed)
    np.testing.assert_allclose(induced_outputs(game, family, inputs)["O"], plain, rtol=1e-12)
    dag = induced_dag(game)
    merged = sum(dag.name(v).startswith(("l[", "U[")) for v in range(dag.n_vertices))
    chains = family.size("l") + family.size("U")
    assert merged - chains == game.tally.total("merges")


@pytest.mark.parametrize("name", ["ring", "grid", "flash"])
def test_a_run_is_a_run_on_the_dag_it_induces(name: str) -> None:
    """Without free sums, with the same counts; merges are computations there."""
    N, P, d = 4, 4, 1
    run = named_run(name, tokens_of("striped", N, P), d)
    game, _ = played_file(
        io.StringIO(text_of(run, header(run, "striped", N, P, more="# M 20\n" * (name == "flash"))))
    )
    moves = [parse_processor_move(line, game.names) for line in run.lines]
    first, induced, again = induced_run(game.dag, game.processors, moves)
    second = ProcessorGame(induced, Processors(P, "striped", fast=game.processors.fast, strict=True))
    for move in again:
        second.play(move)
    second.finish()
    assert second.complete
    for count in ("received", "sent", "io", "memory_peak", "fast_peak", "messages"):
        assert second.tally.counts(count) == first.tally.counts(count)
    both = [a + b for a, b in zip(first.tally.counts("computes"), first.tally.counts("merges"), strict=True)]
    assert second.tally.counts("computes") == both


def mutants(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each line left out, and each twice."""
    for at, line in enumerate(lines):
        yield f"without {line}", lines[:at] + lines[at + 1 :]
        yield f"twice {line}", [*lines[:at], line, *lines[at:]]


def assert_counted_alike(found: ProcessorCheck, text: str) -> None:
    """Compare the counts with those of a referee that shares no code with the package."""
    other = independent_processors_checker.check(text)
    assert other.pop("rounds") == found.tally.rounds
    assert other == {name: found.tally.counts(name) for name in other}


def assert_all_refused(run: RunLines, layout: str, N: int, P: int, dag: str = "", M: str = "") -> int:
    """Check that no mutant is legal and complete with the memory that the run needs; return how many there are."""
    found = checked(text_of(run, run.head(layout, N, P, M, dag)))
    built = found.status.dag
    assert_counted_alike(found, text_of(run, run.head(layout, N, P, M, dag)))
    assert found.complete
    head = run.head(layout, N, P, f"# H {max(found.tally.counts('memory_peak'))}\n", dag)
    head += f"# M {found.peak}\n" if M else ""
    count = 0
    for what, lines in mutants(run.lines):
        try:
            other = independent_processors_checker.check(head + "\n".join(lines)) is None
        except (ValueError, AssertionError):
            other = True
        assert other, f"the independent checker accepts {what}"
        try:
            reader = PebblingReader(io.StringIO(head + "\n".join(lines) + "\n"))
            result = check_processor_pebbling(reader, lambda header: built)
        except InvalidInput:
            continue
        finally:
            count += 1
        assert not result.complete, what
    return count


def test_no_move_of_a_ring_can_be_dropped_or_doubled() -> None:
    assert assert_all_refused(ring(tokens_of("contiguous", 2, 2), 1), "contiguous", 2, 2) == 86


@pytest.mark.slow
def test_no_move_can_be_dropped_or_doubled() -> None:
    two, four = tokens_of("contiguous", 4, 2), tokens_of("striped", 4, 4)
    heads = "attention-heads Nq=2 Nk=2 d=1 dv=1 Hq=2 Hk=1"
    counts = [
        assert_all_refused(ring(two, 1), "contiguous", 4, 2),
        assert_all_refused(all_gather(two, 2), "contiguous", 4, 2),
        assert_all_refused(grid(four, 1, 2), "striped", 4, 4),
        assert_all_refused(ring(two, 1, rows=2), "contiguous", 4, 2, M="# M 30\n"),
        assert_all_refused(ulysses(tokens_of("contiguous", 2, 2), 1, 2, 1), "contiguous", 2, 2, heads),
    ]
    assert sum(counts) > 1500


def changed(lines: list[str], rng: np.random.Generator) -> list[str]:
    """Exchange two lines, move one, or give a number in one of them another value."""
    lines = list(lines)
    one, other = sorted(rng.integers(len(lines), size=2).tolist())
    kind = int(rng.integers(4))
    if kind == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 1:
        lines.insert(one, lines.pop(other))
    elif kind == 2:
        lines.insert(other, lines.pop(one))
    else:
        numbers = list(re.finditer(r"\d+", lines[one]))
        if numbers:
            found = numbers[int(rng.integers(len(numbers)))]
            value = str(int(rng.integers(3)))
            lines[one] = lines[one][: found.start()] + value + lines[one][found.end() :]
    return lines


def verdicts(text: str, dag: AnyDag) -> tuple[bool, bool]:
    """Tell whether this referee and the independent one take a text for a legal and complete run."""
    try:
        ours = check_processor_pebbling(PebblingReader(io.StringIO(text)), lambda header: dag)
    except InvalidInput:
        ours = None
    try:
        theirs = independent_processors_checker.check(text)
    except (ValueError, AssertionError, IndexError, KeyError):
        return ours is not None and ours.complete, False
    if ours is not None and ours.complete:
        assert theirs.pop("rounds") == ours.tally.rounds
        assert theirs == {name: ours.tally.counts(name) for name in theirs}
    return ours is not None and ours.complete, True


@pytest.mark.parametrize("strict", ["", " strict"])
@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_both_referees_say_the_same_of_changed_runs(strict: str, count: int) -> None:
    rng = np.random.default_rng(7)
    two = tokens_of("contiguous", 2, 2)
    accepted = 0
    for run, M in [(ring(two, 1), ""), (grid(two, 1, 2), ""), (ring(two, 1, rows=1), "# M 7\n")]:
        head = header(run, "contiguous", 2, 2, more=M).replace(" strict", strict)
        built = checked(text_of(run, head)).status.dag
        for _ in range(count):
            ours, theirs = verdicts(head + "\n".join(changed(run.lines, rng)) + "\n", built)
            assert ours == theirs
            accepted += ours
    assert accepted > count // 4
