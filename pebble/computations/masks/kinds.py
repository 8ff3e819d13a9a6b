"""The mask that a text names on the command line or in a pebbling file's header."""

from __future__ import annotations

import difflib
import re
from functools import partial, reduce

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arguments import Arguments
from pebble.computations.masks.arrays import check_size, mask_of_booleans
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.builders import KINDS
from pebble.computations.masks.grouped_mask import grouped_mask
from pebble.computations.masks.mask import Mask, check_rows
from pebble.computations.masks.mask_kind import MaskKind
from pebble.computations.masks.union_mask import UnionMask, combined_bands

_NO_MASK = ("none", "full")
_OTHER_NAMES = {"unpadded": "document"}


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
        raise InvalidInput(f"a mask is a text without white space, such as window:256, not {spec!r}")
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
    """Make a mask, or a union of intersections of masks."""
    if spec.startswith("group:"):
        return _group(spec.removeprefix("group:"), Nq, Nk, run_code)
    parts, operators = _parts(spec)
    if not operators:
        return _part(spec, Nq, Nk, run_code)
    terms: list[list[Mask]] = [[]]
    for part, operator in zip(parts, [*operators, ""], strict=True):
        if part.startswith("group:"):
            raise InvalidInput(f"mask {spec}: group:G: stands before the whole mask, not before a part of it")
        mask = _part(part, Nq, Nk, run_code)
        if mask is None:
            raise InvalidInput(f"mask {spec}: {part} allows all keys to all queries, so leave it out")
        terms[-1].append(mask)
        if operator == "+":
            terms.append([])
    return reduce(partial(combined, "+"), [reduce(partial(combined, "&"), term) for term in terms])


def _parts(spec: str) -> tuple[list[str], list[str]]:
    """Cut a text at each + and &; in the path of a file, only before the name of a mask.

    >>> _parts("window:4&causal+file:a+b.npy+sink:1")
    (['window:4', 'causal', 'file:a+b.npy', 'sink:1'], ['&', '+', '+'])
    """
    first, *pieces = re.split(r"([+&])", spec)
    parts, operators = [first], list[str]()
    for operator, piece in zip(pieces[::2], pieces[1::2], strict=True):
        if re.search(r"(^|,|:)file[:=]", parts[-1]) and piece.partition(":")[0] not in KINDS:
            parts[-1] += operator + piece
        else:
            parts.append(piece)
            operators.append(operator)
    if operators and "" in parts:
        raise InvalidInput(f"mask {spec}: a mask is missing before or after {' or '.join(set(operators))}")
    return parts, operators


def combined(operator: str, one: Mask, other: Mask) -> Mask:
    """Return the union of two masks (``+``), or their intersection (``&``); one of them, where it is that.

    Masks that are not made of bands are written out pair by pair.

    >>> from pebble.computations.masks import causal_mask, window_mask
    >>> combined("&", causal_mask(4, 4), window_mask(4, 4, 1))
    <Mask window:2: 7 of 16 pairs>
    """
    spec = f"{one.spec}{operator}{other.spec}"
    if isinstance(one, BandMask | UnionMask) and isinstance(other, BandMask | UnionMask):
        found: Mask = combined_bands(spec, [one, other], 1 if operator == "+" else 2)
    else:
        check_size(one.Nq, one.Nk, spec)
        join = np.logical_or if operator == "+" else np.logical_and
        found = mask_of_booleans(
            spec, join(*(mask.matrix((0, one.Nq), (0, one.Nk)) for mask in (one, other)))
        )
    return next((mask for mask in (one, other) if mask.pairs == found.pairs), found)


def _part(spec: str, Nq: int, Nk: int, run_code: bool) -> Mask | None:
    name, _, text = spec.partition(":")
    name = _OTHER_NAMES.get(name, name)
    if name in _NO_MASK:
        if text:
            raise InvalidInput(f"mask {name}: {text!r} is not expected here; write {name}")
        return None
    if name == "predicate" and not run_code:
        raise InvalidInput(
            f"mask {spec}: pebble does not run a function named in a file; save the mask as a boolean "
            "array (numpy.save) and write mask=file:PATH"
        )
    if name == "array":
        raise InvalidInput(
            f"mask {spec}: this array exists only in Python; save it (numpy.save) and write file:PATH"
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
        raise arguments.wrong(f"Nq = {Nq:,} is not a multiple of {group}")
    if not inner:
        raise arguments.wrong("the mask of one query head is missing")
    mask = _build(inner, Nq // group, Nk, run_code)
    if mask is None:
        raise arguments.wrong(f"{inner} allows all keys to all queries, so leave the mask out")
    return grouped_mask(mask, group)
