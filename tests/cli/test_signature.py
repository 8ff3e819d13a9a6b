"""Commands made from functions: the examples of their help."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click

from pebble.cli import group as pebble_commands


def _commands(command: click.Command, path: str = "pebble") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _commands(found, f"{path} {name}")
    else:
        yield path, command


def test_the_examples_of_help_are_read_as_they_stand() -> None:
    examples = {
        path: re.findall(rf"^ *{path} (.*)$", command.help or "", re.MULTILINE)
        for path, command in _commands(pebble_commands)
    }
    assert sum(map(bool, examples.values())) >= 20
    for path, one in _commands(pebble_commands):
        for example in examples[path]:
            with one.make_context(path, shlex.split(example)):
                continue
