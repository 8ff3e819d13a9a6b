"""``pebble bounds``."""

from __future__ import annotations

from typing import Any

import click

from pebble.cli.coq_option import coq_option, write_coq
from pebble.cli.options import needed_memory_options, problem_of, problem_options, words_of
from pebble.cli.printing import json_option, print_result
from pebble.cli.progress import long_work

__all__ = ["command"]


@click.command("bounds")
@problem_options()
@needed_memory_options()
@json_option
@coq_option
def command(as_json: bool, coq: str | None, **options: Any) -> None:
    """List the lower bounds for a problem: proved ones first, then published curves without constants."""
    from pebble.lower_bounds.table import bounds

    M = words_of(options)
    with long_work():
        found = bounds(problem_of(options), M)
    if coq is not None:
        from pebble.lower_bounds.coq_certificate import coq_certificate

        write_coq(coq, coq_certificate(found.problem, found.M))
    if not as_json:
        click.echo(f"{found.problem.describe()}; M = {M:,} words\n{found.regime}\n")
    print_result(found, as_json)
