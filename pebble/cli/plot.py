"""``pebble plot``: a group of commands, one a picture, each in a module of its own."""

from __future__ import annotations

import importlib

import click

__all__ = ["command"]

_COMMANDS = {
    "io": "I/O against fast memory or length: every schedule, the bounds, and where M = d².",
    "gap": "The optimality gap over (M/d², N/d): the best schedule against the best proved bound.",
    "occupancy": "One run over time: what fast memory holds, and the words moved so far.",
    "arrays": "I/O by array: reads and writes of each schedule.",
    "roofline": "Arithmetic intensity of schedules against the roofline of a device.",
}


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"pebble.cli.plot_{name}").command
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


@click.group("plot", cls=_LazyGroup)
def command() -> None:
    """Draw pictures of verified counts: PNG, SVG or PDF, by the name of the file.

    \b
    pebble plot io -N 4096 -d 64 -M 256:1Mi:25 -o io.svg
    pebble plot gap -d 64 -o gap.png
    pebble plot arrays -N 4096 -d 64 -M 25000 --json
    """  # noqa: D301
