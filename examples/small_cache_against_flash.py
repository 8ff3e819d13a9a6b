"""Backward pass: the small-cache algorithm against FlashAttention as the cache shrinks from 16·d² to d²/64.

The theory says that FlashAttention is optimal for M ≥ d² and the small-cache algorithm for M < d², up to
constants. The constants decide where the two really cross.
"""

from __future__ import annotations

from pebble import Problem, count

N, D = 16_384, 64
NAMES = ("flash-1", "flash-2", "split", "small-cache", "square-tile", "best")


def table() -> dict[float, dict[str, int]]:
    """I/O by M/d² and schedule, every count verified by the machine."""
    problem = Problem.square(N, D, pass_name="backward")
    rows: dict[float, dict[str, int]] = {}
    for exponent in range(4, -7, -1):
        mu = 2.0**exponent
        report = count(problem, int(mu * D * D), NAMES)
        rows[mu] = {row.name: row.io for row in report.rows if row.io is not None}
    return rows


def crossover(rows: dict[float, dict[str, int]], one: str, other: str) -> float:
    """Return the largest M/d² of the table at which ``one`` moves fewer words than ``other``."""
    return max(mu for mu, row in rows.items() if one in row and row[one] < row.get(other, row[one] + 1))


def main() -> None:
    """Print the table and check what it shows."""
    rows = table()
    print(f"Backward, N = {N}, d = {D}: I/O in units of N²")
    print(f"{'M/d²':>9}" + "".join(f"{name:>13}" for name in NAMES))
    for mu, row in rows.items():
        cells = (f"{row[name] / N**2:13.2f}" if name in row else f"{'—':>13}" for name in NAMES)
        print(f"{mu:9.4f}" + "".join(cells))
    published = crossover(rows, "small-cache", "flash-2")
    streamed = crossover(rows, "square-tile", "flash-2")
    print(f"small-cache as published wins over flash-2 from M/d² = {published} down,")
    print(f"with streamed products (square-tile) from M/d² = {streamed} down.")
    assert rows[16.0]["flash-2"] < rows[16.0]["small-cache"]
    assert rows[1 / 64]["small-cache"] < rows[1 / 64].get("flash-2", 10**18)
    assert 1 / 8 <= published <= streamed <= 2
    assert all(row["best"] <= min(row.values()) for row in rows.values())


if __name__ == "__main__":
    main()
