"""What no command takes: sizes, memory, tiles and names that make no sense get one clear line."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from pebble.cli.signature import NeededOption
from tests.support.commands import Pebble, document_of


def test_a_decimal_prefix_says_what_it_was_taken_for(pebble: Pebble) -> None:
    done = pebble("bounds", "-N", "4k", "-d", "4", "-M", "100", "--json")
    assert document_of(done)["problem"]["Nq"] == 4000
    assert done.err == "pebble: 4k is 4,000; 4Ki is 4,096\n"


SIZES = [
    ("-M 25k", ["25k is 25,000; 25Ki is 25,600"]),
    ("-M 200kB --dtype float16", ["200kB is 200,000 bytes; 200KiB is 204,800 bytes"]),
    ("-M 2Ki:4K:2,1M", ["4K is 4,000; 4Ki is 4,096", "1M is 1,000,000; 1Mi is 1,048,576"]),
    ("-M 25Ki,1e4,10**4,4096", []),
]


@pytest.mark.parametrize(("size", "notes"), SIZES)
def test_so_does_one_among_sizes_of_fast_memory(
    pebble: Pebble, tmp_path: Path, size: str, notes: list[str]
) -> None:
    file = str(tmp_path / "sweep.csv")
    done = pebble("sweep", "-N", "64", "-d", "4", *size.split(), "--schedule", "flash-2", "-o", file)
    assert [line for line in done.err.splitlines() if " is " in line] == [f"pebble: {note}" for note in notes]
    assert done.code == 0


def test_a_value_counts_as_given_before_click_notes_its_source() -> None:
    """As it does in click 8.4, where the source is noted after the value is read."""
    option = NeededOption(["-M"], unless=["device"])
    context = click.Context(click.Command("count", params=[option]))
    assert option.process_value(context, "100") == "100"
    absent, _ = option.consume_value(context, {})
    with pytest.raises(click.MissingParameter):
        option.process_value(context, absent)
