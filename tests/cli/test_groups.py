"""Groups of commands: each is a module of its own, imported when it is called."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from pebble.cli import group
from pebble.cli.groups import LazyGroup


def groups() -> dict[str, LazyGroup]:
    """The group of all commands and those inside it."""
    found = {"pebble": group, "pebble dag": group.get_command(_context(), "dag")}
    found["pebble plot"] = group.get_command(_context(), "plot")
    return {name: one for name, one in found.items() if isinstance(one, LazyGroup)}


def _context() -> click.Context:
    return click.Context(group, info_name="pebble")


@pytest.mark.parametrize("name", ["pebble", "pebble dag", "pebble plot"])
def test_every_listed_command_is_there_under_its_name(name: str) -> None:
    one = groups()[name]
    shown = CliRunner().invoke(one, ["--help"], terminal_width=200).output
    for listed in one.list_commands(_context()):
        command = one.get_command(_context(), listed)
        assert command is not None
        assert command.name == listed
        assert one.summary(listed) in shown


@pytest.mark.parametrize(
    ("name", "near"), [("pebble", "sho"), ("pebble dag", "inof"), ("pebble plot", "gpa")]
)
def test_an_unknown_command_is_answered_with_the_nearest(name: str, near: str) -> None:
    result = CliRunner().invoke(groups()[name], [near])
    assert result.exit_code == 2
    assert f"No such command {near!r}. Did you mean" in result.output
    assert groups()[name].get_command(_context(), near) is None


@pytest.mark.parametrize(
    "arguments", [["count", "-N", "8", "-d", "2", "-M", "40"], ["plot", "io", "-d", "2"]]
)
def test_ctrl_c_is_said_and_ends_with_its_own_status(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Command, "invoke", interrupted)
    result = CliRunner().invoke(group, arguments)
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr == "pebble: interrupted\n"
