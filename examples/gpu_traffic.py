"""FlashAttention-2's traffic on an NVIDIA GPU, measured, beside the count.

It needs torch with CUDA, whose scaled_dot_product_attention has FlashAttention-2. Prefill is measured by counters, by
Nsight Compute (ncu) with permission to read them. Decoding is timed: one query reads a long cache, so the kernel waits
for DRAM, and its time at the rate at which a sum reads its operand says about how many bytes move.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import time
from typing import Any

import pebble
from pebble.lab.plan import kernel_boundaries
from pebble.lab.plan.kernel_boundaries import COUNTERS

PREFILL = pebble.Problem.square(16_384, 128, heads=32, batch=4)
DECODE = pebble.Problem(1, 65_536, 128, 128, heads=32, batch=8)
TILES = {"Br": 128, "Bc": 64}
"""Of FlashAttention-2 for d = 128, with four warps."""


def gpu() -> tuple[Any, str]:
    """Return torch, or None, and the name of the GPU, or why there is none."""
    try:
        import torch.nn.attention  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None, "torch is not installed"
    if not torch.cuda.is_available():
        return None, "torch finds no GPU"
    return torch, torch.cuda.get_device_name()


def attention(torch: Any, problem: pebble.Problem) -> Any:
    """Return a function that runs FlashAttention-2's forward pass on random inputs of 16 bits."""
    Q, K, V = (
        torch.randn(problem.batch, problem.heads, rows, problem.d, device="cuda", dtype=torch.float16)
        for rows in (problem.Nq, problem.Nk, problem.Nk)
    )

    def call() -> None:
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
            torch.nn.functional.scaled_dot_product_attention(Q, K, V)

    return call


def seconds(torch: Any, call: Any) -> float:
    """Return the least time of a call, of several."""
    found = []
    for _ in range(20):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        found.append(time.perf_counter() - begin)
    return min(found)


def counters() -> dict[str, float]:
    """Run prefill alone under Nsight Compute; return nothing if that is missing or may not read the counters."""
    if shutil.which("ncu") is None:
        print("ncu is not installed: no counters")
        return {}
    asked = f"ncu --csv --print-units base -k regex:flash -c 1 --metrics {','.join(COUNTERS.values())}"
    command = [*asked.split(), sys.executable, __file__, "prefill"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = read_counters(done.stdout)
    if not found:
        print(
            "ncu measured nothing:",
            next((x for x in done.stdout.splitlines() if "ERR" in x), done.returncode),
        )
    return found


def read_counters(text: str) -> dict[str, float]:
    """Read counters by name from what ncu prints; its own lines and the program's stand before the table."""
    table = text[text.find('"ID"') :].splitlines() if '"ID"' in text else []
    return {row["Metric Name"]: float(row["Metric Value"].replace(",", "")) for row in csv.DictReader(table)}


def show(what: str, measured: float, words: int) -> None:
    """Print bytes beside those of 16-bit words that are counted."""
    print(
        f"{what}: {measured:,.0f} bytes measured, {2 * words:,} counted, {measured / (2 * words):.3f} times"
    )


def main() -> None:
    torch, name = gpu()
    if torch is None:
        print(f"{name}: nothing is measured; this needs an NVIDIA GPU and torch with CUDA")
        return
    if sys.argv[1:] == ["prefill"]:
        attention(torch, PREFILL)()
        torch.cuda.synchronize()
        return
    key = next((key for key in pebble.devices() if key in name.lower().replace(" ", "")), None)
    print(f"{name}: {key or 'none'} of pebble devices")
    if key is not None:
        kernel = kernel_boundaries(PREFILL, TILES, key, "float16", accumulate="float32", warps=4)
        words = dict(zip(kernel.hierarchy.boundaries, kernel.rows[0].boundaries, strict=True))
        measured = counters()
        for where, counter in COUNTERS.items():
            if counter in measured:
                show(f"prefill, {counter}", measured[counter], words[where].io)
    source = torch.empty(2**31, device="cuda", dtype=torch.float16)
    rate = 2**32 / seconds(torch, source.sum)
    moved = pebble.count(DECODE, 2**15, ["flash-2"])["flash-2"].io
    assert moved is not None
    show(f"decoding, timed at {rate / 1e12:.2f} TB/s", rate * seconds(torch, attention(torch, DECODE)), moved)


if __name__ == "__main__":
    main()
