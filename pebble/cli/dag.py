"""``pebble dag``: a group of commands for any computation, each in a module of its own."""

from __future__ import annotations

import importlib
import importlib.util

import click

__all__ = ["command"]

_COMMANDS = {
    "info": "Say what a DAG is: its size, inputs, outputs, depth, least M, compulsory I/O, hash.",
    "convert": "Write a DAG in another format.",
    "schedule": "Schedule a DAG automatically and count its I/O.",
    "optimal": "Find the proved minimum I/O of a small DAG.",
    "bounds": "List lower bounds on the I/O of a DAG.",
}


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = f"pebble.cli.dag_{name}"
        if importlib.util.find_spec(module) is None:
            ctx.fail(f"pebble dag {name} is not available in this installation: {module} is missing.")
        command: click.Command = importlib.import_module(module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            import difflib

            close = difflib.get_close_matches(name, _COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group("dag", cls=_LazyGroup)
def command() -> None:
    """Work with any computation given as a DAG: a file, or a name with parameters.

    \b
    pebble dag info matmul:8,8,8
    pebble dag info fft.dot --json
    pebble dag convert attention:N=2,d=1 attention.graphml
    """  # noqa: D301
