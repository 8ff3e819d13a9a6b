"""``pebble bounds``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.options import json_option, memory_options, print_json, problem_of, problem_options, words_of

__all__ = ["command"]


@click.command("bounds")
@problem_options
@memory_options(required=True)
@json_option
def command(as_json: bool, **options: Any) -> None:
    """List the lower bounds for a problem: proved ones first, then published curves without constants."""
    from pebble.lower_bounds.table import bounds

    M = words_of(options)
    assert M is not None
    found = bounds(problem_of(options), M)
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(f"{found.problem.describe()}; M = {M:,} words\n{found.regime}\n\n{found}")
