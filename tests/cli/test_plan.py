"""The command ``pebble plan``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pebble import Problem
from pebble import device as pebble_device
from pebble.lab.plan import kernel_boundaries, plan, plan_kernel
from tests.lab.plans import without_proofs
from tests.support.commands import Pebble, document_of


def test_command_under_a_mask(pebble: Pebble, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = ["-N", "64", "-d", "8", "-M", "900", "--mask", "causal", "--schedule", "flash-1,flash-2"]
    done = pebble("plan", *shape, "--multiple-of", "4", "--json")
    document = document_of(done)
    problem = Problem.square(64, 8, mask="causal")
    found = plan(problem, 900, multiple_of=4, schedules=["flash-1", "flash-2"])
    assert document == json.loads(json.dumps(found.to_dict()))
    assert document["problem"]["mask"] == "causal"
    assert document["unverified"] == []
    assert done.err == ""
    without_proofs(monkeypatch, 1)
    code, out, err = pebble("plan", *shape)
    assert code == 1
    assert "native tiles, not verified" in out
    assert err.startswith("pebble: no choice is verified: ")


@pytest.mark.slow
def test_mine(pebble: Pebble) -> None:
    shape = [
        "-N",
        "32",
        "-d",
        "4",
        "--heads",
        "4",
        "--kv-heads",
        "2",
        "-M",
        "700",
        "--schedule",
        "flash-1,flash-2",
    ]
    asked = [*shape, *["--multiple-of", "4", "--at-least", "Br=8", "--mine", "flash-2:Br=8,Bc=4"]]
    keywords: dict[str, Any] = {
        "multiple_of": 4,
        "at_least": {"rows": 8},
        "schedules": ["flash-1", "flash-2"],
    }
    problem = Problem.square(32, 4, heads=4, kv_heads=2)
    found = plan_kernel(problem, "flash-2", {"rows": 8, "cols": 4}, 700, **keywords)
    done = pebble("plan", *asked, "--json")
    assert (done.code, done.err) == (0, "")
    assert document_of(done) == json.loads(json.dumps(found.to_dict()))
    assert pebble("plan", *asked).out == f"{found}\n"
    for pass_name in ("forward", "backward"):
        one = pebble("plan", *asked, "--pass", pass_name, "--json")
        assert [part["pass"] for part in document_of(one)["passes"]] == [pass_name]
    backward = pebble("plan", *asked, "--mine-backward", "flash-1:Br=4,Bc=4", "--no-costs", "--json")
    mine = document_of(backward)["passes"][1]["mine"]
    assert (mine["schedule"], mine["tiles"]) == ("flash-1", {"rows": 4, "cols": 4})
    large = pebble(
        "plan", *shape, *["--mine", "flash-2:Br=32,Bc=32", "--mine-backward", "Bc=48", "--no-costs"]
    )
    assert large.code == 0, "a kernel that does not fit is a row"
    assert "words too large" in large.out
    assert "mine (same name, tiles as given)" in large.out


KERNEL = ["plan", "-N", "1024", "-d", "64", "--device", "h100", "--mine", "flash-2:Br=128,Bc=64"]


def test_a_kernel_at_each_boundary(pebble: Pebble) -> None:
    rates = ["--bandwidth", "smem=5TB/s,l2=3TB/s"]
    asked = ["--stages", "2", "--warps", "4", "--cluster", "2", "--blocks", "9", "--accumulate", "float32"]
    done = pebble(*KERNEL, *rates, *asked, "--json")
    tiles = {"rows": 128, "cols": 64}
    device = pebble_device("h100").with_bandwidths({"smem": 5e12, "l2": 3e12})
    how: dict[str, Any] = {"stages": 2, "warps": 4, "cluster": 2, "blocks": 9, "accumulate": "float32"}
    found = kernel_boundaries(Problem.square(1024, 64), tiles, device, **how)
    assert (done.code, done.err) == (0, "")
    assert document_of(done) == json.loads(json.dumps(found.to_dict()))
    assert pebble(*KERNEL, *rates, *asked).out == f"{found}\n"
    searched = [*KERNEL[:-2], "--stages", "2", "--accumulate", "float32", "--json"]
    assert document_of(pebble(*searched, "--at-most", "rows=128"))["schedules"][0]["tiles"] == {
        "rows": 128,
        "cols": 160,
    }
    assert pebble(*KERNEL, "--stages", "2", "--at-most", "rows=128").code == 2
    assert "vendor says 3.35 TB/s); from L2" in pebble(*KERNEL, *asked, "--bandwidth", "l2=5TB/s").err


@pytest.mark.slow
def test_plan_for_several_memory_levels(pebble: Pebble) -> None:
    shape = ["-N", "300", "-d", "8", "--levels", "500,4000"]
    free = document_of(pebble("plan", *shape, "--json"))["schedules"]
    assert free == document_of(pebble("count", *shape, "--json"))["schedules"]
    for mask in ([], ["--mask", "causal"]):
        (row,) = document_of(
            pebble("plan", *shape, *mask, "--multiple-of", "4", "--at-least", "cols=8", "--json")
        )["schedules"]
        assert row["tiles"]["cols"] >= 8
        assert all(size % 4 == 0 or size >= 300 for size in row["tiles"].values())
        assert all(one["peak"] <= one["capacity"] for one in row["boundaries"])
    assert pebble("plan", *shape, "--at-least", "cols=250", "--multiple-of", "128").code == 1
    pebble("plan", *shape, "--double-buffer").refused(2, "only constraints on tile sizes")


LEVELS = ["-N", "512", "-d", "64", "--device", "h100", "--dtype", "bf16", "--levels", "regs,smem"]


def test_bandwidths_of_several_levels_are_given(pebble: Pebble) -> None:
    for command in ("count", "plan"):
        document = document_of(pebble(command, *LEVELS, "--json"))
        assert [one["boundary"] for one in document["levels"]] == ["regs | smem", "smem | l2"]
        assert document["schedules"][0]["seconds"][1] is None
        document = document_of(pebble(command, *LEVELS, "--bandwidth", "smem=1TB/s,regs=4TB/s", "--json"))
        (row,) = document["schedules"]
        assert row["seconds"] == [
            2 * one["io"] / rate for one, rate in zip(row["boundaries"], (4e12, 1e12), strict=True)
        ]
