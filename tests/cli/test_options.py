"""What no command takes: sizes, memory, tiles and names that make no sense get one clear line."""

from __future__ import annotations

import pytest

from tests.support.commands import Pebble, document_of


def test_a_decimal_prefix_says_what_it_was_taken_for(pebble: Pebble) -> None:
    done = pebble("bounds", "-N", "4k", "-d", "4", "-M", "100", "--json")
    assert document_of(done)["problem"]["Nq"] == 4000
    assert done.err == "pebble: 4k is 4,000; 4Ki is 4,096\n"


HUGE = ["1e400", "1e20", "9223372036854775808", "10**30", "10**100000"]


@pytest.mark.parametrize("text", HUGE)
def test_huge_sizes(pebble: Pebble, text: str) -> None:
    done = pebble("count", "-N", text, "-d", "4", "-M", "100", "--schedule", "flash-2")
    if done.code != 0:
        done.refused(2)


def test_huge_memory(pebble: Pebble) -> None:
    done = pebble("count", "-N", "8", "-d", "4", "-M", "1" + 80 * "0")
    if done.code != 0:
        done.refused(2)


def test_no_command_shows_the_commands(pebble: Pebble) -> None:
    done = pebble()
    assert done.code == 2
    for name in ("count", "show", "bounds", "schedules", "moves", "check"):
        assert f"  {name} " in done.out + done.err


def test_version(pebble: Pebble) -> None:
    from importlib.metadata import version

    assert pebble("--version").out.split()[-1] == version("pebble-io")
