"""Small certificates for tests, and the two checkers."""

from __future__ import annotations

import io
import json
import runpy
from functools import cache
from pathlib import Path
from typing import Any

from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.solvers.certificate import certify
from pebble.solvers.certificate_check import CertificateCheck, check_certificate

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "check_certificate.py"
SCRIPT = runpy.run_path(str(EXAMPLE))
ONCE = Rules(recomputation=False)
Document = dict[str, Any]


def checker() -> dict[str, Any]:
    """What the checker of the examples defines."""
    return SCRIPT


def second_opinion(document: Document) -> str:
    """What the checker of the examples says: empty if it refuses."""
    try:
        return str(SCRIPT["check"](document))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return ""


def verdict(document: Document) -> CertificateCheck:
    return check_certificate(json.dumps(document))


@cache
def _text(name: str, M: int, rules: Rules | None, bound: str | None) -> str:
    stream = io.StringIO()
    certify(load_dag(name), M, rules, order="given", bound=bound).write(stream)
    return stream.getvalue()


def made(
    name: str = "fft:4", M: int = 4, rules: Rules | None = None, bound: str | None = "compulsory"
) -> Document:
    """Return a certificate as a document of its own."""
    document: Document = json.loads(_text(name, M, rules, bound))
    return document
