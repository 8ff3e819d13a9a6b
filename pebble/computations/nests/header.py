"""A loop nest as the header of a pebbling file has it: a text without blanks, and the extents."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, unquote

from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import whole_number
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest

NEST_NAME = "nest"
"""What the header calls a computation that is given as a loop nest."""

_PLAIN = "[](),+-*/.<>=!;"


def nest_parameters(nest: LoopNest) -> dict[str, str]:
    """Return what a header says of a loop nest.

    >>> found = nest_parameters(loop_nest("y[i] += L[i,j]*x[j] for j < i", {"i": 8, "j": 8}))
    >>> " ".join(f"{key}={value}" for key, value in found.items())
    'text=y[i]+=L[i,j]*x[j]%20for%20j<i extents=i=8,j=8'
    """
    text = ";".join(str(statement) for statement in nest.statements)
    closed = " for ".join(part.replace(" ", "") for part in text.split(" for "))
    found = {"text": quote(closed, safe=_PLAIN), "extents": extents_text(nest.extents)}
    return found | ({"outputs": ",".join(nest.outputs)} if nest.outputs else {})


def extents_text(extents: Mapping[str, int]) -> str:
    """Return extents as ``-N`` takes them: ``i=8,j=8``."""
    return ",".join(f"{name}={extent}" for name, extent in extents.items()) or "-"


def nest_from_parameters(parameters: Mapping[str, str]) -> LoopNest:
    """Read a loop nest from what a header says."""
    unknown = set(parameters) - {"text", "extents", "outputs"}
    missing = {"text", "extents"} - set(parameters)
    if unknown or missing:
        raise InvalidInput(
            f"DAG {NEST_NAME} takes text=… extents=…, and outputs=…"
            + (f"; missing: {', '.join(sorted(missing))}" if missing else "")
            + (f"; unknown: {', '.join(sorted(unknown))}" if unknown else "")
        )
    outputs = parameters.get("outputs", "")
    written = parameters["extents"]
    return loop_nest(
        unquote(parameters["text"]),
        {} if written == "-" else read_extents(written),
        outputs.split(",") if outputs else (),
    )


def read_extents(text: str) -> dict[str, int]:
    """Read ``i=1024,j=1Ki``."""
    found: dict[str, int] = {}
    for piece in text.split(","):
        name, equals, written = (part.strip() for part in piece.partition("="))
        extent = whole_number(written) if equals else None
        if not name.isidentifier() or extent is None:
            raise InvalidInput(f"{piece.strip()!r} is not an extent; write for example i=1024,j=1024")
        if name in found:
            raise InvalidInput(f"the extent of {name} is given twice")
        found[name] = extent
    return found
