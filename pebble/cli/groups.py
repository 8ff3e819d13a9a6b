"""``pebble dag`` and ``pebble plot``: groups of commands, which are imported when they are called."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import click


class LazyGroup(click.Group):
    """A group of commands, each a function of a module, imported when it is called.

    ``listed`` has by module of ``pebble.cli`` the names of its commands; what they do is the first line of their
    docstrings.
    """

    def __init__(self, *arguments: Any, listed: dict[str, str], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.modules = {name: module for module, names in listed.items() for name in names.split()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if name not in self.modules:
            return None
        command: click.Command = getattr(importlib.import_module(f"pebble.cli.{self.modules[name]}"), name)
        return command

    def summary(self, name: str) -> str:
        """Return what a command does, from the text of its module."""
        text = Path(__file__).with_name(f"{self.modules[name]}.py").read_text(encoding="utf-8")
        found = (one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef) and one.name == name)
        return (ast.get_docstring(next(found)) or "").partition("\n")[0]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summary(name)) for name in self.modules])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command: name all at once that is missing; say where Ctrl-C ends it, with the status of shells."""
        try:
            return super().invoke(ctx)
        except click.MissingParameter as error:
            from pebble.cli.signature import NeededOption, require

            called = error.ctx or ctx
            needed = [one for one in called.command.params if one.required or isinstance(one, NeededOption)]
            require([(str(one.name), *getattr(one, "unless", ())) for one in needed], called)
            raise
        except KeyboardInterrupt:
            click.echo("pebble: interrupted", err=True)
            ctx.exit(130)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is called; for an unknown name, say which is nearest."""
        name = args[0]
        if name not in self.modules and not name.startswith("-"):
            import difflib

            close = difflib.get_close_matches(name, self.modules, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


_PLOTS = "io gap crossover occupancy arrays levels parallel roofline"


@click.group(cls=LazyGroup, listed={"dag": "info convert schedule optimal bounds"})
def dag() -> None:
    """Work with any computation given as a DAG: a file, or a name with parameters.

    \b
    pebble dag info matmul:8,8,8
    pebble dag info fft.dot --json
    pebble dag convert attention:N=2,d=1 attention.graphml
    """  # noqa: D301


@click.group(cls=LazyGroup, listed={"plot": _PLOTS})
def plot() -> None:
    """Draw pictures of verified counts: PNG, SVG or PDF, by the name of the file.

    \b
    pebble plot io -N 4096 -d 64 -M 256:1Mi:7 -o io.svg
    pebble plot gap -d 64 -o gap.png
    pebble plot arrays -N 4096 -d 64 -M 25000 --json
    """  # noqa: D301
