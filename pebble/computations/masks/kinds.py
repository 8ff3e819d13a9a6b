"""The kinds of masks, and the mask that a text names on the command line or in a pebbling file's header."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import asdict, dataclass

from pebble.common.errors import InvalidInput
from pebble.computations.masks import builders
from pebble.computations.masks.arguments import Arguments
from pebble.computations.masks.empty_rows import check_rows
from pebble.computations.masks.grouped import grouped_mask
from pebble.computations.masks.mask import Mask

__all__ = ["MaskKind", "make_mask", "mask_kinds"]

_NO_MASK = ("none", "full")


@dataclass(frozen=True)
class MaskKind:
    """A kind of mask.

    Attributes
    ----------
    name : str
        What its text begins with.
    usage : str
        How it is written; capitals stand for numbers or names, brackets for what may be left out.
    summary : str
        Which keys a query attends to.
    source : str
        Where the pattern comes from; empty for what needs no source.
    example : str
    """

    name: str
    usage: str
    summary: str
    source: str
    example: str

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return asdict(self)


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
    return tuple(kind for kind, _ in _KINDS.values())


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
    if name not in _KINDS:
        close = difflib.get_close_matches(name, _KINDS, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise InvalidInput(f"unknown mask {name!r}; {hint}known: {', '.join((*_NO_MASK, *_KINDS))}")
    kind, build = _KINDS[name]
    return build(Arguments(text, name, kind.usage), Nq, Nk)


def _group(text: str, Nq: int, Nk: int, run_code: bool) -> Mask:
    usage = _KINDS["group"][0].usage
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


def _wrapped(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    raise AssertionError("a group is made of another mask")


_CHILD = "Child et al. 2019, arXiv 1904.10509"
_Builder = Callable[[Arguments, int, int], Mask]
_TABLE: tuple[tuple[str, str, str, str, str, _Builder], ...] = (
    (
        "causal",
        "causal",
        "the keys up to the query's own position; the last query sees all",
        "",
        "causal",
        builders.causal,
    ),
    (
        "window",
        "window:W or window:left=L,right=R",
        "the last W keys, its own among them; or L keys before its own position and R after it",
        "",
        "window:256",
        builders.window,
    ),
    (
        "prefix",
        "prefix:P",
        "the first P keys, and those up to its own position",
        "Raffel et al. 2020, arXiv 1910.10683",
        "prefix:64",
        builders.prefix,
    ),
    (
        "document",
        "document:[causal,]LENGTH[xTIMES],LENGTH[xTIMES],…",
        "the keys of its own sequence, of several packed one behind the other",
        "",
        "document:causal,512,512",
        builders.document,
    ),
    (
        "longformer",
        "longformer:window=W,global=G",
        "W/2 keys to either side; the first G tokens see all and are seen by all",
        "Beltagy et al. 2020, arXiv 2004.05150",
        "longformer:window=128,global=2",
        builders.longformer,
    ),
    (
        "strided",
        "strided:L",
        "the keys up to L back, and all a multiple of L back",
        _CHILD,
        "strided:32",
        builders.strided,
    ),
    (
        "fixed",
        "fixed:L[,C]",
        "earlier keys of its own block of L, and the last C (1 if not given) of every block before",
        _CHILD,
        "fixed:32,4",
        builders.fixed,
    ),
    (
        "blocks",
        "blocks:size=B,density=P[,seed=S] or blocks:size=B,file=PATH.npy",
        "blocks of B × B pairs, drawn at random or where an array of booleans says so",
        "Dao et al. 2022, arXiv 2205.14135",
        "blocks:size=64,density=0.25,seed=1",
        builders.blocks,
    ),
    (
        "butterfly",
        "butterfly:B",
        "blocks of B × B on the diagonal, and those whose two numbers differ in one binary digit",
        "Dao et al. 2022, arXiv 2112.00029",
        "butterfly:64",
        builders.butterfly,
    ),
    (
        "nm",
        "nm:N:M[,seed=S]",
        "N of every M keys that follow each other, drawn at random for each query",
        "Mishra et al. 2021, arXiv 2104.08378",
        "nm:2:4",
        builders.nm,
    ),
    (
        "file",
        "file:PATH.npy",
        "what an array of booleans of shape (Nq, Nk) says",
        "",
        "file:m.npy",
        builders.file,
    ),
    (
        "predicate",
        "predicate:MODULE:FUNCTION",
        "what a Python function of index arrays says: f(q_idx, kv_idx)",
        "Dong et al. 2024, arXiv 2412.05496",
        "predicate:mymasks:parity",
        builders.predicate,
    ),
    (
        "group",
        "group:G:MASK",
        "what query i // G of another mask sees: G query heads that share their keys",
        "",
        "group:4:causal",
        _wrapped,
    ),
)
_KINDS: dict[str, tuple[MaskKind, _Builder]] = {row[0]: (MaskKind(*row[:5]), row[5]) for row in _TABLE}
