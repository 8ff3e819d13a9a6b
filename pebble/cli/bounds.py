"""``pebble bounds``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pebble.cli.options import memory_options, problem_of, problem_options, words_of
from pebble.cli.printing import json_option, print_result

if TYPE_CHECKING:
    from pebble.lower_bounds.table import BoundTable

__all__ = ["command"]


@click.command("bounds")
@problem_options()
@memory_options
@json_option
@click.option(
    "--coq",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the machine-checked bounds as a file that Coq checks: coqc -Q docs/proofs Pebble FILE.",
)
def command(as_json: bool, coq: str | None, **options: Any) -> None:
    """List the lower bounds for a problem: proved ones first, then published curves without constants."""
    from pebble.lower_bounds.table import bounds

    M = words_of(options)
    found = bounds(problem_of(options), M)
    if coq is not None:
        _write(coq, found)
    if not as_json:
        click.echo(f"{found.problem.describe()}; M = {M:,} words\n{found.regime}\n")
    print_result(found, as_json)


def _write(path: str, found: BoundTable) -> None:
    """Write the certificate of a table of bounds."""
    from pebble.common.files import atomic_writer
    from pebble.lower_bounds.coq_certificate import coq_certificate

    text = coq_certificate(found.problem, found.M)
    with atomic_writer(path) as stream:
        stream.write(text)
