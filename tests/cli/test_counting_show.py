"""The commands ``pebble bounds``, ``show`` and ``schedules``."""

from __future__ import annotations

from tests.support.commands import COUNT, SIZES, Pebble, document_of


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
