"""The command ``pebble count``: right numbers, one document of JSON, and what does not fit."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lower_bounds.table import bounds
from tests.support.commands import COUNT, SIZES, Pebble, document_of


def test_count_json_has_every_field(pebble: Pebble) -> None:
    done = pebble(*COUNT, "--json")
    assert (done.code, done.err) == (0, "")
    document = document_of(done)
    points = ["dividing_point", "sparse_dividing_point", "least_M", "no_pebbling"]
    form = ["softmax", "attention"]
    assert list(document) == [
        "schema_version",
        "problem",
        *form,
        "M",
        "regime",
        *points,
        "schedules",
        "bounds",
    ]
    assert (document["schema_version"], document["M"]) == (1, 100)
    assert document["problem"]["Nq"] == document["problem"]["Nk"] == 64
    names = {"name", "fits", "tiles", "reads", "writes", "io", "peak", "least_M", "ratio", "by_array"}
    names |= {"flops", "footprint", "computes"}
    for row in document["schedules"]:
        assert set(row) - {"chosen"} == names
        if row["fits"]:
            assert row["io"] == row["reads"] + row["writes"]
            assert row["reads"] == sum(moved["reads"] for moved in row["by_array"].values())
            assert row["writes"] == sum(moved["writes"] for moved in row["by_array"].values())
            assert row["peak"] <= 100
            assert row["least_M"] <= 100
        else:
            assert row["least_M"] > 100
            assert [row[name] for name in ("reads", "writes", "io", "peak", "ratio")] == [None] * 5
    stated = {"statement", "hypotheses", "authors", "version"}
    for bound in document["bounds"]:
        assert set(bound) == {"name", "value", "proved", "status", "source", "rules", "note", *stated}
        assert bound["proved"] == (bound["status"] != "asymptotic")
        assert not bound["proved"] or isinstance(bound["value"], int)


@pytest.mark.many(1)
@pytest.mark.parametrize(
    "options",
    [
        ["--mask", "causal", "--heads", "6", "--kv-heads", "2", "--batch", "3"],
        ["--pass", "both"],
        ["--pass", "backward"],
    ],
)
def test_count_csv_says_what_was_counted(pebble: Pebble, tmp_path: Path, options: list[str]) -> None:
    options = [*options, "--schedule", "flash-2,best"]
    done = pebble(*COUNT, *options, "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    before = "name,fits,tiles,reads,writes,io,peak,least_M,ratio,pass,Nq,Nk,d,dv,"
    assert done.out.startswith(before)
    document = document_of(pebble(*COUNT, *options, "--json"))
    for row in rows:
        for name, value in document["problem"].items():
            assert row[name] == (
                "" if value is None else str(value).lower() if value is False else str(value)
            )
        assert (row["M"], row["schedule"]) == ("100", row["name"])
        assert not row["io"] or float(row["ratio"]) == int(row["io"]) / int(row["bound_value"])
    heads = ("6", "2") if "--heads" in options else ("1", "1")
    assert {(row["query_heads"], row["kv_heads"]) for row in rows} == {heads}
    assert pebble("sweep", *SIZES, "-M", "100", *options, "-o", str(tmp_path / "x.csv")).code == 0
    with (tmp_path / "x.csv").open(encoding="utf-8") as stream:
        swept = list(csv.DictReader(stream))
    left_out = {"schema_version", "level", "hierarchy"}
    assert [{name: row[name] for name in swept[0] if name not in left_out} for row in rows] == [
        {name: row[name] for name in row if name not in left_out} for row in swept
    ]


def test_count_table_says_the_same_as_json(pebble: Pebble) -> None:
    done = pebble(*COUNT, "--all", "--bounds")
    document = document_of(pebble(*COUNT, "--json"))
    schedules = done.out.split("\n\n")[1]
    lines = {line.split()[0]: line for line in schedules.splitlines()}
    for row in document["schedules"]:
        assert f"{row['io']:,}" in lines[row["name"]] if row["fits"] else "does not fit" in lines[row["name"]]
    for bound in document["bounds"]:
        assert bound["source"] in done.out


@pytest.mark.parametrize(("M", "cheaper"), [("100", []), ("15", ["small-cache"])])
def test_few_rows_and_one_bound_are_printed(pebble: Pebble, M: str, cheaper: list[str]) -> None:
    done = pebble("count", *SIZES, "-M", M)
    lines = done.out.splitlines()
    rows = [line.split() for line in lines[5:-2]]
    assert {row[0] for row in rows} == {"standard", "flash-2", *cheaper, "best"}
    counts = [int(row[-3].replace(",", "")) for row in rows if "fit:" not in row]
    assert counts == sorted(counts)
    assert all("fit:" in row for row in rows[len(counts) :])
    assert lines[-2].startswith("no schedule moves fewer than ")
    assert lines[-1] == "more with --all (all schedules) and --bounds (all bounds)"
    assert len(lines) <= 11
    assert "--kv-heads" not in pebble("count", "--help").out
    assert "--kv-heads" in pebble("count", "--help-all").out


def test_bytes_are_words_of_the_dtype(pebble: Pebble) -> None:
    in_bytes = pebble("count", *SIZES, "-M", "1KiB", "--dtype", "float16", "--schedule", "flash-2", "--json")
    in_words = pebble("count", *SIZES, "-M", "512", "--schedule", "flash-2", "--json")
    document, row = document_of(in_bytes), document_of(in_words)["schedules"][0]
    price = {"bytes": 2 * row["io"], "seconds": None, "boundary": None}
    more = {"dtype": "float16", "device": None, "schedules": [row | price]}
    assert document == document_of(in_words) | more


@pytest.mark.many(1)
@pytest.mark.parametrize("pass_name", ["forward", "both"])
def test_bytes_take_time_where_a_bandwidth_is_known(pebble: Pebble, pass_name: str) -> None:
    asked = ["count", "-N", "512", "-d", "64", "--device", "h100", "--dtype", "bf16", "--pass", pass_name]
    done = pebble(*asked, "--bandwidth", "smem=5TB/s")
    assert "M = 116,224 words of bf16, 227 KiB" in done.out
    assert "time: a lower estimate, bytes over the bandwidth of L2–shared memory" in done.out
    for row in document_of(pebble(*asked, "--bandwidth", "smem=5TB/s", "--json"))["schedules"]:
        assert not row["fits"] or row["bytes"] == 2 * row["io"]
        assert not row["fits"] or row["seconds"] == pytest.approx(row["bytes"] / 5e12)
    assert "L2–shared memory: its bandwidth is not known" in pebble(*asked).out


# -- what does not fit


def test_given_tiles_that_do_not_fit(pebble: Pebble) -> None:
    done = pebble(*COUNT, "--schedule", "flash-2", "--tiles", "rows=64", "--json")
    done.refused(1, "flash-2")
    (row,) = document_of(done)["schedules"]
    assert not row["fits"]
    assert row["tiles"] == {"rows": 64}
    assert (
        pebble("count", *SIZES, "-M", str(row["least_M"]), "--schedule", "flash-2", "--tiles", "rows=64").code
        == 0
    )
    pebble(*COUNT, "--schedule", "flash-2", "--tiles", "paper").refused(1, "needs")


# bounds, show, schedules


def test_bounds_json_is_that_of_count(pebble: Pebble) -> None:
    alone = document_of(pebble("bounds", *SIZES, "-M", "100", "--json"))
    document = document_of(pebble(*COUNT, "--json"))
    points = ["dividing_point", "sparse_dividing_point", "least_M", "no_pebbling"]
    assert list(alone) == ["schema_version", "problem", "M", "regime", *points, "bounds"]
    assert all(alone[name] == document[name] for name in alone)
    assert "asymptotic" in pebble("bounds", *SIZES, "-M", "100").out


def test_show(pebble: Pebble) -> None:
    document = document_of(pebble("show", "flash-2", *SIZES, "-M", "100", "--json"))
    expected = {
        "schema_version",
        "schedule",
        "source",
        "problem",
        "tiles",
        "pseudo_code",
        "by_array",
        "legend",
        "note",
        "io",
        "peak",
        "M",
        "fits",
    }
    assert set(document) == expected
    (row,) = document_of(pebble(*COUNT, "--schedule", "flash-2", "--json"))["schedules"]
    assert (document["tiles"], document["io"]["value"]) == (row["tiles"], row["io"])
    for side in ("reads", "writes"):
        values = {name: entry["value"] for name, entry in document["by_array"][side].items()}
        assert values == {name: moved[side] for name, moved in row["by_array"].items() if moved[side]}
    text = pebble("show", "flash-2", *SIZES, "-M", "100").out
    assert document["pseudo_code"] in text
    assert document["io"]["formula"] in text


def test_schedules(pebble: Pebble) -> None:
    document = document_of(pebble("schedules", "--json"))
    assert list(document) == ["schema_version", "schedules"]
    for entry in document["schedules"]:
        assert set(entry) == {"name", "summary", "source", "passes", "forms", "tiles", "presets"}
        assert all(entry[name] for name in ("name", "summary", "source", "passes", "forms"))
    text = pebble("schedules").out
    assert all(entry["summary"] in text for entry in document["schedules"])


@pytest.mark.parametrize(
    "options",
    [
        *(
            {"mask": mask, "softmax": softmax}
            for mask in (None, "causal", "window:1")
            for softmax in ("plain", "safe")
        ),
        *({"pass_name": "backward", "mask": mask} for mask in (None, "causal", "window:1")),
        *({"attention": "linear", "mask": "causal", "gate": gate} for gate in (False, True)),
        *({"attention": "linear"}, {"pass_name": "weights"}, {"sums": "free"}),
    ],
    ids=str,
)
def test_the_least_M_is_that_of_the_dag(options: dict[str, Any]) -> None:
    for Nq, Nk, d in ((1, 1, 1), (2, 3, 1), (3, 3, 2)):
        with suppress(InvalidInput):
            problem = Problem(Nq, Nk, d, d, **options)
            assert bounds(problem, 9).least_M == family_of(problem).dag().least_M()


@pytest.mark.parametrize("N", [16, 4096])
def test_a_kernel_that_does_not_share_keys_and_values(pebble: Pebble, N: int) -> None:
    """It moves what heads with keys of their own do, and is held to the bound of those that share."""
    shape = [
        "count",
        "-N",
        str(N),
        "--kv",
        "4096",
        "-d",
        "64",
        "-M",
        "50000",
        "--mask",
        "causal",
        "--heads",
        "8",
    ]
    asked = ["--schedule", "flash-2", "--json"]
    (shared,), (alone,) = (
        document_of(pebble(*shape, *more, *asked))["schedules"] for more in (["--kv-heads", "2"], [])
    )
    one, other = document_of(pebble(*shape, "--kv-heads", "2", "--heads-apart", *asked))["schedules"]
    assert one == shared
    assert other["name"] == "flash-2, heads apart"
    assert (other["io"], other["tiles"]) == (alone["io"], alone["tiles"])
    assert other["ratio"] == pytest.approx(one["ratio"] * other["io"] / one["io"])
    by_model = document_of(
        pebble("count", "-N", "64", "--model", "llama3-8b", "-M", "9000", "--heads-apart", *asked)
    )
    assert [row["fits"] for row in by_model["schedules"]] == [True, True]
