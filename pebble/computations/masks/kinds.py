"""The mask that a text names on the command line or in a pebbling file's header; and masks of query heads in groups."""

from __future__ import annotations

import difflib

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arguments import Arguments
from pebble.computations.masks.arrays import check_size
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.block_mask import BlockMask
from pebble.computations.masks.builders import KINDS, MaskKind
from pebble.computations.masks.dense_mask import DenseMask
from pebble.computations.masks.mask import Interval, Mask, RegularPart, check_rows
from pebble.computations.masks.staircase import Staircase

__all__ = ["GroupedBand", "grouped_mask", "make_mask", "mask_kinds"]

_NO_MASK = ("none", "full")
_MOST_LINES = 2**24


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
    name, _, text = spec.partition(":")
    if name in _NO_MASK:
        if text:
            raise InvalidInput(f"mask {name}: {text!r} is not expected here; write {name}")
        return None
    if name == "group":
        return _group(text, Nq, Nk, run_code)
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


class GroupedBand(BandMask):
    """A band whose queries come in groups that see the same.

    Parameters
    ----------
    spec : str
    inner : BandMask
        The mask of the groups.
    group : int
    """

    def __init__(self, spec: str, inner: BandMask, group: int) -> None:
        super().__init__(spec, inner.Nk, *(_repeated(ends, group) for ends in inner.ends("i")))
        self._inner, self._group = inner, group

    def between(self, queries: Interval, keys: Interval) -> BandMask:
        """Return the band of some whole groups of queries and some keys alone, counted from the first of them."""
        first, behind = (place // self._group for place in queries)
        return GroupedBand("part", self._inner.between((first, behind), keys), self._group)

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis in which a group on, or a key on, the pairs are the same, moved on."""
        group, parts = self._group, self._inner.steady_parts(axis)
        if axis == "j":
            return [part._replace(partners=part.partners * group) for part in parts]
        return [
            part._replace(start=part.start * group, stop=part.stop * group, lines=part.lines * group)
            for part in parts
        ]


def grouped_mask(mask: Mask, group: int) -> Mask:
    """Repeat every query ``group`` times: query i of the new mask sees what query i // group sees.

    Query heads that share keys and values are one problem of ``group`` · Nq queries; numbered like this, the queries of
    one token follow each other, and a band stays a band.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> grouped_mask(causal_mask(2, 2), 2).matrix((0, 4), (0, 2)).astype(int).tolist()
    [[1, 0], [1, 0], [1, 1], [1, 1]]
    """
    if group < 1:
        raise InvalidInput(f"mask group: a group has at least one query head, not {group}")
    spec = f"group:{group}:{mask.spec}"
    if isinstance(mask, BandMask):
        Nq = mask.Nq * group
        if max(Nq, mask.Nk) > _MOST_LINES:
            raise InvalidInput(
                f"mask {spec}: a group mask is stored line by line, which is limited to {_MOST_LINES:,} "
                f"lines; here are {max(Nq, mask.Nk):,}"
            )
        found: Mask = GroupedBand(spec, mask, group)
    elif isinstance(mask, BlockMask):
        sides = mask.sides["i"] * group, mask.sides["j"]
        found = BlockMask(spec, mask.Nq * group, mask.Nk, sides, mask.blocks)
    else:
        try:
            check_size(mask.Nq * group, mask.Nk, spec)
        except InvalidInput as error:
            raise InvalidInput(
                f"{error}; if each query head has its own keys (--kv-heads equal to --heads), there is "
                "no group"
            ) from None
        matrix = mask.matrix((0, mask.Nq), (0, mask.Nk))
        found = DenseMask(spec, np.repeat(matrix, group, axis=0))
    found.empty_rows = mask.empty_rows
    return found


def _repeated(ends: Staircase, group: int) -> Staircase:
    """Return the staircase in which every place of one is repeated: a piece for each place of a piece that rises."""
    lengths = np.where(ends.slopes == 1, np.diff(ends.starts, append=ends.length), 1)
    places = np.repeat(ends.starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    return Staircase(ends.length * group, places * group, ends.at(places), np.zeros_like(places))
