"""The mask that a text names on the command line or in a pebbling file's header."""

from __future__ import annotations

import difflib

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arguments import Arguments
from pebble.computations.masks.builders import KINDS, MaskKind
from pebble.computations.masks.grouped import grouped_mask
from pebble.computations.masks.mask import Mask, check_rows

__all__ = ["make_mask", "mask_kinds"]

_NO_MASK = ("none", "full")


def make_mask(
    spec: str, Nq: int, Nk: int, *, empty_rows: str = "error", run_code: bool = True
) -> Mask | None:
    """Make the mask that a text names: ``causal``, ``window:256``, ``file:m.npy``; see :func:`mask_kinds`.

    Parameters
    ----------
    spec : str
        Without white space. The mask's own ``spec`` is the same text in its usual form, and names the same mask.
    Nq, Nk : int
        Numbers of queries and of keys.
    empty_rows : {"error", "zero"}
        Whether a query may attend to nothing; its output is then zero and costs nothing.
    run_code : bool
        Whether ``predicate:module:function`` may import the module. False where the text comes from a file.

    Returns
    -------
    Mask or None
        None for ``none`` and ``full``.

    Raises
    ------
    InvalidInput
        If the text names no mask of this size, or the mask leaves a query without keys.

    Examples
    --------
    >>> make_mask("causal", 4, 4)
    <Mask causal: 10 of 16 pairs>
    >>> make_mask("blocks:density=0.5,size=2", 4, 4)
    <Mask blocks:size=2,density=0.5,seed=0: 8 of 16 pairs>
    """
    if not isinstance(spec, str) or spec.split() != [spec]:
        raise InvalidInput(f"a mask is named by a text without white space, such as window:256, not {spec!r}")
    for name, size in (("Nq", Nq), ("Nk", Nk)):
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise InvalidInput(f"{name} must be a positive whole number, not {size!r}")
    mask = _build(spec, Nq, Nk, run_code)
    return mask if mask is None else check_rows(mask, empty_rows)


def mask_kinds() -> tuple[MaskKind, ...]:
    """All kinds of masks.

    Examples
    --------
    >>> mask_kinds()[0].example
    'causal'
    """
    return tuple(kind for kind, _ in KINDS.values())


def _build(spec: str, Nq: int, Nk: int, run_code: bool) -> Mask | None:
    name, _, text = spec.partition(":")
    if name in _NO_MASK:
        if text:
            raise InvalidInput(f"mask {name}: {text!r} is too much; it is written {name}")
        return None
    if name == "group":
        return _group(text, Nq, Nk, run_code)
    if name == "predicate" and not run_code:
        raise InvalidInput(
            f"mask {spec}: a function named in a file is not run; save the mask as an array of booleans "
            "(numpy.save) and name it mask=file:PATH"
        )
    if name == "array":
        raise InvalidInput(
            f"mask {spec}: this array was given in Python and is known there only; save it (numpy.save) "
            "and name it file:PATH"
        )
    if name not in KINDS:
        close = difflib.get_close_matches(name, KINDS, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise InvalidInput(f"unknown mask {name!r}; {hint}known: {', '.join((*_NO_MASK, *KINDS))}")
    kind, build = KINDS[name]
    return build(Arguments(text, name, kind.usage), Nq, Nk)


def _group(text: str, Nq: int, Nk: int, run_code: bool) -> Mask:
    usage = KINDS["group"][0].usage
    size, _, inner = text.partition(":")
    arguments = Arguments(size, "group", usage)
    group = arguments.whole("G")
    arguments.end()
    if Nq % group:
        raise arguments.wrong(f"Nq = {Nq:,} is no multiple of {group}")
    if not inner:
        raise arguments.wrong("the mask of one query head is missing")
    mask = _build(inner, Nq // group, Nk, run_code)
    if mask is None:
        raise arguments.wrong(f"{inner} allows all keys to all queries, so leave the mask out")
    return grouped_mask(mask, group)
