"""One function for each kind of mask: take its arguments from the text, and make it."""

from __future__ import annotations

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arguments import Arguments
from pebble.computations.masks.arrays import fill, load_array, mask_of_booleans, named_predicate
from pebble.computations.masks.band_patterns import causal_mask, document_mask, prefix_mask, window_mask
from pebble.computations.masks.mask import Mask
from pebble.computations.masks.repeating_patterns import (
    equal_documents_mask,
    fixed_mask,
    longformer_mask,
    strided_mask,
)
from pebble.computations.masks.sparse_patterns import (
    block_file_mask,
    butterfly_mask,
    n_of_m_mask,
    random_blocks_mask,
)

__all__ = [
    "blocks",
    "butterfly",
    "causal",
    "document",
    "file",
    "fixed",
    "longformer",
    "nm",
    "predicate",
    "prefix",
    "strided",
    "window",
]


_MOST_DOCUMENTS = 1_000_000
"""So many at most are kept as a band; more, of one length, as blocks that repeat."""


def _square(arguments: Arguments, Nq: int, Nk: int) -> int:
    if Nq != Nk:
        raise InvalidInput(
            f"mask {arguments.kind} needs as many keys as queries; there are {Nq:,} queries and {Nk:,} keys"
        )
    return Nq


def causal(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Up to the query's own position."""
    arguments.end()
    return causal_mask(Nq, Nk)


def window(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A window before the query's own position, or to either side."""
    if arguments.has("left=") or arguments.has("right="):
        left, right = arguments.whole("left=", 0), arguments.whole("right=", 0)
    else:
        left, right = arguments.whole("W") - 1, 0
    arguments.end()
    return window_mask(Nq, Nk, left, right)


def prefix(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A prefix that all see, then causal."""
    prefix = arguments.whole("P")
    arguments.end()
    return prefix_mask(Nq, Nk, prefix)


def document(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Sequences packed one behind the other."""
    N, causal = _square(arguments, Nq, Nk), arguments.word("causal")
    found = [arguments.repeated("a length")]
    while arguments.has("a length"):
        found.append(arguments.repeated("a length"))
    arguments.end()
    total, number = (sum(length * times for length, times in found), sum(times for _, times in found))
    if total != N:
        raise arguments.wrong(f"the lengths add up to {total:,}, and there are {N:,} tokens")
    if number > _MOST_DOCUMENTS and len({length for length, _ in found}) == 1:
        return equal_documents_mask(found[0][0], number, causal=causal)
    if number > _MOST_DOCUMENTS:
        raise arguments.wrong(
            f"at most {_MOST_DOCUMENTS:,} sequences of more than one length are taken, not {number:,} sequences"
        )
    return document_mask([length for length, times in found for _ in range(times)], causal=causal)


def longformer(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A window and global tokens."""
    window, global_tokens = arguments.whole("window=", 0), arguments.whole("global=", 0)
    arguments.end()
    return longformer_mask(_square(arguments, Nq, Nk), window, global_tokens)


def strided(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """The last keys, and every so many."""
    stride = arguments.whole("L")
    arguments.end()
    return strided_mask(_square(arguments, Nq, Nk), stride)


def fixed(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """The own block, and the last columns of every block."""
    stride = arguments.whole("L")
    columns = arguments.whole("C") if arguments.has("C") else 1
    arguments.end()
    return fixed_mask(_square(arguments, Nq, Nk), stride, columns)


def butterfly(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Blocks whose numbers differ in one binary digit."""
    size = arguments.whole("B")
    arguments.end()
    return butterfly_mask(_square(arguments, Nq, Nk), size)


def blocks(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Blocks drawn at random, or given in a file."""
    size = arguments.whole("size=")
    if arguments.has("file="):
        path = arguments.text("file=")
        arguments.end()
        return block_file_mask(Nq, Nk, size, path)
    density = arguments.share("density=")
    seed = arguments.whole("seed=", 0) if arguments.has("seed=") else 0
    arguments.end()
    return random_blocks_mask(Nq, Nk, size, density, seed)


def nm(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Some of every few keys, drawn at random."""
    keep, colon, of = arguments.text("N:M").partition(":")
    numbers = Arguments(f"{keep},{of}" if colon else keep, arguments.kind, arguments.usage)
    n, m = numbers.whole("N"), numbers.whole("M")
    seed = arguments.whole("seed=", 0) if arguments.has("seed=") else 0
    arguments.end()
    return n_of_m_mask(Nq, Nk, n, m, seed)


def file(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """An array of booleans in a file."""
    spec = f"file:{arguments.source}"
    allowed = load_array(arguments.source, f"mask {spec}")
    if allowed.shape != (Nq, Nk):
        raise InvalidInput(f"mask {spec}: its shape is {allowed.shape}; the problem's is {(Nq, Nk)}")
    return mask_of_booleans(spec, allowed)


def predicate(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A Python function of index arrays."""
    spec, function = f"predicate:{arguments.source}", named_predicate(arguments.source)
    return mask_of_booleans(spec, fill(function, Nq, Nk, spec))
