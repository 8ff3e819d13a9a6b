"""FlashAttention's Figure 2 (left): GPT-2 medium, forward and backward on an A100, 40.3 GB against 4.4 GB.

The paper measured reads and writes of the GPU's main memory: N = 1024, d = 64, 16 heads, batch 64, fp16, so that
one pass over an N × N matrix of all heads is 2.1475 GB and one over an N × d matrix is 0.1342 GB. This script
counts both algorithms and explains the difference between count and measurement.
"""

from __future__ import annotations

from dataclasses import replace

from pebble import Problem, count

BYTES = 2
GPT2 = Problem(Nq=1024, Nk=1024, d=64, dv=64, heads=16, batch=64)
SQUARE = GPT2.copies * GPT2.Nq * GPT2.Nk * BYTES / 1e9
TALL = GPT2.copies * GPT2.Nq * GPT2.d * BYTES / 1e9
SHARED_MEMORY = 192 * 1024 // BYTES


def standard(square_passes: int, tall_passes: int = 12) -> float:
    """Gigabytes moved by an implementation that makes these numbers of passes over N × N and N × d matrices."""
    return square_passes * SQUARE + tall_passes * TALL


def flash(cols: int) -> float:
    """Gigabytes of FlashAttention, forward and backward, with key tiles of this length, counted exactly."""
    forward, backward = replace(GPT2, stats=True), replace(GPT2, pass_name="backward")
    total = 0
    for problem in (forward, backward):
        # Whole tiles of 64 queries: I/O depends on the key tiles alone.
        row = count(problem, 10**6, ["flash-1"], {"rows": 64, "cols": cols})["flash-1"]
        assert row.io is not None
        total += row.io
    return total * BYTES / 1e9


def flash_as_published(cols: int) -> float:
    """Gigabytes of the published algorithm boxes, which write zeros first, read them, and keep running maxima."""
    tiles, vector = -(-GPT2.Nk // cols), TALL / GPT2.d
    forward = 2 * TALL + tiles * (2 * TALL + 2 * vector) + (TALL + 2 * vector) * (1 + tiles)
    backward = 2 * TALL + tiles * (4 * TALL + 2 * vector) + 5 * TALL + tiles * TALL
    return forward + backward


def main() -> None:
    """Print the comparison and check it."""
    print(f"one N² pass {SQUARE:.4f} GB, one Nd pass {TALL:.4f} GB")
    print("\nstandard attention, matrices moved whole (GB)")
    print(f"  plain, 11 N² + 12 Nd:                      {standard(11):6.2f}")
    print(f"  with mask and dropout passes, 18 N²+12 Nd: {standard(18):6.2f}   measured 40.3")
    print("\nFlashAttention, counted (GB)                          measured 4.4")
    for cols in (128, 256, 384, 512):
        print(f"  key tiles of {cols:3}: {flash(cols):5.2f}")
    at_384 = flash(384)
    published = flash_as_published(384)
    print(
        f"  key tiles of 384, accumulators initialised in slow memory, running maxima kept: {published:5.2f}"
    )
    problem = replace(GPT2, pass_name="backward")
    best = count(problem, SHARED_MEMORY, ["best"])["best"].io
    best_forward = count(replace(GPT2, stats=True), SHARED_MEMORY, ["best"])["best"].io
    assert best is not None
    assert best_forward is not None
    least = (best + best_forward) * BYTES / 1e9
    print(f"\nbest schedules known here, with the 98,304 words of one unit's memory: {least:5.2f}")
    print(
        "\nThe measured 40.3 GB are not the 25.2 GB of the plain algorithm: seven more passes over N × N matrices,\n"
        "for masking and dropout and their backward, account for the rest. The measured 4.4 GB lie between our\n"
        "count, in which no accumulator is initialised or read back before it holds something, and that of the\n"
        "published boxes, which initialise all of them in slow memory."
    )
    assert abs(standard(18) - 40.27) < 0.01
    assert abs(standard(11) - 25.23) < 0.01
    assert at_384 < 4.4 < published
    assert least < at_384


if __name__ == "__main__":
    main()
