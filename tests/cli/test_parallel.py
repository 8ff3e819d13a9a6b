"""``pebble parallel``: options, the JSON document, and errors in one line."""

from __future__ import annotations

import pytest

from tests.support.commands import Pebble, document_of

SMALL = ["parallel", "-N", "96", "-d", "4", "-P", "6"]


def test_models_backward_and_times(pebble: Pebble) -> None:
    done = pebble(
        *(
            "parallel",
            "ring",
            "ring-q",
            "-N",
            "8192",
            "-P",
            "8",
            "--model",
            "llama3-8b",
            "--pass",
            "backward",
        ),
        *("--mask", "causal", "--layout", "zigzag", "--device", "h100", "--link", "50GB/s", "--json"),
    )
    data = document_of(done)
    assert (data["heads"], data["kv_heads"], data["d"], data["dtype"]) == (32, 8, 128, "bf16")
    ring = data["schedules"][0]
    assert ring["wire_seconds"] == pytest.approx(2 * ring["h_sum"] / 50e9)
    assert ring["wire_over_arithmetic"] == pytest.approx(
        ring["wire_seconds"] / ring["arithmetic_seconds"], rel=0.01
    )
    assert ring["seconds"] == ring["arithmetic_seconds"] + ring["exposed_seconds"]
    assert data["memory_bytes_per_second"] == 3.35e12
    assert (ring["bytes"], ring["total_bytes"]) == (2 * ring["received_max"], 2 * ring["total"])


def test_bytes_and_the_order_of_the_rows(pebble: Pebble) -> None:
    done = pebble(*SMALL, "--dtype", "fp8")
    assert "6 devices, contiguous layout; words of fp8; the fewest words first" in done.out
    rows = document_of(pebble(*SMALL, "--dtype", "float32", "--json"))["schedules"]
    assert [row["bytes"] for row in rows] == sorted(4 * row["received_max"] for row in rows)
    named = document_of(pebble(*SMALL, "ring", "grid", "--json"))["schedules"]
    assert [row["name"] for row in named] == ["ring", "grid"]
    assert all("bytes" not in row for row in named)
    assert "first" not in pebble(*SMALL, "ring", "grid").out


def test_several_lengths_and_numbers_of_devices(pebble: Pebble) -> None:
    asked = ["parallel", "ring", "ulysses", "-N", "64,128", "-P", "2,8", "-d", "4", "--heads", "4"]
    points = document_of(pebble(*asked, "--json"))["points"]
    assert [(point["N"], point["P"]) for point in points] == [(64, 2), (64, 8), (128, 2), (128, 8)]
    for point in points:
        alone = document_of(pebble(*asked[:4], str(point["N"]), "-P", str(point["P"]), *asked[7:], "--json"))
        assert {"schema_version": 1, **point} == alone
    done = pebble(*asked)
    assert "ulysses is left out at N = 64, P = 8: 4 query heads" in done.out
    assert "time, ms" not in done.out
    assert "time, ms" in pebble(*asked, "--link", "400Gb/s", "--flops", "1TFLOP/s").out
    pebble(*asked, "--attention", "linear").refused(2, "a single -N and a single -P")
    pebble("parallel", "ring", "-N", "64", "-P", "4,x", "-d", "4").refused(2, "P: 'x'")


ASKED = ("parallel", "ring", "-N", "64", "-d", "4", "-P", "4")


def test_what_each_device_moves_within_itself(pebble: Pebble) -> None:
    (row,) = document_of(pebble(*ASKED, "--inner", "flash-2", "-M", "60", "--json"))["schedules"]
    assert row["inner_io"] == row["inner_reads"] + row["inner_writes"] > 0
    assert row["inner_peak"] <= 60
    (plain,) = document_of(pebble(*ASKED, "--json"))["schedules"]
    assert "inner_io" not in plain
    pebble(*ASKED, "--inner", "flash-2").refused(2, "-M")
