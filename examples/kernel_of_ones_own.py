"""Two layers of a network written as assignments: what must move, and what fusing them saves.

The hidden layer R is the result of the first product and an operand of the second. Computed one after the other, R is
written to slow memory and read back. As one kernel, a schedule may keep it in tiles. Which of the two is better depends
on the memory; the schedules are found from the assignments alone, and both are held against the lower bound.

Run it: python examples/kernel_of_ones_own.py
"""

from __future__ import annotations

import pebble

FIRST = "H[i,h] += X[i,k]*W[k,h]; R[i,h] = max(H[i,h], 0)"
SECOND = "Y[i,o] += R[i,h]*V[h,o]"
EXTENTS = {"i": 512, "h": 256, "k": 64, "o": 64}


def moved(text: str, M: int) -> int:
    extents = {name: extent for name, extent in EXTENTS.items() if f"{name}]" in text or f"{name}," in text}
    report = pebble.kernel(text, extents, M)
    assert report.schedule is not None
    assert report.best.value <= report.schedule.io
    return report.schedule.io


def main() -> None:
    print(f"{FIRST}; {SECOND}")
    print(", ".join(f"{name} = {extent}" for name, extent in EXTENTS.items()) + "\n")
    print(f"{'M':>7}  {'lower bound':>11}  {'two kernels':>11}  {'one kernel':>10}  saved")
    for M in (500, 2_000, 8_000, 32_000):
        apart = moved(FIRST, M) + moved(SECOND, M)
        report = pebble.kernel(f"{FIRST}; {SECOND}", EXTENTS, M)
        assert report.schedule is not None
        together = report.schedule.io
        assert report.best.value <= together
        print(f"{M:>7,}  {report.best.value:>11,}  {apart:>11,}  {together:>10,}  {1 - together / apart:.0%}")
        program = report.schedule.program
    print(f"\nM = {M:,}:\n{program}")


if __name__ == "__main__":
    main()
