"""``--coq FILE``: machine-checked bounds as a file that Coq checks."""

from __future__ import annotations

import click

from pebble.cli.printing import F

__all__ = ["coq_option", "write_coq"]


def coq_option(function: F) -> F:
    """Add ``--coq FILE``."""
    return click.option(
        "--coq",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Write the machine-checked bounds as a file that Coq checks: coqc -Q docs/proofs Pebble FILE.",
    )(function)


def write_coq(path: str, text: str) -> None:
    """Write the file, whole or not at all."""
    from pebble.common.files import atomic_writer

    with atomic_writer(path) as stream:
        stream.write(text)
