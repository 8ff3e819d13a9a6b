"""``pebble parallel``: options, the JSON document, and errors in one line."""

from __future__ import annotations

import pytest

from tests.cli.commands import Pebble, document_of

SMALL = ["parallel", "-N", "96", "-d", "4", "-P", "6"]


def test_a_row_a_schedule(pebble: Pebble) -> None:
    done = pebble(*SMALL, "--mask", "causal", "--heads", "4", "--kv-heads", "2")
    assert (done.code, done.err) == (0, "")
    for text in (
        "lightseq",
        "triangle",
        "words received, busiest",
        "Phi",
        "ulysses is left out: 4 query heads",
    ):
        assert text in done.out


def test_schedules_and_shapes_are_chosen(pebble: Pebble) -> None:
    data = document_of(pebble(*SMALL, "grid", "heads-grid", "--shape", "2x3", "--heads", "2", "--json"))
    rows = {row["name"]: row for row in data["schedules"]}
    assert rows["grid"]["shape"] == "2x3"
    assert rows["grid"]["received_max"] == 16 * (9 * 2 * 2 + 8 * 1 * 2)
    assert rows["grid"]["received"] == [rows["grid"]["received_max"]] * 6
    assert rows["heads-grid"]["shape"] in ("2x3x1", "2x1x3")
    assert (data["P"], data["heads"], data["kv_heads"], data["mask"]) == (6, 2, 2, None)


@pytest.mark.parametrize(("pass_on", "total"), [("needed", 2 * 16 * 4 * 15), ("all", 2 * 16 * 4 * 30)])
def test_passing_on(pebble: Pebble, pass_on: str, total: int) -> None:
    done = pebble(*SMALL, "ring", "--mask", "causal", "--pass-on", pass_on, "--json")
    assert document_of(done)["schedules"][0]["total"] == total


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
    assert ring["wire_seconds"] == 2 * ring["received_max"] / 50e9
    assert ring["wire_over_arithmetic"] == ring["wire_seconds"] / ring["arithmetic_seconds"]


def test_two_levels_and_the_best(pebble: Pebble) -> None:
    done = pebble(
        *(*SMALL, "--heads", "6", "--mask", "causal", "--best", "--link", "50GB/s", "--flops", "400TFLOP/s"),
        *("--node", "2", "--node-link", "450GB/s"),
    )
    assert done.code == 0
    assert "from other nodes" in done.out
    assert "best: " in done.out


def test_refusals(pebble: Pebble) -> None:
    for more, words in (
        (["rign"], "did you mean ring"),
        (["--shape", "2*3"], "cannot read the shape"),
        (["grid", "--shape", "2x2"], "for 4 devices; there are 6"),
        (["--mask", "window:3"], "not under 'window:3'"),
        (["--link", "50GB/s"], "--device, such as h100, or --flops"),
        (["--device", "h100"], "Times need --link"),
        (["--link", "fast", "--flops", "1T"], "cannot read 'fast'"),
        (["--node", "2", "--link", "1GB/s"], "go together"),
        (["ulysses", "--heads", "4"], "4 query heads cannot be cut into 6"),
        (["--model", "deepseek-v3-latent"], "deepseek-v3"),
    ):
        pebble(*SMALL, *more).refused(2, words)
    pebble("parallel", "-N", "5", "-d", "2", "-P", "6").refused(2, "5 tokens are too few for 6 devices")
    pebble("parallel", "-N", "5", "-P", "2").refused(2, "'-d'")
