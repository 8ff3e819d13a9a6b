"""What does a token cost that DeepSeek-V3 decodes: with one latent row a token, or with keys and values of each head?

One layer, one new token, 16-bit words, the registers and the shared memory of one multiprocessor of an H100. With the
projections absorbed all 128 query heads read one row of 576 words for each token, of which the first 512 are the value.
"""

from __future__ import annotations

import pebble
from pebble.common.tables import Table


def main() -> None:
    M = pebble.device("h100").words("bf16", "smem+regs")
    rows = [["tokens", "latent rows", "K and V apart", "128 heads", "latent ÷ least"]]
    for tokens in (8_192, 32_768, 131_072):
        latent = pebble.model("deepseek-v3-absorbed").problem(1, tokens)
        apart = pebble.Problem(1, tokens, 576, 512, heads=128, kv_heads=1)
        heads = pebble.model("deepseek-v3").problem(1, tokens)
        found = [pebble.count(one, M, ["flash-2"])["flash-2"] for one in (latent, apart, heads)]
        words = [row.io for row in found]
        assert None not in words
        assert words[0] == 128 * (576 + 512) + 576 * tokens
        assert words[1] == 128 * (576 + 512) + (576 + 512) * tokens
        rows.append([f"{tokens:,}", *(f"{one:,}" for one in words), f"{found[0].ratio:.3f}"])
    print(f"words moved for one token, M = {M:,}")
    print(Table(rows))
    print()
    print(
        "A bound for K and V apart would say that the first column is impossible; MLA is the bound that holds:"
    )
    prompt = pebble.model("deepseek-v3-absorbed").problem(8_192, mask="causal")
    for bound in pebble.bounds(prompt, M).proved:
        print(f"  {bound.name:<10} {bound.value:>14,} words for a prompt of 8,192 tokens, causal")


if __name__ == "__main__":
    main()
