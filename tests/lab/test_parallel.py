"""Schedules for several devices compared: ratios, times, the best, and what is said where something does not apply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.lab.parallel import Links, comparing, parallel, with_inner
from pebble.lab.parallel.links import Wire
from pebble.program.parallel import SharedProblem

KEYS = {
    *(
        "name",
        "shape",
        "received_max",
        "received_min",
        "received",
        "sent_max",
        "total",
        "rounds",
        "messages_max",
    ),
    *(
        "link_max",
        "h_sum",
        "memory_max",
        "pairs_max",
        "pairs_min",
        "work_sum",
        "ratio_total",
        "ratio_busiest",
    ),
}


def test_ratios_of_one_head_without_a_mask() -> None:
    N, d, q = 2048, 16, 4
    report = parallel(SharedProblem(N, d, q * q), ["ring", "grid"], (q, q))
    assert report["ring"].ratio_busiest == report["ring"].ratio_total == (q + 1) / 2
    assert report["grid"].ratio_total == pytest.approx(1 + 1 / (4 * d))
    assert [bound.name for bound in report.bounds] == ["D1-total", "D1-busiest", "Phi", "D2"]


def test_ratios_of_the_triangle_are_for_its_own_balance() -> None:
    report = parallel(SharedProblem(496 * 64, 16, 496, causal=True), ["triangle"])
    row = report["triangle"]
    assert row.balance == pytest.approx(32 / 31, rel=0.01)
    assert row.ratio_total == pytest.approx(1.07, abs=0.06)


@pytest.mark.parametrize(
    ("kv_heads", "P", "ratio"), [(8, 8, 1.185), (8, 32, 1.025), (32, 8, 1.077), (8, 128, 1.0075)]
)
def test_ratios_of_heads_times_grid(kv_heads: int, P: int, ratio: float) -> None:
    report = parallel(SharedProblem(P * 512, 128, P, 32, kv_heads), ["heads-grid"])
    assert report["heads-grid"].ratio_busiest == pytest.approx(ratio, abs=0.002)


def test_plain_data() -> None:
    data = json.loads(json.dumps(parallel(SharedProblem(96, 4, 6, 6, 6)).to_dict()))
    assert data["schema_version"] == 1
    for row in data["schedules"]:
        assert set(row) >= KEYS
        assert len(row["received"]) == 6
        assert row["verified"]
    assert {row["name"] for row in data["not_applicable"]} == {"lightseq", "triangle"}
    assert {bound["name"] for bound in data["bounds"]} == {"D1-total", "D1-busiest", "Phi", "D2"}
    assert {bound["name"] for bound in data["bounds"] if bound["status"] == "machine-checked"} == {
        "D1-total",
        "D1-busiest",
    }
    assert {bound["name"] for bound in data["bounds"] if bound["status"] == "proved"} == {"Phi", "D2"}
    assert all(bound["source"] for bound in data["bounds"])
    shapes = {row["name"]: row["shape"] for row in data["schedules"]}
    assert shapes["ring"] is None
    assert shapes["heads-grid"] == "6x1x1"
    assert "lightseq is left out" in str(parallel(SharedProblem(96, 4, 6)))


def test_the_backward_pass_has_its_own_schedules_and_bound() -> None:
    data = parallel(SharedProblem(4096, 4, 12, pass_name="backward"), shape=(3, 4)).to_dict()
    names = [row["name"] for row in data["schedules"]]
    assert sorted(names) == sorted(
        ["all-gather", "ring", "ring-q", "pass-q", "grid", "grid-ring", "heads-grid"]
    )
    assert [bound["name"] for bound in data["bounds"]] == ["D3-total"]
    (grid,) = (row for row in data["schedules"] if row["name"] == "grid")
    assert grid["shape"] == "3x4"
    assert grid["total"] - data["bounds"][0]["value"] == 2 * 4096 * 3


def wire(**more: Any) -> Links:
    return Links(bandwidth=50e9, flops=400e12, **more)


def timed(problem: SharedProblem, name: str, flops: float, **more: Any) -> Wire:
    """Time a schedule on links of 2²⁸ bytes per second, in bf16."""
    found = parallel(problem, [name], links=Links(2.0**28, flops, **more))[name].wire
    assert found is not None
    return found


def test_the_time_of_a_ring_of_four() -> None:
    """A tile of keys and values is 1024·128 words, 2¹⁸ bytes: 2⁻¹⁰ s a hop. Its pairs are 2²⁰ of 2·128 operations."""
    problem, hop = SharedProblem(4096, 64, 4), 2.0**-10
    slow, fast = (timed(problem, "ring", flops) for flops in (2.0**37, 2.0**39))
    # Arithmetic of 2⁻⁹ s a tile hides the three hops of 2⁻¹⁰ s.
    assert (slow.wire_seconds, slow.arithmetic_seconds, slow.exposed_seconds) == (3 * hop, 8 * hop, 0)
    # Arithmetic of 2⁻¹¹ s a tile hides half of each hop; on the last tile nothing is on its way.
    assert (fast.arithmetic_seconds, fast.exposed_seconds, fast.seconds) == (2 * hop, 1.5 * hop, 3.5 * hop)
    assert [
        parallel(problem, ["ring"], links=Links(2.0**28, flops)).records()[0]["hidden"]
        for flops in (2.0**37, 2.0**39)
    ] == [True, False]


def test_the_time_of_an_all_gather_is_exposed() -> None:
    """Three tiles of 2⁻¹⁰ s come before the work on four, which takes 2⁻⁹ s each."""
    problem, hop = SharedProblem(4096, 64, 4), 2.0**-10
    found = timed(problem, "all-gather", 2.0**37)
    assert (found.exposed_seconds, found.seconds) == (3 * hop, 3 * hop + 4 * 2 * hop)
    row = parallel(problem, ["all-gather"], links=Links(2.0**28, 2.0**37)).records()[0]
    assert (row["hidden"], row["exposed_seconds"], row["seconds"]) == (False, 3 * hop, 11 * hop)
    assert row["wire_over_arithmetic"] == 3 / 8


def test_work_shared_badly_does_not_make_wires_look_faster() -> None:
    """In the contiguous layout the last of 32 devices has nearly twice the mean work, and the words are the same."""
    zigzag, contiguous = (
        parallel(
            SharedProblem(2**14, 128, 32, causal=True, layout=layout), ["ring"], links=wire(), pass_on="all"
        )["ring"].wire
        for layout in ("zigzag", "contiguous")
    )
    assert zigzag is not None
    assert contiguous is not None
    assert contiguous.arithmetic_seconds > 1.9 * zigzag.arithmetic_seconds
    assert contiguous.ratio == pytest.approx(zigzag.ratio, rel=0.01)


def test_partial_outputs_return_after_the_work() -> None:
    """Queries of three devices come before the work, and 65 words a row go back after it."""
    found = timed(SharedProblem(4096, 64, 4), "pass-q", 2.0**37)
    assert found.exposed_seconds == found.wire_seconds == 2 * 3 * 1024 * (64 + 65) / 2.0**28


TILE = 2.0**-10
"""Seconds that 1024 rows of K and V of a head take on the links of :func:`timed`."""


@pytest.mark.parametrize(
    ("name", "heads", "flops", "more", "exposed"),
    [
        # A hop takes the tile and a message; work on a tile takes 2, and hides it, or half.
        ("ring", (1, 1), 2.0**37, {"latency": TILE}, 0),
        ("ring", (1, 1), 2.0**39, {"latency": TILE}, 3 * (1 + 1 - 0.5)),
        # Three messages of a tile come to each device before all work.
        ("all-gather", (1, 1), 2.0**37, {"latency": TILE}, 3 * (1 + 1)),
        # Of two heads the first gather is exposed; the second is hidden behind four tiles of work, of 2 each.
        ("all-gather", (2, 2), 2.0**37, {}, 6),
        ("all-gather", (2, 2), 2.0**37, {"chunks": 2}, 3),
        ("all-gather", (2, 2), 2.0**37, {"chunks": 2, "latency": TILE / 4}, 3 * (1 + 0.25)),
        # With work of 1/2 a tile, 2 a head, the second gather ends at 6, and the work on it at 8.
        ("all-gather", (2, 2), 2.0**39, {"chunks": 2}, 8 - 4),
        # Two queries share keys: these come with the first chunk, so that chunks gain nothing.
        ("all-gather", (2, 1), 2.0**37, {"chunks": 2}, 3),
        # Half as many words of queries come, 65/128 go back: of the last chunk after all work.
        ("pass-q", (2, 1), 2.0**37, {}, 2 * 3 * (64 + 65) / 128),
        ("pass-q", (2, 1), 2.0**37, {"chunks": 2}, 3 * (64 + 65) / 128),
        # Each chunk sends three messages: two chunks would have 1.5 more exposed, and the words of one fewer.
        ("pass-q", (2, 1), 2.0**37, {"chunks": 2, "latency": TILE}, 3 * (64 + 65) / 128 + 6),
    ],
)
def test_messages_and_chunks(
    name: str, heads: tuple[int, int], flops: float, more: dict[str, Any], exposed: float
) -> None:
    found = timed(SharedProblem(4096, 64, 4, *heads), name, flops, **more)
    assert found.exposed_seconds == pytest.approx(exposed * TILE)
    assert found.arithmetic_seconds == pytest.approx(4 * heads[0] * 2 * TILE * 2.0**37 / flops)


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_chunks_never_make_it_slower(pass_name: str) -> None:
    problem = SharedProblem(15 * 64, 16, 15, 30, 15, causal=True, pass_name=pass_name)
    whole, cut = (parallel(problem, links=wire(chunks=chunks)) for chunks in (1, 30))
    for row in whole.rows:
        once, more = row.wire, cut[row.name].wire
        assert once is not None
        assert more is not None
        assert more.seconds <= once.seconds * (1 + 1e-9)
        assert (more.chunks == 1) <= (more == once)


def test_decoding_waits_for_what_is_sent_and_for_memory() -> None:
    """Device 0 sends three queries of 64 words and receives three sums of 65; each device reads its 1024 keys once."""
    problem = SharedProblem(4096, 64, 4, queries_decoded=1)
    found = timed(problem, "decode", 1e15, memory_bandwidth=2.0**30)
    assert found.exposed_seconds == 2 * 3 * (64 + 65) / 2.0**28
    assert found.arithmetic_seconds == 2 * (1024 * 128 + 64) / 2.0**30


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_times_of_all_schedules(pass_name: str) -> None:
    """With one kind of link wires take the sum of h-relations; between what work cannot hide and all is exposed."""
    problem = SharedProblem(15 * 64, 16, 15, 30, 15, causal=True, pass_name=pass_name)
    report = parallel(problem, best=True, links=wire())
    assert [row.wire.seconds for row in report.rows if row.wire] == sorted(
        row.wire.seconds for row in report.rows if row.wire
    )
    for row in report.rows:
        assert row.wire is not None
        assert row.traffic is not None
        assert row.wire.wire_seconds == pytest.approx(2 * row.traffic.h_sum / 50e9)
        least = row.wire.wire_seconds - row.wire.arithmetic_seconds
        assert least <= row.wire.exposed_seconds * (1 + 1e-9)
        assert row.wire.exposed_seconds <= row.wire.wire_seconds * (1 + 1e-9)
        assert row.wire.arithmetic_seconds == pytest.approx(
            row.traffic.work_sum * 2 * 32 / 400e12 * (1 if pass_name == "forward" else 2.5)
        )


def test_two_levels_of_links() -> None:
    """Inside a node Ulysses' words are cheap; only the ring's come from other nodes."""
    problem = SharedProblem(4096, 64, 16, 16, 16)
    report = parallel(problem, ["ulysses", "usp"], (4, 4), links=wire(node=4, node_bandwidth=450e9))
    usp, ulysses = (report[name].wire for name in ("usp", "ulysses"))
    assert usp is not None
    assert ulysses is not None
    n, d = 256, 64
    assert usp.between_max == 3 * 4 * n * 2 * d * 4
    assert usp.inside_max == 3 * n * d * 12 + n * d * 12
    assert usp.wire_seconds == pytest.approx(2 * (usp.between_max / 50e9 + usp.inside_max / 450e9))
    assert ulysses.inside_max + ulysses.between_max == max(report["ulysses"].received)
    assert "from other nodes" in str(report)


def test_the_shape_is_that_of_the_least_time() -> None:
    """32x2x4 receives the least, 8x16x2 the least from other nodes, where links are slow."""
    problem = SharedProblem(2**20, 128, 256, 32, 8, causal=True, layout="zigzag")
    links = Links(50e9, 989.4e12, node=8, node_bandwidth=450e9)
    words, timed = (parallel(problem, ["heads-grid"], links=found)["heads-grid"] for found in (None, links))
    assert (words.shape, timed.shape) == ("32x2x4", "8x16x2")
    assert max(words.received) < max(timed.received)
    named = parallel(problem, ["heads-grid"], (32, 2, 4), links=links)["heads-grid"]
    assert timed.wire is not None
    assert named.wire is not None
    assert (timed.wire.between_max, named.wire.between_max) == (155_320_320, 168_263_680)
    assert timed.wire.seconds < named.wire.seconds


def test_what_has_no_time_is_not_the_fastest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "_MOST_EFFORT", 40)
    report = parallel(SharedProblem(64, 2, 4), ["ring", "all-gather"], best=True, links=wire())
    assert [(row.name, row.wire is None) for row in report.rows] == [("all-gather", False), ("ring", True)]
    assert report.best is report.rows[0]


def test_the_best_layout_and_shape() -> None:
    report = parallel(SharedProblem(2048, 32, 8, 8, 2, causal=True), best=True)
    assert report.best is report.rows[0]
    assert report.best.layout != "contiguous"
    assert report.best.balance == 1 or report.best.layout == "striped"
    assert "best: " in str(report)
    timed = parallel(SharedProblem(2048, 32, 8, 8, 2, causal=True), best=True, links=wire())
    assert "on 8 devices; words of bf16; the fastest first" in str(timed)
    assert "on 8 devices; the fewest words first" in str(report)


def test_an_exchange_too_large_to_be_played_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "_MOST_EFFORT", 10)
    report = parallel(SharedProblem(64, 2, 4), ["ring"])
    row = report["ring"].to_dict()
    assert (row["verified"], row["memory_max"], row["ratio_total"]) == (False, None, None)
    assert row["received_max"] == 2 * 16 * 2 * 3
    assert "by closed form only" in str(report)


def test_what_cannot_be_is_refused() -> None:
    problem = SharedProblem(64, 2, 4)
    for schedules, shape, reason in (
        (["rign"], None, "did you mean ring"),
        (["ring"], (2, 2), "takes a shape of 2 numbers"),
        (["grid"], (3, 2), "needs 6 devices, but P is 4"),
        (["triangle"], None, "triangle does not apply"),
    ):
        with pytest.raises(InvalidInput, match=reason):
            parallel(problem, schedules, shape)
    with pytest.raises(InvalidInput, match="too many"):
        parallel(SharedProblem(10**5, 1, 5000))
    with pytest.raises(InvalidInput, match="ulysses does not apply"):
        parallel(problem)["ulysses"]
    with pytest.raises(InvalidInput, match="must be positive"):
        Links(0, 1)


def test_rows_have_the_words_within_a_device() -> None:
    problem = SharedProblem(48, 4, 4, heads=4, kv_heads=2)
    report = with_inner(parallel(problem), "flash-2", 60)
    assert all(row.inner is not None and row.inner.peak <= 60 for row in report.rows)
    tight = with_inner(parallel(problem, ["ring"]), "flash-2", 5)
    assert "needs at least" in tight.not_applicable["inner I/O of ring"]
    masked = with_inner(parallel(SharedProblem(48, 4, 4, causal=True), ["ring"]), "flash-2", 60)
    assert "without a mask" in masked.not_applicable["inner I/O of ring"]
