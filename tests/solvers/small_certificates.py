"""Small certificates for tests, and the two checkers."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.solvers.certificate import certify
from pebble.solvers.certificate_check import CertificateCheck, check_certificate

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "check_certificate.py"
ONCE = Rules(recomputation=False)
Document = dict[str, Any]


@cache
def checker() -> dict[str, Any]:
    """The checker of the examples: what the file defines."""
    scope: dict[str, Any] = {"__name__": "check_certificate"}
    exec(compile(EXAMPLE.read_text(encoding="utf-8"), str(EXAMPLE), "exec"), scope)
    return scope


def second_opinion(document: Document) -> str:
    """What it says: empty if it refuses."""
    try:
        return str(checker()["check"](document))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return ""


def verdict(document: Document) -> CertificateCheck:
    return check_certificate(json.dumps(document))


def made(name: str = "fft:4", M: int = 4, rules: Rules | None = None) -> Document:
    stream = io.StringIO()
    certify(load_dag(name), M, rules, order="given", bound="compulsory").write(stream)
    document: Document = json.loads(stream.getvalue())
    return document
