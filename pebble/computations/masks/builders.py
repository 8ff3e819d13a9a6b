"""The kinds of masks: of each how it is written, and a function that takes its arguments from the text and makes it."""

from __future__ import annotations

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arguments import Arguments
from pebble.computations.masks.arrays import fill, load_array, mask_of_booleans, named_predicate
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.band_patterns import (
    causal_mask,
    check_lines,
    document_mask,
    equal_documents_mask,
    past_own,
    window_mask,
)
from pebble.computations.masks.block_mask import BlockMask, check_blocks_kept
from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.cache_patterns import lists_mask, paged_mask, selected_mask
from pebble.computations.masks.dense_mask import DenseMask
from pebble.computations.masks.mask import Mask
from pebble.computations.masks.mask_kind import KINDS, mask_kind
from pebble.computations.masks.sparse_patterns import (
    block_file_mask,
    every_key,
    kept_of_each,
    random_blocks_mask,
)
from pebble.computations.masks.staircase import Staircase
from pebble.computations.masks.union_mask import combined_bands

__all__ = ["KINDS"]

_MOST_DOCUMENTS = 1_000_000
"""Most documents kept as a band; more, if of one length, are kept as repeating blocks."""
_CHILD = "Child et al. 2019, arXiv 1904.10509"


def _square(arguments: Arguments, Nq: int, Nk: int) -> int:
    if Nq != Nk:
        raise InvalidInput(
            f"mask {arguments.kind} needs as many keys as queries; there are {Nq:,} queries and {Nk:,} keys"
        )
    return Nq


def _lengths(arguments: Arguments) -> list[tuple[int, int]]:
    """Take all numbers that are left, at least one, each with how often it stands there."""
    found = [arguments.repeated("a length")]
    while arguments.has("a length"):
        found.append(arguments.repeated("a length"))
    return found


