"""Schedules for several devices compared: ratios, times, the best, and what is said where something does not apply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.lab.parallel import Links, comparing, parallel
from pebble.lower_bounds.attention.communication import phi as received_bound
from pebble.lower_bounds.attention.device_sizes import DeviceSizes
from pebble.program.parallel import SharedProblem, distributed_schedule, shape_text

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
    assert names == ["all-gather", "ring", "ring-q", "grid", "heads-grid"]
    assert [bound["name"] for bound in data["bounds"]] == ["D3-total"]
    grid = data["schedules"][3]
    assert grid["shape"] == "3x4"
    assert grid["total"] - data["bounds"][0]["value"] == 2 * 4096 * 3


def wire(**more: Any) -> Links:
    return Links(bandwidth=50e9, flops=400e12, **more)


@pytest.mark.parametrize(
    ("N", "P", "ring", "best"), [(8, 8, 3.4, 2.1), (128, 32, 0.95, 0.23), (1024, 128, 0.48, 0.06)]
)
def test_wire_over_arithmetic(N: int, P: int, ring: float, best: float) -> None:
    problem = SharedProblem(N * 1024, 128, P, 32, 8, causal=True, layout="zigzag")
    report = parallel(problem, ["ring", "heads-grid"], links=wire())
    times = [report[name].wire for name in ("ring", "heads-grid")]
    assert [time.ratio for time in times if time] == pytest.approx([ring, best], rel=0.1)
    assert report.records()[0]["hidden"] == (ring < 1)


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
    assert usp.wire_seconds == 2 * max(usp.between_max / 50e9, usp.inside_max / 450e9)
    assert ulysses.inside_max + ulysses.between_max == max(report["ulysses"].received)
    assert "from other nodes" in str(report)


def test_the_best_layout_and_shape() -> None:
    report = parallel(SharedProblem(2048, 32, 8, 8, 2, causal=True), best=True)
    assert report.best is report.rows[0]
    assert report.best.layout != "contiguous"
    assert report.best.balance == 1 or report.best.layout == "striped"
    assert "best: " in str(report)
    timed = parallel(SharedProblem(2048, 32, 8, 8, 2, causal=True), best=True, links=wire())
    seconds = [row.wire.seconds for row in timed.rows if row.wire]
    assert seconds == sorted(seconds)


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
        (["grid"], (3, 2), "for 6 devices; there are 4"),
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


@pytest.mark.parametrize("kv_heads", [8, 32])
def test_the_page_shows_these_words(kv_heads: int) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "parallel.md").read_text(encoding="utf-8")
    rows = page.partition(f"| 32/{kv_heads}, P =")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(rows) == 9
    for row in rows:
        P, ring, _, ulysses, usp, best, shape, phi, times = (
            cell.strip() for cell in row.strip("|").split("|")
        )
        problem = SharedProblem(64 * int(P), 128, int(P), 32, kv_heads)
        for name, cell in (("ring", ring), ("ulysses", ulysses), ("usp", usp), ("heads-grid", best)):
            if cell == "–":
                continue
            schedule = distributed_schedule(name)
            chosen = schedule.best_shape(problem)
            words = schedule.dense_words(problem, chosen) / problem.N / 128
            assert float(cell.split()[0]) == pytest.approx(words, rel=0.005), (P, name)
        assert shape_text(distributed_schedule("heads-grid").best_shape(problem)) == shape
        assert float(ring) / float(best) == pytest.approx(float(times), rel=0.01)
        N = 2**26
        bound = received_bound(DeviceSizes(N, 128, int(P), 32, kv_heads, N * N)).value / N / 128
        assert float(phi) == pytest.approx(bound, rel=0.005)
