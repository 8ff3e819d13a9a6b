"""Plans: what fits by the machine's judgement, what constraints mean and cost, and tiles that kernels ship with."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import pebble
from pebble import CacheTooSmall, InvalidInput, Problem
from pebble.cli import main
from pebble.computations.registry import family_of
from pebble.lab.plan import Constraints, Plan, plan
from pebble.lab.plan.constraints import product_tiles
from pebble.lab.plan.memory_need import Room, room, streamed_tiles, widened, width_ratio
from pebble.lab.plan.roofline import flops, moved_bytes, roofline_of
from pebble.program import Operation, Phase, Program
from pebble.program.closed_form.count import closed_form
from pebble.program.machine.run import run
from pebble.program.schedule import Schedule, available, get

FORWARD = Problem.square(2048, 64)
BACKWARD = Problem.square(2048, 64, pass_name="backward")


def _room(name: str, problem: Problem, tiles: dict[str, int], constraints: Constraints, dtype: str) -> Room:
    schedule = get(name, problem.pass_name)
    program = schedule.program(problem, tiles)
    measured = schedule.measure(problem, tiles)
    return room(program, schedule.family, problem, measured, constraints, dtype)


# What fits


@pytest.mark.parametrize(
    ("problem", "M"),
    [
        (FORWARD, 300),
        (FORWARD, 3000),
        (FORWARD, 40_000),
        (FORWARD, 200_000),
        (Problem(100, 700, 32, 48), 900),
        (BACKWARD, 900),
        (BACKWARD, 6000),
        (BACKWARD, 50_000),
    ],
)
def test_without_constraints_a_plan_is_as_good_as_the_best_schedule(problem: Problem, M: int) -> None:
    found = plan(problem, M)
    report = pebble.count(problem, M)
    cheapest = min(row.io for row in report.rows if row.io is not None)
    assert found.best.io <= cheapest
    assert found.best.ratio == pytest.approx(found.best.io / report.bounds.best.value)
    assert found.best.ratio >= 1
    assert found.costs == ()
    order = [(one.moved, one.io) for one in found.choices]
    assert order == sorted(order)
    for one in found.choices:
        assert one.room == Room(one.room.peak)
        assert one.room.words <= M
        tiles = get(one.schedule, problem.pass_name).check_tiles(one.tiles)
        rerun = run(get(one.schedule, problem.pass_name).program(problem, tiles), family_of(problem), M)
        assert (rerun.io, rerun.peak) == (one.io, one.room.peak)


@pytest.mark.parametrize("problem", [FORWARD, BACKWARD], ids=["forward", "backward"])
@pytest.mark.parametrize(
    "asked",
    [
        {"multiple_of": 16},
        {"power_of_two": True},
        {"multiple_of": 32, "power_of_two": True, "double_buffer": True},
        {"multiple_of": 8, "at_least": {"rows": 24, "cols": 24}, "accumulate": "float32"},
        {"at_most": {"rows": 40, "cols": 50}, "accumulate": "float32", "double_buffer": True},
    ],
    ids=["16", "power", "32 power double", "least wide", "most wide double"],
)
def test_choices_keep_the_constraints(problem: Problem, asked: dict[str, Any]) -> None:
    M = 40_000
    found = plan(problem, M, **asked, costs=False)
    for one in found.choices:
        assert one.room.words <= M
        schedule = get(one.schedule, problem.pass_name)
        program = schedule.program(problem, one.tiles)
        tiles = product_tiles(program, family_of(problem))
        assert {axis for axis, _ in tiles} == {"i", "j", "k", "e"}
        for axis, size in tiles:
            name = {"i": "rows", "j": "cols"}.get(axis, "")
            if size < family_of(problem).extents[axis]:
                assert size % asked.get("multiple_of", 1) == 0
                assert not asked.get("power_of_two") or size & (size - 1) == 0
                assert size >= asked.get("at_least", {}).get(name, 1)
            assert size <= asked.get("at_most", {}).get(name, size)
        assert int(closed_form(program, family_of(problem)).io) == one.io


@pytest.mark.parametrize(
    ("name", "problem", "asked"),
    [
        ("flash-2", FORWARD, {"multiple_of": 16}),
        ("flash-1", FORWARD, {"at_least": {"rows": 10}}),
        ("flash-2", FORWARD, {"power_of_two": True, "double_buffer": True}),
        ("flash-2", FORWARD, {"multiple_of": 8, "accumulate": "float32", "double_buffer": True}),
        ("flash-2", BACKWARD, {"multiple_of": 16, "accumulate": "float32"}),
    ],
)
def test_whole_tiles_are_the_best_of_all_whole_tiles(
    name: str, problem: Problem, asked: dict[str, Any]
) -> None:
    """Against a search of every pair of allowed tile sizes."""
    M, N = 18_000 if problem.pass_name == "backward" else 6_000, 96
    small = Problem(N, N, problem.d, problem.dv, pass_name=problem.pass_name)
    constraints = Constraints(**asked)
    schedule = get(name, problem.pass_name)
    io = []
    for rows in constraints.sizes("rows", N):
        for cols in (constraints.sizes("cols", N)[0], *constraints.sizes("cols", N)[1::7]):
            tiles = {"rows": rows, "cols": cols}
            if _room(name, small, tiles, constraints, "bfloat16").words <= M:
                measured = schedule.measure(small, tiles)
                io.append(moved_bytes(measured, "bfloat16", constraints.accumulate))
            else:
                break
    if name != "flash-2" or problem.pass_name == "backward":
        for cols in constraints.sizes("cols", N):
            tiles = {"rows": constraints.sizes("rows", N)[0], "cols": cols}
            if _room(name, small, tiles, constraints, "bfloat16").words <= M:
                io.append(moved_bytes(schedule.measure(small, tiles), "bfloat16", constraints.accumulate))
    found = plan(small, M, schedules=[name], costs=False, **asked)
    whole = [one for one in found.choices if one.form == "whole tiles"]
    assert whole[0].moved == min(io)


def test_one_word_less_changes_the_tiles() -> None:
    asked: dict[str, Any] = {"multiple_of": 16, "double_buffer": True, "accumulate": "float32"}
    found = plan(FORWARD, 60_000, schedules=["flash-2"], costs=False, **asked).best
    tight = plan(FORWARD, found.room.words, schedules=["flash-2"], costs=False, **asked).best
    assert (tight.io, tight.room.words) == (found.io, found.room.words)
    less = plan(FORWARD, found.room.words - 1, schedules=["flash-2"], costs=False, **asked).best
    assert (less.tiles, less.room) != (found.tiles, found.room)


def test_when_nothing_fits_the_error_says_what_would() -> None:
    asked: dict[str, Any] = {"multiple_of": 16, "at_least": {"rows": 64}}
    with pytest.raises(CacheTooSmall, match=r"nothing fits M = 1,000 words .*needs [\d,]+") as caught:
        plan(FORWARD, 1000, **asked)
    least = caught.value.least_M
    assert least is not None
    assert plan(FORWARD, least, costs=False, **asked).best.room.words <= least
    with pytest.raises(CacheTooSmall):
        plan(FORWARD, least - 1, **asked)
    with pytest.raises(CacheTooSmall, match="however large M"):
        plan(FORWARD, 10**6, schedules=["naive"], multiple_of=16)


# Double buffering, against a program that really does it


def _prefetching(problem: Problem, rows: int, cols: int) -> Program:
    """FlashAttention-2 with whole tiles, each tile of keys loaded while the one before it is used."""
    starts = range(0, problem.Nk, cols)
    keys = [(start, min(start + cols, problem.Nk)) for start in starts]

    def at(action: str, array: str, *box: tuple[str, int, int], replacing: str | None = None) -> Operation:
        return Operation(action, array, replacing, box)  # type: ignore[arg-type]

    def generate() -> list[Operation]:
        found = []
        for start in range(0, problem.Nq, rows):
            i = ("i", start, min(start + rows, problem.Nq))
            first = ("j", *keys[0])
            found += [at("load", "Q", i), at("load", "K", first), at("load", "V", first)]
            for number, key in enumerate(keys):
                j = ("j", *key)
                if number + 1 < len(keys):
                    ahead = ("j", *keys[number + 1])
                    found += [at("load", "K", ahead), at("load", "V", ahead)]
                found += [at("compute", "S", i, j), at("compute", "P", i, j, replacing="S")]
                found += [at("compute", "l", i, j), at("compute", "U", i, j)]
                found += [at("delete", "P", i, j), at("delete", "K", j), at("delete", "V", j)]
            found += [at("compute", "O", i, replacing="U"), at("store", "O", i)]
            found += [at("delete", name, i) for name in ("O", "l", "Q")]
        return found

    return Program((Phase("prefetching", (), generate),))


@pytest.mark.parametrize(("rows", "cols"), [(8, 4), (5, 7), (16, 16), (3, 30), (40, 2)])
def test_double_buffering_is_what_a_prefetching_program_needs(rows: int, cols: int) -> None:
    problem = Problem(40, 60, 6, 5)
    measured = run(_prefetching(problem, rows, cols), family_of(problem))
    plain = get("flash-2").measure(problem, {"rows": rows, "cols": cols})
    assert measured.io == plain.io
    need = _room("flash-2", problem, {"rows": rows, "cols": cols}, Constraints(double_buffer=True), "fp16")
    assert need.buffers == min(cols, 60) * (6 + 5)
    assert need.words == measured.peak


def test_streamed_tiles() -> None:
    def tiles(name: str, problem: Problem, size: dict[str, int]) -> dict[str, int]:
        schedule = get(name, problem.pass_name)
        return streamed_tiles(schedule.program(problem, size), family_of(problem))

    assert tiles("flash-2", FORWARD, {"rows": 10, "cols": 7}) == {"K": 7 * 64, "V": 7 * 64}
    assert tiles("flash-1", FORWARD, {"rows": 10, "cols": 7}) == {"Q": 640, "U": 640, "l": 10}
    assert tiles("flash-2", FORWARD, {"rows": 10}) == {"K": 1, "V": 1}
    assert tiles("flash-2", FORWARD, {"rows": 500}) == {"K": 64, "V": 64}
    streamed = tiles("flash-2", BACKWARD, {"rows": 10, "cols": 7})
    assert {"Q": 640, "dO": 640, "l": 10, "dQ": 640}.items() <= streamed.items()
    assert "K" not in streamed
    square = tiles("small-cache", FORWARD, {"side": 5})
    assert square == {"Q": 25, "K": 25, "P": 25, "V": 25}


# Wide accumulators


@pytest.mark.parametrize(("accumulate", "ratio"), [("float32", 2), ("float64", 4), (None, 1)])
def test_wide_accumulators_of_whole_tiles(accumulate: str | None, ratio: int) -> None:
    """Q, K, V in the inputs' type; S, U and l in the accumulators', two more for the steps of chains."""
    d, dv, rows, cols = 64, 64, 48, 32
    need = _room("flash-2", FORWARD, {"rows": rows, "cols": cols}, Constraints(accumulate=accumulate), "bf16")
    assert need.peak == rows * d + cols * (d + dv) + rows * cols + rows * dv + rows + 1
    exact = rows * d + cols * (d + dv) + ratio * (rows * cols + rows * dv + rows)
    assert exact <= need.words <= exact + 2 * ratio


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_wide_room_is_between_the_plain_and_the_all_wide(pass_name: str) -> None:
    problem = Problem.square(96, 8, pass_name=pass_name)
    for schedule in available(pass_name).values():
        tiles = schedule.tiles(problem, 4000)
        wide = _room(schedule.name, problem, dict(tiles), Constraints(accumulate="float32"), "bf16")
        assert wide.peak < wide.words <= 2 * wide.peak + 2, schedule.name
        measured = schedule.measure(problem, tiles)
        held = sum(
            measured.peak_words.get(name, 0) for name in ("S", "P", "l", "U", "dP", "dS", "dQ", "dK", "dV")
        )
        assert wide.words >= wide.peak + held


def test_widened_families_count_width_where_it_is() -> None:
    family = family_of(Problem.square(12, 4))
    program = get("flash-1").program(Problem.square(12, 4), {"rows": 4, "cols": 3})
    plain, wide = run(program, family), run(program, widened(family, 3))
    for name in ("Q", "K", "V"):
        assert wide.reads[name] == plain.reads[name]
    for name in ("U", "l"):
        assert wide.reads[name] == 3 * plain.reads[name] > 0
    assert wide.writes["O"] == 3 * plain.writes["O"]


def test_width_ratio_refuses_narrower_accumulators() -> None:
    assert width_ratio("fp8", "float32") == 4
    with pytest.raises(InvalidInput, match="narrower"):
        width_ratio("float32", "bf16")
    with pytest.raises(InvalidInput, match="narrower"):
        plan(FORWARD, 10_000, dtype="float32", accumulate="bf16")


# Bytes, FLOP, time


def test_flops_are_two_for_each_multiply_add() -> None:
    problem = Problem(100, 200, 16, 24)
    assert flops(get("flash-2").measure(problem, {"rows": 10})) == 2 * 100 * 200 * (16 + 24)
    problem = Problem(100, 200, 16, 24, pass_name="backward")
    five = 2 * 100 * 200 * (3 * 16 + 2 * 24)
    assert flops(get("flash-2", "backward").measure(problem, {"cols": 10})) == five
    tiles = get("split", "backward").tiles(problem, 2000)
    again = flops(get("split", "backward").measure(problem, tiles)) - five
    assert again == 2 * 100 * 200 * (16 + 24)


def test_bytes() -> None:
    Nd = 2048 * 64
    flash2 = get("flash-2").measure(FORWARD, {"rows": 128, "cols": 64})
    assert moved_bytes(flash2, "bf16", "float32") == moved_bytes(flash2, "bf16", None) == 2 * flash2.io
    flash1 = get("flash-1").measure(FORWARD, {"rows": 128, "cols": 512})
    partial = 2 * 3 * (Nd + 2048)
    assert moved_bytes(flash1, "bf16", None) == 2 * flash1.io
    assert moved_bytes(flash1, "bf16", "float32") == 2 * (flash1.io + partial)
    back = get("flash-2", "backward").measure(BACKWARD, {"rows": 128, "cols": 512})
    wide = back.reads["dQ"] + back.writes["dQ"] + back.reads["l"] + back.reads["D"] + back.writes["D"]
    assert moved_bytes(back, "bf16", "float32") == 2 * (back.io + wide)


def test_roofline() -> None:
    h100 = pebble.device("h100")
    line = roofline_of(h100, "bf16", 3_350_000_000, 989_400_000_000)
    assert line.memory_seconds == pytest.approx(1e-3)
    assert line.compute_seconds == line.seconds == pytest.approx(1e-3)
    assert roofline_of(h100, "bf16", 3_350_000_000_000, 1).limit == "memory"
    assert roofline_of(h100, "bf16", 1, 10**15).limit == "arithmetic"
    assert roofline_of(None, "bf16", 1, 1).seconds is None
    assert roofline_of(pebble.device("apple-m4-max"), "bf16", 546_000_000_000, 1).memory_seconds == 1
    assert roofline_of(pebble.device("apple-m4-max"), "bf16", 1, 1).seconds is None


def test_heads_multiply_words_and_time_but_not_room() -> None:
    one = plan(Problem.square(512, 64), device="a100", multiple_of=16).best
    many = plan(Problem(512, 512, 64, 64, heads=3, batch=2), device="a100", multiple_of=16).best
    assert (many.tiles, many.room) == (one.tiles, one.room)
    assert (many.io, many.moved, many.flops) == (6 * one.io, 6 * one.moved, 6 * one.flops)
    assert many.ratio == pytest.approx(one.ratio)
    assert many.intensity == pytest.approx(one.intensity)


# What constraints cost


def test_costs_are_measured_against_the_plan_without_them() -> None:
    asked: dict[str, Any] = {"multiple_of": 16, "at_most": {"rows": 128}, "accumulate": "float32"}
    found = plan(FORWARD, 116_224, **asked)
    assert [one.constraint for one in found.costs] == [
        "multiples of 16",
        "at most 128 rows",
        "accumulators in float32",
        "all",
    ]
    for one in found.costs:
        assert one.moved <= found.best.moved
        assert one.moved_more >= 0
        assert one.io * (1 + one.io_more) == pytest.approx(found.best.io)
    assert found.costs[1].moved_more > 0.1
    free = plan(FORWARD, 116_224)
    assert found.costs[-1].io == free.best.io
    assert found.costs[-1].moved == free.best.moved
    without = plan(FORWARD, 116_224, multiple_of=16, accumulate="float32", costs=False)
    assert found.costs[1].moved == without.best.moved


def test_constraints_refuse_nonsense() -> None:
    for asked, message in (
        ({"multiple_of": 0}, "multiple_of"),
        ({"multiple_of": 24, "power_of_two": True}, "no power of two"),
        ({"at_least": {"width": 3}}, "unknown tile 'width'"),
        ({"at_most": {"rows": True}}, "whole number"),
        ({"at_least": {"rows": 65}, "at_most": {"rows": 127}, "power_of_two": True}, "no tile"),
        ({"accumulate": "float7"}, "unknown dtype"),
    ):
        with pytest.raises(InvalidInput, match=message):
            Constraints(**asked)
    with pytest.raises(InvalidInput, match="not both"):
        plan(FORWARD)
    with pytest.raises(InvalidInput, match="not both"):
        plan(FORWARD, 100, device="h100")
    with pytest.raises(InvalidInput, match="one by one"):
        plan(Problem.square(64, 8, pass_name="both"), 1000)
    with pytest.raises(InvalidInput, match="a level"):
        plan(FORWARD, 1000, level="l2")
    with pytest.raises(InvalidInput, match="did you mean flash-2"):
        plan(FORWARD, 1000, schedules=["flash-3"])


def test_sizes_and_rounding() -> None:
    sixteen = Constraints(multiple_of=16, at_least={"rows": 20}, at_most={"rows": 70, "cols": 512})
    assert sixteen.sizes("rows", 1000) == [32, 48, 64]
    assert sixteen.sizes("cols", 40) == [16, 32, 40]
    assert Constraints(power_of_two=True).sizes("rows", 20) == [1, 2, 4, 8, 16, 20]
    assert Constraints(multiple_of=16).sizes("rows", 7) == [7]
    assert Constraints(multiple_of=16).down(15) == 0
    assert str(Constraints()) == "none"


def test_a_third_party_schedule_is_planned_too() -> None:
    class Mine(type(get("flash-2"))):  # type: ignore[misc]
        name = "mine"

    mine: Schedule = Mine()
    found = plan(FORWARD, 20_000, schedules=[mine, "flash-1"], multiple_of=16, costs=False)
    assert {one.schedule for one in found.choices} == {"mine", "flash-1"}


# The tiles that FlashAttention ships


SHIPPED = {
    # Dao-AILab/flash-attention, csrc/flash_attn/src/flash_fwd_launch_template.h and hopper/tile_size.h:
    # 16-bit inputs, no dropout, not causal. (version, device, d): (rows, cols, bytes of Q, K and V stated there,
    # rows that would fit beside as many keys, how many times fewer words these move)
    ("2", "a100", 64): (128, 128, None, 432, 3.25),
    ("2", "a100", 128): (128, 64, None, 384, 2.83),
    ("2", "a100", 256): (128, 64, 128 * 1024, 192, 1.48),
    ("2", "h100", 256): (64, 64, 96 * 1024, 224, 3.39),
    ("3", "h100", 64): (192, 192, None, 336, 1.69),
    ("3", "h100", 128): (128, 176, None, 208, 1.59),
    ("3", "h100", 256): (128, 80, None, 176, 1.35),
}


@pytest.mark.parametrize(("version", "name", "d"), list(SHIPPED))
def test_shipped_tiles_fit_and_move_more_than_planned_ones(version: str, name: str, d: int) -> None:
    """They fit by our count of room; within the same limits fewer words could be moved, by this much."""
    rows, cols, stated, taller, less = SHIPPED[version, name, d]
    problem = Problem.square(8192, d)
    tiles = {"rows": rows, "cols": cols}
    double = version == "3"
    constraints = Constraints(multiple_of=16, double_buffer=double, accumulate="float32")
    need = _room("flash-2", problem, tiles, constraints, "bf16")
    device = pebble.device(name)
    assert 2 * need.words <= device.fast_bytes("smem+regs")
    measured = get("flash-2").measure(problem, tiles)
    operands = 2 * (sum(measured.peak_words[array] for array in "QKV") + need.buffers)
    assert operands <= device.fast_bytes("smem")
    if stated is not None:
        assert operands == stated
    if version == "3" and d == 256:
        more = 2 * (measured.peak_words["Q"] + 2 * (cols + 16) * 2 * d)
        assert more > device.fast_bytes("smem"), "the source says that these tiles hit the limit"
    found = plan(
        problem,
        device=device,
        level="smem+regs",
        multiple_of=16,
        double_buffer=double,
        accumulate="float32",
        at_least={"cols": cols},
        schedules=["flash-2"],
        costs=False,
    )
    assert found.best.form == "whole tiles"
    assert (found.best.tiles["rows"], round(measured.io / found.best.io, 2)) == (taller, less)


BACKWARD_SHIPPED = {
    # The same repository, csrc/flash_attn/src/flash_bwd_launch_template.h and hopper/flash_bwd_launch_template.h;
    # (version, device, d): (rows, cols, whether loads are double-buffered, times fewer words that could be moved)
    ("2", "a100", 64): (128, 128, True, 1.23),
    ("2", "a100", 128): (64, 128, True, 1.12),
    ("2", "a100", 256): (64, 64, False, 1.24),
    ("3", "h100", 64): (128, 128, True, 1.47),
    ("3", "h100", 128): (80, 128, True, 1.12),
    ("3", "h100", 256): (64, 80, False, 1.19),
}


@pytest.mark.parametrize(("version", "name", "d"), list(BACKWARD_SHIPPED))
def test_shipped_backward_tiles(version: str, name: str, d: int) -> None:
    rows, cols, double, less = BACKWARD_SHIPPED[version, name, d]
    problem = Problem.square(8192, d, pass_name="backward")
    asked: dict[str, Any] = {"multiple_of": 16, "double_buffer": double, "accumulate": "float32"}
    need = _room("flash-2", problem, {"rows": rows, "cols": cols}, Constraints(**asked), "bf16")
    assert 2 * need.words <= pebble.device(name).fast_bytes("smem+regs")
    found = plan(
        problem,
        device=name,
        level="smem+regs",
        at_least={"rows": rows},
        schedules=["flash-2"],
        costs=False,
        **asked,
    )
    measured = get("flash-2", "backward").measure(problem, {"rows": rows, "cols": cols})
    assert round(measured.io / found.best.io, 2) == less


# The command


def _call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["pebble", "plan", *arguments])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "--multiple-of",
        "16",
        "--at-least",
        "rows=32,cols=16",
        "--at-most",
        "rows=256",
        "--double-buffer",
    ]
    shape = ["-N", "1024", "-d", "64", "--device", "h100", "--accumulate", "float32"]
    assert _call(monkeypatch, *shape, *asked, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    found = plan(
        Problem.square(1024, 64),
        device="h100",
        multiple_of=16,
        at_least={"rows": 32, "cols": 16},
        at_most={"rows": 256},
        double_buffer=True,
        accumulate="float32",
    )
    assert document == json.loads(json.dumps(found.to_dict()))
    assert document["schema_version"] == 1
    assert document["best"] == document["choices"][0]
    assert document["best"]["bytes"] == found.best.moved
    assert _call(monkeypatch, *shape, *asked) == 0
    out = capsys.readouterr().out
    assert out.rstrip("\n") == str(found)
    assert "NVIDIA H100" in out
    assert "costs bytes" in out
    assert "<table>" in found._repr_html_()
    assert repr(found).startswith("<Plan ")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-M", "100", "--multiple-of", "16"], 1, "nothing fits"),
        (["-M", "100", "--device", "h100"], 2, "give one of them"),
        ([], 2, "Missing option '-M' (or '--device')"),
        (["-M", "9000", "--at-least", "16"], 2, "example: rows=16"),
        (["-M", "9000", "--at-least", "rows=16", "--at-least", "rows=32"], 2, "given twice"),
        (["-M", "9000", "--at-most", "depth=16"], 2, "unknown tile 'depth'"),
        (["-M", "18KiB"], 2, "dtype"),
    ],
)
def test_command_refuses(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    assert _call(monkeypatch, "-N", "256", "-d", "64", *arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert "Traceback" not in err


def test_plan_is_exported() -> None:
    assert pebble.plan is plan
    assert isinstance(pebble.plan(Problem.square(64, 8), 500, costs=False), Plan)
