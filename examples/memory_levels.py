"""Which boundary limits a layer of Llama 3 8B on a GPU: registers, shared memory or L2, with which tiles?

One layer of 65,536 tokens, every token attends to every other, 16-bit words. Each boundary is compared with what no
program can beat there, and with the time that its bytes take where the vendor says how fast it is. One kernel instance
has the registers and the shared memory of one multiprocessor, and L2 as if it were alone.
"""

from __future__ import annotations

import pebble
from pebble.common.tables import tiles_text

DEVICES = {"a100": "regs,smem,l2", "h100": "regs,smem,l2", "b200": "regs,smem,l2", "mi300x": "regs,smem"}


def main() -> None:
    for name, levels in DEVICES.items():
        device, names = pebble.device(name), tuple(levels.split(","))
        hierarchy = device.hierarchy(names, "bf16")
        for which in ("forward", "backward"):
            problem = pebble.model("llama3-8b").problem(65_536, pass_name=which)
            report = pebble.count_levels(
                problem, hierarchy, bandwidths=device.bandwidths(names), bytes_per_word=2
            )
            row = report["nested-flash-2"]
            print(f"{device.title}, {which}: {tiles_text(row.tiles or {})}")
            for boundary, between in zip(row.boundaries, hierarchy.boundaries, strict=True):
                assert boundary.io >= boundary.bound
                seconds = report.seconds(boundary)
                time = "" if seconds is None else f"{1000 * seconds:8.2f} ms"
                size = f"of {boundary.capacity:>10,} words"
                print(
                    f"  {between:<11} {size} {boundary.io:>16,} words, {boundary.ratio:.3f} × least {time}".rstrip()
                )
            slowest = report.slowest(row)
            if slowest is not None:
                print(f"  {hierarchy.boundaries[slowest.level - 1]} takes the longest")


if __name__ == "__main__":
    main()
