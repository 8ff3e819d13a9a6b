"""Lists of selected blocks, and pages, against what one derives by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pebble import Problem, bounds, count
from pebble.common.errors import InvalidInput
from pebble.computations.masks import make_mask


def native_sparse_attention(N: int) -> tuple[Problem, int]:
    """The shape of its paper, 64 query heads on 4 heads of keys, and how many keys all lists have together."""
    problem = Problem.square(N, 192, 128, heads=64, kv_heads=4, mask="selected:size=64,blocks=16")
    return problem, 64 * 64 * sum(min(16, block + 1) for block in range(N // 64))


def test_a_kernel_loads_the_blocks_of_each_list_once_for_all_query_heads_that_share_them() -> None:
    N = 8192
    problem, listed = native_sparse_attention(N)
    assert problem.pairs == 16 * listed
    row = count(problem, 116_224, ["flash-2"], {"rows": 16, "cols": 64})["flash-2"]
    assert row.by_array is not None
    words = {name: array["reads"] + array["writes"] for name, array in row.by_array.items()}
    heads, width = 4, {"K": 192, "V": 128}
    assert words == {
        "Q": N * 64 * 192,
        "O": N * 64 * 128,
        **{name: heads * listed * length for name, length in width.items()},
    }
    assert row.io == 10_276_044_800
    # Query heads one by one load each list 16 times.
    apart = count(
        Problem.square(N, 192, 128, heads=64, mask="selected:size=64,blocks=16"),
        116_224,
        ["flash-2"],
        {"rows": 1, "cols": 64},
    )["flash-2"]
    assert apart.io == 16 * heads * listed * (192 + 128) + N * 64 * (192 + 128)


def test_lists_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "lists.npy"
    np.save(path, np.array([[0, -1], [1, 0], [2, 1]]))
    text = f"selected:size=2,queries=3,file={path}"
    mask = make_mask(text, 8, 6)
    assert mask is not None
    assert mask.spec == text
    seen = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
    np.testing.assert_array_equal(
        mask.matrix((0, 8), (0, 6)), seen.repeat([3, 3, 2], axis=0).repeat(2, axis=1)
    )


@pytest.mark.parametrize(
    ("array", "why"),
    [
        (np.array([[0]]), "8 queries take 3 lists; the file has 1"),
        (np.array([[0], [1], [3]]), "make blocks 0 to 2; there is a 3"),
        (np.array([0, 1, 2]), "two dimensions"),
        (np.ones((3, 2)), "whole numbers"),
        (np.array([[-1], [0], [0]]), "attend to no key"),
    ],
)
def test_a_file_of_other_lists_is_refused(tmp_path: Path, array: np.ndarray, why: str) -> None:
    path = tmp_path / "lists.npy"
    np.save(path, array)
    with pytest.raises(InvalidInput, match=why):
        make_mask(f"selected:size=2,queries=3,file={path}", 8, 6)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("selected:size=2,blocks=1,queries=3", "at most 2 queries can share"),
        ("selected:size=2", "blocks= is missing"),
        ("paged:4", "a length is missing"),
        ("paged:4,8", "the pages hold 8 keys, not 6: give --kv 8"),
        ("paged:2,1,1,1", "each of 3 sequences has as many queries; there are 8"),
    ],
)
def test_what_makes_no_such_mask(text: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        make_mask(text, 8, 6)


def test_what_a_page_costs_is_the_empty_end_of_the_last_one() -> None:
    lengths = [1000, 3000, 77] * 64

    def words(page: int) -> int:
        keys = sum(-(-length // page) * page for length in lengths)
        text = f"paged:{page},{','.join(map(str, lengths))}"
        problem = Problem(len(lengths), keys, 128, 128, heads=32, kv_heads=8, mask=text)
        found = count(problem, 116_224, ["flash-2"])["flash-2"].io
        assert found == bounds(problem, 116_224).best.value
        return found

    queries = 2 * 32 * 128 * len(lengths)
    assert words(1) == queries + 2 * 8 * 128 * sum(lengths)
    for page, empty in ((16, 8 + 8 + 3), (256, 24 + 72 + 179), (1024, 24 + 72 + 947)):
        assert words(page) - words(1) == 2 * 8 * 128 * 64 * empty


def test_a_dilated_window_is_a_window_in_sequences_of_every_other_token() -> None:
    with pytest.raises(InvalidInput, match=r"document:21846,21845,21845&window:16 has the same pairs"):
        make_mask("dilated:16,3", 65_536, 65_536)
    dilated, sorted_tokens = (make_mask(text, 10, 10) for text in ("dilated:2,3", "document:4,3,3&window:2"))
    assert dilated is not None
    assert sorted_tokens is not None
    order = np.argsort(np.arange(10) % 3, kind="stable")
    table = dilated.matrix((0, 10), (0, 10))[np.ix_(order, order)]
    np.testing.assert_array_equal(table, sorted_tokens.matrix((0, 10), (0, 10)))


def test_a_prefix_that_sequences_share_is_read_once_by_a_kernel_that_takes_them_together() -> None:
    mask = make_mask("paged:2,1,3,shared=3", 4, 10)
    assert mask is not None
    assert mask.spec == "paged:2,1,3,shared=3"
    own = np.array([[1, 0, 0], [0, 1, 1]], dtype=bool).repeat(2, axis=0).repeat(2, axis=1)
    np.testing.assert_array_equal(mask.matrix((0, 4), (0, 10)), np.hstack([np.ones((4, 4), dtype=bool), own]))
    text = "paged:16,1024x64,shared=2048"
    problem = Problem(64, 2048 + 64 * 1024, 128, 128, heads=32, kv_heads=8, mask=text)
    queries, key = 2 * 64 * 32 * 128, 2 * 8 * 128
    together, in_turn = (
        count(problem, 116_224, ["flash-2"], {"rows": rows})["flash-2"].io for rows in (256, 4)
    )
    assert (
        together == bounds(problem, 116_224).best.value == queries + key * (2048 + 64 * 1024) == 138_936_320
    )
    assert in_turn == queries + key * 64 * (2048 + 1024) == 403_177_472
