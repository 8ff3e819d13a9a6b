"""Settings that all tests share."""

from __future__ import annotations

import io
import os
import sys

import pytest
from hypothesis import Phase, settings

from pebble.cli import main, printing
from tests.support.commands import Done, Pebble

# "repeatable" draws the same few examples on every run, so that a change is judged by what it changed. "thorough", for
# .ci/run --all, draws more of them: fifty, or the second number that a test names. "explore" looks for
# new ones: HYPOTHESIS_PROFILE=explore python -m pytest tests/schedules/test_properties.py
settings.register_profile("repeatable", max_examples=30, derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=50, derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
# "unshrunk" stops at the first failing example.
settings.register_profile(
    "unshrunk", max_examples=30, derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


# .ci/run takes one in this many of a test's slow cases, evenly spread, and those that are the only ones with a name, a
# mask, a problem or the like; .ci/run --all takes them all.
ONE_IN = 8


def spread(items: list[pytest.Item], number: int) -> set[pytest.Item]:
    """Return a number of the items, evenly spread."""
    return {items[at * len(items) // number] for at in range(min(number, len(items)))}


def kinds(item: pytest.Item) -> set[str]:
    """Return what a case is called with, but for numbers and seeds, which many cases may share out among them."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    return {
        f"{name}={value!r}"
        for name, value in given.items()
        if not name.startswith("seed")
        and (isinstance(value, bool) or not isinstance(value, int | float | range))
    }


def chosen(slow: list[pytest.Item], others: list[pytest.Item]) -> set[pytest.Item]:
    """Return the slow cases that .ci/run takes: with the others, they have every kind."""
    found = spread(slow, -(-len(slow) // ONE_IN))
    covered = set().union(*map(kinds, found), *map(kinds, others))
    for item in slow:
        if kinds(item) - covered:
            found.add(item)
            covered |= kinds(item)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all but the cases that ``many`` keeps slow, and most of the slow ones thorough."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not item.get_closest_marker("extra"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        counted: dict[int, list[pytest.Item]] = {}
        for item in cases:
            if marker := item.get_closest_marker("many"):
                counted.setdefault(marker.args[0], []).append(item)
        for number, own in counted.items():
            for item in set(own) - spread(own, number):
                item.add_marker(pytest.mark.slow)
        slow = [item for item in cases if item.get_closest_marker("slow")]
        for item in set(slow) - chosen(slow, [item for item in cases if item not in slow]):
            item.add_marker(pytest.mark.thorough)


@pytest.fixture
def pebble(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pebble:
    """The command line, called within the process; tables are as wide as they want."""
    monkeypatch.setattr(printing, "output_width", lambda: 1000)

    def call(*arguments: str, stdin: bytes | None = None) -> Done:
        monkeypatch.setattr(sys, "argv", ["pebble", *arguments])
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture
def command(pebble: Pebble) -> Pebble:
    """The same, where the module ``pebble`` is at hand."""
    return pebble
