"""Which hardware is in the small-cache regime? Old and new cards, the precisions of then and now.

For M < d² the theory has a small-cache algorithm that beats FlashAttention's order, up to constants. M is what
one thread block can use; whether it is below d² depends on the head dimension and on the bytes of a word.
"""

from __future__ import annotations

from pebble import device, regimes
from pebble.lab.regimes import RegimeRow

CARDS = ("gtx1060", "a100", "h100")


def forward(dtype: str) -> dict[tuple[str, int], RegimeRow]:
    """Rows of the forward pass by card and head dimension."""
    table = regimes(CARDS, (64, 128, 256), dtype=dtype, passes="forward", N=4096)
    print(table, end="\n\n")
    return {(row.devices[0], row.problem.d): row for row in table.rows}


def main() -> None:
    """Print both tables and check what they show."""
    assert device("gtx1060").words("float32") == 12_288
    single, half = forward("float32"), forward("bfloat16")
    small = sorted(key for key, row in single.items() if row.regime == "small cache")
    print("small cache in float32:", ", ".join(f"{card} d={d}" for card, d in small))
    small_half = sorted(key for key, row in half.items() if row.regime == "small cache")
    print("small cache in bfloat16:", ", ".join(f"{card} d={d}" for card, d in small_half))
    assert {("gtx1060", 128), ("gtx1060", 256)} <= set(small)
    assert small_half == [("gtx1060", 256)]
    for row in (*single.values(), *half.values()):
        published, flash = row.against_best("small-cache"), row.against_best("flash-2")
        assert published is not None
        assert flash is not None
        if row.regime == "large cache":
            assert flash < published
    old = single["gtx1060", 256]
    published, flash = old.against_best("small-cache"), old.against_best("flash-2")
    assert published is not None
    assert flash is not None
    assert published < flash
    print(
        f"GTX 1060, d = 256, float32: M/d² = {old.mu:.2f}; the small-cache algorithm as published moves "
        f"{flash / published:.2f} times fewer words than flash-2, and {old.best.chosen} {flash:.2f} times fewer."
    )


if __name__ == "__main__":
    main()
