"""Settings that all tests share."""

from __future__ import annotations

import io
import os
import sys

import pytest
from hypothesis import Phase, settings

from pebble.cli import main
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all but some cases of a test slow, evenly spread, where the marker ``many`` says how many stay."""
    cases: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        marker = item.get_closest_marker("many")
        if marker and not item.get_closest_marker("extra"):
            cases.setdefault((item.nodeid.partition("[")[0], marker.args[0]), []).append(item)
    for (_, number), own in cases.items():
        stay = {at * len(own) // number for at in range(number)}
        for at, item in enumerate(own):
            if at not in stay:
                item.add_marker(pytest.mark.slow)


@pytest.fixture
def pebble(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pebble:
    """The command line, called within the process."""

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
