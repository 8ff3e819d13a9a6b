"""``--levels`` on the command line: bandwidths of every boundary."""

from __future__ import annotations

from tests.support.commands import Pebble, document_of

ON_H100 = ["-N", "512", "-d", "64", "--device", "h100"]
LEVELS = [*ON_H100, "--dtype", "bf16", "--levels", "regs,smem"]


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