@mask_kind("causal", "the keys up to the query's own position; the last query sees all", "causal")
def causal(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Up to the query's own position."""
    arguments.end()
    return causal_mask(Nq, Nk)


@mask_kind(
    "window:W or window:left=L,right=R",
    "the last W keys including its own, or L keys before its own position and R after it",
    "window:256",
)
def window(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A window before the query's own position, or to either side."""
    if arguments.has("left=") or arguments.has("right="):
        left, right = arguments.whole("left=", 0), arguments.whole("right=", 0)
    else:
        left, right = arguments.whole("W") - 1, 0
    arguments.end()
    return window_mask(Nq, Nk, left, right)


@mask_kind(
    "prefix:P",
    "the first P keys, and those up to its own position",
    "prefix:64",
    "Raffel et al. 2020, arXiv 1910.10683",
)
def prefix(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A prefix that all see, then causal."""
    prefix = arguments.whole("P")
    arguments.end()
    if prefix > Nk:
        raise InvalidInput(f"mask prefix: the prefix must be 1 to Nk = {Nk:,} keys, not {prefix:,}")
    return BandMask(f"prefix:{prefix}", Nk, Staircase(Nq, 0, 0, 0), past_own(Nq, Nk, 1, prefix))


@mask_kind(
    "document:[causal,]LENGTH[xTIMES],LENGTH[xTIMES],…",
    "the keys of its own sequence, where several are packed together (unpadded: is the same)",
    "document:causal,512,512",
    "unpadded BERT: Zeng et al. 2022, arXiv 2208.08124",
)
def document(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Sequences packed one behind the other."""
    N, causal = _square(arguments, Nq, Nk), arguments.word("causal")
    found = _lengths(arguments)
    arguments.end()
    total, number = (sum(length * times for length, times in found), sum(times for _, times in found))
    if total != N:
        raise arguments.wrong(f"the lengths add up to {total:,}, but there are {N:,} tokens")
    if number > _MOST_DOCUMENTS and len({length for length, _ in found}) == 1:
        return equal_documents_mask(found[0][0], number, causal=causal)
    if number > _MOST_DOCUMENTS:
        raise arguments.wrong(
            f"there are {number:,} sequences; the limit is {_MOST_DOCUMENTS:,} unless all have the same "
            "length"
        )
    return document_mask([length for length, times in found for _ in range(times)], causal=causal)


@mask_kind("diagonal:B", "the keys of its own block of B: diagonal blocks", "diagonal:64")
def diagonal(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Sequences of one length; what is left is the last one."""
    size, N = arguments.whole("B"), _square(arguments, Nq, Nk)
    arguments.end()
    if size * _MOST_DOCUMENTS < N:
        raise arguments.wrong(f"there are more than {_MOST_DOCUMENTS:,} blocks; document: may have more")
    return _named(f"diagonal:{size}", document_mask([min(size, N - first) for first in range(0, N, size)]))


@mask_kind(
    "video:window=W,global=G",
    "frames: W/2 to either side, and G that are spread evenly over all (dual-scope attention)",
    "video:window=16,global=8",
    "Tan et al. 2024, arXiv 2406.16260",
)
def video(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Local and global context of clip-parallel video attention (Video-Infinity): frame g·N // G is global."""
    window, G, N = arguments.whole("window=", 0), arguments.whole("global="), _square(arguments, Nq, Nk)
    arguments.end()
    check_lines(N)
    most = min(N, 16)  # each is a band
    if window % 2 or most < G:
        raise arguments.wrong(f"the window must be even, and at most {most} frames can be global")
    spec, frames = f"video:window={window},global={G}", [g * N // G for g in range(G)]
    everywhere = [BandMask(spec, N, Staircase(N, 0, g, 0), Staircase(N, 0, g + 1, 0)) for g in frames]
    return combined_bands(spec, [window_mask(N, N, window // 2, window // 2), *everywhere])


@mask_kind(
    "longformer:window=W,global=G",
    "W/2 keys to either side; the first G tokens see all and are seen by all",
    "longformer:window=128,global=2",
    "Beltagy et al. 2020, arXiv 2004.05150",
)
def longformer(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A window of window/2 keys to either side, and global tokens that see all and that all see (section 3.1)."""
    window, G, N = arguments.whole("window=", 0), arguments.whole("global=", 0), _square(arguments, Nq, Nk)
    arguments.end()
    if window % 2:
        raise InvalidInput(
            f"mask longformer: the window must be even, not {window}: half of it lies on either side"
        )
    if G > N:
        raise InvalidInput(f"mask longformer: {G:,} tokens cannot be global, because there are only {N:,}")
    check_lines(N)
    spec, flat = f"longformer:window={window},global={G}", Staircase(N, 0, 0, 0)
    # The first G queries see all keys; of the others this band begins and ends behind the last key.
    global_queries = BandMask(spec, N, Staircase(N, [0, G], [0, N], [0, 0]), Staircase(N, 0, N, 0))
    global_keys = BandMask(spec, N, flat, Staircase(N, 0, G, 0))
    return combined_bands(spec, [window_mask(N, N, window // 2, window // 2), global_keys, global_queries])


@mask_kind("sink:S", "the first S keys, whatever its own position", "sink:4")
def sink(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """The first keys for all queries."""
    sinks = arguments.whole("S")
    arguments.end()
    check_lines(max(Nq, Nk))
    if sinks > Nk:
        raise InvalidInput(f"mask sink: there are {Nk:,} keys, {sinks:,} cannot be sinks")
    return BandMask(f"sink:{sinks}", Nk, Staircase(Nq, 0, 0, 0), Staircase(Nq, 0, sinks, 0))


@mask_kind(
    "streaming:S,W",
    "the first S keys and the last W keys, its own among these; none after its own position",
    "streaming:4,1020",
    "Xiao et al. 2023, arXiv 2309.17453",
)
def streaming(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Attention sinks and a rolling cache of recent keys (section 3.2): a cache of S + W, as in the authors' code."""
    sinks, last = arguments.whole("S"), arguments.whole("W")
    arguments.end()
    window, spec = window_mask(Nq, Nk, last - 1), f"streaming:{sinks},{last}"
    stop = Staircase.clipped(Nq, Nk - Nq + 1, 0, min(sinks, Nk))
    return combined_bands(spec, [BandMask(spec, Nk, Staircase(Nq, 0, 0, 0), stop), window])


@mask_kind(
    "dilated:W,STEP",
    "W keys: its own position, and each STEP keys before the last one",
    "dilated:16,4",
    "Beltagy et al. 2020, arXiv 2004.05150",
)
def dilated(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A window with gaps (section 3.1), before the query's own position, as the paper's language models have it."""
    number, step = arguments.whole("W"), arguments.whole("STEP")
    arguments.end()
    N, spec = _square(arguments, Nq, Nk), f"dilated:{number},{step}"
    check_lines(N)
    if step == 1 or number == 1 or step >= N:
        return _named(spec, window_mask(N, N, number - 1 if step == 1 else 0))
    if number >= -(-N // step):
        # Blocks of STEP tokens, each with its diagonal.
        own = window_mask(step, step, 0)
        return BlockToeplitzMask(spec, N, step, [own], own)
    return mask_of_booleans(spec, fill(every_key(N, number, step), N, N, spec))


@mask_kind("strided:L", "the keys up to L back, and those at multiples of L back", "strided:32", _CHILD)
def strided(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Both heads of the strided pattern merged into one (section 4.3)."""
    stride = arguments.whole("L")
    arguments.end()
    N, spec = _square(arguments, Nq, Nk), f"strided:{stride}"
    check_lines(N)
    if stride == 1 or stride >= N - 1:
        return _named(spec, causal_mask(N, N))
    if 2 * stride >= N:
        return _named(spec, window_mask(N, N, stride))
    own, before = causal_mask(stride, stride), window_mask(stride, stride, 0, stride)
    return BlockToeplitzMask(spec, N, stride, [own, before], window_mask(stride, stride, 0))


@mask_kind(
    "fixed:L[,C]",
    "earlier keys of its own block of L, and the last C (1 if not given) of every block before",
    "fixed:32,4",
    _CHILD,
)
def fixed(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Both heads of the fixed pattern merged into one (section 4.3); blocks begin at 0."""
    stride = arguments.whole("L")
    columns = arguments.whole("C", 1, 1)
    arguments.end()
    N = _square(arguments, Nq, Nk)
    check_lines(N)
    if columns > stride:
        raise InvalidInput(
            f"mask fixed: cannot take the last {columns} keys of a block, because a block has only {stride}"
        )
    spec = f"fixed:{stride}" + (f",{columns}" if columns > 1 else "")
    causal = causal_mask(N, N)
    if columns == stride or stride >= N:
        return _named(spec, causal)
    first = stride - columns
    if 2 * stride >= N:
        return BandMask(spec, N, Staircase(N, [0, stride], [0, first], [0, 0]), causal.ends("i")[1])
    far = BandMask(spec, stride, Staircase(stride, 0, first, 0), Staircase(stride, 0, stride, 0))
    return BlockToeplitzMask(spec, N, stride, [causal_mask(stride, stride)], far)


@mask_kind(
    "blocks:size=B,density=P[,seed=S] or blocks:size=B,file=PATH.npy",
    "blocks of B × B pairs, drawn at random or given by a boolean array",
    "blocks:size=64,density=0.25,seed=1",
    "Dao et al. 2022, arXiv 2205.14135",
)
def blocks(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Blocks drawn at random, or given in a file."""
    size = arguments.whole("size=")
    if arguments.has("file="):
        path = arguments.text("file=")
        arguments.end()
        return block_file_mask(Nq, Nk, size, path)
    density, seed = arguments.share("density="), arguments.whole("seed=", 0, 0)
    arguments.end()
    return random_blocks_mask(Nq, Nk, size, density, seed)


@mask_kind(
    "selected:size=B,blocks=n[,queries=Q][,seed=S] or selected:size=B[,queries=Q],file=PATH.npy",
    "n blocks of B keys: its own, the first, the one before its own, and others at random or all from a file",
    "selected:size=64,blocks=16",
    "NSA: Yuan et al. 2025, arXiv 2502.11089",
)
def selected(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Lists of blocks, each for a query of all query heads that share keys, or for some queries in a row."""
    size, queries = arguments.whole("size="), arguments.whole("queries=", 1, 1)
    if arguments.has("file="):
        path = arguments.text("file=")
        arguments.end()
        return lists_mask(Nq, Nk, size, path, queries)
    number, seed = arguments.whole("blocks="), arguments.whole("seed=", 0, 0)
    arguments.end()
    return selected_mask(Nq, Nk, size, number, queries, seed)


@mask_kind(
    "paged:PAGE,LENGTH[xTIMES],LENGTH[xTIMES],…[,shared=PREFIX]",
    "all keys in the pages of its own sequence, and in those of a prefix that all sequences share",
    "paged:16,500,512",
    "PagedAttention: Kwon et al. 2023, arXiv 2309.06180",
)
def paged(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Sequences with their keys in pages, which are loaded whole."""
    page, shared, found = arguments.whole("PAGE"), arguments.whole("shared=", 0, 0), _lengths(arguments)
    arguments.end()
    if sum(times for _, times in found) > _MOST_DOCUMENTS:
        raise arguments.wrong(f"there are more than {_MOST_DOCUMENTS:,} sequences")
    return paged_mask(Nq, Nk, page, [length for length, times in found for _ in range(times)], shared)


@mask_kind(
    "butterfly:B",
    "blocks of B × B on the diagonal, and those whose two numbers differ in one binary digit",
    "butterfly:64",
    "Dao et al. 2022, arXiv 2112.00029",
)
def butterfly(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """The sum of all butterfly factors; if the number of blocks is no power of two, what there is of the next pattern.

    FlashAttention (arXiv:2205.14135, section 3.3) takes it from Pixelated Butterfly.
    """
    size, N = arguments.whole("B"), _square(arguments, Nq, Nk)
    arguments.end()
    spec, number = f"butterfly:{size}", -(-N // size)
    check_blocks_kept(N, N, (size, size), spec)
    differ = np.arange(number, dtype=np.int32)[:, None] ^ np.arange(number, dtype=np.int32)
    return BlockMask(spec, N, N, (size, size), differ & (differ - 1) == 0)


@mask_kind(
    "nm:N:M[,seed=S]",
    "N of every M consecutive keys, drawn at random for each query",
    "nm:2:4",
    "Mishra et al. 2021, arXiv 2104.08378",
)
def nm(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """The pair (i, j) has the word ``random_words(seed, i · Nk + j)``; the smallest of each group of keys are kept."""
    first, colon, second = arguments.text("N:M").partition(":")
    numbers = Arguments(f"{first},{second}" if colon else first, arguments.kind, arguments.usage)
    keep, of = numbers.whole("N"), numbers.whole("M")
    seed = arguments.whole("seed=", 0, 0)
    arguments.end()
    if keep > of:
        raise InvalidInput(f"mask nm: cannot keep {keep} of every {of} keys")
    spec = f"nm:{keep}:{of}" + (f",seed={seed}" if seed else "")
    of = min(of, Nk)
    return DenseMask(spec, fill(kept_of_each(Nk, keep, of, seed), Nq, Nk, spec))


@mask_kind("file:PATH.npy", "the keys that a boolean array of shape (Nq, Nk) allows", "file:m.npy")
def file(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """An array of booleans in a file."""
    spec = f"file:{arguments.source}"
    allowed = load_array(arguments.source, f"mask {spec}")
    if allowed.shape != (Nq, Nk):
        raise InvalidInput(f"mask {spec}: its shape is {allowed.shape}; the problem's is {(Nq, Nk)}")
    return mask_of_booleans(spec, allowed)


@mask_kind(
    "predicate:MODULE:FUNCTION",
    "the keys that a Python function f(q_idx, kv_idx) of index arrays allows",
    "predicate:mymasks:parity",
    "Dong et al. 2024, arXiv 2412.05496",
)
def predicate(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """A Python function of index arrays."""
    spec, function = f"predicate:{arguments.source}", named_predicate(arguments.source)
    return mask_of_booleans(spec, fill(function, Nq, Nk, spec))


@mask_kind(
    "group:G:MASK",
    "the keys that query i // G of another mask sees, for G query heads that share keys",
    "group:4:causal",
)
def group(arguments: Arguments, Nq: int, Nk: int) -> Mask:
    """Queries that share what they see."""
    raise AssertionError("a group is made of another mask")


def _named(spec: str, band: BandMask) -> BandMask:
    return BandMask(spec, band.Nk, *band.ends("i"))
