"""Masks from arrays of booleans, from files of them, and from predicates on index arrays."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.block_mask import BlockMask, can_be_kept
from pebble.computations.masks.dense_mask import DenseMask
from pebble.computations.masks.mask import check_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pebble.computations.masks.mask import Mask

Predicate = Callable[[Any, Any], Any]
_MOST_PAIRS = 2**28
_CHUNK = 2**21


def can_be_written_out(Nq: int, Nk: int) -> bool:
    """Whether a mask has few enough pairs to be kept pair by pair."""
    return Nq * Nk <= _MOST_PAIRS


def check_size(Nq: int, Nk: int, name: str) -> None:
    """Refuse a mask that is kept pair by pair and has too many pairs."""
    if not can_be_written_out(Nq, Nk):
        raise InvalidInput(
            f"mask {name}: it is stored pair by pair, which is limited to {_MOST_PAIRS:,} pairs; Nq · Nk "
            f"is {Nq * Nk:,}"
        )


def fill(predicate: Predicate, Nq: int, Nk: int, name: str) -> NDArray[np.bool_]:
    """Evaluate a predicate on all pairs, some rows at a time; errors name the mask."""
    check_size(Nq, Nk, name)
    allowed = np.empty((Nq, Nk), dtype=bool)
    keys = np.arange(Nk, dtype=np.int64)[None, :]
    step = max(1, _CHUNK // Nk)
    for start in range(0, Nq, step):
        queries = np.arange(start, min(start + step, Nq), dtype=np.int64)[:, None]
        allowed[start : start + step] = _evaluate(predicate, queries, keys, name)
    return allowed


def _evaluate(
    predicate: Predicate, queries: NDArray[np.int64], keys: NDArray[np.int64], name: str
) -> NDArray[np.bool_]:
    shape = (len(queries), keys.shape[1])
    try:
        found = np.asarray(predicate(queries, keys))
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"mask {name}: the predicate raised {type(error).__name__}: {_one_line(error)}; it gets integer "
            f"arrays q_idx of shape ({shape[0]}, 1) and kv_idx of shape (1, {shape[1]}), so use & and | for and, or"
        ) from error
    if found.dtype != bool:
        raise InvalidInput(f"mask {name}: the predicate must return booleans, not {found.dtype}")
    try:
        return np.broadcast_to(found, shape)
    except ValueError as error:
        raise InvalidInput(
            f"mask {name}: the predicate returned shape {found.shape}, which is not {shape} nor broadcasts to it"
        ) from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def mask_from_predicate(
    predicate: Predicate, Nq: int, Nk: int, *, name: str | None = None, empty_rows: str = "error"
) -> Mask:
    """Make a mask of a predicate on index arrays, the convention of FlexAttention's ``mask_mod``.

    Parameters
    ----------
    predicate : callable
        ``predicate(q_idx, kv_idx)`` gets arrays of int64 that broadcast against each other, and returns booleans that
        broadcast to (queries, keys). It is called for some rows at a time.
    Nq, Nk : int
        Numbers of queries and of keys; at most 2²⁸ pairs.
    name : str, optional
        How the mask is shown. By default ``predicate:module:function``, which the command line can read again, for a
        function of a module, and ``array:predicate`` for any other.
    empty_rows : {"error", "zero"}
        Whether a query may attend to nothing; its output is then zero and costs nothing.

    Raises
    ------
    InvalidInput
        If the predicate raises or returns anything else, or leaves a query without keys.

    Examples
    --------
    >>> mask_from_predicate(lambda q_idx, kv_idx: (q_idx - kv_idx) % 2 == 0, 4, 4, name="parity")
    <Mask array:parity: 8 of 16 pairs>
    """
    spec = _spec_of(predicate) if name is None else _array_spec(name)
    if not callable(predicate):
        raise InvalidInput(f"a predicate is a function of q_idx and kv_idx, not {predicate!r}")
    return check_rows(mask_of_booleans(spec, fill(predicate, Nq, Nk, spec)), empty_rows)


def mask_from_array(array: Any, *, name: str = "array", empty_rows: str = "error") -> Mask:
    """Make a mask of an array: true (or 1) where query i attends to key j.

    Parameters
    ----------
    array : array_like of bool, or of uint8 with nothing but 0 and 1, shape (Nq, Nk)
    name : str
        How the mask is shown; to have it in a pebbling file, save the array and take ``file:PATH``.
    empty_rows : {"error", "zero"}
        Whether a query may attend to nothing.

    Raises
    ------
    InvalidInput
        If the array is no such array, or leaves a query without keys.

    Examples
    --------
    >>> mask_from_array([[True, False], [True, True]], name="lower")
    <Mask array:lower: 3 of 4 pairs>
    """
    spec = _array_spec(name)
    return check_rows(mask_of_booleans(spec, as_booleans(np.asarray(array), f"mask {spec}")), empty_rows)


def mask_of_booleans(spec: str, allowed: NDArray[np.bool_]) -> Mask:
    """Return the mask of an array: a band or equal blocks if its pairs are such, or else kept pair by pair.

    >>> mask_of_booleans("own", np.tri(4, dtype=bool)).bands
    (<Mask own: 10 of 16 pairs>,)
    """
    dense, (Nq, Nk) = DenseMask(spec, allowed), allowed.shape
    start, stop = dense.first("i"), dense.last("i") + 1
    # A query without keys stands where the one before it stops.
    start = np.where(stop > 0, start, np.maximum.accumulate(stop))
    stop = np.maximum(start, stop)
    rises = (np.diff(start) >= 0).all() and (np.diff(stop) >= 0).all()
    if rises and dense.pairs == int((stop - start).sum()):
        return BandMask(spec, Nk, start, stop)
    # Every place where neighbouring lines differ is an edge of blocks.
    edges = [
        np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1)) + 1 for rows in (dense.allowed, dense.allowed.T)
    ]
    sides = int(np.gcd.reduce(edges[0])) or Nq, int(np.gcd.reduce(edges[1])) or Nk
    if min(sides) > 1 and can_be_kept(Nq, Nk, sides):
        return BlockMask(spec, Nq, Nk, sides, allowed[:: sides[0], :: sides[1]])
    return dense


def as_booleans(array: NDArray[Any], what: str) -> NDArray[np.bool_]:
    """Return a copy of a matrix as booleans, or say why it is none."""
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(
            f"{what}: it must have two dimensions, queries and keys; its shape is {array.shape}"
        )
    if array.size > _MOST_PAIRS:
        raise InvalidInput(f"{what}: it has {array.size:,} elements; the limit is {_MOST_PAIRS:,}")
    if array.dtype == np.uint8:
        if array.max() > 1:
            raise InvalidInput(f"{what}: its elements must be 0 or 1; there is a {array.max()}")
    elif array.dtype != bool:
        raise InvalidInput(f"{what}: its elements must be bool (or uint8, 0 or 1), not {array.dtype}")
    return np.array(array, dtype=bool)


def load_array(path: str, what: str) -> NDArray[np.bool_]:
    """Read a matrix of booleans from a ``.npy`` file; nothing pickled is ever loaded."""
    return as_booleans(_load(path, what, "a boolean array"), f"{what} ({path})")


def load_lists(path: str, what: str) -> NDArray[np.int64]:
    """Read a matrix of whole numbers from a ``.npy`` file; nothing pickled is ever loaded."""
    found = _load(path, what, "an array of whole numbers")
    if found.ndim != 2 or found.dtype.kind not in "iu":
        raise InvalidInput(
            f"{what} ({path}): it must have two dimensions, lists and whole numbers; its shape is {found.shape}, "
            f"its type {found.dtype}"
        )
    return found.astype(np.int64)


def _load(path: str, what: str, array: str) -> NDArray[Any]:
    if not path:
        raise InvalidInput(f"{what}: the file name is missing; give the path of {array}, such as m.npy")
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise InvalidInput(f"{what}: cannot read {path}: {error.strerror or error}") from error
    except (ValueError, EOFError, SyntaxError, MemoryError, OverflowError) as error:
        # numpy takes whatever it does not know for a pickle, which is never loaded, for it could run anything.
        why = "" if "pickle" in str(error) else f" ({_one_line(error)})"
        raise InvalidInput(f"{what}: {path} is not {array} saved with numpy.save{why}") from error
    if not isinstance(found, np.ndarray):
        found.close()
        raise InvalidInput(f"{what}: {path} holds several arrays (.npz); save the mask alone with numpy.save")
    return found


def _array_spec(name: str) -> str:
    if not name or name.split() != [name]:
        raise InvalidInput(f"a mask's name is a text without white space, not {name!r}")
    return f"array:{name}"


def _spec_of(predicate: Predicate) -> str:
    module, name = getattr(predicate, "__module__", None), getattr(predicate, "__qualname__", "<")
    if module in (None, "__main__") or "<" in name:
        return "array:predicate"
    return f"predicate:{module}:{name}"


def named_predicate(name: str) -> Predicate:
    """Import ``module:function``, from the current folder too, as ``python -m`` does."""
    module_name, colon, path = name.partition(":")
    if not (colon and module_name and path):
        raise InvalidInput(f"mask predicate: cannot read {name!r}; write predicate:module:function")
    with _current_folder():
        try:
            found: Any = importlib.import_module(module_name)
        except (Exception, SystemExit) as error:
            raise InvalidInput(
                f"mask predicate: cannot import {module_name!r}: {type(error).__name__}: {_one_line(error)}"
            ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise InvalidInput(f"mask predicate: module {module_name!r} has no {path!r}")
        found = getattr(found, part)
    if not callable(found):
        raise InvalidInput(f"mask predicate: {name} is not a function")
    predicate: Predicate = found
    return predicate


@contextmanager
def _current_folder() -> Iterator[None]:
    sys.path.insert(0, "")
    try:
        yield
    finally:
        sys.path.remove("")
