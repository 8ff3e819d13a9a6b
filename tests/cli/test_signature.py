"""Commands made from functions: what becomes of parameters, groups and their changes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from pebble.cli import group as pebble_commands
from pebble.cli.signature import Options, argument, command, group, like, needed, option

LENGTH = option("How long.", "-N", "--length", required=True)


class Inner(Options):
    flag: bool = option("Whether.")
    two_words: str = option("What.", default="usual")


class Outer(Options):
    inner: Inner = group(Inner)
    memory: str | None = option("Where.", "-M", **needed("flag"))


@command
def tried(
    names: tuple[str, ...] = argument(nargs=-1),
    N: int = LENGTH,
    outer: Outer = group(Outer, memory={"help": "Elsewhere."}),
    other: int | None = like(LENGTH, required=None, help="How wide.")._replace(flags=()),
) -> None:
    """Try it."""
    click.echo([names, N, outer.inner.flag, outer.inner.two_words, outer.memory, other])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("a b -N 4Ki --flag", "[('a', 'b'), 4096, True, 'usual', None, None]"),
        ("-N 1e3 -M x --two-words y --other 7", "[(), 1000, False, 'y', 'x', 7]"),
        ("-N 0 --flag", "0 is not positive"),
        ("-N 3", "Missing option '-M'"),
        ("--flag", "Missing option '-N'"),
    ],
)
def test_values_arrive(arguments: str, said: str) -> None:
    assert said in CliRunner().invoke(tried, arguments.split()).output


def test_the_help_is_the_docstring_and_the_declarations() -> None:
    lines = CliRunner().invoke(tried, ["--help"]).output.splitlines()
    assert lines[:3] == ["Usage: tried [OPTIONS] [NAMES]...", "", "  Try it."]
    options = [line.split()[0] for line in lines if line.startswith("  -")]
    assert options == ["-N,", "--flag", "--two-words", "-M", "--other", "--help"]
    assert "Elsewhere." in "\n".join(lines)


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
