"""A group of commands that are imported when they are called."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group of commands, each the object ``command`` of a module of its own.

    Parameters
    ----------
    commands_at : str
        The modules, with ``{}`` for the name of the command: ``pebble.cli.dag_{}``.
    summaries : dict of str to str
        What each command does, by its name, in one line; listed without importing the command.
    """

    def __init__(self, *arguments: Any, commands_at: str, summaries: dict[str, str], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.commands_at = commands_at
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if name not in self.summaries:
            return None
        module = self.commands_at.format(name)
        if importlib.util.find_spec(module) is None:
            ctx.fail(f"{ctx.command_path} {name} is not available in this installation: {module} is missing.")
        command: click.Command = importlib.import_module(module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command: name all at once that is missing; say where Ctrl-C ends it, with the status of shells."""
        try:
            return super().invoke(ctx)
        except click.MissingParameter as error:
            from pebble.cli.options import NeededOption, require

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
        if name not in self.summaries and not name.startswith("-"):
            import difflib

            close = difflib.get_close_matches(name, self.summaries, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)
