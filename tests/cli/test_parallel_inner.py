"""``pebble parallel`` with a schedule of one device inside."""

from __future__ import annotations

from tests.support.commands import Pebble, document_of

ASKED = ("parallel", "ring", "-N", "64", "-d", "4", "-P", "4")


def test_what_each_device_moves_within_itself(pebble: Pebble) -> None:
    (row,) = document_of(pebble(*ASKED, "--inner", "flash-2", "-M", "60", "--json"))["schedules"]
    assert row["inner_io"] == row["inner_reads"] + row["inner_writes"] > 0
    assert row["inner_peak"] <= 60
    (plain,) = document_of(pebble(*ASKED, "--json"))["schedules"]
    assert "inner_io" not in plain
    pebble(*ASKED, "--inner", "flash-2").refused(2, "-M")
